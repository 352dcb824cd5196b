"""A laid-out pair nomogram becomes one Vega specification."""

from typing import Any

from glassrank.drawing.marks import Mark, Rows, field, rect, rule, specification, symbol, text
from glassrank.drawing.theme import Theme
from glassrank.nomogram.layout import (
    BAR_ZERO,
    LINE_LEFT,
    LINE_RIGHT,
    NAME_X,
    PANEL_LEFT,
    PANEL_RIGHT,
    TOP,
    WIDTH,
    Layout,
)
from glassrank.nomogram.numbers import number, shortened
from glassrank.nomogram.pair import ComparedPair, Document

NAME_CHARACTERS = 30  # what fits left of the lines at the name's size
BAR_CHARACTERS = 26
DOCUMENT_CHARACTERS = 40
HOW_TO_READ = (
    "Find a value on a feature’s line; read its points straight up.",
    "Thick segment: what the feature adds to A − B, in the",
    "colour of the document it favours. Segments add up to",
    "the total difference; its sign says who stands above.",
    "Longer line = stronger feature. Rows by median spread",
    "of the feature’s effect within a query.",
)


def pair_specification(layout: Layout, pair: ComparedPair, unit: str, title: str, theme: Theme) -> dict[str, Any]:
    """Vega specification of two documents overlaid on an additive model."""
    data: dict[str, Rows] = {"one": [{}], **_row_data(layout, theme), **_axis_data(layout), **_bar_data(layout, theme)}
    marks = [
        *_header(pair, title, layout, theme),
        *_lines(layout, unit, theme),
        *_dots(theme),
        *_total(layout, pair, unit, theme),
        *_contributions(layout, pair, unit, theme),
        *_legend(layout, theme),
    ]
    return specification(
        WIDTH, layout.height, data, marks, background=theme.page, description=description(pair, layout, unit)
    )


def description(pair: ComparedPair, layout: Layout, unit: str) -> str:
    """The picture in words, for screen readers."""
    parts = "; ".join(
        f"{bar.label.split('  ')[-1]} {number(bar.contribution, layout.decimals, sign=True)}" for bar in layout.bars
    )
    total = number(pair.difference, layout.decimals, sign=True)
    return (
        f"Nomogram of query {pair.query}: document A, {pair.a.name}, against document B, {pair.b.name}. "
        f"Difference of {unit}s A minus B: {total}. Contributions: {parts}."
    )


def _row_data(layout: Layout, theme: Theme) -> dict[str, Rows]:
    rows, ticks, dots = [], [], []
    for row in layout.rows:
        winner = theme.a if row.contribution >= 0 else theme.b
        rows.append(
            {
                "name": shortened(f"{row.number}  {row.name}{', ' if row.unit else ''}{row.unit}", NAME_CHARACTERS),
                "y": row.y,
                "end": row.x_end,
                "width": 0 if row.constant else 1.6,
                "point": 26 if row.constant else 0,
                "a": f"A {row.value_a}",
                "b": f"B {row.value_b}",
                "xa": row.x_a,
                "xb": row.x_b,
                "winner": winner,
                "says": f"{row.name}: A {row.value_a}, B {row.value_b}, "
                f"contribution {number(row.contribution, layout.decimals, sign=True)}",
            }
        )
        ticks += [{"x": tick.x, "y": row.y, "label": tick.label} for tick in row.ticks]
        dots.append({"x": row.x_a, "y": row.y, "doc": "A", "says": f"Document A, {row.name} {row.value_a}"})
        dots.append({"x": row.x_b, "y": row.y, "doc": "B", "says": f"Document B, {row.name} {row.value_b}"})
    return {
        "rows": rows,
        "ticks": ticks,
        "dots_a": [dot for dot in dots if dot["doc"] == "A"],
        "dots_b": [dot for dot in dots if dot["doc"] == "B"],
    }


def _axis_data(layout: Layout) -> dict[str, Rows]:
    axes = {"points": layout.points, "scores": layout.scores, "totals": layout.totals}
    return {name: [{"x": tick.x, "label": tick.label} for tick in ticks] for name, ticks in axes.items()}


def _bar_data(layout: Layout, theme: Theme) -> dict[str, Rows]:
    return {
        "bars": [
            {
                "name": shortened(bar.label, BAR_CHARACTERS),
                "y": bar.y,
                "x": min(bar.x_end, BAR_ZERO),
                "x2": max(bar.x_end, BAR_ZERO),
                "amount": number(bar.contribution, layout.decimals, sign=True),
                "winner": theme.a if bar.contribution >= 0 else theme.b,
                "says": f"{bar.label} contributes {number(bar.contribution, layout.decimals, sign=True)}",
            }
            for bar in layout.bars
        ]
    }


def _header(pair: ComparedPair, title: str, layout: Layout, theme: Theme) -> list[Mark]:
    n_features = len(layout.rows) + layout.n_others
    shown = (
        f"{n_features} features" if not layout.n_others else f"the {len(layout.rows)} longest of {n_features} features"
    )
    subtitle = f"Query {shortened(pair.query, 60)}  ·  {shown}  ·  longer line = stronger feature"
    return [
        text("one", x=NAME_X, y=34, text=title, fontSize=22, fontWeight=600, fill=theme.ink),
        text("one", x=NAME_X, y=62, text=subtitle, fontSize=13, fill=theme.ink3),
        symbol("one", x=PANEL_LEFT + 7, y=26, shape="circle", size=110, fill=theme.a),
        *_document_lines("A", pair.a, 26, theme.a, theme, layout.decimals),
        symbol(
            "one", x=PANEL_LEFT + 7, y=74, shape="diamond", size=100, fill=theme.page, stroke=theme.b, strokeWidth=2
        ),
        *_document_lines("B", pair.b, 74, theme.b, theme, layout.decimals),
    ]


def _document_lines(letter: str, document: Document, y: float, colour: str, theme: Theme, decimals: int) -> list[Mark]:
    facts = (
        f"rank {document.rank} of {document.n_documents}  ·  score {number(document.score, decimals)}  ·  "
        f"judged {document.label:g}"
    )
    name = f"{letter}  {shortened(document.name, DOCUMENT_CHARACTERS)}"
    x = PANEL_LEFT + 22
    return [
        text("one", x=x, y=y, text=name, fontSize=13, fontWeight=600, fill=colour),
        text("one", x=x, y=y + 19, text=facts, fill=theme.ink2),
    ]


def _lines(layout: Layout, unit: str, theme: Theme) -> list[Mark]:
    label_x = LINE_LEFT - 16
    grid_bottom = layout.bottom
    return [
        rule("points", x=field("x"), x2=field("x"), y=TOP - 4, y2=grid_bottom, stroke=theme.hair),
        text("one", x=label_x, y=TOP - 24, text="Points", align="right", fontWeight=600, fill=theme.ink),
        rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=TOP - 12, y2=TOP - 12, stroke=theme.ink, strokeWidth=1.2),
        rule("points", x=field("x"), x2=field("x"), y=TOP - 12, y2=TOP - 17, stroke=theme.ink),
        text("points", x=field("x"), y=TOP - 26, text=field("label"), align="center", fontSize=11, fill=theme.ink2),
        text(
            "rows",
            x=NAME_X,
            y={"field": "y", "offset": -8},
            text=field("name"),
            fontSize=12.5,
            fontWeight=600,
            fill=theme.ink,
        ),
        text("rows", x=NAME_X + 16, y={"field": "y", "offset": 10}, text=field("a"), fill=theme.a),
        text("rows", x=NAME_X + 106, y={"field": "y", "offset": 10}, text=field("b"), fill=theme.b),
        rule("ticks", x=field("x"), x2=field("x"), y=field("y"), y2={"field": "y", "offset": 6}, stroke=theme.line),
        text(
            "ticks",
            x=field("x"),
            y={"field": "y", "offset": 15},
            text=field("label"),
            align="center",
            fontSize=11,
            fill=theme.ink3,
        ),
        rule(
            "rows",
            x=LINE_LEFT,
            x2=field("end"),
            y=field("y"),
            y2=field("y"),
            stroke=theme.line,
            strokeWidth=field("width"),
        ),
        symbol("rows", x=LINE_LEFT, y=field("y"), size=field("point"), fill=theme.line),
        text("one", x=label_x, y=grid_bottom + 16, text=unit.capitalize(), align="right", fontSize=11, fill=theme.ink3),
        rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=grid_bottom, y2=grid_bottom, stroke=theme.rule),
        rule("scores", x=field("x"), x2=field("x"), y=grid_bottom, y2=grid_bottom + 5, stroke=theme.rule),
        text(
            "scores",
            x=field("x"),
            y=grid_bottom + 16,
            text=field("label"),
            align="center",
            fontSize=11,
            fill=theme.ink3,
        ),
    ]


def _dots(theme: Theme) -> list[Mark]:
    place = {"x": field("x"), "y": field("y")}
    said = {"description": field("says"), "tooltip": field("says")}
    diamond = {"shape": "diamond", "size": 104, "stroke": theme.b, "strokeWidth": 2}
    return [
        rule("rows", x=field("xa"), x2=field("xb"), y=field("y"), y2=field("y"), stroke=field("winner"), strokeWidth=4),
        symbol("dots_b", **place, **diamond, fill=theme.page, **said),
        symbol("dots_a", **place, **said, shape="circle", size=100, fill=theme.a, stroke=theme.page, strokeWidth=1.2),
        # B's outline once more, so that it shows where both dots coincide.
        symbol("dots_b", **place, **diamond),
    ]


def _total(layout: Layout, pair: ComparedPair, unit: str, theme: Theme) -> list[Mark]:
    y = layout.bottom + 72
    winner = theme.a if pair.difference >= 0 else theme.b
    zero, x = layout.total_zero, layout.total_x
    return [
        text("one", x=NAME_X, y=y - 8, text="Total difference", fontSize=12.5, fontWeight=600, fill=theme.ink),
        text("one", x=NAME_X, y=y + 10, text=f"{unit}, A − B", fill=theme.ink3),
        rect("one", x=LINE_LEFT, x2=zero, y=y - 9, y2=y + 9, fill=theme.tint_b),
        rect("one", x=zero, x2=LINE_RIGHT, y=y - 9, y2=y + 9, fill=theme.tint_a),
        text("one", x=LINE_LEFT + 8, y=y - 20, text="B above A", fontSize=11, fill=theme.b),
        text("one", x=LINE_RIGHT - 8, y=y - 20, text="A above B", align="right", fontSize=11, fill=theme.a),
        rule("one", x=LINE_LEFT, x2=LINE_RIGHT, y=y + 9, y2=y + 9, stroke=theme.ink, strokeWidth=1.2),
        rule("totals", x=field("x"), x2=field("x"), y=y + 9, y2=y + 15, stroke=theme.ink),
        text("totals", x=field("x"), y=y + 25, text=field("label"), align="center", fontSize=11, fill=theme.ink2),
        rule("one", x=zero, x2=x, y=y, y2=y, stroke=winner, strokeWidth=5),
        symbol("one", x=x, y=y, shape="circle", size=120, fill=winner, stroke=theme.page, strokeWidth=1.6),
    ]


def _contributions(layout: Layout, pair: ComparedPair, unit: str, theme: Theme) -> list[Mark]:
    end = layout.bars[-1].y if layout.bars else 262
    winner = theme.a if pair.difference >= 0 else theme.b
    above = "A above B" if pair.difference > 0 else "B above A" if pair.difference < 0 else "A and B tie"
    total = number(pair.difference, layout.decimals, sign=True)
    return [
        text("one", x=PANEL_LEFT, y=132, text=f"Difference of {unit}s, A − B", fontSize=13, fill=theme.ink3),
        text("one", x=PANEL_LEFT - 2, y=170, text=total, fontSize=46, fontWeight=600, fill=winner),
        text("one", x=PANEL_RIGHT, y=176, text=above, align="right", fontSize=16, fontWeight=600, fill=winner),
        text(
            "one",
            x=PANEL_LEFT,
            y=216,
            text=f"Contribution to the {unit}, A − B",
            fontSize=13,
            fontWeight=600,
            fill=theme.ink,
        ),
        text("one", x=BAR_ZERO - 8, y=238, text="favours B", align="right", fontSize=11, fill=theme.b),
        text("one", x=BAR_ZERO + 8, y=238, text="favours A", fontSize=11, fill=theme.a),
        rule("one", x=BAR_ZERO, x2=BAR_ZERO, y=248, y2=end + 13, stroke=theme.rule),
        text("bars", x=PANEL_LEFT, y=field("y"), text=field("name"), fill=theme.ink),
        rect(
            "bars",
            x=field("x"),
            x2=field("x2"),
            y={"field": "y", "offset": -7},
            y2={"field": "y", "offset": 7},
            fill=field("winner"),
            description=field("says"),
            tooltip=field("says"),
        ),
        text("bars", x=PANEL_RIGHT, y=field("y"), text=field("amount"), align="right", fill=field("winner")),
        rule("one", x=PANEL_LEFT, x2=PANEL_RIGHT, y=end + 18, y2=end + 18, stroke=theme.rule),
        text("one", x=PANEL_LEFT, y=end + 33, text="Total", fontWeight=600, fill=theme.ink),
        text("one", x=PANEL_RIGHT, y=end + 33, text=total, align="right", fontWeight=600, fill=winner),
    ]


def _legend(layout: Layout, theme: Theme) -> list[Mark]:
    first = layout.height - 18 * len(HOW_TO_READ) - 12
    heading = text("one", x=PANEL_LEFT, y=first - 18, text="How to read", fontSize=12.5, fontWeight=600, fill=theme.ink)
    lines = [
        text("one", x=PANEL_LEFT, y=first + 18 * place, text=line, fontSize=11.5, fill=theme.ink3)
        for place, line in enumerate(HOW_TO_READ)
    ]
    return [heading, *lines]
