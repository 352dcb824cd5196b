"""ForeignModel: a ranker of LightGBM or XGBoost from a file, with what commands ask of a saved model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scipy import sparse

from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import CATEGORY, PLAIN, FeatureKind, FeatureTable
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.tree_rankers import BoostedTrees

NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}


@dataclass(frozen=True, eq=False, repr=False)
class ForeignModel:
    """A ranker of another library, with the names and kinds of its features."""

    model: Any

    def __repr__(self) -> str:
        return f"ForeignModel({self.kind}, {counted(self.n_features, 'feature')})"

    @cached_property
    def _trees(self) -> BoostedTrees:
        return BoostedTrees.of(self.model)

    @property
    def kind(self) -> str:
        """The library."""
        return NAMES[self._trees.library]

    @property
    def n_features(self) -> int:
        """Number of features that the model takes."""
        return self._trees.n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features as the file has them; None if it has none."""
        return self._trees.names

    @property
    def query_scaling(self) -> None:
        """How features are scaled within each query before the model: they are not."""
        return

    def feature_names_in(self, columns: Sequence[str]) -> tuple[str, ...] | None:
        """Return the model's feature names as the data spell them; None if the model has no names."""
        return self._trees.names_in(columns)

    @property
    def scores_documents(self) -> bool:
        """Whether the model scores single documents."""
        return True

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature; categories that are known by code only have no levels here."""
        levels = self._trees.levels
        named = {k: own for k, own in levels.items() if isinstance(own, tuple)}
        return tuple(FeatureKind(CATEGORY, named[k]) if k in named else PLAIN for k in range(self.n_features))

    def scaled(self, data: RankingData) -> RankingData:
        """Return the data as the model takes them: unchanged."""
        return data

    def surprises(self, data: RankingData) -> list[str]:
        """Say which levels of the model's categories it has not seen in training, and what it makes of them."""
        found = []
        for name, kind, own in zip(data.feature_names, self.kinds, data.kinds, strict=True):
            unseen = set(own.levels) - set(kind.levels) if kind.is_category else set()
            if unseen:
                levels = counted(len(unseen), "level")
                found.append(f"{levels} of {name!r} not seen in training: the model takes them for missing values")
        return found

    def scores(self, data: RankingData) -> FloatArray:
        """Return the score of each document; the data have the model's features, in its order."""
        dense = data.X.toarray() if sparse.issparse(data.X) else data.X
        return self.predict(FeatureTable(dense, tuple(data.kinds), data.feature_names))

    def predict(self, table: FeatureTable) -> FloatArray:
        """Return the score of each row of a table with the model's features, in its order."""
        return self._trees.scores(table)

    def restore(self) -> Any:
        """Return the library's own model."""
        return self.model
