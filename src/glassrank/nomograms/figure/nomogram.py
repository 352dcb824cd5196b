"""nomogram(): one or two documents laid over an additive model."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import DataError, FloatArray, check_choice
from glassrank.core.feature_kinds import CATEGORY, PLAIN, FeatureKind
from glassrank.core.input_types import ArrayLike, Estimator, Identifier
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.drawing.chart import PageChart
from glassrank.drawing.live_page import live_page
from glassrank.drawing.notebook_frame import notebook_frame
from glassrank.drawing.render import to_svg
from glassrank.drawing.theme import LIGHT, PAGE, Theme
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.nomograms.adapters.effects_on_data import effects_on, with_whole_numbers
from glassrank.nomograms.compared_pair import ComparedPair
from glassrank.nomograms.correlated_features import CORRELATED, Grouping, feature_groups, table_groups
from glassrank.nomograms.figure.arrangement import Arrangement
from glassrank.nomograms.figure.layout import (
    ALIGNMENTS,
    ORDERS,
    TURNING,
    FigureOptions,
    Layout,
    effect_axis,
    lay_out,
    line_lengths,
    points_axis,
    rows_option,
)
from glassrank.nomograms.figure.live import driver, live_figure, scripts
from glassrank.nomograms.figure.overlay import Overlay, overlay_class, overlay_pairs, overlay_ranked
from glassrank.nomograms.figure.placing import scale_of
from glassrank.nomograms.figure.specification import Drawing
from glassrank.nomograms.figure.ticks import Tick
from glassrank.nomograms.named_effects import with_units

CAPTION = (
    "Every feature is a line; the dots are the documents’ values, and the segment between them is what the "
    "feature adds to the total. The segments add up to the total exactly."
)
# Differences of documents that are this far apart in a query's list show the distribution of x_A − x_B.
STRIDES = (1, 2, 3, 5, 8)


@dataclass(frozen=True, eq=False, repr=False)
class Nomogram(PageChart):
    """A drawn comparison of documents; ``save`` it, or let a notebook show it."""

    effects: AdditiveEffects
    overlay: Overlay
    layout: Layout
    title: str
    samples: EffectSamples | None = None

    @property
    def pair(self) -> ComparedPair:
        """The two documents that are compared."""
        if self.overlay.pair is None:
            raise DataError(
                "This nomogram shows one document: it has no pair.",
                remedy=f"Set {setting('against')} to a second one.",
            )
        return self.overlay.pair

    @property
    def drawing(self) -> Drawing:
        """Everything that the picture shows, without colours."""
        return Drawing(self.effects, self.overlay, self.layout, self.title, self.samples)

    def __str__(self) -> str:
        amount, unit, pair = self.drawing.amount, self.effects.unit, self.overlay.pair
        subject = self.overlay.heads[0].name if pair is None else f"{pair.a.name} (A) − {pair.b.name} (B)"
        lines = [f"{self.title}: {subject} = {amount(self.overlay.total)} {unit}"]
        if unit == "log-odds":
            probability = float(self.effects.probability(np.array(self.overlay.total)))
            lines.append(f"  {self.drawing.words.probability} = {probability:.3f}")
        lines += [f"  {amount(bar.contribution):>9}  {bar.label}" for bar in self.layout.bars]
        return "\n".join(lines)

    __repr__ = __str__

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification from which all formats of the picture are made."""
        return self.drawing.specification(theme)

    @cached_property
    def page_svg(self) -> str:
        """SVG whose colours are the page's CSS variables, for embedding in HTML."""
        return to_svg(self.specification(PAGE))

    def html(self) -> str:
        """Return the live figure as HTML, for a page that has ``scripts`` at its end."""
        return live_figure(self.drawing.specification(PAGE, live=True), self.page_svg, CAPTION)

    def scripts(self) -> str:
        """Return the script elements for a page of live figures; insert them once, at the end of the page."""
        return scripts()

    def page(self) -> str:
        """Return a page with the live figure."""
        return live_page(self.title, self.html(), CAPTION, driver())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: the live figure, and a picture where scripts do not run."""
        drawn = self.specification(PAGE)
        return {
            "text/plain": str(self),
            "image/svg+xml": self._repr_svg_(),
            "text/html": notebook_frame(self.page(), self.title, int(drawn["width"]), int(drawn["height"])),
        }

    def pair_to_show(self, data: RankingData, *, query: Any, document: str | int, against: str | int) -> dict[str, Any]:
        """Return another pair as plain values for JSON, in the form that the live figure's ``glassrank.show`` takes."""
        return self.pairs_to_show(data, query=query, pairs=[(document, against)])[0]

    def pairs_to_show(
        self, data: RankingData, *, query: Any, pairs: Sequence[tuple[str | int, str | int]]
    ) -> list[dict[str, Any]]:
        """Return several pairs of one query, each in the form of ``pair_to_show``, with less work per pair."""
        if self.overlay.pair is None:
            raise DataError("This nomogram shows one document: draw a pair to show other pairs in its place.")
        shown = _ShownPairs(self.drawing)
        return [shown.pair(overlay) for overlay in overlay_pairs(self.effects, data, query, pairs, self.samples)]


class _ShownPairs:
    """Converts the pairs of a query; what several pairs have in common is made once and shared."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._layout = drawing.layout
        self._lowest = np.array([line.lowest for line in self._layout.lines])
        self._made: dict[Hashable, Any] = {}

    def pair(self, overlay: Overlay) -> dict[str, Any]:
        """Return a pair as plain values for JSON, in the form that the live figure's ``glassrank.show`` takes."""
        layout, drawing = self._layout, self._drawing
        overlay = overlay.with_sums(layout.options.groups)
        arranged = self._arranged(overlay)
        shown, errors = arranged.shown, overlay.errors(arranged.shown)
        hidden = [k for k in layout.candidates if k not in set(shown)] if len(shown) < len(layout.candidates) else []
        return {
            "subtitle": drawing.subtitle(overlay, arranged),
            "documents": [
                {
                    "name": drawing.shown_name(head.name, letter),
                    "place": self._once(("place", head), drawing.place, head),
                }
                for letter, head in zip("ab", overlay.heads, strict=True)
            ],
            "dots": [self._dot(values, own) for values, own in zip(overlay.values, overlay.effects, strict=True)],
            "rows": [[place.k, place.top, *_short([place.x, place.drop])] for place in arranged.places],
            "scale": {
                name: None if value is None else float(f"{value:.10g}")
                for name, value in scale_of(layout, arranged).items()
            },
            "points": self._points(arranged),
            "scores": self._once(arranged.scale, _short_axis, effect_axis, arranged.scale),
            "errors": None if errors is None else _short(errors),
            "rest_error": overlay.error(hidden) if hidden else None,
            "interval": list(overlay.interval) if overlay.interval else None,
        }

    def _arranged(self, overlay: Overlay) -> Arrangement:
        """Return the rows of a pair; those of two documents are the same in both orders."""
        if len(overlay.effects) < 2 or overlay.offset:
            return self._layout.rearranged(overlay)
        key = frozenset(effects.tobytes() for effects in overlay.effects)
        return self._once(key, self._layout.rearranged, overlay)

    def _dot(self, values: FloatArray, own: FloatArray) -> dict[str, Any]:
        return self._once((values.tobytes(), own.tobytes()), self._new_dot, values, own)

    def _new_dot(self, values: FloatArray, own: FloatArray) -> dict[str, Any]:
        features = values[: len(self._drawing.effects.features)].tolist()
        return {
            "values": [None if value != value else float(f"{value:.7g}") for value in features],
            "effects": _short((own - self._lowest).tolist()),
        }

    def _points(self, arranged: Arrangement) -> list[list[Any]]:
        # Points depend on the rows only if the lines are aligned at 0.
        key = ("points", arranged.scale, arranged.shown) if arranged.scale.zero is not None else "points"
        return self._once(key, _short_axis, points_axis, self._layout.lines, arranged)

    def _once(self, key: Hashable, make: Callable[..., Any], *arguments: Any) -> Any:
        if key not in self._made:
            self._made[key] = make(*arguments)
        return self._made[key]


def _short_axis(axis: Callable[..., tuple[Tick, ...]], *arguments: Any) -> list[list[Any]]:
    return [[round(tick.x, 1), tick.label] for tick in axis(*arguments)]


def _short(values: Iterable[Any]) -> list[float]:
    """Round to ten digits: a report contains many pairs, and contributions stay exact for every purpose."""
    return [float(f"{value:.10g}") for value in values]


def nomogram(
    model: Estimator,
    data: ArrayLike,
    *,
    query: Identifier | None = None,
    document: str | int,
    against: str | int | None = None,
    samples: EffectSamples | None = None,
    title: str = "Ranking nomogram",
    units: Mapping[str, str] | None = None,
    order: str = "contribution",
    rows: int | None = None,
    lines: str = "box",
    align: str = "left",
    groups: Grouping = CORRELATED,
    open_groups: bool = False,
    most_rows: int | None = None,
) -> Nomogram:
    """Draw why ``document`` (A) ranks above or below ``against`` (B), or what one document's score consists of.

    Each feature is a line as long as the range of its effect; pts_k(x) = 100 (e_k(x) − min e_k)/M, where M is the
    longest range. The segment between the dots is what the feature adds, and the segments add up to the total
    exactly. In log-odds the total becomes P = 1/(1 + exp(−total)).

    Parameters
    ----------
    model : fitted additive model or AdditiveEffects
        A ranker, a ranker in a ``PairCalibrator`` (with probabilities) or a classifier.
    data : RankingData; for a classifier, rows of features
        Contains ``document`` and ``against``, and shows which values each feature takes.
    query, document, against
        A query, and documents of it by id or by position from 0. Without ``against``, a ranker's document is compared
        with the median document of its query. For a classifier, ``document`` is the number of a row, from 0.
    samples : EffectSamples, optional
        Result of ``bootstrap_effects``, to draw 95 % intervals.
    units : by feature name, such as ``{"Freshness": "days"}``
    order : "contribution" (largest first), "length" of the lines (mean spread within a query, for classifiers the
        range), "name" or "model"
    rows : number of features with a row of their own
        All others are summed in one row. By default, the 10 features with the largest contributions, and more, up to
        16, until they make up 75 % of the sum of all |contributions|.
    lines : how curves that rise and fall are drawn: "box" or "folded"
    align : "left", or "zero" to align all lines at effect 0
    groups : "correlated", "none", or names of groups with their features
        Features that are strongly correlated within queries move together, and the signs of the single ones mean
        little. Each group has one row, with the sum of its members' contributions. A live figure opens it. See
        ``correlated_features``.
    open_groups : whether still pictures show the members of groups, too
    most_rows : old name of ``rows``

    Examples
    --------
    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> model = gr.RankSVM().fit(data)
    >>> picture = gr.nomogram(model, data, query=data.qid[0], document=0, against=1)
    >>> bool(abs(picture.pair.difference - model.decide_pairs(data.pick_rows([0]), data.pick_rows([1]))[0]) < 1e-9)
    True
    """
    rows = rows_option(rows, most_rows)
    check_choice("order", order, ORDERS)
    check_choice("lines", lines, TURNING)
    check_choice("align", align, ALIGNMENTS)
    given = data
    model_effects, data, table = _effects_and_rows(model, data, query)
    model_effects = with_units(model_effects, units or {})
    together = _groups(groups, model_effects, given, table)
    overlay = _overlay(model_effects, data, table, query, document, against, samples).with_sums(together)
    queries = data.groups if isinstance(data, RankingData) else None
    observed = observed_rows(model_effects, table, queries)
    lengths = line_lengths(model_effects, table, queries, observed, together)
    options = FigureOptions(order, rows, lines, align, order == "length", together, open_groups)
    layout = lay_out(model_effects, lengths, observed, overlay, options, samples)
    return Nomogram(model_effects, overlay, layout, title, samples)


def _effects_and_rows(model: Any, data: Any, query: Any) -> tuple[AdditiveEffects, Any, Any]:
    """Return the effects with the data's feature names, the data in the codes of the model, and their matrix."""
    if isinstance(data, RankingData):
        made, data = effects_on(model, data, query)
        return made, data, data.X
    made = model if isinstance(model, AdditiveEffects) else effects(model, data)
    if made.subject != "class":
        check_ranking_data(data)
    rows = made.encode(data)
    return with_whole_numbers(made, rows), data, rows


def _groups(groups: Grouping, made: AdditiveEffects, data: Any, rows: Any) -> tuple[FeatureGroup, ...]:
    """Return the groups by the kinds of the data as they were given; those of a plain table, by the model's."""
    if isinstance(data, RankingData):
        return feature_groups(groups, data, made.subject)
    kinds = [FeatureKind(CATEGORY, feature.categories) if feature.categories else PLAIN for feature in made.features]
    return table_groups(groups, rows, kinds, made.names)


def _overlay(
    made: AdditiveEffects, data: Any, rows: Any, query: Any, document: Any, against: Any, samples: EffectSamples | None
) -> Overlay:
    if made.subject == "class":
        if against is not None:
            raise DataError(
                "A classifier is explained for one row.",
                remedy=f"Leave out {setting('against')}, or compare documents with a ranker.",
            )
        return overlay_class(made, rows, document, samples)
    if query is None:
        raise DataError("A ranker compares documents of one query.", remedy=f"Set {setting('query')}.")
    if against is None:
        return overlay_ranked(made, data, query, document, samples)
    return overlay_pairs(made, data, query, [(document, against)], samples)[0]


def observed_rows(made: AdditiveEffects, rows: Any, groups: Any) -> FloatArray:
    """Return the values whose distribution is drawn: those of the rows, or differences within queries."""
    dense = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
    if made.subject != "difference":
        return dense
    ordered, of_row = dense[groups.order], groups.of_row[groups.order]
    parts = [(ordered[s:] - ordered[:-s])[of_row[s:] == of_row[:-s]] for s in STRIDES if s < len(dense)]
    forth = np.concatenate(parts) if parts else np.zeros((0, dense.shape[1]))
    return np.concatenate([forth, -forth])
