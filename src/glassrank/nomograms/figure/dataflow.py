"""The part of the specification that computes: values become effects, contributions, totals and flip values.

Everything derives from one data set, ``vals``: a row per dot with the value ``v`` now, the recorded value ``v0`` and
its exact effect ``e0``. A moved dot is evaluated on the sampled curve, an unmoved one by its exact effect.
"""

from typing import Any

import numpy as np

from glassrank.core.additive.categories import MISSING, NOT_SEEN
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.drawing.numbers import Notation
from glassrank.drawing.text_width import fitted
from glassrank.nomograms.figure.layout import BAR_HEIGHT, BAR_LARGEST, BAR_ZERO, OFFSET, PANEL_LEFT, REST, Layout
from glassrank.nomograms.figure.lines import BOX, CATEGORY, FOLD, POINT, Line
from glassrank.nomograms.figure.overlay import DIFFERENCE, Overlay
from glassrank.nomograms.figure.rows import FOLD_GAP, Row, value_notation
from glassrank.nomograms.figure.words import OverlayWords

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


def feature_rows(layout: Layout, overlay: Overlay) -> list[dict[str, Any]]:
    """Return one row per feature of the model, with what the dots need to know about their line."""
    drawn = {row.k: row for row in layout.rows}
    rows = []
    for k, line in enumerate(layout.lines):
        row = drawn.get(k)
        entry = {
            "k": k,
            "slot": REST if row is None else k,
            "name": line.feature.name,
            "kind": line.kind,
            "g": f"g{k}",
            "i": f"i{k}_",
            "low": line.first,
            "high": line.last,
            "step": _step(line, whole=row is not None and row.whole),
            "whole": row is not None and row.whole,
            "names": list(line.feature.categories) or None,
            "missing": line.missing,
            "usual": float(np.clip(_usual(line), line.first, line.last)),
            "base": float(overlay.base[k] - line.lowest),
            **_notation_fields(row.notation if row else value_notation(line, whole=False)),
        }
        rows.append(entry | (_place_fields(row, layout) if row else {}))
    return rows


def _usual(line: Line) -> float:
    """Return the value at which a document without one starts if its dot is moved."""
    return float(np.argmax(line.effects)) if line.feature.centre is None else line.feature.centre


def _step(line: Line, *, whole: bool) -> float:
    """Return how far an arrow key moves a dot: one category, or a hundredth of the line."""
    hundredth = (line.last - line.first) / 100
    return 1.0 if line.feature.categories else max(1.0, float(round(hundredth))) if whole else hundredth


def _notation_fields(notation: Notation) -> dict[str, Any]:
    return {
        "unit": 10.0**notation.power,
        "plain": f",.{notation.decimals}f",
        "signed": f"+,.{notation.decimals}f",
        "suffix": f"e{notation.power}".replace("-", "\u2212") if notation.power else "",
        "least": 0.5 * notation.resolution,
        "zero": notation(0.0),
    }


def _place_fields(row: Row, layout: Layout) -> dict[str, Any]:
    return {
        "y": row.y,
        "x": row.x_start,
        "xe": row.x_end,
        "line": "" if row.kind not in (BOX, FOLD) else f"y{row.k}",
        "first": row.run_y(0),
        "folds": len(row.line.runs),
        "middle": row.middle,
        "top": row.top,
        "height": row.height,
        "number": row.number,
        "stacked": row.kind == BOX,
    }


def value_rows(layout: Layout, overlay: Overlay) -> list[dict[str, Any]]:
    """Return the rows of ``vals``: features in the order of the picture, then those without a row; A before B."""
    drawn = [row.k for row in layout.rows]
    order = drawn + [k for k in range(len(layout.lines)) if k not in set(drawn)]
    rows: list[dict[str, Any]] = []
    for k in order:
        for dot, values in enumerate(overlay.values):
            exact = float(overlay.effects[dot, k] - layout.lines[k].lowest)
            # JSON has no NaN: a missing value is null.
            value = None if np.isnan(values[k]) else float(values[k])
            error = overlay.error([k]) if dot == 0 else None
            rows.append(
                {"i": len(rows), "doc": DOCUMENTS[dot], "k": k, "v": value, "v0": value, "e0": exact, "se": error}
            )
    return rows


def run_rows(layout: Layout, n_dots: int) -> list[dict[str, Any]]:
    """Return where flip values are searched: each monotone run of each drawn line, once per dot."""
    rows = []
    for place, row in enumerate(layout.rows):
        candidates = _category_candidates(row.line) if row.kind == CATEGORY else _run_candidates(row)
        for dot in range(n_dots):
            rows += [{"i": place * n_dots + dot, "way": 1 - 2 * dot, **candidate} for candidate in candidates]
    return rows


def _run_candidates(row: Row) -> list[dict[str, Any]]:
    ways = [row.line.inverse(run)[0] for run in range(len(row.line.runs))]
    return [
        {"low": float(effects[0]), "high": float(effects[-1]), "inverse": f"i{row.k}_{run}"}
        for run, effects in enumerate(ways)
    ]


def _category_candidates(line: Line) -> list[dict[str, Any]]:
    return [{"code": code, "effect": float(effect)} for code, effect in enumerate(line.effects)]


def _formulas(**fields: str) -> list[dict[str, str]]:
    return [{"type": "formula", "as": name, "expr": expression} for name, expression in fields.items()]


def data_sets(layout: Layout, overlay: Overlay, words: OverlayWords, samples: EffectSamples | None) -> dict[str, Any]:
    """Return all data sets that change when a dot moves."""
    return {
        "features": feature_rows(layout, overlay),
        "vals": {
            "values": value_rows(layout, overlay),
            "on": [
                {"trigger": moved, "modify": f"{moved}.row", "values": f"{{v: {moved}.v}}"}
                for moved in ("drag", "edit")
            ],
        },
        "all": _values_with_effects(overlay),
        "dots": _dots(layout.scale.pixels, words, samples),
        "rows": _contributions(layout, overlay),
        "segments": {"source": "rows", "transform": [{"type": "filter", "expr": f"datum.slot !== {REST}"}]},
        **_entry_sets(layout, overlay),
        **_flip_sets(layout, overlay),
    }


def _values_with_effects(overlay: Overlay) -> dict[str, Any]:
    """Each document's value of each feature, with its effect now and as recorded."""

    def said(value: str) -> str:
        return value_text(value, "datum.f", sign=overlay.kind == DIFFERENCE)

    return {
        "source": "vals",
        "transform": [
            {"type": "lookup", "from": "features", "key": "k", "fields": ["k"], "as": ["f"]},
            *_formulas(
                moved="datum.v !== datum.v0 ? 1 : 0",
                g0="datum.e0",
                e="!datum.moved ? datum.e0 : datum.v === null ? datum.f.missing : scale(datum.f.g, datum.v)",
                ea="datum.doc === 'A' ? datum.e : 0",
                eb="datum.doc === 'B' ? datum.e : 0",
                signed0="datum.doc === 'A' ? datum.e0 : -datum.e0",
                va="datum.doc === 'A' ? datum.se : null",
                text=said("datum.v"),
                recorded=said("datum.v0"),
            ),
        ],
    }


def _dots(pixels: float, words: OverlayWords, samples: EffectSamples | None) -> dict[str, Any]:
    """Current and recorded positions of the dots, and their bands."""
    known = "datum.v !== null && datum.f.y && datum.f.kind !== 'point'"
    error = f"{known} ? scale('s' + datum.k, datum.v) : 0" if samples else "0"
    inside = "clamp({}, datum.f.x, datum.f.xe)".format
    height = "datum.f.line && datum.{0} !== null ? scale(datum.f.line, datum.{0}) : datum.f.y".format
    return {
        "source": "all",
        "transform": [
            {"type": "filter", "expr": f"datum.f.slot !== {REST}"},
            *_formulas(
                slot="datum.f.slot",
                px=inside(f"datum.f.x + {pixels!r} * datum.e"),
                py=height("v"),
                px0=inside(f"datum.f.x + {pixels!r} * datum.e0"),
                py0=height("v0"),
                se_now=error,
                low=inside(f"datum.f.x + {pixels!r} * (datum.e - 1.96 * datum.se_now)"),
                high=inside(f"datum.f.x + {pixels!r} * (datum.e + 1.96 * datum.se_now)"),
                says=_dot_words(words),
            ),
        ],
    }


def _contributions(layout: Layout, overlay: Overlay) -> dict[str, Any]:
    """What each feature adds, now and as recorded."""
    single = overlay.values.shape[0] == 1
    return {
        "source": "all",
        "transform": [
            {
                "type": "aggregate",
                "groupby": ["k"],
                "fields": ["ea", "eb", "signed0", "moved", "va"],
                "ops": ["sum", "sum", "sum", "max", "max"],
                "as": ["ea", "eb", "recorded", "moved", "se"],
            },
            {"type": "lookup", "from": "features", "key": "k", "fields": ["k"], "as": ["f"]},
            *_formulas(
                slot="datum.f.slot",
                entry="datum.k",
                eb="datum.f.base" if single else "datum.eb",
                recorded="datum.recorded - datum.f.base" if single else "datum.recorded",
                d="datum.ea - datum.eb",
                amount=number_text("datum.d", layout.amounts, sign=True),
            ),
        ],
    }


def _dot_words(words: OverlayWords) -> str:
    names = f"(datum.doc === 'A' ? '{words.says[0]}' : '{words.says[-1]}')"
    return f"{names} + ', ' + datum.f.name + ' ' + datum.text"


def _entry_sets(layout: Layout, overlay: Overlay) -> dict[str, Any]:
    """Contributions, one entry per row of the picture, one for the rest and one for the offset, and their total."""
    room = BAR_ZERO - BAR_LARGEST - PANEL_LEFT - 8
    entries = [{"entry": bar.entry, "label": fitted(bar.label, room, 12), "said": bar.name} for bar in layout.bars]
    fixed = [{"entry": OFFSET, "slot": OFFSET, "d": overlay.offset, "moved": 0, "se": None}] if overlay.offset else []
    summed = any(bar.entry == REST for bar in layout.bars)
    return {
        "entries": entries,
        "fixed": fixed,
        "slots": {
            "source": "rows",
            "transform": [
                {
                    "type": "aggregate",
                    "groupby": ["slot"],
                    "fields": ["d", "ea", "eb", "moved", "se"],
                    "ops": ["sum", "sum", "sum", "max", "max"],
                    "as": ["d", "ea", "eb", "moved", "se"],
                },
                *_formulas(entry="datum.slot", se=f"datum.slot === {REST} ? rest_error : datum.se"),
            ],
        },
        "bars": {
            "source": ["slots" if summed else "rows", "fixed"],
            "transform": [
                {"type": "lookup", "from": "entries", "key": "entry", "fields": ["entry"], "as": ["f"]},
                {
                    "type": "window",
                    "sort": {"field": ["d", "entry"], "order": ["descending", "ascending"]},
                    "ops": ["row_number"],
                    "as": ["place"],
                },
                *_formulas(y=f"{layout.first_bar} + {BAR_HEIGHT} * (datum.place - 1)", size="abs(datum.d)"),
                {"type": "collect", "sort": {"field": "place"}},
            ],
        },
        "largest": {
            "source": "bars",
            "transform": [{"type": "aggregate", "fields": ["size"], "ops": ["max"], "as": ["size"]}],
        },
        "tot": {
            "source": "rows",
            "transform": [
                {
                    "type": "aggregate",
                    "fields": ["d", "recorded", "moved"],
                    "ops": ["sum", "sum", "sum"],
                    "as": ["d", "recorded", "moved"],
                },
                *_formulas(total="offset + datum.d", before="offset + datum.recorded"),
            ],
        },
    }


def _flip_sets(layout: Layout, overlay: Overlay) -> dict[str, Any]:
    """For each dot, the nearest value of its line at which the total is 0, all else equal."""
    said = value_text("datum.v", "datum.f", sign=overlay.kind == DIFFERENCE)
    return {
        "flips": {
            "values": run_rows(layout, overlay.values.shape[0]),
            "transform": [
                {"type": "lookup", "from": "all", "key": "i", "fields": ["i"], "as": ["dot"]},
                *_formulas(
                    needed="datum.dot.e - datum.way * total",
                    # Categories rarely tie exactly: take the one nearest to the tie among those at or beyond it.
                    found="(datum.inverse ? datum.needed >= datum.low && datum.needed <= datum.high"
                    " : datum.way * total * (datum.effect - datum.needed) <= 0) ? 1 : 0",
                    level="datum.inverse ? datum.needed : datum.effect",
                    v="datum.found ? (datum.inverse ? scale(datum.inverse, datum.needed) : datum.code) : null",
                    own="datum.dot.v === null ? datum.dot.f.usual : datum.dot.v",
                    gap="!datum.found ? 1e300 : datum.inverse ? abs(datum.v - datum.own)"
                    " : abs(datum.effect - datum.needed)",
                ),
                {"type": "aggregate", "groupby": ["i"], "fields": ["gap"], "ops": ["argmin"], "as": ["best"]},
                *_formulas(
                    found="datum.best.found",
                    v="datum.best.v",
                    doc="datum.best.dot.doc",
                    f="datum.best.dot.f",
                    x=f"datum.best.dot.f.x + {layout.scale.pixels!r} * datum.best.level",
                ),
                *_formulas(text=f"datum.found ? {said} : '\u2013'"),
            ],
        },
    }


def signals(layout: Layout, overlay: Overlay, unit: str) -> list[dict[str, Any]]:
    """Return the signals that a reader changes (drag, hover), that a script sets, and that follow from them."""
    low, high = overlay.interval or (None, None)
    rest = overlay.error(list(layout.rest.columns)) if layout.rest and overlay.sampled is not None else None
    pressed = "@handles:pointerdown, @hits:pointerdown"
    pulled = "[@{}:pointerdown, window:pointerup] > window:pointermove!".format
    made: list[dict[str, Any]] = [
        {"name": "live", "value": False},
        {"name": "zoom", "value": 1},
        {"name": "edit", "value": None},
        {"name": "offset", "value": float(overlay.offset)},
        {"name": "interval_low", "value": low},
        {"name": "interval_high", "value": high},
        {"name": "rest_error", "value": rest},
        {
            "name": "pick",
            "value": None,
            "on": [{"events": pressed, "update": "{row: data('vals')[datum.i], f: datum.f}", "force": True}],
        },
        {
            "name": "drag",
            "value": None,
            "on": [
                {
                    "events": f"{pulled('handles')}, {pulled('hits')}",
                    "update": f"pick ? {{row: pick.row, v: {_dragged_value(layout)}}} : null",
                }
            ],
        },
        {
            "name": "hover",
            "value": -9,
            "on": [
                {
                    "events": "@row_grounds:pointerover, @bar_grounds:pointerover, @handles:pointerover",
                    "update": "datum.slot",
                },
                {"events": "@row_grounds:pointerout, @bar_grounds:pointerout", "update": "-9"},
            ],
        },
        {"name": "total", "update": "data('tot')[0] ? data('tot')[0].total : 0"},
        {"name": "before", "update": "data('tot')[0] ? data('tot')[0].before : 0"},
        {"name": "changes", "update": "data('tot')[0] ? data('tot')[0].moved : 0"},
        {"name": "widest", "update": "data('largest')[0] && data('largest')[0].size > 0 ? data('largest')[0].size : 1"},
    ]
    if unit == "log-odds":
        made.append({"name": "probability", "update": "1 / (1 + exp(-total))"})
    for name, value in (("now_text", "total"), ("before_text", "before")):
        odds = f"format(1 / (1 + exp(-{value})), '.3f')"
        shown = odds if unit == "log-odds" else number_text(value, layout.amounts, sign=True)
        made.append({"name": name, "update": shown})
    return made


def _dragged_value(layout: Layout) -> str:
    """Vega expression of the value under the pointer: by height in a box, otherwise along the line or the run."""
    effect = f"(x() / zoom - pick.f.x) / {layout.scale.pixels!r}"
    run = f"clamp(round((y() / zoom - pick.f.first) / {FOLD_GAP}), 0, pick.f.folds - 1)"
    along = f"scale(pick.f.i + (pick.f.kind === '{FOLD}' ? {run} : 0), {effect})"
    inside = f"pick.f.kind === '{BOX}' ? invert(pick.f.line, y() / zoom) : {along}"
    value = f"clamp({inside}, pick.f.low, pick.f.high)"
    return f"pick.f.kind === '{POINT}' ? pick.row.v : pick.f.whole ? round({value}) : {value}"
