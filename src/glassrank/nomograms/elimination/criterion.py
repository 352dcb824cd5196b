"""What an elimination goes by: a ranking measure, or how well two classes are told apart."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice
from glassrank.core.groups import Groups, group_codes
from glassrank.core.pairs.concordance import pair_accuracy_per_query
from glassrank.core.pairs.pair_sample import sample_pairs
from glassrank.metrics.classification import precision_recall_f1
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.ranking.any_ranker import compare_rows, document_scores, scores_documents

PAIR_ACCURACY = "pair_accuracy"
Labels = npt.NDArray[Any]


def _accuracy(y: Labels, predicted: Labels, positive: Any) -> float:
    return float(np.mean(y == predicted))


def _f1(y: Labels, predicted: Labels, positive: Any) -> float:
    found = precision_recall_f1(y == positive, predicted == positive, positive=True).f1
    return np.nan if found is None else found


# name -> measure of the true and the predicted classes
CLASS_MEASURES: dict[str, Callable[[Labels, Labels, Any], float]] = {"accuracy": _accuracy, "f1": _f1}
# The share of pairs of a positive and a negative row that the decision orders rightly is the area under the ROC curve.
AUC = "auc"


@dataclass(frozen=True)
class Scoring:
    """A measure by name, for a ranker or for a classifier."""

    name: str
    classifier: bool
    convention: str
    higher_is_better: bool

    @classmethod
    def of(cls, name: Any, *, classifier: bool, convention: str) -> "Scoring":
        """Check the name: measures of ``glassrank.evaluate``, and for a classifier accuracy, f1 and auc."""
        check_choice("convention", convention, CONVENTIONS)
        if name == AUC or (isinstance(name, str) and name in CLASS_MEASURES):
            if not classifier:
                raise DataError(
                    f"scoring must measure rankings for a ranker: got {name!r}, which measures classes.",
                    parameter="scoring",
                    got=name,
                    remedy="Take a measure such as 'pair_accuracy'.",
                )
            return cls(name, classifier, convention, higher_is_better=True)
        return cls(name, classifier, convention, parse_measure(name).measure.higher_is_better)

    def of_scores(self, y: FloatArray, groups: Groups, scores: FloatArray) -> float:
        """Mean over queries of the measure; NaN when no query can be measured."""
        if self.name == PAIR_ACCURACY:
            # The same as below, without sorting the documents once more.
            shares = pair_accuracy_per_query(y, scores, groups)
            return float(np.mean(shares[~np.isnan(shares)])) if not np.isnan(shares).all() else np.nan
        return evaluate(y, scores, qid=groups, measures=self.name, convention=self.convention)[self.name]

    def of_model(self, model: Any, X: Any, y: Labels, query: IntArray | None) -> float:
        """Measure a fitted model on rows that it has not seen."""
        if query is None:
            return self._of_classifier(model, X, y)
        if scores_documents(model):
            return self.of_scores(y, group_codes(query), document_scores(model, X))
        if self.name != PAIR_ACCURACY:
            raise DataError(
                f"{type(model).__name__} compares pairs only: scoring must be 'pair_accuracy', got {self.name!r}."
            )
        return _accuracy_of_comparisons(model, X, y, query)

    def _of_classifier(self, model: Any, X: Any, y: Labels) -> float:
        positive = model.classes_[1]
        if self.name in CLASS_MEASURES:
            return CLASS_MEASURES[self.name](y, np.asarray(model.predict(X)), positive)
        scores = model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]
        measure = PAIR_ACCURACY if self.name == AUC else self.name
        return evaluate((y == positive).astype(float), scores, measures=measure, convention=self.convention)[measure]


def _accuracy_of_comparisons(model: Any, X: Any, y: FloatArray, query: IntArray) -> float:
    """Share of each query's comparable pairs that the model orders rightly, ties half, mean over queries."""
    pairs = sample_pairs(y, group_codes(query))
    if len(pairs) == 0:
        return np.nan
    outputs = compare_rows(model, X, pairs.better, pairs.worse)
    right = np.where(outputs == 0, 0.5, outputs > 0)
    counts = np.bincount(pairs.query)
    return float(np.mean(np.bincount(pairs.query, right)[counts > 0] / counts[counts > 0]))
