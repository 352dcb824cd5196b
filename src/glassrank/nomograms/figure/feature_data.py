"""What the specification knows about each line and each document's value, and how it writes numbers."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import MISSING, NOT_SEEN
from glassrank.core.additive.flip import start_without_value
from glassrank.drawing.numbers import Notation
from glassrank.drawing.text_width import fitted, text_width
from glassrank.nomograms.figure.layout import Layout
from glassrank.nomograms.figure.lines import BOX, FOLD, GROUP, TOGETHER, Line
from glassrank.nomograms.figure.overlay import Overlay
from glassrank.nomograms.figure.rows import MAX_LEVELS, Row, level_counts, row_height, value_notation
from glassrank.nomograms.figure.state_data import FeatureStates
from glassrank.nomograms.figure.ticks import MAX_CATEGORY_WIDTH, TICK_SIZE

DOCUMENTS = "AB"


def number_text(value: str, notation: Notation, *, sign: bool = False) -> str:
    """Vega expression that writes a number as ``Notation`` does."""
    zero = f"'{notation(0.0)}'"
    shown = f"format({value} / 1e{notation.power}, '{'+' if sign else ''},.{notation.decimals}f')"
    suffix = f" + 'e{notation.power}'".replace("-", "\u2212") if notation.power else ""
    return f"(abs({value}) < {0.5 * notation.resolution!r} ? {zero} : {shown}{suffix})"


def value_text(value: str, feature: str, *, sign: bool = False) -> str:
    """Vega expression that writes a feature's value in that feature's notation, or names its category."""
    shown = f"format({value} / {feature}.unit, {feature}.{'signed' if sign else 'plain'}) + {feature}.suffix"
    number = f"abs({value}) < {feature}.least ? {feature}.zero : {shown}"
    level = f"({value} < 0 ? '{NOT_SEEN}' : {feature}.names[{value}])"
    return f"({value} === null ? '{MISSING}' : {feature}.names ? {level} : {number})"


def feature_rows(
    layout: Layout, overlay: Overlay, candidates: tuple[Row, ...], states: Mapping[int, FeatureStates]
) -> list[dict[str, Any]]:
    """Return one row per line, with what the dots need to know about it."""
    drawn = {row.k: row for row in candidates}
    rows = []
    for k, line in enumerate(layout.lines):
        row = drawn.get(k)
        entry = {
            "k": k,
            "name": line.feature.name,
            "kind": line.kind,
            "own": line.own,
            "range": line.range,
            "lowest": line.lowest,
            "base": float(overlay.base[k] - line.lowest),
            "group": layout.group_of.get(k),
            "height": row_height(line) if row else 0,
            "map": line.map is not None if row else False,
            "length": float(layout.lengths[k]) if layout.options.by_length else None,
        }
        kind = _own_fields(line, k) if line.own else _sum_fields(layout, line)
        state = states[k].fields(f"t{k}") if k in states else {"t": None}
        places = _place_fields(row) if row else {}
        rows.append(entry | kind | state | places | _level_fields(layout, line, k))
    return rows


def _own_fields(line: Line, k: int) -> dict[str, Any]:
    """Return what is needed to change a feature's value."""
    return {
        "g": f"g{k}",
        "i": f"i{k}_",
        "low": line.first,
        "high": line.last,
        "step": _step(line),
        "whole": line.feature.whole,
        "names": list(line.feature.categories) or None,
        "labels": _labels(line),
        "widths": [round(text_width(label, TICK_SIZE, bold=True), 1) for label in _labels(line) or ()] or None,
        "missing": line.missing,
        "usual": _usual(line),
        **_notation_fields(value_notation(line, whole=line.feature.whole)),
    }


def _sum_fields(layout: Layout, line: Line) -> dict[str, Any]:
    """Return what is needed to add up a group; the effects of its members are relative to their lowest ones."""
    if line.kind != GROUP:
        return {}
    shift = math.fsum(layout.lines[member].lowest for member in line.members) - line.lowest
    return {"shift": shift, "count": len(line.members)}


def _labels(line: Line) -> list[str] | None:
    """Return the names of categories as they are written below the line."""
    return [fitted(name, MAX_CATEGORY_WIDTH, TICK_SIZE) for name in line.feature.categories] or None


def _usual(line: Line) -> float:
    """Return the value at which a document without one starts if its dot is moved."""
    if line.feature.categories:
        return float(np.argmax(line.effects)) if line.feature.centre is None else line.feature.centre
    return start_without_value(replace(line.feature, low=line.first, high=line.last))


def _step(line: Line) -> float:
    """Return how far an arrow key moves a dot: one category, or a hundredth of the line."""
    hundredth = (line.last - line.first) / 100
    return 1.0 if line.feature.categories else max(1.0, float(round(hundredth))) if line.feature.whole else hundredth


def _notation_fields(notation: Notation) -> dict[str, Any]:
    return {
        "unit": 10.0**notation.power,
        "plain": f",.{notation.decimals}f",
        "signed": f"+,.{notation.decimals}f",
        "suffix": f"e{notation.power}".replace("-", "\u2212") if notation.power else "",
        "least": 0.5 * notation.resolution,
        "zero": notation(0.0),
    }


def _place_fields(row: Row) -> dict[str, Any]:
    """Heights below the top of the row, which depends on the pair that is shown."""
    return {
        "dy": row.y - row.top,
        "line": "" if row.kind not in (BOX, FOLD) else f"y{row.k}",
        "first": row.run_y(0) - row.top,
        "folds": len(row.line.runs),
        "middle": row.middle - row.top,
        "stacked": row.kind == BOX,
        "lines": 2 if row.kind in (BOX, TOGETHER) else 1,
    }


def _level_fields(layout: Layout, line: Line, k: int) -> dict[str, Any]:
    """Return what the list of many levels shows: how often each occurs, and the lowest effect on the line."""
    if len(line.feature.categories) <= MAX_LEVELS:
        return {}
    counts = level_counts(line, layout.plots.observed[:, k])
    return {"counts": counts.astype(int).tolist(), "rare": list(line.feature.rare)}


def value_rows(layout: Layout, overlay: Overlay) -> list[dict[str, Any]]:
    """Return the rows of ``vals``: every line in the model's order, A before B."""
    rows: list[dict[str, Any]] = []
    for k, line in enumerate(layout.lines):
        for dot, values in enumerate(overlay.values):
            exact = float(overlay.effects[dot, k] - line.lowest)
            # JSON has no NaN: a missing value is null.
            value = None if np.isnan(values[k]) else float(values[k])
            error = overlay.error([k]) if dot == 0 else None
            rows.append(
                {"i": len(rows), "doc": DOCUMENTS[dot], "k": k, "v": value, "v0": value, "e0": exact, "se": error}
            )
    return rows
