"""Topics: the best authorities and hubs of a collection for a query, by several methods, with their neighbourhood."""

from html import escape
from typing import Annotated
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from glassrank.app.page_frame import Frame, app_page, workspace_of
from glassrank.core.checks import DataError, check_choice
from glassrank.core.wording import counted
from glassrank.distillation.compare_distillers import ComparedDistillers
from glassrank.distillation.options import CANDIDATES
from glassrank.drawing.self_contained_page import table
from glassrank.studies.distillation.topics import Topic
from glassrank.studies.views.topic_judging import judged_topics
from glassrank.studies.views.topic_views import METHODS, ListedPage, MethodsView, TopicView, methods_view, topic_view

router = APIRouter()
LONGEST_QUERY = 1000
SETS = {"root": "Search results", "base": "Search results and their neighbours"}
STYLES, SCRIPTS = ("topics.css",), ("vega.js", "neighbourhood.js")
QueryText = Annotated[str, Query(max_length=LONGEST_QUERY)]


@router.get("/topics", include_in_schema=False)
def topics(
    request: Request,
    collection: str = "",
    q: QueryText = "",
    method: str = METHODS[0],
    candidates: str = CANDIDATES[0],
) -> Response:
    """Ask for a query, and show what the methods find for it."""
    parts = workspace_of(request).parts
    check_choice("method", method, METHODS)
    check_choice("candidates", candidates, CANDIDATES)
    names = list(parts.collections())
    if not names:
        content = ITSELF.format(escape(str(parts.folder.parent))) if parts.is_collection else NO_COLLECTION
        return app_page(request, Frame("Topics", active="topics"), content)
    name = collection or names[0]
    opened = parts.collection(name)
    content = f"<h1>Topics</h1>{_form(names, name, q, method, candidates)}"
    if not q.strip():
        facts = f"{counted(len(opened.pages), 'page')}, {counted(len(opened.links), 'link')}."
        content += f"<p>{escape(name)}: {facts}</p>{_judged(name, judged_topics(parts.judgements(name)))}"
        return app_page(request, Frame("Topics", active="topics", styles=STYLES), content)
    try:
        compared = parts.compared(name, q.strip(), candidates)
    except DataError as error:
        content += f'<div class="error" role="alert"><p>{escape(str(error))}</p></div>'
        return app_page(request, Frame("Topics", active="topics", styles=STYLES), content, 422)
    address = {"collection": name, "q": q, "candidates": candidates}
    content += _side_by_side(methods_view(compared), method, address) + _found(compared, method)
    frame = Frame(f"{q.strip()} · Topics", active="topics", styles=STYLES, scripts=SCRIPTS)
    return app_page(request, frame, content)


ITSELF = (
    "<h1>This folder is itself a collection</h1><p>Open the folder that contains it. Judgements are stored beside a "
    "collection, because it is replaced as a whole when it is built again.</p><pre>glassrank app {}</pre>"
)
NO_COLLECTION = (
    "<h1>No collection in this folder</h1><p>A collection contains pages and their links. Build one in a sub-folder of "
    "this folder, then reload this page:</p><pre>glassrank distill build PAGES --store FOLDER/web</pre>"
)


def page_link(title: str, url: str) -> str:
    """Return the title of a page, as a link if its address is one of the web."""
    if not url.lower().startswith(("http://", "https://")):
        return escape(title)
    return f'<a href="{escape(url)}" rel="noreferrer">{escape(title)}</a>'


def _form(names: list[str], name: str, query: str, method: str, candidates: str) -> str:
    chosen = _options({one: one for one in names}, name)
    return (
        '<form class="row ask" action="/topics"><p><label for="collection">Collection</label>'
        f'<select id="collection" name="collection">{chosen}</select></p>'
        '<p class="wide"><label for="q">Topic</label>'
        f'<input id="q" name="q" type="search" maxlength="{LONGEST_QUERY}" value="{escape(query)}" '
        'placeholder="A broad query, such as zen buddhism" required></p>'
        '<p><label for="candidates">Pages to rank</label>'
        f'<select id="candidates" name="candidates">{_options(SETS, candidates)}</select></p>'
        f'<input type="hidden" name="method" value="{escape(method)}"><button class="primary">Find</button></form>'
    )


def _options(words: dict[str, str], chosen: str) -> str:
    return "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{escape(text)}</option>'
        for value, text in words.items()
    )


def _judged(name: str, topics: tuple[Topic, ...]) -> str:
    if not topics:
        return ""
    links = ", ".join(
        f'<a href="/topics?{escape(urlencode({"collection": name, "q": one.query}))}">{escape(one.query)}</a>'
        for one in topics
    )
    agreement = escape(urlencode({"collection": name}))
    return f'<p>Judged topics: {links}. <a href="/topics/agreement?{agreement}">Agreement of the judges</a></p>'


def _side_by_side(found: MethodsView, method: str, address: dict[str, str]) -> str:
    """Return the lists as columns; pages of the chosen method's list are marked in the others."""
    own = {page.page for page in found.tops.get(method, ())}
    marked = {name: own if name != method else set() for name in found.tops}
    heads = "".join(
        f'<th scope="col"><a href="/topics?{escape(urlencode({**address, "method": name}))}"'
        f"{' aria-current=true' if name == method else ''}>{escape(name)}</a></th>"
        for name in found.tops
    )

    def cells(place: int) -> str:
        return "".join(_cell(top, place, marked[name]) for name, top in found.tops.items())

    longest = max(map(len, found.tops.values()), default=0)
    rows = "".join(f'<tr><th scope="row">{place + 1}</th>{cells(place)}</tr>' for place in range(longest))
    failed = "".join(f"<p>{escape(name)} gives no ranking: {escape(why)}</p>" for name, why in found.failed.items())
    judge = escape(urlencode({name: address[name] for name in ("collection", "q")}))
    return (
        '<section><div class="row"><h2>Methods side by side</h2><span class="room"></span>'
        f'<a class="button" href="/topics/judge?{judge}">Judge this topic</a></div>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Methods side by side"><table class="methods"><thead>'
        f'<tr><th scope="col">#</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        f'<p class="note">Scores of different methods cannot be compared. ● Also in the list of '
        f"{escape(method)}.</p>{failed}{_agreement(found)}</section>"
    )


def _cell(top: tuple[ListedPage, ...], place: int, own: set[int]) -> str:
    if place >= len(top):
        return "<td></td>"
    page = top[place]
    mark = '<span class="mark" title="also in the chosen list">● </span>' if page.page in own else ""
    return f'<td title="{escape(page.url)}"><span>{mark}{escape(page.title)}</span><small>{page.score}</small></td>'


def _agreement(found: MethodsView) -> str:
    names = list(found.tops)
    rows = [
        [name, *(_shared(found.overlap[i, j], found.tau[i, j]) for j in range(len(names)))]
        for i, name in enumerate(names)
    ]
    shared = table(["", *names], rows, numeric=set(range(1, len(names) + 1)))
    return (
        f"<details><summary>How far the methods agree</summary><p>Share of the first {found.k} pages in common, and "
        f"Kendall’s τ of all pages, pruned ones tied at the end.</p>{shared}</details>"
    )


def _shared(overlap: float, tau: float) -> str:
    return f"{overlap:.0%} (τ {'undefined' if np.isnan(tau) else f'{tau:.2f}'.replace('-', '−')})"


def _found(compared: ComparedDistillers, method: str) -> str:
    """Return the lists, the picture and the pruned pages of the chosen method."""
    if method not in compared.results:
        return ""
    found = topic_view(compared, method)
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in found.notes)
    hubs = f"<div><h3>Hubs</h3>{_list(found.hubs)}</div>" if found.hubs else ""
    return (
        f"<section><h2>By {escape(method)}</h2><p>{escape(found.heading)}</p>"
        f'<div class="lists"><div><h3>Authorities</h3>{_list(found.authorities)}</div>{hubs}</div>{notes}</section>'
        f"{_pruned(found)}"
        f"<section><h2>Neighbourhood</h2>{compared.results[method].chart().live_figure()}</section>"
    )


def _list(pages: tuple[ListedPage, ...]) -> str:
    items = "".join(
        f"<li><p><strong>{page_link(page.title, page.url)}</strong> <span>{page.score}</span></p>"
        f'<p class="address">{escape(page.url)}</p><p>{escape(page.snippet)}</p><p class="hint">{escape(page.reason)}'
        "</p></li>"
        for page in pages
    )
    return f'<ol class="pages">{items}</ol>' if pages else "<p>None.</p>"


def _pruned(found: TopicView) -> str:
    if not found.pruned:
        return ""
    rows = "".join(
        f'<tr><td class="number">{page.score}</td><td>{page_link(page.title, page.url)}'
        f"<small>{escape(page.url)}</small></td><td>{escape(page.reason)}</td></tr>"
        for page in found.pruned
    )
    more = found.n_pruned - len(found.pruned)
    last = f"<p class=note>… and {more:,} more.</p>" if more > 0 else ""
    return (
        f"<section><h2>Pruned pages</h2><p>{_rule(found)}</p>"
        '<div class="scroll pruned" tabindex="0" role="group" aria-label="Pruned pages"><table class="list"><thead><tr>'
        f'<th scope="col" class="number">{escape(found.pruned_by)}</th><th scope="col">Page</th>'
        f'<th scope="col">Why</th></tr></thead><tbody>{rows}</tbody></table></div>{last}</section>'
    )


def _rule(found: TopicView) -> str:
    pages = counted(found.n_pruned, "page was", "pages were")
    if found.pruned_by.startswith("Distance"):
        return f"{pages} pruned: outside the sphere, so more than one radius from its centre. The farthest come first."
    return f"{pages} pruned as less relevant than the threshold. The least relevant come first."
