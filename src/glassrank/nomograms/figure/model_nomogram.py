"""model_nomogram(): the lines of an additive model, without documents."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.categories import short_name
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import check_choice
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Estimator, Frame
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.chart import PageChart
from glassrank.drawing.numbers import notation_for
from glassrank.drawing.render import to_svg
from glassrank.drawing.self_contained_page import Section, build_page, figure
from glassrank.drawing.text_table import align as align_columns
from glassrank.drawing.theme import LIGHT, PAGE, Theme
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.correlated_features import NONE, Grouping, feature_groups
from glassrank.nomograms.figure.layout import (
    ALIGNMENTS,
    ORDERS,
    TURNING,
    FigureOptions,
    Layout,
    lay_out,
    line_lengths,
    rows_option,
)
from glassrank.nomograms.figure.lines import counts_of
from glassrank.nomograms.figure.model_marks import ModelDrawing
from glassrank.nomograms.figure.nomogram import observed_rows
from glassrank.nomograms.figure.overlay import REFERENCE, Overlay
from glassrank.nomograms.named_effects import with_units

MODEL_ORDERS = ORDERS[1:]
CAPTION = "Every feature is a line, as long as its effect can vary within a query or, in a classifier, over the data."


@dataclass(frozen=True, eq=False, repr=False)
class ModelNomogram(PageChart):
    """A drawn model; ``save`` it, or let a notebook show it. Printing it lists the features."""

    effects: AdditiveEffects
    layout: Layout
    title: str
    lengths: tuple[float, ...]
    """Length of each feature's line, in the model's order: what the features are sorted by."""
    bands: bool = False
    """Whether the curves have 95 % bands."""

    @property
    def by_length(self) -> list[int]:
        """Features from the longest to the shortest line."""
        return [int(k) for k in np.argsort(-np.array(self.lengths), kind="stable")]

    def __str__(self) -> str:
        largest = max(map(abs, self.lengths), default=0.0)
        amount = notation_for(largest, largest / 100) if largest else str
        rows = [("length", "from", "to", "feature")]
        for k in self.by_length:
            feature = self.layout.lines[k].feature
            numbers = tuple(f"{end:.4g}".replace("-", "−") for end in (feature.low, feature.high))
            levels = tuple(short_name(level) for level in feature.categories[:: max(1, len(feature.categories) - 1)])
            ends = levels or numbers
            rows.append((amount(self.lengths[k]), ends[0], ends[-1], feature.name))
        counts = counts_of(self.layout.lines, self.layout.candidates)
        title = f"{self.title}: {counts}, lengths in {self.effects.unit}"
        return f"{title}\n{align_columns(rows)}"

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature, the longest line first."""
        rows = self._rows()
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def to_json(self) -> str:
        """Return the features as JSON, the longest line first."""
        facts = {"unit": self.effects.unit, "subject": self.effects.subject, "intercept": self.effects.intercept}
        return json.dumps({**facts, "features": self._rows()})

    def _rows(self) -> list[dict[str, Any]]:
        lines = self.layout.lines
        return [
            {
                "feature": lines[k].feature.name,
                "length": self.lengths[k],
                "low": lines[k].first,
                "high": lines[k].last,
                "range": lines[k].range,
            }
            for k in self.by_length
        ]

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """Return the Vega specification from which all formats of the picture are made."""
        drawing = ModelDrawing(self.effects, self.layout, self.title, self.lengths, self.bands, theme)
        return drawing.specification()

    def page(self) -> str:
        """Return a page with the picture."""
        picture = figure(to_svg(self.specification(PAGE)), CAPTION)
        return build_page(self.title, [Section("", picture)])


def model_nomogram(
    model: Estimator,
    data: RankingData,
    *,
    samples: EffectSamples | None = None,
    title: str | None = None,
    units: Mapping[str, str] | None = None,
    order: str = "length",
    rows: int | None = None,
    lines: str = "box",
    align: str = "left",
    groups: Grouping = NONE,
    open_groups: bool = False,
    most_rows: int | None = None,
) -> ModelNomogram:
    """Draw the lines of a model, one per feature, without documents.

    The picture shows what every value of every feature contributes. The options are those of ``glassrank.nomogram``,
    which also draws documents.

    Parameters
    ----------
    model : fitted additive model or AdditiveEffects
        A ranker, a ranker in a ``PairCalibrator`` or a classifier.
    data : RankingData
        Shows which values each feature takes. Labels are not needed.
    samples : EffectSamples, optional
        Result of ``bootstrap_effects``, to draw 95 % bands around curves.
    title : text above the picture
    units : by feature name, such as ``{"Freshness": "days"}``
    order : "length" (mean spread within a query, for classifiers the range), "name" or "model"
    rows : number of features with a row of their own, those with the longest lines
        By default 10, and more, up to 16, until they make up 75 % of the sum of all lengths.
    lines : how curves that rise and fall are drawn: "box" or "folded"
    align : "left", or "zero" to align all lines at effect 0
    groups : "none", "correlated", or names of groups with their features, whose sum has one row
    open_groups : whether the members of groups are shown, too
    most_rows : old name of ``rows``

    Examples
    --------
    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> picture = gr.model_nomogram(gr.RankSVM().fit(data), data, rows=5)
    >>> len(picture.layout.rows) <= 5, len(picture.lengths) == data.n_features
    (True, True)
    """
    rows = rows_option(rows, most_rows)
    check_choice("order", order, MODEL_ORDERS)
    check_choice("lines", lines, TURNING)
    check_choice("align", align, ALIGNMENTS)
    made, data = effects_on(model, data)
    made = with_units(made, units or {})
    observed = observed_rows(made, data.X, data.groups)
    together = feature_groups(groups, data, made.subject)
    lengths = line_lengths(made, data.X, data.groups, observed, together)
    options = FigureOptions(order, rows, lines, align, True, together, open_groups)
    layout = lay_out(made, lengths, observed, _no_documents(made).with_sums(together), options, samples)
    named = title or (f"Nomogram of the class {made.outcome}" if made.subject == "class" else "Ranking nomogram")
    return ModelNomogram(made, layout, named, tuple(map(float, lengths)), samples is not None)


def _no_documents(made: AdditiveEffects) -> Overlay:
    """Return an overlay at the centre of every line, where all effects are 0: it changes no line."""
    centres = np.array([[np.nan if feature.centre is None else feature.centre for feature in made.features]])
    nothing = np.zeros((1, len(made.features) + len(made.interactions)))
    return Overlay(REFERENCE, "", (), centres, nothing, nothing[0], 0.0, nothing[0])
