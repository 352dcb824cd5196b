"""Precision, recall and F1 of a binary classification."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from glassrank.core.checks import DataError, check_length
from glassrank.core.frames import make_frame
from glassrank.core.groups import as_identifiers
from glassrank.core.input_types import ArrayLike, Frame, Identifier
from glassrank.core.setting import setting


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision, recall and F1 of a binary classifier; None if the denominator is 0."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def precision(self) -> float | None:
        """Share of true positives among the predicted positives; None if nothing was predicted positive."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Share of the positives that were found; None if there are no positives."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall, 2 TP/(2 TP + FP + FN); None if all three are 0."""
        found = 2 * self.true_positives
        return _share(found, found + self.false_positives + self.false_negatives)

    def __str__(self) -> str:
        shown = {"precision": self.precision, "recall": self.recall, "F1": self.f1}
        return ", ".join(f"{name} {'undefined' if value is None else f'{value:.4f}'}" for name, value in shown.items())

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row."""
        return make_frame({name: [value] for name, value in self._all().items()}, backend)

    def to_json(self) -> str:
        """Return the measures and counts as JSON."""
        return json.dumps(self._all())

    def _all(self) -> dict[str, Any]:
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1, **asdict(self)}


def precision_recall_f1(y_true: ArrayLike, y_predicted: ArrayLike, *, positive: Identifier = 1) -> PrecisionRecall:
    """Compute precision, recall and F1 of a binary classification; ``positive`` is the positive class.

    >>> print(precision_recall_f1([1, 1, 0, 0], [1, 0, 1, 0]))
    precision 0.5000, recall 0.5000, F1 0.5000
    >>> precision_recall_f1(["nav", "inf"], ["nav", "nav"], positive="nav").recall
    1.0
    """
    true, predicted = as_identifiers("y_true", y_true), as_identifiers("y_predicted", y_predicted)
    check_length("y_predicted", predicted, len(true), per="entry of y_true")
    _check_classes(true, predicted, positive)
    is_positive, called_positive = true == positive, predicted == positive
    return PrecisionRecall(
        true_positives=int((is_positive & called_positive).sum()),
        false_positives=int((~is_positive & called_positive).sum()),
        false_negatives=int((is_positive & ~called_positive).sum()),
    )


def _check_classes(true: Any, predicted: Any, positive: Any) -> None:
    classes = dict.fromkeys([*true.tolist(), *predicted.tolist()])
    if len(classes) > 2 or (len(classes) == 2 and positive not in classes):
        listed = ", ".join(map(repr, list(classes)[:5]))
        raise DataError(
            f"A binary classification has two classes, one of them {setting('positive', positive)}: got {len(classes)} "
            f"classes, {listed}{', …' if len(classes) > 5 else ''}."
        )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
