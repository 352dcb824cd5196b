"""The part of the specification that finds flip values: the nearest value of a line at which the total is 0."""

from collections.abc import Mapping
from typing import Any

from glassrank.drawing.marks import Rows
from glassrank.nomograms.figure.arrangement import MEMBER
from glassrank.nomograms.figure.feature_data import value_text
from glassrank.nomograms.figure.lines import Line
from glassrank.nomograms.figure.placing import PLACED, formulas
from glassrank.nomograms.figure.rows import LINE_RIGHT, Row
from glassrank.nomograms.figure.state_data import FeatureStates


def flip_sets(
    candidates: tuple[Row, ...], n_dots: int, states: Mapping[int, FeatureStates], tables: Rows, *, sign: bool
) -> dict[str, Any]:
    """For each dot, the nearest value of its feature at which the total is 0, all else equal.

    A feature moves with all its interactions, whose effects depend on the present values of other features.
    """
    said = value_text("datum.v", "datum.f", sign=sign)
    shown = {row.k for row in candidates}
    return {
        **_moved_interactions([row for row in tables if {row["a"], row["b"]} & shown], n_dots),
        "pieces": {
            "values": _pieces(candidates, states, n_dots),
            "transform": [
                *PLACED,
                {"type": "flatten", "fields": ["from", "to", "ea", "eb"], "index": "c"},
                {"type": "filter", "expr": "datum.from <= datum.to"},
                *formulas(piece="1"),
            ],
        },
        "runs": {"values": _candidates(candidates, states, n_dots), "transform": PLACED},
        "flips": {
            "source": ["runs", "pieces"],
            "transform": [
                {"type": "filter", "expr": f"datum.place.part !== '{MEMBER}'"},
                {"type": "lookup", "from": "all", "key": "i", "fields": ["i"], "as": ["dot"]},
                *formulas(key="datum.i + '_' + datum.c"),
                {"type": "lookup", "from": "along", "key": "key", "fields": ["key"], "as": ["along"]},
                *_needed(),
                *_at_the_tie(),
                *formulas(
                    found="datum.found && datum.reached ? 1 : 0",
                    v="datum.found ? datum.v2 : null",
                    gap="!datum.found ? 1e300 : !isValid(datum.code) ? abs(datum.v - datum.own)"
                    " : abs(datum.effect - datum.needed)",
                ),
                {"type": "aggregate", "groupby": ["i"], "fields": ["gap"], "ops": ["argmin"], "as": ["best"]},
                *formulas(
                    found="datum.best.found",
                    v="datum.best.v",
                    doc="datum.best.dot.doc",
                    f="datum.best.dot.f",
                    top="datum.best.place.top",
                    x=f"min({LINE_RIGHT}, datum.best.place.x + pixels * datum.best.level)",
                ),
                *formulas(text=f"datum.found ? {said} : '\u2013'"),
            ],
        },
    }


def tie_notes() -> dict[str, Any]:
    """What is written in place of tie values: a sum has none, and an interaction refers to the rows of its features."""
    shown = "datum.row_{0} && datum.row_{0}.part === 'row' ? datum.row_{0}.number : 0".format
    both = "datum.number_a && datum.number_b && datum.number_a !== datum.number_b"
    see = f"{both} ? datum.number_a + ', ' + datum.number_b : datum.number_a || datum.number_b || ''"
    in_group = "datum.f_{0}.group === null ? datum.pair.{0} : datum.f_{0}.group".format
    return {
        "tie_notes": {
            "source": "segments",
            "transform": [
                {"type": "filter", "expr": f"!datum.f.own && datum.place.part !== '{MEMBER}'"},
                {"type": "lookup", "from": "tables", "key": "k", "fields": ["k"], "as": ["pair"]},
                *formulas(a="datum.pair ? datum.pair.a : null", b="datum.pair ? datum.pair.b : null"),
                {"type": "lookup", "from": "features", "key": "k", "fields": ["a", "b"], "as": ["f_a", "f_b"]},
                *formulas(
                    a=f"datum.pair ? {in_group('a')} : null",
                    b=f"datum.pair ? {in_group('b')} : null",
                ),
                {"type": "lookup", "from": "placed", "key": "k", "fields": ["a", "b"], "as": ["row_a", "row_b"]},
                *formulas(number_a=shown("a"), number_b=shown("b"), see=see),
                *formulas(text="!datum.pair ? 'no single value' : datum.see ? 'see ' + datum.see : '\u2013'"),
            ],
        }
    }


def _needed() -> list[dict[str, Any]]:
    """The effect at which the total is 0, and the value at which it is first reached."""
    # A piece is straight: the nearest value is its own nearest one, or where it crosses the needed effect.
    share = "(datum.to > datum.from ? ({} - datum.from) / (datum.to - datum.from) : 0)".format
    crossing = "(datum.needed - datum.ea) / (datum.eb - datum.ea)"
    return formulas(
        needed="datum.dot.e - datum.way * total - (datum.along ? datum.along.change : 0)",
        own="datum.dot.v === null ? datum.dot.f.usual : datum.dot.v",
        near="datum.piece ? clamp(datum.own, datum.from, datum.to) : null",
        e_near=f"datum.piece ? datum.ea + (datum.eb - datum.ea) * {share('datum.near')} : 0",
        crossing=f"datum.piece && datum.ea !== datum.eb ? {crossing} : -1",
        # A document without a value is offered the usual one, if that is at the tie or beyond it.
        usual="datum.inverse && datum.dot.v === null"
        " && datum.way * total * (scale(datum.dot.f.g, datum.own) - datum.needed) <= 0",
        inside="datum.piece && datum.way * total * (datum.e_near - datum.needed) <= 1e-9 * abs(total)",
        # Categories rarely tie exactly: take the one nearest to the tie among those at or beyond it.
        found="(datum.inverse ? datum.usual || (datum.needed >= datum.low && datum.needed <= datum.high)"
        " : datum.piece ? datum.inside || (datum.crossing >= 0 && datum.crossing <= 1)"
        " : datum.way * total * (datum.effect - datum.needed) <= 0) ? 1 : 0",
        v="!datum.found ? null : datum.usual ? datum.own : datum.inverse ? scale(datum.inverse, datum.needed)"
        " : datum.piece ? (datum.inside ? datum.near : datum.from + datum.crossing * (datum.to - datum.from))"
        " : datum.code",
    )


def _at_the_tie() -> list[dict[str, Any]]:
    """Of whole numbers, the first one at the tie or beyond it, seen from the present value."""
    on_line = "datum.v2 >= datum.dot.f.low && datum.v2 <= datum.dot.f.high"
    return formulas(
        whole="datum.found && datum.dot.f.whole && (datum.inverse || datum.crossing >= 0) && datum.v !== datum.own",
        v2="!datum.whole ? datum.v : !total ? datum.own"
        " : datum.v > datum.own ? ceil(datum.v - 1e-6) : floor(datum.v + 1e-6)",
        level="!isValid(datum.code) && datum.v2 !== null ? scale(datum.dot.f.g, datum.v2) : datum.effect",
        reached=f"!datum.whole || ({on_line} && datum.way * total * (datum.level - datum.needed) <= 1e-6)",
    )


def _moved_interactions(tables: Rows, n_dots: int) -> dict[str, Any]:
    """What the interactions of a feature add if it is moved to each of its states, all else equal."""
    sides = [
        {"k": row[side], "pair": row["k"], "side": side, "doc": "AB"[dot], "i": row[side] * n_dots + dot}
        for row in tables
        for side in "ab"
        for dot in range(n_dots)
    ]
    of_first = "datum.states * datum.now.pair.nb + datum.now.pair.sb[datum.now.second.m]"
    of_second = "datum.now.pair.sa[datum.now.first.m] * datum.now.pair.nb + datum.states"
    return {
        "along": {
            "values": sides,
            "transform": [
                *PLACED,
                *formulas(key="datum.doc + datum.pair"),
                {"type": "lookup", "from": "together", "key": "key", "fields": ["key"], "as": ["now"]},
                *formulas(states="datum.side === 'a' ? datum.now.pair.sa : datum.now.pair.sb"),
                {"type": "flatten", "fields": ["states"], "index": "c"},
                *formulas(
                    moved=f"datum.now.pair.table[datum.side === 'a' ? {of_first} : {of_second}] - datum.now.e",
                    key="datum.i + '_' + datum.c",
                ),
                {"type": "aggregate", "groupby": ["key"], "fields": ["moved"], "ops": ["sum"], "as": ["change"]},
            ],
        }
    }


def _pieces(rows: tuple[Row, ...], states: Mapping[int, FeatureStates], n_dots: int) -> Rows:
    """Return the intervals of each number that has interactions, once per dot."""
    numbers = [row for row in rows if row.k in states and not row.line.feature.categories]
    return [
        {"k": row.k, "i": row.k * n_dots + dot, "way": 1 - 2 * dot, **states[row.k].pieces()}
        for row in numbers
        for dot in range(n_dots)
    ]


def _candidates(rows: tuple[Row, ...], states: Mapping[int, FeatureStates], n_dots: int) -> Rows:
    """Return where flip values are searched: each monotone run of each line, or each category, once per dot."""
    found = []
    for row in rows:
        if not row.line.own or (row.k in states and not row.line.feature.categories):
            continue
        ways = _levels(row.line) if row.line.feature.categories else _runs(row)
        for dot in range(n_dots):
            found += [{"k": row.k, "i": row.k * n_dots + dot, "way": 1 - 2 * dot, **way} for way in ways]
    return found


def _runs(row: Row) -> list[dict[str, Any]]:
    ways = [row.line.inverse(run)[0] for run in range(len(row.line.runs))]
    return [
        {"low": float(effects[0]), "high": float(effects[-1]), "inverse": f"i{row.k}_{run}"}
        for run, effects in enumerate(ways)
    ]


def _levels(line: Line) -> list[dict[str, Any]]:
    rare = set(line.feature.rare)
    return [
        {"code": code, "c": code, "effect": float(effect)}
        for code, effect in enumerate(line.effects)
        if code not in rare
    ]
