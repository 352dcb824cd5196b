"""The frame of every page: the top bar with the links of a study, the theme, and the page's scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from fastapi import Request
from starlette.responses import HTMLResponse

from glassrank.app.background import WAITING
from glassrank.app.workspace import FINISHED, ListedStudy, Workspace
from glassrank.drawing.live_page import embedded
from glassrank.drawing.self_contained_page import STYLE, with_all_seen
from glassrank.drawing.theme import DARK, LIGHT, css_variables

# Address of a page below a study -> its name in the bar; a page is offered where its part exists.
PAGES = {
    "data": "Data",
    "ranking": "Ranking",
    "compare": "Compare",
    "features": "Features",
    "report": "Report",
    "ship": "Ship",
}

WITH_PAIR = ("ranking", "compare")
"""Pages that show a query and two of its documents."""
FOLDER_PAGES = {"topics": "Topics", "queries": "Queries"}
"""Address of a page of the whole folder -> its name in the bar."""

RELOADED = '<noscript><meta http-equiv="refresh" content="3"></noscript>\n'
"""Loads a page that waits again and again where scripts are off."""


@dataclass(frozen=True)
class Frame:
    """What is around the content of a page."""

    title: str
    study: ListedStudy | None = None
    active: str = ""
    """The page in the bar that is shown."""
    scripts: Sequence[str] = ()
    """Names of files in ``static``, in the order in which they run."""
    styles: Sequence[str] = ()
    """Names of style sheets in ``static`` besides that of the app."""
    data: Any = None
    """Plain values for the scripts, in the element with the id ``page-data``."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Query and documents, which stay chosen on the pages that show them."""


def workspace_of(request: Request) -> Workspace:
    """Return the folder that the app shows."""
    found: Workspace = request.app.state.workspace
    return found


def app_page(request: Request, frame: Frame, content: str, status: int = 200) -> HTMLResponse:
    """Return a whole page around the HTML of its content."""
    token = escape(request.app.state.access.token)
    data = "" if frame.data is None else embedded(frame.data).replace("<script ", '<script id="page-data" ', 1)
    styles = "".join(f'<link rel="stylesheet" href="/static/{name}">\n' for name in ("app.css", *frame.styles))
    waits = WAITING in content
    names = ("app.js", *(("waiting.js",) if waits else ()), *frame.scripts)
    scripts = "".join(f'<script type="module" src="/static/{name}"></script>' for name in names)
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="token" content="{token}">\n<title>{escape(frame.title)} · glassrank</title>\n'
        '<link rel="icon" href="/static/icon.svg">\n<script src="/static/theme.js"></script>\n'
        f"{styles}{RELOADED if waits else ''}</head>\n<body>\n"
        f'<a class="skip" href="#content">Skip to the content</a>\n{_bar(workspace_of(request), frame)}\n'
        f'<main id="content">\n{content}\n</main>\n{data}\n{scripts}\n</body>\n</html>\n'
    )
    return HTMLResponse(with_all_seen(page), status)


def study_link(name: str, page: str, **query: str) -> str:
    """Return the address of a page of a study.

    >>> study_link("shop", "ranking", q="17")
    '/s/shop/ranking?q=17'
    """
    given = "&".join(f"{key}={quote(value, safe='')}" for key, value in query.items())
    return f"/s/{quote(name, safe='')}/{page}" + (f"?{given}" if given else "")


def token_field(request: Request) -> str:
    """Return the hidden field that every form with a writing request needs."""
    return f'<input type="hidden" name="token" value="{escape(request.app.state.access.token)}">'


def style_sheet() -> str:
    """Return the style of the app: that of the reports, the two themes, and the app's own parts."""
    own = files("glassrank.app").joinpath("static", "app.css").read_text(encoding="utf-8")
    # A chosen theme has precedence over the system's; the report's style follows the system only.
    chosen = f":root[data-theme=light] {{ color-scheme: light; {css_variables(LIGHT)} }}\n"
    chosen += f":root[data-theme=dark] {{ color-scheme: dark; {css_variables(DARK)} }}\n"
    return f"{STYLE}\n{chosen}{own}"


def _folder_links(workspace: Workspace, active: str) -> str:
    """Return the links of a folder that contains more than ranking studies."""
    parts = workspace.parts
    found = {"topics": parts.has_topics, "queries": parts.has_queries}
    pages = {"": "Studies", **{page: name for page, name in FOLDER_PAGES.items() if found[page]}}
    if len(pages) == 1:
        return ""
    links = "".join(
        f'<a href="/{page}"{" aria-current=page" if page == active else ""}>{name}</a>' for page, name in pages.items()
    )
    return f'<nav class="pages" aria-label="Parts of the folder">{links}</nav>'


def _bar(workspace: Workspace, frame: Frame) -> str:
    study = frame.study
    if study is None:
        where = f'<span class="where">{escape(workspace.short_folder)}</span>'
        links = _folder_links(workspace, frame.active)
    else:
        options = "".join(
            f'<a href="{escape(study_link(one.name, frame.active or "ranking"))}"'
            f"{' aria-current=true' if one.name == study.name else ''}>{escape(one.title)}</a>"
            for one in workspace.studies()
            if one.state == FINISHED
        )
        where = (
            f'<details class="studies"><summary>{escape(study.title)}</summary>'
            f'<nav aria-label="Studies">{options}<a href="/">All studies</a></nav></details>'
        )
        links = "".join(
            f'<a href="{escape(study_link(study.name, page, **(frame.kept if page in WITH_PAIR else {})))}"'
            f"{' aria-current=page' if page == frame.active else ''}>{name}</a>"
            for page, name in PAGES.items()
        )
        links = f'<nav class="pages" aria-label="Pages of the study">{links}</nav>'
    return (
        f'<header class="bar"><a class="brand" href="/">glassrank</a><span class="slash">/</span>{where}{links}'
        '<span class="room"></span>'
        '<button type="button" class="go-to" id="go-to" hidden>Go to …<kbd>/</kbd></button>'
        '<button type="button" class="theme" id="theme" hidden aria-label="Light or dark">◐</button></header>'
    )
