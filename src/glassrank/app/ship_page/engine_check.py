"""The check of a running engine: its form, what is sent, and the result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from fastapi import Request

from glassrank.app.page_frame import study_link, token_field
from glassrank.app.ship_page.export_options import hidden_fields, in_fields, read_number
from glassrank.core.checks import DataError
from glassrank.data.live_engine.engine_client import API_KEY, PASSWORD, USER
from glassrank.export.live_check import LiveCheck
from glassrank.export.live_requests import REQUESTS
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.study_exports import ExportChoice, check_engine

EXAMPLES = {"solr": "http://localhost:8983/solr/shop", "opensearch": "http://localhost:9200/shop"}
EXAMPLES["elasticsearch"] = EXAMPLES["opensearch"]
MOST_DOCUMENTS, MOST_SECONDS = 1000, 60.0
DEFAULTS = {"documents": "100", "timeout": "20", "text_parameter": "text", "document_field": "id"}


@dataclass(frozen=True)
class Checked:
    """What was asked of an engine, and what came of it."""

    given: Mapping[str, str] = field(default_factory=dict)
    result: LiveCheck | DataError | None = None


def run_check(study: SavedStudy, choice: ExportChoice, given: Mapping[str, str]) -> Checked:
    """Compare a running engine with the model; whatever prevents it is the result."""
    try:
        url, query = given.get("url", "").strip(), given.get("query", "").strip()
        for name, text in (("url", url), ("query", query)):
            if not text:
                raise DataError(parameter=name, expected="filled in", got=text)
        return Checked(given, check_engine(study, choice, url, query, **_settings(given)))
    except DataError as error:
        return Checked(given, error)


def _settings(given: Mapping[str, str]) -> dict[str, Any]:
    rows, timeout = (read_number(DEFAULTS | dict(given), name) for name in ("documents", "timeout"))
    if rows is None or not 1 <= rows <= MOST_DOCUMENTS or rows != int(rows):
        raise DataError(parameter="rows", expected=f"a whole number from 1 to {MOST_DOCUMENTS:,}", got=rows)
    if timeout is None or not 0 < timeout <= MOST_SECONDS:
        raise DataError(parameter="timeout", expected=f"between 0 and {MOST_SECONDS:g} seconds", got=timeout)
    lines = [line.strip() for line in given.get("parameters", "").splitlines() if line.strip()]
    pairs = [line.partition("=") for line in lines]
    wrong = next((line for line, (name, equals, _) in zip(lines, pairs, strict=True) if not (name and equals)), None)
    if wrong is not None:
        expected = "a name, an equals sign and a value in each line"
        raise DataError(parameter="parameters", expected=expected, got=wrong)
    return {
        "rows": int(rows),
        "timeout": timeout,
        "text_parameter": given.get("text_parameter") or DEFAULTS["text_parameter"],
        "document": given.get("document_field") or None,
        "parameters": {name.strip(): value.strip() for name, _, value in pairs},
    }


def check_section(request: Request, study: str, choice: ExportChoice, checked: Checked) -> str:
    """Return the form and the result; empty for a format that is no search engine."""
    if choice.format not in REQUESTS:
        return ""
    return (
        '<section id="check"><h2>Check a running engine</h2><p>After the upload: the engine ranks the best documents '
        "of a query with the model and logs its features. These are scored with the model, and both are compared.</p>"
        f"{_result(checked.result)}"
        f'<form class="options" method="post" action="{escape(study_link(study, "ship/check"))}#check">'
        f"{token_field(request)}{hidden_fields(choice)}{_fields(choice, checked.given)}"
        "<button>Check</button></form>"
        '<p class="note sent">This computer sends one search request to the address: the query, the name of the model '
        "and the parameters. Nothing is written to the engine, and redirects are not followed. If the environment "
        f"variables {USER} and {PASSWORD}, or {API_KEY}, were set when the app was started, they are sent to the "
        "address, too.</p></section>"
    )


def _fields(choice: ExportChoice, given: Mapping[str, str]) -> str:
    shown = DEFAULTS | dict(given)
    language = "the parameter q of Solr" if choice.format == "solr" else "a text, or a query in JSON"
    fields = [
        ("url", "Address", f"Of the collection or the index, such as {EXAMPLES[choice.format]}.", "url"),
        ("query", "Query", f"In the engine's own language: {language}.", "text"),
        ("documents", "Documents", f"The best of the query, at most {MOST_DOCUMENTS:,}.", "number"),
        ("timeout", "Time limit", f"Seconds to wait for the answer, at most {MOST_SECONDS:g}.", "number"),
        ("text_parameter", "Text parameter", "Parameter of the features that is the text of the query.", "text"),
    ]
    if choice.format == "solr":
        fields.append(("document_field", "Document field", "Field of Solr that identifies documents.", "text"))
    made = "".join(
        f'<div><label for="check-{name}">{label}</label><input id="check-{name}" name="{name}" type="{kind}" '
        f'value="{escape(shown.get(name, ""))}" aria-describedby="check-{name}-hint"'
        f"{' required' if name in ('url', 'query') else ''}>"
        f'<span class="hint" id="check-{name}-hint">{escape(hint)}</span></div>'
        for name, label, hint, kind in fields
    )
    return (
        f'{made}<div><label for="check-parameters">Parameters</label><textarea id="check-parameters" name="parameters" '
        f'rows="2" aria-describedby="check-parameters-hint">{escape(shown.get("parameters", ""))}</textarea>'
        '<span class="hint" id="check-parameters-hint">Other parameters of the features, one NAME=VALUE per line.'
        "</span></div>"
    )


def _result(result: LiveCheck | DataError | None) -> str:
    if result is None:
        return ""
    if isinstance(result, DataError):
        return f'<p class="error" role="alert"><strong>Not checked.</strong> {escape(in_fields(result))}</p>'
    *lines, verdict = str(result).splitlines()
    rows = "".join(f"<li>{escape(line)}</li>" for line in lines)
    mark = "✓" if result.passed else "×"
    return (
        f'<div class="error" role="status"><p class="verdict"><span aria-hidden="true">{mark}</span> '
        f"{escape(verdict)}</p><ul>{rows}</ul></div>"
    )
