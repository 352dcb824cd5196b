"""The part of the specification that computes: values become effects, contributions and totals.

Everything derives from one data set, ``vals``: a row per dot with the value ``v`` now, the recorded value ``v0`` and
its exact effect ``e0``. A moved dot is evaluated on the sampled curve, an unmoved one by its exact effect.
"""

from typing import Any

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.nomograms.figure.feature_data import feature_rows, number_text, value_rows, value_text
from glassrank.nomograms.figure.flip_data import flip_sets
from glassrank.nomograms.figure.layout import AVERAGE_ROW, OFFSET, REST, Layout
from glassrank.nomograms.figure.lines import CATEGORY
from glassrank.nomograms.figure.overlay import DIFFERENCE, Overlay
from glassrank.nomograms.figure.placing import PLACED, formulas
from glassrank.nomograms.figure.rows import Row
from glassrank.nomograms.figure.words import OverlayWords

MISSING_LABEL_HALF = 44  # half the width of "missing 18 %", and a gap
REST_DROP = 20  # from the end of the rows


def data_sets(
    layout: Layout,
    overlay: Overlay,
    words: OverlayWords,
    samples: EffectSamples | None,
    candidates: tuple[Row, ...],
) -> dict[str, Any]:
    """Return all data sets that change when a dot moves."""
    return {
        "features": feature_rows(layout, overlay, candidates),
        "vals": {
            "values": value_rows(layout, overlay),
            "on": [
                {"trigger": moved, "modify": f"{moved}.row", "values": f"{{v: {moved}.v}}"}
                for moved in ("drag", "edit")
            ],
        },
        "all": _values_with_effects(overlay),
        "dots": _dots(words, samples),
        **_own_levels(),
        "tick_labels": _tick_labels(overlay.values.shape[0]),
        "rows": _contributions(layout, overlay),
        **_entry_sets(layout, overlay),
        **flip_sets(candidates, overlay.values.shape[0], sign=overlay.kind == DIFFERENCE),
    }


def _values_with_effects(overlay: Overlay) -> dict[str, Any]:
    """Each document's value of each feature, with its effect now and as recorded."""

    def said(value: str) -> str:
        return value_text(value, "datum.f", sign=overlay.kind == DIFFERENCE)

    return {
        "source": "vals",
        "transform": [
            {"type": "lookup", "from": "features", "key": "k", "fields": ["k"], "as": ["f"]},
            *formulas(
                moved="datum.v !== datum.v0 ? 1 : 0",
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


def _dots(words: OverlayWords, samples: EffectSamples | None) -> dict[str, Any]:
    """Current and recorded positions of the dots, and their bands; in the order of the rows, A before B."""
    error = "datum.v !== null && datum.f.kind !== 'point' ? scale('s' + datum.k, datum.v) : 0" if samples else "0"
    x_of = "datum.place.x + pixels * ({})".format
    inside = "datum.place.x + pixels * clamp({}, min(0, datum.e), max(datum.f.range, datum.e))".format
    y_of = "datum.place.top + (datum.f.line && datum.{0} !== null ? scale(datum.f.line, datum.{0}) : datum.f.dy)".format
    return {
        "source": "all",
        "transform": [
            *PLACED,
            *formulas(
                slot="datum.k",
                y="datum.place.top + datum.f.dy",
                middle="datum.place.top + datum.f.middle",
                px=x_of("datum.e"),
                end=x_of("clamp(datum.e, 0, datum.f.range)"),
                py=y_of("v"),
                px0=x_of("datum.e0"),
                py0=y_of("v0"),
                se_now=error,
                low=inside("datum.e - 1.96 * datum.se_now"),
                high=inside("datum.e + 1.96 * datum.se_now"),
                says=_dot_words(words),
            ),
            {"type": "collect", "sort": {"field": ["place.number", "doc"]}},
        ],
    }


def _own_levels() -> dict[str, Any]:
    """The names of the documents' own categories below their line; B's is in the second lane if it would touch A's."""
    known = f"datum.f.kind === '{CATEGORY}' && datum.v !== null && datum.v >= 0"
    named = formulas(key="datum.doc + datum.k", w="datum.f.widths[datum.v]", label="datum.f.labels[datum.v]")
    touching = "abs(datum.px - datum.a.px) < (datum.w + datum.a.w) / 2 + 6"
    # The share of missing values is written in the second lane.
    gap = "abs(datum.px - datum.place.x - pixels * datum.f.missing)"
    covered = f"datum.f.missing !== null && {gap} < datum.w / 2 + {MISSING_LABEL_HALF}"
    return {
        "levels_of_a": {
            "source": "dots",
            "transform": [{"type": "filter", "expr": f"datum.doc === 'A' && {known}"}, *named],
        },
        "own_levels": {
            "source": "dots",
            "transform": [
                {"type": "filter", "expr": known},
                *named,
                {"type": "lookup", "from": "levels_of_a", "key": "k", "fields": ["k"], "as": ["a"]},
                *formulas(a="datum.doc === 'A' ? null : datum.a", lane=f"datum.a && {touching} ? 1 : 0"),
                {"type": "filter", "expr": f"!(datum.a && datum.v === datum.a.v) && !(datum.lane && {covered})"},
            ],
        },
    }


def _tick_labels(n_dots: int) -> dict[str, Any]:
    """The labels of ticks; those of categories make room for the documents' own."""
    own = [f"own_{letter}" for letter in "ab"[:n_dots]]
    keys = [f"{name}_key" for name in own]
    return {
        "source": "ticks",
        "transform": [
            {"type": "filter", "expr": "datum.label"},
            *formulas(**{key: f"'{letter}' + datum.k" for key, letter in zip(keys, "AB", strict=False)}),
            {"type": "lookup", "from": "own_levels", "key": "key", "fields": keys, "as": own},
            {"type": "filter", "expr": " && ".join(f"!({_covered(name)})" for name in own)},
        ],
    }


def _covered(own: str) -> str:
    """Vega expression: whether a document's label covers that of a category, or the line that leads to it."""
    gap, lane = f"abs(datum.x - datum.{own}.px)", f"datum.{own}.lane"
    beside = f"{gap} < (datum.width + datum.{own}.w) / 2 + 6"
    leads = f"datum.lane > {lane} && {gap} < datum.{own}.w / 2 + 3"
    led = f"datum.lane < {lane} && {gap} < datum.width / 2 + 3"
    return f"datum.width && datum.{own} && ((datum.lane === {lane} && {beside}) || ({leads}) || ({led}))"


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
            PLACED[0],
            *formulas(
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
    """Contributions of the rows of the picture, of the rest and of the offset, and their total."""
    average = {"slot": OFFSET, "said": AVERAGE_ROW, "d": overlay.offset, "moved": 0, "se": None}
    resolution = layout.amounts.resolution
    return {
        "segments": {
            "source": "rows",
            "transform": [
                PLACED[1],
                *formulas(
                    slot="datum.k",
                    said="datum.f.name",
                    y="datum.place.top + datum.f.dy",
                    at="datum.place.top + datum.f.middle",
                    xa="datum.place.x + pixels * datum.ea",
                    xb="datum.place.x + pixels * datum.eb",
                    base="datum.place.x + pixels * datum.f.base",
                ),
            ],
        },
        "rest": _rest(layout),
        "fixed": {
            "values": [average] if overlay.offset else [],
            "transform": formulas(at="bottom - 16"),
        },
        "bars": {
            "source": ["segments", "rest", "fixed"],
            "transform": formulas(printed=f"round(datum.d / {resolution!r})"),
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
                *formulas(total="offset + datum.d", before="offset + datum.recorded"),
            ],
        },
        "sums": {
            "source": "bars",
            "transform": [{"type": "aggregate", "fields": ["printed"], "ops": ["sum"], "as": ["printed"]}],
        },
    }


def _rest(layout: Layout) -> dict[str, Any]:
    """All features without a row, summed on each side, with their counts and the largest single one."""
    least = 0.5 * layout.amounts.resolution
    summed = {
        "d": ("sum", "d"),
        "up": ("sum", "up"),
        "down": ("sum", "down"),
        "ups": ("sum", "n_up"),
        "downs": ("sum", "n_down"),
        "size": ("max", "largest"),
        "moved": ("max", "moved"),
        "k": ("count", "count"),
    }
    return {
        "source": "rows",
        "transform": [
            {"type": "filter", "expr": "!datum.place"},
            *formulas(
                up="max(0, datum.d)",
                down="min(0, datum.d)",
                ups=f"datum.d >= {least!r} ? 1 : 0",
                downs=f"datum.d <= -{least!r} ? 1 : 0",
                size="abs(datum.d)",
            ),
            {
                "type": "aggregate",
                "fields": list(summed),
                "ops": [op for op, _ in summed.values()],
                "as": [name for _, name in summed.values()],
            },
            {"type": "filter", "expr": "datum.count > 0"},
            *formulas(slot=f"{REST}", said="'The rest'", se="rest_error", at=f"rest_top + {REST_DROP}"),
        ],
    }
