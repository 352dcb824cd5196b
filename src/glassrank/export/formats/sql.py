"""SQL: one expression per feature, and their sum, in double precision; for PostgreSQL and DuckDB."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from glassrank import __version__
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.rounding import rounding_bound
from glassrank.export.terms import CurveTerm, ExportModel, HiddenLayer, LevelTerm, LineTerm, StepTerm, Term

FILE = "model.sql"
SMALLEST_EXPONENT = -300.0  # exp of less is an error in PostgreSQL, and 0 for every purpose
MAX_NODES = 2_000


@dataclass(frozen=True)
class Dialect:
    """What differs between databases."""

    title: str
    function: Callable[[str, Sequence[str], str], str]
    """Name, columns with types, expression → a statement that defines a function."""


def _postgresql_function(name: str, parameters: Sequence[str], body: str) -> str:
    return (
        f"CREATE OR REPLACE FUNCTION {name}({', '.join(parameters)}) RETURNS DOUBLE PRECISION\n"
        f"LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT\n{body}\n$$;"
    )


def _duckdb_macro(name: str, parameters: Sequence[str], body: str) -> str:
    names = ", ".join(parameter.rsplit(" ", 2 if parameter.endswith("PRECISION") else 1)[0] for parameter in parameters)
    return f"CREATE OR REPLACE MACRO {name}({names}) AS\n{body};"


DIALECTS = {
    "postgresql": Dialect("PostgreSQL", _postgresql_function),
    "duckdb": Dialect("DuckDB", _duckdb_macro),
}


def write_postgresql(request: Request) -> Written:
    """Write the function for PostgreSQL."""
    return _write(request, DIALECTS["postgresql"])


def write_duckdb(request: Request) -> Written:
    """Write the macro for DuckDB."""
    return _write(request, DIALECTS["duckdb"])


def _write(request: Request, dialect: Dialect) -> Written:
    model = request.model
    parts = _layer_parts(model, model.layer) if model.layer is not None else _term_parts(model)
    body = balanced_sum([number(model.constant), *parts])
    parameters = [f"{column(model, k)} {_type(model, k)}" for k in model.used]
    function = dialect.function(request.name, parameters, body)
    head = (
        f"-- {request.name}: score of the ranking model, written by glassrank {__version__} for {dialect.title}.\n"
        "-- Higher scores rank first. NULL is a missing value.\n"
    )
    if model.slope is not None:
        head += f"-- P(A above B) = 1 / (1 + exp(-{model.slope!r} * (score_A - score_B))).\n"
    arguments = ", ".join(column(model, k) for k in model.used)
    usage = (
        f"Define the function once, then order by it:\n  {_client(dialect)}\n"
        f"  SELECT *, {request.name}({arguments}) AS score FROM documents ORDER BY score DESC"
    )
    written = {FILE: f"{head}{function}\n".encode()}
    return Written(written, usage, table_error=model.error, rounding=rounding_bound(model), notes=_notes(model))


def _client(dialect: Dialect) -> str:
    return f"psql -f {FILE}" if dialect.title == "PostgreSQL" else f"duckdb FILE -f {FILE}"


def _notes(model: ExportModel) -> tuple[str, ...]:
    strict = [model.name_of(term) for term in model.terms if term.missing is None]
    if model.layer is not None and model.layer.fill is None:
        strict = [feature.name for feature in model.features]
    unknown = [model.name_of(term) for term in model.terms if isinstance(term, LevelTerm) and term.unseen is None]
    found = []
    if strict:
        names = "a feature" if len(strict) == len(model.used) else f"one of {', '.join(strict)}"
        found.append(f"The score is NULL if {names} is NULL, which the model does not accept.")
    if unknown:
        found.append(f"The score is NULL for levels that training did not have of: {', '.join(unknown)}.")
    return tuple(found)


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
    """Return a quoted text."""
    return "'" + value.replace("'", "''") + "'"


def balanced_sum(parts: Sequence[str]) -> str:
    """Return a sum bracketed as a balanced tree, because databases limit how deeply expressions are nested."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({balanced_sum(parts[:middle])}\n + {balanced_sum(parts[middle:])})"


def _term_parts(model: ExportModel) -> list[str]:
    return [_term(model, term) for term in model.terms]


def _term(model: ExportModel, term: Term) -> str:
    name = column(model, term.feature)
    missing = "NULL" if term.missing is None else number(term.missing)
    if isinstance(term, LevelTerm):
        return _levels(model, term, name, missing)
    value = f"CAST({name} AS DOUBLE PRECISION)"
    return f"CASE WHEN {name} IS NULL THEN {missing} ELSE {_of_number(term, value)} END"


def _type(model: ExportModel, k: int) -> str:
    return "TEXT" if model.features[k].kind.is_category else "DOUBLE PRECISION"


def _levels(model: ExportModel, term: LevelTerm, name: str, missing: str) -> str:
    levels = zip(model.features[term.feature].kind.levels, term.effects.tolist(), strict=True)
    cases = " ".join(f"WHEN {text(level)} THEN {number(effect)}" for level, effect in levels)
    unseen = "NULL" if term.unseen is None else number(term.unseen)
    return f"CASE WHEN {name} IS NULL THEN {missing} ELSE CASE {name} {cases} ELSE {unseen} END END"


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
    assert isinstance(term, StepTerm)
    return _search(value, "<=", term.thresholds, [number(level) for level in term.levels])


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
    names = [column(model, k) for k in range(len(model.features))]
    if layer.fill is not None:
        names = [f"COALESCE({name}, {number(fill)})" for name, fill in zip(names, layer.fill, strict=True)]
    values = [
        f"(CAST({name} AS DOUBLE PRECISION) * {number(scale)} + {number(shift)})"
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
