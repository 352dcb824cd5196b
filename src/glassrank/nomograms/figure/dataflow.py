"""The part of the specification that computes: values become effects, contributions and totals.

Everything derives from one data set, ``vals``: a row per dot with the value ``v`` now, the recorded value ``v0`` and
its exact effect ``e0``. A moved dot is evaluated on the sampled curve, an unmoved one by its exact effect. Interactions
follow from the states of their two features (``together``), groups from the effects of their members (``grouped``).
"""

from collections.abc import Mapping
from typing import Any

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.drawing.marks import Rows
from glassrank.nomograms.figure.arrangement import MEMBER, ROW
from glassrank.nomograms.figure.feature_data import feature_rows, number_text, value_rows, value_text
from glassrank.nomograms.figure.flip_data import flip_sets, tie_notes
from glassrank.nomograms.figure.layout import OFFSET, REST, Layout
from glassrank.nomograms.figure.lines import CATEGORY, GROUP, TOGETHER
from glassrank.nomograms.figure.overlay import DIFFERENCE, Overlay
from glassrank.nomograms.figure.placing import PLACED, formulas
from glassrank.nomograms.figure.rows import LINE_RIGHT, Row
from glassrank.nomograms.figure.state_data import FeatureStates
from glassrank.nomograms.figure.words import OverlayWords

MISSING_LABEL_HALF = 44  # half the width of "missing 18 %", and a gap
REST_DROP = 20  # from the end of the rows


def data_sets(
    layout: Layout,
    overlay: Overlay,
    words: OverlayWords,
    samples: EffectSamples | None,
    candidates: tuple[Row, ...],
    states: Mapping[int, FeatureStates],
    tables: Rows,
) -> dict[str, Any]:
    """Return all data sets that change when a dot moves."""
    n_dots = overlay.values.shape[0]
    return {
        "features": feature_rows(layout, overlay, candidates, states),
        "tables": tables,
        "vals": {
            "values": value_rows(layout, overlay),
            "on": [
                {"trigger": moved, "modify": f"{moved}.row", "values": f"{{v: {moved}.v}}"}
                for moved in ("drag", "edit")
            ],
        },
        **_effect_sets(layout, overlay),
        "dots": _dots(words, samples),
        "sliders": {"source": "dots", "transform": [{"type": "filter", "expr": "datum.f.own"}]},
        "sum_dots": {"source": "dots", "transform": [{"type": "filter", "expr": "!datum.f.own"}]},
        **_own_levels(),
        "tick_labels": _tick_labels(n_dots),
        "rows": _contributions(layout, overlay),
        **_entry_sets(layout, overlay),
        **flip_sets(candidates, n_dots, states, tables, sign=overlay.kind == DIFFERENCE),
        **tie_notes(),
    }


def _effect_sets(layout: Layout, overlay: Overlay) -> dict[str, Any]:
    """Each document's value on each line, with its effect now and as recorded."""

    def said(value: str) -> str:
        return value_text(value, "datum.f", sign=overlay.kind == DIFFERENCE)

    lookup = {"type": "lookup", "from": "features", "key": "k", "fields": ["k"], "as": ["f"]}
    category = "datum.v < 0 ? datum.f.last - 1 : datum.v"
    state = f"datum.v === null ? datum.f.last : datum.f.names ? ({category}) : scale(datum.f.t, datum.v)"
    number = number_text("(datum.e + datum.f.lowest)", layout.amounts, sign=True)
    known = formulas(
        moved="datum.v !== datum.v0 ? 1 : 0",
        e="!datum.moved ? datum.e0 : datum.v === null ? datum.f.missing : scale(datum.f.g, datum.v)",
        m=f"!isValid(datum.f.last) ? 0 : {state}",
        absent="datum.v === null",
        text=said("datum.v"),
        recorded=said("datum.v0"),
        key="datum.doc + datum.k",
        group="datum.f.group",
    )
    summed = {"type": "aggregate", "groupby": ["group", "doc"], "ops": ["sum", "max"], "as": ["e", "moved"]}
    return {
        "known": {"source": "vals", "transform": [lookup, {"type": "filter", "expr": "datum.f.own"}, *known]},
        "together": {"source": "vals", "transform": [lookup, _kept(TOGETHER), *_together()]},
        "members": {
            "source": "known",
            "transform": [
                {"type": "filter", "expr": "datum.group !== null"},
                {**summed, "fields": ["e", "moved"]},
                *formulas(key="datum.doc + datum.group"),
            ],
        },
        "grouped": {
            "source": "vals",
            "transform": [
                lookup,
                _kept(GROUP),
                *formulas(key="datum.doc + datum.k"),
                {"type": "lookup", "from": "members", "key": "key", "fields": ["key"], "as": ["members"]},
                *formulas(
                    moved="datum.members.moved",
                    e="datum.moved ? datum.members.e + datum.f.shift : datum.e0",
                    text=number,
                ),
            ],
        },
        "all": {
            "source": ["known", "together", "grouped"],
            "transform": formulas(
                ea="datum.doc === 'A' ? datum.e : 0",
                eb="datum.doc === 'B' ? datum.e : 0",
                signed0="datum.doc === 'A' ? datum.e0 : -datum.e0",
                va="datum.doc === 'A' ? datum.se : null",
            ),
        },
    }


def _kept(kind: str) -> dict[str, str]:
    return {"type": "filter", "expr": f"datum.f.kind === '{kind}'"}


def _together() -> list[dict[str, Any]]:
    """The effect of two features together: an entry of the interaction's table, by their states."""
    at = "datum.pair.sa[datum.first.m] * datum.pair.nb + datum.pair.sb[datum.second.m]"
    return [
        {"type": "lookup", "from": "tables", "key": "k", "fields": ["k"], "as": ["pair"]},
        *formulas(key="datum.doc + datum.k", of_first="datum.doc + datum.pair.a", of_second="datum.doc + datum.pair.b"),
        {
            "type": "lookup",
            "from": "known",
            "key": "key",
            "fields": ["of_first", "of_second"],
            "as": ["first", "second"],
        },
        *formulas(
            moved="max(datum.first.moved, datum.second.moved)",
            e=f"datum.moved ? datum.pair.table[{at}] : datum.e0",
            text="datum.first.text + ', ' + datum.second.text",
        ),
    ]


def _dots(words: OverlayWords, samples: EffectSamples | None) -> dict[str, Any]:
    """Current and recorded positions of the dots, and their bands; in the order of the rows, A before B."""
    curved = "datum.f.own && datum.v !== null && datum.f.kind !== 'point'"
    error = f"{curved} ? scale('s' + datum.k, datum.v) : 0" if samples else "0"
    x_of = f"min({LINE_RIGHT}, datum.place.x + pixels * ({{}}))".format
    inside = x_of("clamp({}, min(0, datum.e), max(datum.f.range, datum.e))").format
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
    covered = f"datum.f.missing !== null && {gap} < datum.w / 2 + (datum.lane ? {MISSING_LABEL_HALF} : 3)"
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
                {"type": "filter", "expr": f"!(datum.a && datum.v === datum.a.v) && !({covered})"},
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
    """What each line adds, now and as recorded."""
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
    """Contributions of the rows of the picture, of the rest and of the offset, and their total.

    Rows that were opened are part of a group or of the rest, and so are not counted again.
    """
    average = {"slot": OFFSET, "said": overlay.start, "d": overlay.offset, "moved": 0, "se": None}
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
                    xa=f"min({LINE_RIGHT}, datum.place.x + pixels * datum.ea)",
                    xb=f"min({LINE_RIGHT}, datum.place.x + pixels * datum.eb)",
                    base=f"min({LINE_RIGHT}, datum.place.x + pixels * datum.f.base)",
                    inside=f"datum.place.part === '{MEMBER}'",
                ),
            ],
        },
        "rest": _rest(layout),
        # Only a live figure opens groups and the rest.
        "group_rows": {"source": "segments", "transform": [_kept(GROUP), {"type": "filter", "expr": "live"}]},
        "opened_rest": {"source": "rest", "transform": [{"type": "filter", "expr": "live"}]},
        "more_rows": {"source": "rest", "transform": [{"type": "filter", "expr": "more_text"}]},
        "fixed": {
            "values": [average] if overlay.offset else [],
            "transform": formulas(at="bottom - 16"),
        },
        "bars": {
            "source": ["segments", "rest", "fixed"],
            "transform": formulas(
                printed=f"datum.place && datum.place.part !== '{ROW}' ? 0 : round(datum.d / {resolution!r})"
            ),
        },
        "tot": {
            "source": "rows",
            "transform": [
                {"type": "filter", "expr": f"datum.f.kind !== '{GROUP}'"},
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
    """All lines without a row, summed on each side, with their counts and the largest single one."""
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
        "features": ("sum", "n_features"),
        "pairs": ("sum", "n_pairs"),
    }
    return {
        "source": "rows",
        "transform": [
            {"type": "filter", "expr": f"datum.f.group === null && !(datum.place && datum.place.part === '{ROW}')"},
            *formulas(
                features=f"datum.f.kind === '{GROUP}' ? datum.f.count : datum.f.own ? 1 : 0",
                pairs=f"datum.f.kind === '{TOGETHER}' ? 1 : 0",
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
