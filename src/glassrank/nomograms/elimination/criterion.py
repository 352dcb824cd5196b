"""The measure that an elimination optimises: a ranking measure, or one of binary classification."""

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
from glassrank.ranking.any_ranker import compare_rows, is_antisymmetric, list_scores, rows_for, scores_documents

PAIR_ACCURACY, ACCURACY = "pair_accuracy", "accuracy"
Labels = npt.NDArray[Any]


def _accuracy(y: Labels, predicted: Labels, positive: Any) -> float:
    return float(np.mean(y == predicted))


def _f1(y: Labels, predicted: Labels, positive: Any) -> float:
    found = precision_recall_f1(y == positive, predicted == positive, positive=True).f1
    return np.nan if found is None else found


# name -> measure of the true and the predicted classes
CLASS_MEASURES: dict[str, Callable[[Labels, Labels, Any], float]] = {ACCURACY: _accuracy, "f1": _f1}
# The area under the ROC curve is the share of pairs of a positive and a negative row that are ordered correctly.
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
        """Check the name: a measure of ``glassrank.evaluate``; for a classifier also accuracy, f1 or auc."""
        check_choice("convention", convention, CONVENTIONS)
        name = name.lower() if isinstance(name, str) else name
        if name == AUC or name in CLASS_MEASURES:
            if not classifier:
                raise DataError(
                    f"scoring must measure rankings for a ranker: got {name!r}, which measures classes.",
                    parameter="scoring",
                    got=name,
                    remedy="Use a measure such as 'pair_accuracy'.",
                )
            return cls(name, classifier, convention, higher_is_better=True)
        parsed = parse_measure(name)
        return cls(parsed.text, classifier, convention, parsed.measure.higher_is_better)

    def of_scores(self, y: FloatArray, groups: Groups, scores: FloatArray) -> FloatArray:
        """Return the measure of each query; NaN if it is undefined."""
        if self.name == PAIR_ACCURACY:
            # The same as below, without sorting the documents again.
            return pair_accuracy_per_query(y, scores, groups)
        return evaluate(y, scores, qid=groups, measures=self.name, convention=self.convention).per_query[self.name]

    def of_model(self, model: Any, X: Any, y: Labels, query: IntArray | None) -> FloatArray:
        """Measure a fitted model on held-out rows: the value of each query, or a single one for a classifier."""
        if query is None:
            return np.array([self._of_classifier(model, rows_for(model, X), y)])
        if self.name == PAIR_ACCURACY and not scores_documents(model):
            # The decisions themselves, which need not be those of an order.
            return _accuracy_of_comparisons(model, X, y, query)
        groups = group_codes(query)
        return self.of_scores(y, groups, list_scores(model, X, groups))

    def _of_classifier(self, model: Any, X: Any, y: Labels) -> float:
        positive = model.classes_[1]
        if self.name in CLASS_MEASURES:
            return CLASS_MEASURES[self.name](y, np.asarray(model.predict(X)), positive)
        scores = model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]
        measure = PAIR_ACCURACY if self.name == AUC else self.name
        return evaluate((y == positive).astype(float), scores, measures=measure, convention=self.convention)[measure]


def mean_of_defined(values: FloatArray) -> float:
    """Return the mean of the values that are not NaN; NaN if all are."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


def _accuracy_of_comparisons(model: Any, X: Any, y: FloatArray, query: IntArray) -> FloatArray:
    """Return the share of each query's comparable pairs that the model orders correctly, ties half.

    A model that is not antisymmetric compares each pair in both orders, and each counts half.
    """
    pairs = sample_pairs(y, group_codes(query))
    if len(pairs) == 0:
        return np.full(1, np.nan)
    right = _is_positive(compare_rows(model, X, pairs.better, pairs.worse))
    if not is_antisymmetric(model):
        right = 0.5 * (right + _is_positive(-compare_rows(model, X, pairs.worse, pairs.better)))
    counts = np.bincount(pairs.query)
    return np.asarray(np.bincount(pairs.query, right)[counts > 0] / counts[counts > 0])


def _is_positive(outputs: FloatArray) -> FloatArray:
    """Return 1 for positive outputs, 0 for negative ones and ½ for 0."""
    return np.where(outputs == 0, 0.5, outputs > 0)
