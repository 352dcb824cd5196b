"""The part of the specification that finds flip values: the nearest value of a line at which the total is 0."""

from typing import Any

from glassrank.nomograms.figure.feature_data import value_text
from glassrank.nomograms.figure.lines import CATEGORY, Line
from glassrank.nomograms.figure.placing import PLACED, formulas
from glassrank.nomograms.figure.rows import Row


def flip_sets(candidates: tuple[Row, ...], n_dots: int, *, sign: bool) -> dict[str, Any]:
    """For each dot, the nearest value of its line at which the total is 0, all else equal."""
    said = value_text("datum.v", "datum.f", sign=sign)
    return {
        "flips": {
            "values": _candidates(candidates, n_dots),
            "transform": [
                *PLACED,
                {"type": "lookup", "from": "all", "key": "i", "fields": ["i"], "as": ["dot"]},
                *formulas(
                    needed="datum.dot.e - datum.way * total",
                    # Categories rarely tie exactly: take the one nearest to the tie among those at or beyond it.
                    found="(datum.inverse ? datum.needed >= datum.low && datum.needed <= datum.high"
                    " : datum.way * total * (datum.effect - datum.needed) <= 0) ? 1 : 0",
                    own="datum.dot.v === null ? datum.dot.f.usual : datum.dot.v",
                    v="datum.found ? (datum.inverse ? scale(datum.inverse, datum.needed) : datum.code) : null",
                    # Of whole numbers, the first one at the tie or beyond it, seen from the present value.
                    whole="datum.found && datum.inverse && datum.dot.f.whole",
                    v2="!datum.whole ? datum.v : !total ? datum.own"
                    " : datum.v > datum.own ? ceil(datum.v - 1e-6) : floor(datum.v + 1e-6)",
                    level="datum.whole ? scale(datum.dot.f.g, datum.v2) : datum.inverse ? datum.needed : datum.effect",
                    reached="!datum.whole || (datum.v2 >= datum.dot.f.low && datum.v2 <= datum.dot.f.high"
                    " && datum.way * total * (datum.level - datum.needed) <= 1e-6)",
                ),
                *formulas(
                    found="datum.found && datum.reached ? 1 : 0",
                    v="datum.found ? datum.v2 : null",
                    gap="!datum.found ? 1e300 : datum.inverse ? abs(datum.v - datum.own)"
                    " : abs(datum.effect - datum.needed)",
                ),
                {"type": "aggregate", "groupby": ["i"], "fields": ["gap"], "ops": ["argmin"], "as": ["best"]},
                *formulas(
                    found="datum.best.found",
                    v="datum.best.v",
                    doc="datum.best.dot.doc",
                    f="datum.best.dot.f",
                    top="datum.best.place.top",
                    x="datum.best.place.x + pixels * datum.best.level",
                ),
                *formulas(text=f"datum.found ? {said} : '\u2013'"),
            ],
        },
    }


def _candidates(rows: tuple[Row, ...], n_dots: int) -> list[dict[str, Any]]:
    """Return where flip values are searched: each monotone run of each line, or each category, once per dot."""
    found = []
    for row in rows:
        ways = _levels(row.line) if row.kind == CATEGORY else _runs(row)
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
    return [{"code": code, "effect": float(effect)} for code, effect in enumerate(line.effects) if code not in rare]
