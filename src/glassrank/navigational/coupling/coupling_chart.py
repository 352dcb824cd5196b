"""The paper's figures: F1 against the number of features (3), and a feature over the ranks of result lists (2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, check_positive
from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine, spread
from glassrank.drawing.marks import field, path, text
from glassrank.drawing.plot import NUMBERS, ROOM, Axis, Canvas, Plot, line
from glassrank.drawing.plot_chart import ChartText, PlotChart
from glassrank.drawing.text_width import text_width
from glassrank.drawing.theme import Theme
from glassrank.navigational.feature_labels import feature_label

Points = tuple[tuple[float, float, float], ...]
"""Number of features, F1, and its standard deviation over folds."""
FEW_RANKS = 40
WIDTH, HEIGHT, TOP, BOTTOM = 680, 360, 36, 308
NAME_SIZE, NAME_STEP = 12, 16


def coupling_chart(classifier: str, curves: Mapping[str, Points], n_folds: int, chosen: int) -> LinePanels:
    """Draw figure 3: F1 of a classifier against the number of features, a curve per selector.

    ``chosen`` is the number of features of table 4. All features are their mean number over folds, to a whole one.
    """
    curves = {name: tuple((round(n), f1, std) for n, f1, std in curve) for name, curve in curves.items()}
    values = [f1 for curve in curves.values() for _, f1, _ in curve]
    room = ROOM * (max(values) - min(values)) or ROOM
    sizes = sorted({n for curve in curves.values() for n, _, _ in curve})
    # The ends and the number of table 4 come first; labels that would overlap them are left out.
    ticks = dict.fromkeys([sizes[-1], sizes[0], *(n for n in sizes if n == chosen), *sizes])
    lines = [
        PanelLine(name, [(n, f1, f"{n:,.0f} features: F1 {f1:.3f} ± {std:.3f}") for n, f1, std in curve])
        for name, curve in curves.items()
    ]
    y_range = (max(0.0, min(values) - room), min(1.0, max(values) + room))
    x_name = "features selected inside each fold (logarithmic)"
    panel = Panel("", x_name, "F1", lines, log_x=True, x_ticks=tuple(ticks), y_range=y_range)
    under = f"On held-out queries, mean of {n_folds} folds; the last point has all features."
    return LinePanels(f"F1 of {classifier} against the number of features", (panel,), under)


@dataclass(frozen=True, eq=False)
class RankChart(PlotChart):
    """Figure 2: a feature over the ranks, one curve per kind of query; bands contain the middle half of the queries."""

    feature: str
    kinds: tuple[tuple[str, Any, Any, Any, int], ...]
    """Name, lower quartile, mean and upper quartile at each rank (NaN if no list has a value), number of queries."""

    @property
    def text(self) -> ChartText:
        """Title and subtitle."""
        under = "Mean over queries at each rank; the bands contain the middle half of the queries."
        return ChartText(f"{feature_label(self.feature)}, over the result list", under)

    def describe(self) -> str:
        """Describe the chart by the mean at the first rank."""
        values = "; ".join(f"{name}: {mean[0]:.3g} at rank 1" for name, _, mean, _, _ in self.kinds)
        return f"Mean of “{feature_label(self.feature)}” at each rank. {values}."

    def draw(self, theme: Theme) -> Canvas:
        """Draw the bands, the curves over them, and a name at the end of each."""
        on, plot = Canvas(WIDTH, HEIGHT), self._plot()
        most = int(plot.x.high)
        ticks = dict.fromkeys([1, most, *range(20, most + 1, 20), *([5, 10] if most < FEW_RANKS else [])])
        labels = plot.x.labels([float(tick) for tick in ticks if tick <= most], "{:,.0f}".format)
        plot.draw_axes(on, theme, x_name="rank", y_name=feature_label(self.feature), x_labels=labels)
        looks: tuple[tuple[str, str, list[int]], ...] = (
            (theme.ink, theme.rule, []),
            (theme.line, theme.hair, [6, 3]),
        )
        for number, ((_, low, _, high, _), (_, tint, _)) in enumerate(zip(self.kinds, looks, strict=True)):
            outline = plot.path([*_known(high), *reversed(_known(low))])
            band = path(f"band {number}", path=field("d"), fill=tint, fillOpacity=0.6)
            on.add(f"band {number}", [{"d": f"{outline}Z"}], band)
        ends = [plot.y(_known(mean)[-1][1]) for _, _, mean, _, _ in self.kinds]
        order = sorted(range(len(ends)), key=ends.__getitem__)
        places = dict(zip(order, spread(sorted(ends), NAME_STEP, TOP, BOTTOM), strict=True))
        for number, ((_, _, mean, _, _), (ink, _, dash)) in enumerate(zip(self.kinds, looks, strict=True)):
            rows = plot.segments(_known(mean))
            on.add(f"line {number}", rows, line(f"line {number}", stroke=ink, strokeWidth=2, strokeDash=dash))
            place = {"x": plot.x.end + 8, "y": places[number], "fontSize": NAME_SIZE}
            on.marks.append(text("one", **place, text=self._names[number], fill=theme.ink2))
        return on

    @property
    def _names(self) -> list[str]:
        return [f"{name} ({n:,} queries)" for name, *_, n in self.kinds]

    def _plot(self) -> Plot:
        points = [point for _, *curves, _ in self.kinds for curve in curves for point in _known(curve)]
        right = WIDTH - 12 - max(text_width(name, NAME_SIZE) for name in self._names)
        values = [y for _, y in points]
        y = Axis.around(values, BOTTOM, TOP, room=ROOM)
        # If no value is negative, the axis starts at 0, so as not to suggest negative values.
        low = max(y.low, 0.0) if min(values) >= 0.0 else y.low
        return Plot(Axis.around([x for x, _ in points], NUMBERS, right), Axis(low, y.high, BOTTOM, TOP))


def rank_chart(table: Any, feature: str, intents: Mapping[Any, Any], *, ranks: int = 100) -> RankChart:
    """Draw a feature of ``QueryUrlFeatures`` over the ranks, navigational against informational queries.

    ``intents`` maps query ids to 1 for navigational and 0 for informational. Other queries are left out. (The paper's
    figure 2 shows two queries; give two to get the same.)
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
                f"intents must contain a query with values of {feature!r} that is {name} ({code}): got none.",
                parameter="intents",
            )
        kinds.append((name, *_by_rank(grid[own]), len(own)))
    return RankChart(feature, tuple(kinds))


def _by_rank(grid: Any) -> tuple[Any, Any, Any]:
    """Lower quartile, mean and upper quartile of each column; NaN if a column has no value."""
    summary = np.full((3, grid.shape[1]), np.nan)
    known = ~np.isnan(grid).all(axis=0)
    low, high = np.nanquantile(grid[:, known], [0.25, 0.75], axis=0)
    summary[:, known] = low, np.nanmean(grid[:, known], axis=0), high
    return tuple(summary)


def _known(curve: Any) -> list[tuple[float, float]]:
    return [(float(rank), float(value)) for rank, value in enumerate(curve, start=1) if not np.isnan(value)]
