"""Blind judging of a topic's pages, one person at a time, and the agreement of all who judged."""

from html import escape
from pathlib import Path
from shlex import join
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from glassrank.app.page_frame import Frame, app_page, token_field, workspace_of
from glassrank.app.pages.topic_search import LONGEST_QUERY, STYLES, QueryText, page_link
from glassrank.core.wording import counted
from glassrank.drawing.self_contained_page import table
from glassrank.studies.distillation.judging import LABELS
from glassrank.studies.views.topic_judging import (
    LONGEST_NAME,
    SUFFIX,
    TOPICS,
    JudgesView,
    PageToJudge,
    give_label,
    judged_topics,
    judges_view,
    pages_to_judge,
    topic_of,
)

router = APIRouter()
LEVELS = {"ordinal": "ordered grades", "nominal": "unordered names", "interval": "numbers"}


@router.get("/topics/judge", include_in_schema=False)
def judge_topic(request: Request, collection: str, q: QueryText, judge: str = "") -> Response:
    """Ask who judges, and show the pages to judge in an order that does not reveal the methods."""
    parts, query = workspace_of(request).parts, topic_of(q).query
    address = {"collection": collection, "q": query}
    if not judge.strip():
        parts.judgements(collection)  # an error if there is no such collection
        return app_page(request, Frame("Judge", active="topics", styles=STYLES), _who(address))
    name = " ".join(judge.split())
    pages = pages_to_judge(
        parts.collection(collection), parts.pool(collection, query), parts.judgements(collection), name
    )
    done = sum(page.label is not None for page in pages)
    fields = "".join(_hidden(key, value) for key, value in {**address, "judge": name}.items())
    start = f'<form method="post" action="/topics/judge">{token_field(request)}{fields}'
    current = next((page.document for page in pages if page.label is None), None)
    articles = "".join(_article(start, number, page, page.document == current) for number, page in enumerate(pages, 1))
    content = (
        f"<h1>Judge: {escape(query)}</h1><p>{_progress(done, len(pages))} You judge as <strong>{escape(name)}</strong> "
        f'(<a href="/topics/judge?{escape(urlencode(address))}">somebody else</a>). The pages are the best of all '
        "methods, in random order. Every answer is saved at once and can be changed.</p>"
        f'<ol class="judge">{articles}</ol>{_onward(address)}'
    )
    return app_page(request, Frame(f"Judge {query}", active="topics", styles=STYLES, scripts=("judge.js",)), content)


@router.post("/topics/judge", include_in_schema=False)
def save_label(
    request: Request,
    collection: Annotated[str, Form()],
    q: Annotated[str, Form(max_length=LONGEST_QUERY)],
    judge: Annotated[str, Form()],
    document: Annotated[str, Form()],
    label: Annotated[int | None, Form()] = None,
) -> Response:
    """Save a label, or delete it, and go on with the next page."""
    parts = workspace_of(request).parts
    pool, folder = parts.pool(collection, topic_of(q).query), parts.judgements(collection)
    with parts.judging:
        give_label(pool, folder, judge, document, label)
    asked = urlencode({"collection": collection, "q": q, "judge": judge})
    return RedirectResponse(f"/topics/judge?{asked}#current", 303)


@router.get("/topics/agreement", include_in_schema=False)
def agreement(request: Request, collection: str, level: str = "ordinal") -> Response:
    """Show how far the judges of a collection agree, and where they differ."""
    parts = workspace_of(request).parts
    folder = parts.judgements(collection)
    found = judges_view(folder, level)
    content = f"<h1>Agreement of the judges</h1><p>{escape(collection)}</p>"
    if found is None:
        content += "<p>Nobody has judged a topic of this collection.</p>"
    else:
        content += (
            _measured(found, collection, level) + _disputed(found) + _files(folder, parts.collections()[collection])
        )
    content += f'<p><a class="button" href="/topics?{escape(urlencode({"collection": collection}))}">Topics</a></p>'
    return app_page(request, Frame("Agreement", active="topics", styles=STYLES), content)


def _who(address: dict[str, str]) -> str:
    fields = "".join(_hidden(key, value) for key, value in address.items())
    return (
        f"<h1>Judge: {escape(address['q'])}</h1><p>You see the pages without method, score and rank. Use the same name "
        f'when you continue; every person uses their own.</p><form class="row ask" action="/topics/judge">{fields}'
        f'<p><label for="judge">Your name</label><input id="judge" name="judge" maxlength="{LONGEST_NAME}" required '
        'autocomplete="name"></p><button class="primary">Start</button></form>'
    )


def _hidden(name: str, value: str) -> str:
    return f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'


def _progress(done: int, total: int) -> str:
    return f"{done:,} of {counted(total, 'page')} judged." if done < total else f"All {counted(total, 'page')} judged."


def _article(start: str, number: int, page: PageToJudge, current: bool) -> str:
    buttons = "".join(
        f'<button name="label" value="{label}" aria-pressed="{str(page.label == label).lower()}">'
        f"<strong>{label}</strong> {escape(words)}</button>"
        for label, words in LABELS.items()
    )
    clear = '<button class="link" name="label" value="">Clear</button>' if page.label is not None else ""
    state = "current" if current else "judged" if page.label is not None else "open"
    return (
        f'<li class="{state}"{" id=current" if current else ""}><h2>{page_link(page.title, page.url)}</h2>'
        f'<p class="address">{escape(page.url)}</p><p>{escape(page.snippet)}</p>'
        f'{start}{_hidden("document", page.document)}<div class="row" role="group" '
        f'aria-label="Label of page {number}">{buttons}{clear}</div></form></li>'
    )


def _onward(address: dict[str, str]) -> str:
    agreement, topic = escape(urlencode({"collection": address["collection"]})), escape(urlencode(address))
    return (
        f'<p class="row"><a class="button" href="/topics?{topic}">Back to the topic</a>'
        f'<a class="button" href="/topics/agreement?{agreement}">Agreement of the judges</a></p>'
    )


def _measured(found: JudgesView, collection: str, level: str) -> str:
    own = found.agreement
    alpha = f"{own.alpha:.3f}".replace("-", "−") if own.alpha is not None else f"undefined: {escape(own.undefined)}"
    levels = " · ".join(
        f'<a href="/topics/agreement?{escape(urlencode({"collection": collection, "level": name}))}"'
        f"{' aria-current=true' if name == level else ''}>{words}</a>"
        for name, words in LEVELS.items()
    )
    judged = table(["Judge", "Pages"], [[name, f"{n:,}"] for name, n in own.judged.items()], numeric={1})
    rows = [[one.first, one.second, f"{one.n_shared:,}", _share(one.equal), _kappa(one.kappa)] for one in own.pairs]
    heads = ["Judge", "and", "Shared pages", "Equal labels", "Cohen’s κ"]
    pairs = f"<h2>Pairs of judges</h2>{table(heads, rows, numeric={2, 3, 4})}" if rows else ""
    return (
        f'<p class="verdict">Krippendorff’s α: <strong>{alpha}</strong></p><p>{own.n_shared:,} of '
        f"{counted(own.n_units, 'page')} judged by two or more people. 1 means that judges always agree, 0 that they "
        f"agree as often as by chance. Labels as {levels}.</p>{judged}{pairs}"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _kappa(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def _disputed(found: JudgesView) -> str:
    if not found.disputed:
        return ""
    judges = list(found.agreement.judged)
    rows = [
        [
            one.topic,
            one.document,
            *(f"{one.labels[name]:g}" if name in one.labels else "–" for name in judges),
            f"{one.merged:g}",
        ]
        for one in found.disputed
    ]
    shown = table(["Topic", "Page", *judges, "Merged"], rows, numeric=set(range(2, len(judges) + 3)))
    return (
        f"<h2>Different labels</h2><p>{counted(len(rows), 'page')} with different labels, the largest differences "
        "first. A study uses the merged label: the median, of two middle labels the lower.</p>"
        f'<details><summary>Show them</summary><p class="note">Whoever still has to judge should not look.</p>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Different labels">{shown}</div></details>'
    )


def _files(folder: Path, collection: Path) -> str:
    """Return the commands that use the files of the judges."""
    files = [str(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    given = [part for path in files for part in ("--judgements", path)]
    commands = [
        ["glassrank", "distill", "agreement", *files],
        ["glassrank", "distill", "study", str(collection), "--queries", str(folder / TOPICS), *given],
    ]
    topics = counted(len(judged_topics(folder)), "topic")
    return (
        f"<h2>On the command line</h2><p>The judgements of {topics} are TREC files, one per judge.</p>"
        f"<pre>{escape(chr(10).join(map(join, commands)))}</pre>"
    )
