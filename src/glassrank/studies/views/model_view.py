"""One model of a study and the documents it ranks: what several pages show of it, computed once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.ranking.any_ranker import list_scores
from glassrank.studies.views.saved_study import SavedStudy

WORST_FIRST, AS_RECORDED = "worst", "data"
QUERY_ORDERS = {WORST_FIRST: "Worst queries first", AS_RECORDED: "Order of the data"}


@dataclass(frozen=True, eq=False)
class ModelView:
    """The model of a study with ``n_features`` features, and the documents on which the study was measured."""

    study: SavedStudy
    n_features: int

    @classmethod
    def of(cls, study: SavedStudy, n_features: int | None = None) -> "ModelView":
        """Return the view of the study's own model, or of another number of features of its elimination.

        A model that is not the study's own is trained when it is first needed.
        """
        n_features = study.elimination.n_kept if n_features is None else n_features
        study.features_with(n_features)
        return study.views.setdefault(n_features, cls(study, n_features))

    @property
    def chosen(self) -> bool:
        """Whether this is the study's own model."""
        return self.n_features == self.study.elimination.n_kept

    @property
    def model(self) -> Any:
        return self.study.model_with(self.n_features)

    @cached_property
    def _effects_and_data(self) -> tuple[AdditiveEffects, RankingData]:
        return self.study.effects_with(self.n_features)

    @property
    def effects(self) -> AdditiveEffects:
        return self._effects_and_data[0]

    @property
    def data(self) -> RankingData:
        """The measured documents, with categories in the model's codes."""
        return self._effects_and_data[1]

    @property
    def scores_documents(self) -> bool:
        """Whether the model has a score for a single document; a model of differences only compares two."""
        return self.effects.subject == "utility"

    @cached_property
    def samples(self) -> EffectSamples | None:
        """The effects of resampled models, for intervals; only the study's own model was resampled."""
        if not self.chosen:
            return None
        try:
            return self.study.samples
        except DataError:
            return None  # The steps of the study were deleted, or it was resampled less than twice.

    @cached_property
    def lengths(self) -> FloatArray:
        """The length of each feature's line: the mean over queries of the largest minus the smallest effect."""
        return self.effects.lengths(self.data.X, self.data.groups)

    @cached_property
    def scores(self) -> FloatArray:
        """The score of each measured document, by which it ranks in its query."""
        kept = self.study.measured.pick_features(self.study.features_with(self.n_features))
        return list_scores(self.model, kept.table, kept.groups)

    @cached_property
    def query_values(self) -> FloatArray:
        """The study's measure of each query, ranked by this model; NaN if a query is left out of the measure."""
        recipe, data = self.study.recipe, self.data
        found = evaluate(data.y, self.scores, qid=data.qid, measures=[recipe.measure], convention=recipe.convention)
        return found.per_query[recipe.measure]

    @cached_property
    def query_places(self) -> IntArray:
        """The place of each query, from 1 for the best; equal ones share the better place."""
        values = np.nan_to_num(self.query_values, nan=-np.inf)
        return np.asarray(1 + len(values) - np.searchsorted(np.sort(values), values, side="right"))

    def query_order(self, order: str) -> IntArray:
        """Return the numbers of the queries in an order; queries that are not measured come last."""
        if order not in QUERY_ORDERS:
            raise DataError(parameter="order", expected=f"one of {', '.join(QUERY_ORDERS)}", got=order)
        if order == AS_RECORDED:
            return np.arange(self.data.n_queries)
        return np.argsort(np.nan_to_num(self.query_values, nan=np.inf), kind="stable")

    def query_number(self, query: str) -> int:
        """Return the number of a query, from 0, by its name."""
        found = self._numbers.get(query)
        if found is None:
            raise DataError(
                f"There is no query {query!r} in this study.",
                remedy=f"It has {self.data.n_queries} queries. The link may belong to other data: choose a query.",
            )
        return found

    @cached_property
    def query_names(self) -> list[str]:
        return [str(name) for name in self.data.groups.ids]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.query_names)}

    def rows(self, number: int) -> tuple[IntArray, FloatArray]:
        """Return the rows of a query, and their values."""
        rows = self.data.groups.rows(number)
        values = self.data.X[rows]
        return rows, np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)

    def column(self, k: int) -> FloatArray:
        """Return the values of a feature."""
        values = self.data.X[:, [k]]
        return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64).ravel()
