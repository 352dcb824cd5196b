"""How often each class is predicted as which: the confusion matrix, F1 of each class, and macro-F1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError, check_length
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import ArrayLike, Identifier
from glassrank.metrics.classification import PrecisionRecall


@dataclass(frozen=True)
class ClassConfusion:
    """Counts of rows by true class (rows of ``counts``) and predicted class (columns)."""

    classes: tuple[Identifier, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def by_class(self) -> tuple[PrecisionRecall, ...]:
        """Precision, recall and F1 of each class against the others."""
        table = np.array(self.counts)
        found = zip(np.diag(table).tolist(), table.sum(axis=0).tolist(), table.sum(axis=1).tolist(), strict=True)
        return tuple(PrecisionRecall(hits, called - hits, real - hits) for hits, called, real in found)

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes that occur or are predicted, as in scikit-learn."""
        return float(np.mean([one.f1 for one in self.by_class if one.f1 is not None]))

    @property
    def accuracy(self) -> float:
        """Share of the rows whose class is predicted."""
        table = np.array(self.counts)
        return float(np.trace(table) / table.sum())


def class_confusion(
    y_true: ArrayLike, y_predicted: ArrayLike, classes: Sequence[Identifier] | None = None
) -> ClassConfusion:
    """Count true and predicted classes; by default, ``classes`` are those that occur, in ascending order.

    >>> found = class_confusion(["nav", "inf", "buy", "inf"], ["nav", "inf", "inf", "inf"])
    >>> found.classes, found.counts
    (('buy', 'inf', 'nav'), ((0, 1, 0), (0, 2, 0), (0, 0, 1)))
    >>> [one.f1 for one in found.by_class], round(found.macro_f1, 3), found.accuracy
    ([0.0, 0.8, 1.0], 0.6, 0.75)
    """
    true, predicted = as_identifiers("y_true", y_true), as_identifiers("y_predicted", y_predicted)
    check_length("y_predicted", predicted, len(true), per="entry of y_true")
    if not len(true):
        raise DataError("y_true must not be empty.", parameter="y_true")
    both = [*true.tolist(), *predicted.tolist()]
    known = tuple(sorted(set(both)) if classes is None else classes)
    place = {name: number for number, name in enumerate(known)}
    unknown = next((label for label in both if label not in place), None)
    if unknown is not None:
        raise DataError(parameter="classes", expected="all labels", got=f"none for the label {unknown!r}")
    counts = np.zeros((len(known), len(known)), dtype=int)
    np.add.at(counts, ([place[label] for label in true.tolist()], [place[label] for label in predicted.tolist()]), 1)
    return ClassConfusion(known, tuple(tuple(row) for row in counts.tolist()))
