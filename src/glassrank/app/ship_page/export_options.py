"""The options of an export: read from an address or a form, and shown as a form."""

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from glassrank.core.checks import DataError, check_choice
from glassrank.core.setting import Setting
from glassrank.export.formats.format_table import FORMATS
from glassrank.studies.views.study_exports import ExportChoice

FIELD = "field."
"""Beginning of the names of form fields that say how the engine computes a feature."""
WORDS = {
    "definitions": "“Fields of the engine”",
    "format": "The format",
    "kind": "“Kind of model”",
    "max_error": "“Largest error”",
    "name": "“Name”",
    "parameters": "“Parameters”",
    "query": "“Query”",
    "rows": "“Documents”",
    "scale": "“Scores”",
    "timeout": "“Time limit”",
    "url": "“Address”",
}
"""Argument of the library → the field of the form."""
SCALES = {
    "score": "as the model gives them",
    "logit": "scaled, so that P(A above B) = 1/(1 + exp(B − A))",
}
DEFINITIONS = {
    "solr": "A field of the index, a query such as {!edismax qf=title}${text}, or a class of Solr's in JSON.",
    "opensearch": 'A field of the index, or a query in JSON such as {"match": {"title": "{{text}}"}}.',
    "elasticsearch": 'A field of the index, or a query in JSON such as {"match": {"title": "{{text}}"}}.',
}


def in_fields(error: DataError) -> str:
    """Return the message of an error in the words of the forms, without remedies that they do not offer."""
    return error.worded(_words)


def _words(setting: Setting) -> str | None:
    name, _, value = setting.key.partition("=")
    known = WORDS.get(name)
    return known if known is None or not value else f"{known} {value}"


def read_choice(given: Mapping[str, str]) -> ExportChoice:
    """Return the options in the parameters of an address or of a form; empty ones have their defaults."""
    name = given.get("format") or next(iter(FORMATS))
    check_choice("format", name, FORMATS)
    fields = {key.removeprefix(FIELD): text.strip() for key, text in given.items() if key.startswith(FIELD)}
    return ExportChoice(
        name,
        given.get("name") or "glassrank",
        given.get("kind") or None,
        read_number(given, "max_error"),
        given.get("scale") or "score",
        tuple((key, text) for key, text in fields.items() if text),
    )


def read_number(given: Mapping[str, str], name: str) -> float | None:
    """Return a number of a form; None if it is empty."""
    text = given.get(name, "").strip().replace("\N{MINUS SIGN}", "-")
    try:
        return float(text) if text else None
    except ValueError as error:
        raise DataError(parameter=name, expected="a number", got=text) from error


def parameters(choice: ExportChoice) -> dict[str, str]:
    """Return the options as parameters, which ``read_choice`` reads again; defaults are left out."""
    own = {
        "format": choice.format,
        "name": choice.name if choice.name != "glassrank" else "",
        "kind": choice.kind or "",
        "max_error": "" if choice.max_error is None else f"{choice.max_error:g}",
        "scale": choice.scale if choice.scale != "score" else "",
    }
    own |= {f"{FIELD}{name}": text for name, text in choice.definitions}
    return {name: text for name, text in own.items() if text}


def address(choice: ExportChoice, path: str) -> str:
    """Return an address with these options."""
    return f"{path}?{urlencode(parameters(choice))}"


def hidden_fields(choice: ExportChoice) -> str:
    """Return the options as hidden fields of another form."""
    return "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(text)}">'
        for name, text in parameters(choice).items()
    )


def options_form(choice: ExportChoice, names: Mapping[str, str], action: str) -> str:
    """Return the form of the options that a format has; ``names`` are the features with their names in the engine."""
    chosen = FORMATS[choice.format]
    kinds = {"": "the most exact one"} | {kind: kind for kind in chosen.kinds}
    kind = _select("kind", "Kind of model", kinds, choice.kind or "", "What the engine calculates with.")
    parts = [
        _input("name", "Name", choice.name, "Of the model in the engine. Eight digits that change with it are added."),
        kind if chosen.kinds else "",
        _input(
            "max_error", "Largest error", "" if choice.max_error is None else f"{choice.max_error:g}",
            "Of a score. Empty: 0.01 in log-odds of a pair. An export that cannot keep it is refused.",
        ),
        _select("scale", "Scores", SCALES, choice.scale, "The order is the same."),
    ]  # fmt: skip
    return (
        f'<form class="options" method="get" action="{escape(action)}#chosen">'
        f'<input type="hidden" name="format" value="{escape(choice.format)}">'
        f"{''.join(parts)}{_definitions(choice, names)}<button>Apply</button></form>"
    )


def _definitions(choice: ExportChoice, names: Mapping[str, str]) -> str:
    if not FORMATS[choice.format].takes_definitions:
        return ""
    given = dict(choice.definitions)
    rows = "".join(
        f'<label for="{FIELD}{escape(own)}"><bdi>{escape(name)}</bdi></label>'
        f'<input id="{FIELD}{escape(own)}" name="{FIELD}{escape(own)}" value="{escape(given.get(own, ""))}" '
        f'placeholder="{escape(own)}">'
        for name, own in names.items()
    )
    return (
        f"<details class=definitions{' open' if given else ''}><summary>Fields of the engine</summary>"
        f'<p class="note">How the engine computes each feature, as it did for the training data. '
        f"{escape(DEFINITIONS[choice.format])} Empty: the field with the name shown.</p>"
        f'<div class="fields">{rows}</div></details>'
    )


def _input(name: str, label: str, value: str, hint: str) -> str:
    return (
        f'<div><label for="{name}">{label}</label><input id="{name}" name="{name}" value="{escape(value)}" '
        f'aria-describedby="{name}-hint"><span class="hint" id="{name}-hint">{escape(hint)}</span></div>'
    )


def _select(name: str, label: str, choices: Mapping[str, str], chosen: str, hint: str) -> str:
    options = "".join(
        f'<option value="{escape(key)}"{" selected" if key == chosen else ""}>{escape(words)}</option>'
        for key, words in choices.items()
    )
    return (
        f'<div><label for="{name}">{label}</label><select id="{name}" name="{name}" aria-describedby="{name}-hint">'
        f'{options}</select><span class="hint" id="{name}-hint">{escape(hint)}</span></div>'
    )
