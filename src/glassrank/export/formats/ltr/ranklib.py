"""RankLib's text files: linear regression in double precision, or one tree per feature in single precision."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glassrank.core.setting import setting
from glassrank.export.export_form import ExportModel
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.ltr.column_trees import ColumnLeaf, Tree, column_trees
from glassrank.export.formats.ltr.engine_columns import EngineColumn, engine_columns, engine_notes
from glassrank.export.formats.ltr.weighted_columns import is_linear_model, weighted_columns
from glassrank.export.formats.rounding import rounding_bound, value_rounding
from glassrank.export.formats.single_precision import shortest_text
from glassrank.export.formats.term_tables import range_lines
from glassrank.files.csv_text import csv_text

KINDS = LINEAR, TREES = "linear", "trees"
MODEL_FILE, COLUMNS_FILE = "model.txt", "columns.csv"
USE_ANOTHER = "Use a format that has expressions, such as 'opensearch', 'duckdb' or 'python'."


def write(request: Request) -> Written:
    """Write the model and the list of the columns that its numbers refer to."""
    model = request.model
    kind = request.kind or (LINEAR if is_linear_model(model) else TREES)
    columns = engine_columns(model)
    numbers = {column.name: number for number, column in enumerate(columns, start=1)}
    if kind == LINEAR:
        text = linear_text(model, numbers)
        costs = value_rounding(model)
        errors: dict[str, Any] = {"rounding": 2.0 * rounding_bound(model) + sum(costs.values()), "costs": costs}
    else:
        made = column_trees(model, USE_ANOTHER)
        text = tree_text(made.trees, numbers)
        errors = {"table_error": made.table_error, "rounding": made.rounding, "costs": made.costs}
    name, rest = text.split("\n", 1)
    text = "\n".join([name, *(f"## {line}" for line in range_lines(model)), rest])
    files = {MODEL_FILE: text.encode(), COLUMNS_FILE: _column_list(model, columns)}
    return Written(files, _usage(columns), kind, notes=engine_notes(model), **errors)


def linear_text(model: ExportModel, numbers: Mapping[str, int]) -> str:
    """Return a linear model with means and scales folded into weights and constant."""
    curves = f"Use trees: {setting('kind', TREES)}."
    columns = weighted_columns(model, curves if model.layer is None else USE_ANOTHER)
    constant = model.constant - sum(one.weight * one.mean / one.scale for one in columns)
    weights = [f"{numbers[one.name]}:{one.weight / one.scale!r}" for one in columns]
    return "\n".join(["## Linear Regression", " ".join([f"0:{constant!r}", *weights]), ""])


def tree_text(trees: Sequence[Tree], numbers: Mapping[str, int]) -> str:
    """Return trees as RankLib's XML, one element per line: its reader fails on any other blank."""
    lines = ["## LambdaMART", "<ensemble>"]
    for number, tree in enumerate(trees, start=1):
        lines += [f'<tree id="{number}" weight="1.0">', "<split>", *_lines(tree, numbers), "</tree>"]
    return "\n".join([*lines, "</ensemble>", ""])


def _lines(tree: Tree, numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield what follows the opening tag of a split, its closing tag included."""
    if isinstance(tree, ColumnLeaf):
        yield f"<output> {shortest_text(tree.value)} </output>"
    else:
        yield f"<feature> {numbers[tree.column]} </feature>"
        yield f"<threshold> {shortest_text(tree.threshold)} </threshold>"
        for side, child in (("left", tree.left), ("right", tree.right)):
            yield f'<split pos="{side}">'
            yield from _lines(child, numbers)
    yield "</split>"


def _column_list(model: ExportModel, columns: Sequence[EngineColumn]) -> bytes:
    rows = []
    for number, column in enumerate(columns, start=1):
        feature = model.features[column.feature]
        level = feature.kind.levels[column.level] if column.level >= 0 else ""
        rows.append([number, column.name, feature.name, column.content.value.format(level)])
    return csv_text(["number", "column", "feature", "content"], rows).encode()


def _usage(columns: Sequence[EngineColumn]) -> str:
    values = " ".join(f"{number}:…" for number, _ in enumerate(columns[:3], start=1))
    return (
        f"Write every column of {COLUMNS_FILE} on every line of the data: 0 qid:1 {values}\n"
        "Score the documents:\n"
        f"  java -cp RankLib.jar ciir.umass.edu.eval.Evaluator -load {MODEL_FILE} -rank data.txt -score scores.txt"
    )
