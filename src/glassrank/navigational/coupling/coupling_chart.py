"""The paper's figures: F1 against the number of features (3), and a feature over the ranks of result lists (2)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, check_positive
from glassrank.drawing.chart import Chart
from glassrank.drawing.marks import Mark, Rows, field, path, specification
from glassrank.drawing.plot_area import HEIGHT, WIDTH, Pen, PlotArea, frame_marks, legend_marks
from glassrank.drawing.theme import LIGHT, Theme

Points = tuple[tuple[float, float, float], ...]
"""Number of features, F1, and its standard deviation over folds."""
FEW_RANKS = 40
HIGHEST_F1 = 1.0
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross")
DASHES = ((), (6, 3), (), (6, 3), (2, 3))


@dataclass(frozen=True, eq=False)
class CouplingChart(Chart):
    """Figure 3: F1 of a classifier against the number of features, a curve per selector."""

    classifier: str
    curves: tuple[tuple[str, Points], ...]
    n_folds: int
    chosen: int
    """The number of features of table 4."""

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        points = [(n, f1) for _, curve in self.curves for n, f1, _ in curve]
        area = _from_zero(PlotArea.around(points, logarithmic=True), points)
        area = replace(area, y_high=min(area.y_high, HIGHEST_F1))
        sizes = sorted({n for n, _ in points})
        # The ends and the number of table 4 first: labels that would touch these are left out.
        ticks = dict.fromkeys([sizes[-1], sizes[0], *(n for n in sizes if n == self.chosen), *sizes])
        data: dict[str, Rows] = {"one": [{}], "x_ticks": area.x_ticks(list(ticks)), "y_ticks": area.y_ticks()}
        title = f"F1 of {self.classifier} against the number of features"
        under = f"On held-out queries, mean of {self.n_folds} folds; the last point has all features"
        marks = frame_marks(title, under, "F1", "features selected inside each fold (logarithmic)", theme)
        pens = [_pen(number, theme) for number in range(len(self.curves))]
        marks += legend_marks([name for name, _ in self.curves], pens, theme)
        for number, ((name, curve), pen) in enumerate(zip(self.curves, pens, strict=True)):
            data[f"line {number}"] = area.segments([(n, f1) for n, f1, _ in curve])
            data[f"dots {number}"] = [
                {"x": area.x(n), "y": area.y(f1), "says": f"{name}, {n:,.0f} features: F1 {f1:.3f} ± {std:.3f}"}
                for n, f1, std in curve
            ]
            marks.append(pen.line(f"line {number}"))
            marks.append(pen.dots(f"dots {number}", description=field("says"), tooltip=field("says")))
        return specification(WIDTH, HEIGHT, data, marks, background=theme.page, description=self._describe())

    def _describe(self) -> str:
        best = [(max(curve, key=lambda point: point[1]), name) for name, curve in self.curves]
        said = "; ".join(f"{name}: highest {f1:.3f} with {n:,.0f}" for (n, f1, _), name in best)
        return f"F1 of {self.classifier} against the number of features. {said}."


@dataclass(frozen=True, eq=False)
class RankChart(Chart):
    """Figure 2: a feature over the ranks, a curve per kind of query; bands hold the middle half of the queries."""

    feature: str
    kinds: tuple[tuple[str, Any, Any, Any, int], ...]
    """Name, lower quartile, mean and upper quartile at each rank (NaN where no list has one), number of queries."""

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        points = [point for _, *curves, _ in self.kinds for curve in curves for point in _known(curve)]
        area = _from_zero(PlotArea.around(points), points)
        most = int(area.x_high)
        ticks = dict.fromkeys([1, most, *range(20, most + 1, 20), *([5, 10] if most < FEW_RANKS else [])])
        data: dict[str, Rows] = {"one": [{}], "x_ticks": area.x_ticks(list(ticks)), "y_ticks": area.y_ticks()}
        under = "Mean over queries at each rank; the bands hold the middle half of the queries"
        marks = frame_marks(f"{self.feature} over the result list", under, self.feature, "rank", theme)
        names = [f"{name} ({n:,} queries)" for name, *_, n in self.kinds]
        pens = [Pen(theme.a), Pen(theme.b, dash=(6, 3))]
        marks += legend_marks(names, pens, theme)
        marks += self._bands(area, data, theme)
        for number, ((_, _, mean, _, _), pen) in enumerate(zip(self.kinds, pens, strict=True)):
            data[f"line {number}"] = area.segments(_known(mean))
            marks.append(pen.line(f"line {number}"))
        return specification(WIDTH, HEIGHT, data, marks, background=theme.page, description=self._describe())

    def _bands(self, area: PlotArea, data: dict[str, Rows], theme: Theme) -> list[Mark]:
        marks = []
        for number, (_, low, _, high, _) in enumerate(self.kinds):
            outline = [*_known(high), *reversed(_known(low))]
            drawn = " L ".join(f"{area.x(x):.2f} {area.y(y):.2f}" for x, y in outline)
            data[f"band {number}"] = [{"path": f"M {drawn} Z"}]
            tint = theme.tint_b if number else theme.tint_a
            marks.append(path(f"band {number}", path=field("path"), fill=tint, fillOpacity=0.7))
        return marks

    def _describe(self) -> str:
        said = "; ".join(f"{name}: {mean[0]:.3g} at rank 1" for name, _, mean, _, _ in self.kinds)
        return f"Mean of {self.feature} at each rank. {said}."


def rank_chart(table: Any, feature: str, intents: Mapping[Any, Any], *, ranks: int = 100) -> RankChart:
    """Draw a feature of ``QueryUrlFeatures`` over the ranks, navigational against informational queries.

    ``intents`` gives the class of each query id: 1 for navigational, 0 for informational. Queries that it does not name
    are left out (the paper's figure 2 shows two queries; name two to see the same).
    """
    check_positive("ranks", ranks, whole=True)
    values, query_ids = np.asarray(table[feature]), list(table.results.query_id)
    places = np.asarray(table.results.rank, dtype=np.int64)
    row_of = {query: row for row, query in enumerate(dict.fromkeys(query_ids))}
    grid = np.full((len(row_of), ranks), np.nan)
    shown = places <= ranks
    rows = np.array([row_of[query] for query in query_ids])
    grid[rows[shown], places[shown] - 1] = values[shown]
    kinds = []
    for name, code in (("navigational", 1), ("informational", 0)):
        own = np.array([row for query, row in row_of.items() if query in intents and intents[query] == code], dtype=int)
        if not len(own) or np.isnan(grid[own]).all():
            raise DataError(
                f"intents must name a query with values of {feature!r} that is {name} ({code}): got none.",
                parameter="intents",
            )
        kinds.append((name, *_by_rank(grid[own]), len(own)))
    return RankChart(feature, tuple(kinds))


def _by_rank(grid: Any) -> tuple[Any, Any, Any]:
    """Lower quartile, mean and upper quartile of each column; NaN where a column has no value."""
    summary = np.full((3, grid.shape[1]), np.nan)
    known = ~np.isnan(grid).all(axis=0)
    low, high = np.nanquantile(grid[:, known], [0.25, 0.75], axis=0)
    summary[:, known] = low, np.nanmean(grid[:, known], axis=0), high
    return tuple(summary)


def _known(curve: Any) -> list[tuple[float, float]]:
    return [(float(rank), float(value)) for rank, value in enumerate(curve, start=1) if not np.isnan(value)]


def _from_zero(area: PlotArea, points: list[tuple[float, float]]) -> PlotArea:
    """No room below 0 for values that are never negative: it would look as if they could be."""
    return replace(area, y_low=max(area.y_low, 0.0)) if min(y for _, y in points) >= 0.0 else area


def _pen(number: int, theme: Theme) -> Pen:
    colours = (theme.a, theme.b, theme.ink, theme.ink3, theme.mark)
    number %= len(colours)
    return Pen(colours[number], SHAPES[number], DASHES[number])
