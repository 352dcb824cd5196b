"""Signals of the specification: what a reader changes (drag, hover), what a script sets, and what follows."""

from typing import Any

from glassrank.nomograms.figure.feature_data import number_text
from glassrank.nomograms.figure.layout import Layout
from glassrank.nomograms.figure.lines import BOX, FOLD, POINT
from glassrank.nomograms.figure.overlay import Overlay
from glassrank.nomograms.figure.placing import placing_signals
from glassrank.nomograms.figure.rows import FOLD_GAP


def signals(layout: Layout, overlay: Overlay, unit: str) -> list[dict[str, Any]]:
    """Return the signals that a reader changes, that a script sets, and that follow from them."""
    low, high = overlay.interval or (None, None)
    rest = overlay.error(list(layout.rest.columns)) if layout.rest and overlay.sampled is not None else None
    made: list[dict[str, Any]] = [
        {"name": "zoom", "value": 1},
        {"name": "edit", "value": None},
        {"name": "offset", "value": float(overlay.offset)},
        {"name": "interval_low", "value": low},
        {"name": "interval_high", "value": high},
        {"name": "rest_error", "value": rest},
        {"name": "rest_open", "value": 0},
        {"name": "more_text", "value": ""},
        {"name": "more_top", "value": 0},
        *placing_signals(layout),
        *_pointer_signals(),
        {"name": "total", "update": "data('tot')[0] ? data('tot')[0].total : 0"},
        {"name": "before", "update": "data('tot')[0] ? data('tot')[0].before : 0"},
        {"name": "changes", "update": "data('tot')[0] ? data('tot')[0].moved : 0"},
        {
            "name": "rounded",
            "update": f"data('sums')[0] && data('sums')[0].printed !== round(total / {layout.amounts.resolution!r})",
        },
    ]
    if unit == "log-odds":
        made.append({"name": "probability", "update": "1 / (1 + exp(-total))"})
    for name, value in (("now_text", "total"), ("before_text", "before")):
        odds = f"format(1 / (1 + exp(-{value})), '.3f')"
        shown = odds if unit == "log-odds" else number_text(value, layout.amounts, sign=True)
        made.append({"name": name, "update": shown})
    return made


def _pointer_signals() -> list[dict[str, Any]]:
    pressed = "@handles:pointerdown, @hits:pointerdown"
    pulled = "[@{}:pointerdown, window:pointerup] > window:pointermove!".format
    picked = "{row: data('vals')[datum.i], f: datum.f, place: datum.place}"
    return [
        {"name": "pick", "value": None, "on": [{"events": pressed, "update": picked, "force": True}]},
        {
            "name": "drag",
            "value": None,
            "on": [
                {
                    "events": f"{pulled('handles')}, {pulled('hits')}",
                    "update": f"pick ? {{row: pick.row, v: {_dragged_value()}}} : null",
                }
            ],
        },
        {
            "name": "hover",
            "value": -9,
            "on": [
                {
                    "events": "@row_grounds:pointerover, @rest_ground:pointerover, @handles:pointerover",
                    "update": "datum.slot",
                },
                {"events": "@row_grounds:pointerout, @rest_ground:pointerout", "update": "-9"},
            ],
        },
    ]


def _dragged_value() -> str:
    """Vega expression of the value under the pointer: by height in a box, otherwise along the line or the run."""
    effect = "(x() / zoom - pick.place.x) / pixels"
    height = "(y() / zoom - pick.place.top)"
    run = f"clamp(round(({height} - pick.f.first) / {FOLD_GAP}), 0, pick.f.folds - 1)"
    along = f"scale(pick.f.i + (pick.f.kind === '{FOLD}' ? {run} : 0), {effect})"
    inside = f"pick.f.kind === '{BOX}' ? invert(pick.f.line, {height}) : {along}"
    value = f"clamp({inside}, pick.f.low, pick.f.high)"
    return f"pick.f.kind === '{POINT}' ? pick.row.v : pick.f.whole ? round({value}) : {value}"
