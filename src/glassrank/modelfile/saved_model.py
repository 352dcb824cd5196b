"""SavedModel: a model file that was read and checked, before an estimator is built from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.input_types import Estimator
from glassrank.core.missing_rule import MEAN, missing_by_feature
from glassrank.core.wording import counted, listed
from glassrank.modelfile.document import ModelDocument

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData

MAX_LEVELS_SHOWN = 3


@dataclass(frozen=True, eq=False, repr=False)
class SavedModel:
    """A saved model of any kind; it has the feature names if the file contains them."""

    document: ModelDocument

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kind}, {counted(self.n_features, 'feature')})"

    @property
    def kind(self) -> str:
        """Class of the saved model, such as ``"RankSVM"`` or ``"Pipeline"``."""
        return self.document.model.kind

    @property
    def n_features(self) -> int:
        """Number of features that the model takes."""
        return self.document.model.n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features in the model's order; None if the file does not contain them."""
        names = self.document.feature_names
        return None if names is None else tuple(names)

    def feature_names_in(self, columns: Sequence[str]) -> tuple[str, ...] | None:
        """Return the names of the features as the data spell them, whose columns are given; None if there are none."""
        return self.feature_names

    @property
    def query_scaling(self) -> str | None:
        """How features are scaled within each query before the model; None if they are not."""
        return self.document.query_scaling

    def scaled(self, data: "RankingData") -> "RankingData":
        """Return the data as the model takes them: scaled within each query, if the model was trained so."""
        return data if self.query_scaling is None else data.scaled(self.query_scaling)

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature: number, yes/no value or category."""
        return self.document.model.kinds

    def surprises(self, data: "RankingData") -> list[str]:
        """Say which values of the model's features it has not seen in training, and what it makes of them."""
        found = []
        for k, (name, kind) in enumerate(zip(data.feature_names, self.kinds, strict=True)):
            absent = missing_by_feature(data.X[:, [k]], (name,)).get(name, 0)
            if absent and self.document.model.missing_shares[k] == 0 and self.document.model.missing_policy == MEAN:
                missing = counted(absent, "missing value")
                found.append(f"{missing} of {name!r}, which had none in training; the mean is used")
            unseen = sorted(set(data.kinds[k].levels) - set(kind.levels)) if kind.is_category else []
            if unseen:
                levels, shown = counted(len(unseen), "level"), listed(unseen, MAX_LEVELS_SHOWN)
                found.append(
                    f"{levels} of {name!r} not seen in training ({shown}): the model treats them as rare levels, or as "
                    "none of the known ones"
                )
        return found

    @property
    def scores_documents(self) -> bool:
        """Whether the model scores single documents; otherwise it only compares two of them."""
        return self.document.model.scores_documents

    def restore(self) -> Estimator:
        """Build the fitted estimator."""
        return self.document.model.restore()
