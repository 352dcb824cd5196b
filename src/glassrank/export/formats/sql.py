"""SQL: one expression per feature, and their sum, in double precision; for PostgreSQL and DuckDB."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from glassrank import __version__
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.export.export_form import CurveTerm, ExportModel, HiddenLayer, LevelTerm, LineTerm, StepTerm, Term
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.rounding import rounding_bound
from glassrank.export.formats.term_tables import range_lines
from glassrank.export.formats.unaccepted_values import unaccepted_notes

FILE = "model.sql"
SMALLEST_EXPONENT = -300.0  # exp of less is an error in PostgreSQL, and 0 for every purpose
MAX_NODES = 2_000
MAX_ARGUMENTS = 100  # of a function in PostgreSQL
CATEGORIES_AS_TEXT = """\
-- Categories are text. Pass a column of another type as CAST(column AS TEXT), and one of floats that contains NaN as
-- NULLIF(CAST(column AS TEXT), 'NaN').
"""
NAN = "CAST('NaN' AS DOUBLE PRECISION)"


@dataclass(frozen=True)
class Dialect:
    """What differs between databases."""

    title: str
    function: Callable[[str, Sequence[str], str], str]
    """Name, columns with types, expression → a statement that defines a function."""
    client: str
    """How a file is run."""
    most: float = np.inf
    """Largest number of arguments of a function; more are passed as one row."""
    level: Callable[[str], str] | None = None
    """Category of any type → its text, NULL if it is missing; None if a function takes only texts."""


def _postgresql_function(name: str, parameters: Sequence[str], body: str) -> str:
    head, taken, source = "", ", ".join(parameters), ""
    if len(parameters) > MAX_ARGUMENTS:
        head = f"DO $$ BEGIN CREATE TYPE {name}_row AS ({taken});\nEXCEPTION WHEN duplicate_object THEN NULL; END $$;\n"
        taken, source = f"gr_row {name}_row", "\nFROM (SELECT (gr_row).*) AS gr_document"
    quote = _dollar_quote(body)
    return (
        f"{head}CREATE OR REPLACE FUNCTION {name}({taken}) RETURNS DOUBLE PRECISION\n"
        f"LANGUAGE sql IMMUTABLE PARALLEL SAFE AS {quote} SELECT\n{body}{source}\n{quote};"
    )


def _dollar_quote(body: str) -> str:
    """Return a quote that the body does not contain, although names of levels may contain anything.

    >>> _dollar_quote("'$$'")
    '$gr1$'
    """
    number = 0
    while (quote := f"$gr{number}$" if number else "$$") in body:
        number += 1
    return quote


def _duckdb_macro(name: str, parameters: Sequence[str], body: str) -> str:
    names = ", ".join(parameter.rsplit(" ", 2 if parameter.endswith("PRECISION") else 1)[0] for parameter in parameters)
    return f"CREATE OR REPLACE MACRO {name}({names}) AS\n{body};"


def _duckdb_level(name: str) -> str:
    # A macro takes columns of any type.
    given = f"CAST({name} AS TEXT)"
    of_float = f"CASE {given} WHEN 'nan' THEN NULL WHEN '-0.0' THEN '0' ELSE {given} END"
    return f"CASE WHEN typeof({name}) IN ('FLOAT', 'DOUBLE') THEN {of_float} ELSE {given} END"


DIALECTS = {
    "postgresql": Dialect("PostgreSQL", _postgresql_function, f"psql -f {FILE}", MAX_ARGUMENTS),
    "duckdb": Dialect("DuckDB", _duckdb_macro, f"duckdb FILE -f {FILE}", level=_duckdb_level),
}


def write_postgresql(request: Request) -> Written:
    """Write the function for PostgreSQL."""
    return _write(request, DIALECTS["postgresql"])


def write_duckdb(request: Request) -> Written:
    """Write the macro for DuckDB."""
    return _write(request, DIALECTS["duckdb"])


def _write(request: Request, dialect: Dialect) -> Written:
    model = request.model
    layer = model.layer
    parts = [_term(model, term, dialect) for term in model.terms] if layer is None else _layer_parts(model, layer)
    body = balanced_sum([number(model.constant), *parts])
    if layer is not None and layer.fill is None:
        # Without this, GREATEST and LEAST would ignore a missing value.
        absent = " OR ".join(_is_missing(column(model, k)) for k in model.used)
        body = f"CASE WHEN {absent} THEN NULL ELSE {body} END"
    parameters = [f"{column(model, k)} {_type(model, k)}" for k in model.used]
    function = dialect.function(request.name, parameters, body)
    head = (
        f"-- {request.name}: score of the ranking model, written by glassrank {__version__} for {dialect.title}.\n"
        "-- Higher scores rank first. NULL and NaN are missing values.\n"
    )
    if dialect.level is None and any(model.features[k].kind.is_category for k in model.used):
        head += CATEGORIES_AS_TEXT
    head += "".join(f"-- {line}\n" for line in range_lines(model))
    if model.slope is not None:
        head += f"-- P(A above B) = 1 / (1 + exp(-{model.slope!r} * (score_A - score_B))).\n"
    usage = (
        f"Define the function once, then order by it:\n  {dialect.client}\n"
        f"  SELECT *, {_call(request, dialect)} AS score FROM documents ORDER BY score DESC NULLS LAST"
    )
    written = {FILE: f"{head}{function}\n".encode()}
    return Written(written, usage, table_error=model.error, rounding=rounding_bound(model), notes=_notes(model))


def _call(request: Request, dialect: Dialect) -> str:
    """Return the score of a row as an expression."""
    model = request.model
    texts = {k for k in model.used if dialect.level is None and model.features[k].kind.is_category}
    columns = {k: column(model, k) for k in model.used}
    arguments = ", ".join(f"CAST({one} AS TEXT)" if k in texts else one for k, one in columns.items())
    row = f"CAST(ROW({arguments}) AS {request.name}_row)" if len(columns) > dialect.most else arguments
    return f"{request.name}({row})"


def _notes(model: ExportModel) -> tuple[str, ...]:
    return unaccepted_notes(
        model, missing="The score is NULL if one is NULL.", level="The score is NULL for another level."
    )


def column(model: ExportModel, k: int) -> str:
    """Return the quoted name of a feature's column."""
    return f'"{model.features[k].name}"'


def number(value: float) -> str:
    """Return a literal in double precision; plain decimals would be exact decimal numbers, which are slow."""
    return (
        f"CAST({float(value)!r} AS DOUBLE PRECISION)"
        if "e" in repr(float(value))
        else f"CAST({float(value)!r}e0 AS DOUBLE PRECISION)"
    )


def text(value: str) -> str:
    """Return a quoted text; invisible characters by their numbers, because programs that read files change line ends.

    >>> text("it's\\r")
    "('it''s' || chr(13) || '')"
    """
    shown = [one if one.isprintable() else f"' || chr({ord(one)}) || '" for one in value.replace("'", "''")]
    return f"'{''.join(shown)}'" if value.isprintable() else f"('{''.join(shown)}')"


def balanced_sum(parts: Sequence[str]) -> str:
    """Return a sum bracketed as a balanced tree, because databases limit how deeply expressions are nested."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({balanced_sum(parts[:middle])}\n + {balanced_sum(parts[middle:])})"


def _term(model: ExportModel, term: Term, dialect: Dialect) -> str:
    name = column(model, term.feature)
    missing = "NULL" if term.missing is None else number(term.missing)
    if isinstance(term, LevelTerm):
        return _levels(model, term, dialect.level(name) if dialect.level else name, missing)
    value = f"CAST({name} AS DOUBLE PRECISION)"
    return f"CASE WHEN {_is_missing(name)} THEN {missing} ELSE {_of_number(term, value)} END"


def _is_missing(name: str) -> str:
    return f"{name} IS NULL OR CAST({name} AS DOUBLE PRECISION) = {NAN}"


def _type(model: ExportModel, k: int) -> str:
    return "TEXT" if model.features[k].kind.is_category else "DOUBLE PRECISION"


def _levels(model: ExportModel, term: LevelTerm, name: str, missing: str) -> str:
    levels = zip(model.features[term.feature].kind.levels, term.effects.tolist(), strict=True)
    cases = " ".join(f"WHEN {text(level)} THEN {number(effect)}" for level, effect in levels)
    unseen = "NULL" if term.unseen is None else number(term.unseen)
    # 503, 503.0 and '503.0' are one level, and an empty text is a missing value, as in glassrank's own data.
    level = f"regexp_replace({name}, '^(-?[0-9]+)[.]0+$', '\\1')"
    level = level if "" in model.features[term.feature].kind.levels else f"NULLIF({level}, '')"
    return f"CASE {level} {cases} ELSE CASE WHEN {level} IS NULL THEN {missing} ELSE {unseen} END END"


def _of_number(term: Term, value: str) -> str:
    if isinstance(term, LineTerm):
        return f"{number(term.weight)} * (({value} - {number(term.mean)}) / {number(term.scale)})"
    if isinstance(term, CurveTerm):
        starts = np.maximum(np.arange(len(term.knots) + 1) - 1, 0)
        lines = [
            f"{number(term.values[start])} + {number(slope)} * ({value} - {number(term.knots[start])})"
            for start, slope in zip(starts, term.slopes, strict=True)
        ]
        return _search(value, "<", term.knots, lines)
    steps = cast(StepTerm, term)
    return _search(value, "<=", steps.thresholds, [number(level) for level in steps.levels])


def _search(value: str, below: str, limits: FloatArray, results: Sequence[str]) -> str:
    """Return a binary search: results_j for values below limits_j and not below limits_{j−1}."""
    if len(results) == 1:
        return results[0]
    middle = (len(results) - 1) // 2
    left = _search(value, below, limits[:middle], results[: middle + 1])
    right = _search(value, below, limits[middle + 1 :], results[middle + 1 :])
    return f"CASE WHEN {value} {below} {number(limits[middle])} THEN {left} ELSE {right} END"


def _layer_parts(model: ExportModel, layer: HiddenLayer) -> list[str]:
    """Return one expression per node."""
    if len(layer.weights) > MAX_NODES:
        raise DataError(
            f"A hidden layer of {len(layer.weights):,} nodes is too long for one SQL expression: expected at most "
            f"{MAX_NODES:,}.",
            remedy=f"Train with a smaller {setting('n_nodes')}.",
        )
    names = [f"CAST({column(model, k)} AS DOUBLE PRECISION)" for k in range(len(model.features))]
    if layer.fill is not None:
        fills = zip(names, layer.fill, strict=True)
        names = [f"COALESCE(NULLIF({name}, {NAN}), {number(fill)})" for name, fill in fills]
    values = [
        f"({name} * {number(scale)} + {number(shift)})"
        for name, scale, shift in zip(names, layer.scale, layer.shift, strict=True)
    ]
    return [
        f"{number(weight)} * {_node(layer, values, layer.inputs[:, j], bias)}"
        for j, (weight, bias) in enumerate(zip(layer.weights, layer.biases, strict=True))
    ]


def _node(layer: HiddenLayer, values: Sequence[str], inputs: FloatArray, bias: float) -> str:
    if layer.is_radial:
        squares = [
            f"({value} - {number(a)}) * ({value} - {number(a)})" for value, a in zip(values, inputs, strict=True)
        ]
        return _exp(f"{number(-bias)} * {balanced_sum(squares)}")
    argument = balanced_sum(
        [f"{value} * {number(a)}" for value, a in zip(values, inputs, strict=True)] + [number(bias)]
    )
    if layer.activation == "sigmoid":
        return f"(1 / (1 + {_exp(f'-({argument})')}))"
    if layer.activation == "tanh":
        return f"(2 / (1 + {_exp(f'-2 * ({argument})')}) - 1)"
    return f"GREATEST({argument}, 0)" if layer.activation == "relu" else argument


def _exp(argument: str) -> str:
    """Return an exponential without under- and overflow, which PostgreSQL refuses."""
    limit = number(-SMALLEST_EXPONENT)
    return f"exp(LEAST(GREATEST({argument}, -{limit}), {limit}))"
