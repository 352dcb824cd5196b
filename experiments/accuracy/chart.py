"""One chart: how far each ranker is from its baseline, with intervals."""

from dataclasses import dataclass, replace

from experiments.accuracy.verdicts import Tested
from glassrank.drawing.marks import field, rule, specification, symbol, text
from glassrank.drawing.theme import LIGHT as THEME

WIDTH, TOP, LINE, NAMES, PLOT, GAP = 1200, 132, 24, 190, 370, 40
RIGHT = 24 + NAMES + PLOT + GAP  # left edge of the right panel
FILLS = {"better": THEME.ink, "worse": THEME.ink, "not significantly different": THEME.page}
STROKES = {"better": THEME.ink, "worse": THEME.ink, "not significantly different": THEME.line}
SHAPES = {"better": "triangle-right", "worse": "triangle-left", "not significantly different": "circle"}


@dataclass(frozen=True)
class Panel:
    """A column of the chart: its left edge, its scale, and the rows by heading."""

    left: float
    title: str
    gain: int
    """Sign of a difference that is a gain; gains are drawn to the right."""
    groups: dict[str, list[Tested]]

    @property
    def reach(self) -> float:
        ends = [
            abs(end)
            for rows in self.groups.values()
            for row in rows
            for end in (row.difference_low, row.difference_high)
        ]
        return 1.08 * max(ends)

    @property
    def n_lines(self) -> int:
        return sum(len(rows) + 1 for rows in self.groups.values())

    def x(self, gain: float) -> float:
        return self.left + NAMES + PLOT * (0.5 + 0.5 * gain / self.reach)


def draw(documents: list[Tested], lists: list[Tested], *, simulated: bool) -> dict:
    """Left: MAP of documents against the linear RankSVM; right: misranking of lists against ridge regression."""
    of_map = [row for row in documents if row.measure == "map" and "by normalisation" not in row.data]
    left = Panel(24, "MAP, gain over linear RankSVM", 1, _grouped(of_map))
    right = Panel(RIGHT, "misranking, saved against ridge regression", -1, _grouped(lists))
    return _figure("Which rankers differ from their baseline", left, right, simulated=simulated)


def draw_shapes(tested: list[Tested], *, simulated: bool) -> dict:
    """Left: measures over queries; right: misranking of lists; both against tuned LightGBM."""
    named = [replace(row, data=f"{row.data}, {row.measure.upper()}") for row in tested if row.measure != "misranking"]
    left = Panel(24, "gain over tuned LightGBM", 1, _grouped(named))
    lists = _grouped([row for row in tested if row.measure == "misranking"])
    right = Panel(RIGHT, "misranking, saved against tuned LightGBM", -1, lists)
    return _figure("Which shapes differ from tuned LightGBM", left, right, simulated=simulated)


def _figure(title: str, left: Panel, right: Panel, *, simulated: bool) -> dict:
    height = TOP + LINE * max(left.n_lines, right.n_lines) + 64
    facts = "95 % intervals of the difference; verdicts by tests adjusted for several rankers (Holm, 5 %)."
    facts = f"Simulated data, not a measurement. {facts}" if simulated else f"{facts} Right of the line is better."
    data: dict = {"one": [{}], "key": _key()}
    marks = [
        text("one", x=24, y=32, text=title, fontSize=20, fontWeight=600, fill=THEME.ink),
        text("one", x=24, y=60, text=facts, fontSize=13, fill=THEME.ink3),
        _dots("key"),
        text("key", x={"field": "x", "offset": 12}, y=field("y"), text=field("name"), fill=THEME.ink2),
    ]
    for name, panel in {"left": left, "right": right}.items():
        if panel.groups:
            panel_data, panel_marks = _panel(name, panel, height - 64)
            data |= panel_data
            marks += panel_marks
    return specification(WIDTH, height, data, marks, background=THEME.page, description=f"{title}. {facts}")


def _grouped(rows: list[Tested]) -> dict[str, list[Tested]]:
    groups: dict[str, list[Tested]] = {}
    for row in rows:
        if row.difference is not None:
            groups.setdefault(row.data, []).append(row)
    return groups


def _key() -> list[dict]:
    return [{"x": 32 + 130 * place, "y": 88, "name": verdict} | _look(verdict) for place, verdict in enumerate(FILLS)]


def _look(verdict: str) -> dict:
    return {"fill": FILLS[verdict], "stroke": STROKES[verdict], "shape": SHAPES[verdict]}


def _dots(data: str) -> dict:
    look = {channel: field(channel) for channel in ("x", "y", "shape", "fill", "stroke")}
    return symbol(data, **look, size=80, strokeWidth=1.6)


def _panel(name: str, panel: Panel, bottom: float) -> tuple[dict, list[dict]]:
    heads, rows, y = [], [], TOP
    for heading, tested in panel.groups.items():
        heads.append({"y": y, "name": heading})
        rows += [_row(panel, row, y + LINE * place) for place, row in enumerate(tested, start=1)]
        y += LINE * (len(tested) + 1)
    step = _step(panel.reach)
    ticks = [
        {"x": panel.x(k * step), "label": "0" if k == 0 else f"{k * step:+.2f}".replace("-", "−")}
        for k in range(-9, 10)
        if abs(k * step) <= panel.reach
    ]
    data = {f"{name} heads": heads, f"{name} rows": rows, f"{name} ticks": ticks}
    label = {"fontSize": 12, "fill": THEME.ink2}
    along = {"y": TOP - 8, "y2": bottom}
    marks = [
        rule(f"{name} ticks", x=field("x"), x2=field("x"), **along, stroke=THEME.hair),
        rule("one", x=panel.x(0), x2=panel.x(0), **along, stroke=THEME.line),
        text(f"{name} ticks", x=field("x"), y=bottom + 14, text=field("label"), align="center", **label),
        text("one", x=panel.x(0), y=bottom + 38, text=panel.title, align="center", **label),
        text(f"{name} heads", x=panel.left, y=field("y"), text=field("name"), fontWeight=600, fill=THEME.ink),
        text(f"{name} rows", x=panel.left + 12, y=field("y"), text=field("name"), **label),
        rule(f"{name} rows", x=field("low"), x2=field("high"), y=field("y"), stroke=field("stroke"), strokeWidth=1.8),
        _dots(f"{name} rows"),
    ]
    return data, marks


def _row(panel: Panel, row: Tested, y: float) -> dict:
    low, high = (panel.x(panel.gain * end) for end in (row.difference_low, row.difference_high))
    place = {"x": panel.x(panel.gain * row.difference), "y": y, "low": low, "high": high, "name": row.system}
    return place | _look(row.verdict)


def _step(reach: float) -> float:
    """Distance of the ticks: about three on each side."""
    return next((step for step in (0.01, 0.02, 0.05, 0.1) if reach / step < 4), 0.2)
