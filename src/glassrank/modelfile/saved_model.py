"""SavedModel: a model file that was read and checked, before an estimator is built from it."""

from dataclasses import dataclass

from glassrank.core.input_types import Estimator
from glassrank.core.wording import counted
from glassrank.modelfile.document import ModelDocument


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

    @property
    def scores_documents(self) -> bool:
        """Whether the model scores single documents; otherwise it only compares two of them."""
        return self.document.model.scores_documents

    def restore(self) -> Estimator:
        """Build the fitted estimator."""
        return self.document.model.restore()
