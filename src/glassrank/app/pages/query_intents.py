"""Queries: the intent of pasted or uploaded queries with the deciding features, and finished intent studies."""

from html import escape
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, HTTPException, Request, UploadFile
from starlette.responses import Response

from glassrank.app.folder_parts import FolderParts
from glassrank.app.page_frame import Frame, app_page, token_field, workspace_of
from glassrank.app.pages.intent_study_parts import study_part
from glassrank.app.security import REPORT_POLICY
from glassrank.app.served_file import served_file
from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.studies.views.query_views import (
    MAX_QUERIES,
    AnsweredQueries,
    AnsweredQuery,
    answer_queries,
    count_labels,
)

router = APIRouter()
MAX_TEXT = 1 << 20  # characters of a pasted text, which the server refuses in more bytes
MAX_FILE = 64 << 20  # bytes of an uploaded table: far more than the most queries have
EXAMPLE = "walmart&#10;{&quot;query&quot;: &quot;zen&quot;, &quot;results&quot;: [&quot;https://zen.org/&quot;]}"


@router.get("/queries", include_in_schema=False)
def queries(request: Request, model: str = "", statistics: str | None = None, study: str = "") -> Response:
    """Ask for queries, and show a finished study."""
    parts = workspace_of(request).parts
    return _page(request, _form(request, parts, model, statistics) + _study(parts, study, model))


@router.post("/queries", include_in_schema=False)
def answer(
    request: Request,
    model: Annotated[str, Form()],
    statistics: Annotated[str, Form()] = "",
    text: Annotated[str, Form()] = "",
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Answer the queries of a text or a file."""
    parts = workspace_of(request).parts
    service = parts.service(model, statistics)
    content, place = _content(text, file)
    try:
        found, status = _answers(answer_queries(service, content, place)), 200
    except DataError as error:
        found, status = f'<div class="error" role="alert" tabindex="-1"><p>{escape(str(error))}</p></div>', 422
    form = _form(request, parts, model, statistics, "" if file is not None and file.filename else text)
    return _page(request, form + found, status)


@router.get("/queries/{study}/report", include_in_schema=False)
def study_report(request: Request, study: str) -> Response:
    """Show the report of an intent study; it runs in a sandbox, where it cannot reach the app."""
    path = workspace_of(request).parts.intent_study(study).folder / "report.html"
    return served_file(path, "There is no report in this study.", {"Content-Security-Policy": REPORT_POLICY})


def _page(request: Request, content: str, status: int = 200) -> Response:
    frame = Frame("Queries", active="queries", styles=("queries.css",))
    return app_page(request, frame, f"<h1>Queries</h1>{content}", status)


def _content(text: str, file: UploadFile | None) -> tuple[bytes, str]:
    """Return what was sent, and its name for messages."""
    if file is None or not file.filename:
        return text.encode(), "text"
    content = file.file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise HTTPException(413, f"An uploaded table has at most {MAX_FILE:,} bytes. Use glassrank intent predict.")
    return content, file.filename.replace("\\", "/").rpartition("/")[2][:200]


def _form(request: Request, parts: FolderParts, model: str, statistics: str | None, text: str = "") -> str:
    models, counts = list(parts.intent_models()), list(parts.statistics())
    if not models:
        return NO_MODEL
    chosen = statistics if statistics is not None else next(iter(counts), "")
    sources = _options({**{name: name for name in counts}, "": "none"}, chosen)
    return (
        f'<form class="queries" method="post" action="/queries" enctype="multipart/form-data">{token_field(request)}'
        '<div class="row"><p><label for="model">Model</label><select id="model" name="model">'
        f"{_options({name: name for name in models}, model)}</select></p>"
        f'<p><label for="statistics">Statistics of a log</label><select id="statistics" name="statistics">{sources}'
        '</select></p></div><p><label for="text">Queries</label>'
        f'<textarea id="text" name="text" rows="6" maxlength="{MAX_TEXT}" placeholder="{EXAMPLE}" '
        f'aria-describedby="formats">\n{escape(text)}</textarea></p>'
        f'<p class="hint" id="formats">One query per line: as text, or as JSON with its results. Or a table with the '
        f"columns query_id, query, rank, url, or with the features of the model. At most {MAX_QUERIES:,} queries. "
        "A query without results needs statistics, which contain the results of the log.</p>"
        '<div class="row"><p><label for="file">or a file (CSV, TSV, Parquet, lines)</label>'
        '<input id="file" name="file" type="file"></p><button class="primary">Predict intents</button></div></form>'
    )


NO_MODEL = (
    "<p>There is no intent model in this folder. Train one, then reload this page:</p>"
    "<pre>glassrank intent train FOLDER/intent.json --results results.csv --intents intents.csv</pre>"
)


def _options(words: dict[str, str], chosen: str) -> str:
    return "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{escape(text)}</option>'
        for value, text in words.items()
    )


def _answers(found: AnsweredQueries) -> str:
    labels = ", ".join(f"{count:,} {escape(label)}" for label, count in count_labels(found.answers).items())
    faults = f"{', ' if labels else ''}{counted(found.n_errors, 'error')}" if found.n_errors else ""
    by_line = any(one.line is not None for one in found.answers)
    line = '<th scope="col" class="number">Line</th>' if by_line else '<th scope="col">Id</th>'
    outcome = next((one.outcome for one in found.answers if one.outcome), "")
    same = all(one.outcome in ("", outcome) for one in found.answers)
    share = f"P({escape(outcome)})" if same and outcome else "P"
    rows = "".join(_row(one) for one in found.answers)
    notes = "".join(f"<li>{escape(note)}</li>" for note in found.notes)
    return (
        f'<section><h2>Intents</h2><p role="status">Read as {found.kind}: {labels}{faults}.</p>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Intents"><table class="intents"><thead><tr>'
        f'{line}<th scope="col">Query</th><th scope="col">Intent</th><th scope="col">{share}</th>'
        f'<th scope="col">Deciding features</th></tr></thead><tbody>{rows}</tbody></table></div>'
        '<p class="note">What a feature adds to the log-odds, compared with its usual value in training. Features that '
        "move together are one row.</p>"
        + (f"<details><summary>Notes on the input</summary><ul>{notes}</ul></details>" if notes else "")
        + "</section>"
    )


def _row(one: AnsweredQuery) -> str:
    first = escape(one.query_id) if one.line is None else f"{one.line}"
    kind = "" if one.line is None else ' class="number"'
    if one.error:
        return (
            f"<tr><td{kind}>{first}</td><td>{escape(one.query)}</td>"
            f'<td colspan="3"><span class="fault">× {escape(one.error)}</span></td></tr>'
        )
    share = one.probability or 0.0
    strongest = "".join(
        f"<li><strong>{escape(adds.replace('-', '−'))}</strong> {escape(label)}{_value(value, usual)}</li>"
        for adds, label, value, usual, _ in one.features
    )
    return (
        f"<tr><td{kind}>{first}</td><td>{escape(one.query)}</td><td>{escape(one.label)}</td>"
        f'<td class="share"><span>{share:.3f}</span><i style="width:{100 * share:.0f}px"></i></td>'
        f"<td><ul>{strongest}</ul></td></tr>"
    )


def _value(value: str, usual: str) -> str:
    return f' <span class="hint">{escape(value)}, usually {escape(usual)}</span>' if value else ""


def _study(parts: FolderParts, name: str, model: str) -> str:
    names = list(parts.intent_studies())
    if not names:
        return ""
    chosen = name or names[0]
    own = {"model": model} if model else {}
    links = " · ".join(
        f'<a href="/queries?{escape(urlencode({**own, "study": one}))}"'
        f"{' aria-current=true' if one == chosen else ''}>{escape(one)}</a>"
        for one in names
    )
    choice = f"<p>Studies: {links}</p>" if len(names) > 1 else ""
    return f'<section id="study">{choice}{study_part(parts.intent_study(chosen), chosen)}</section>'
