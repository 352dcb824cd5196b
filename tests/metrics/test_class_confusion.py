"""The confusion matrix of several classes and its measures, against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, precision_score, recall_score

from glassrank.core.checks import DataError
from glassrank.metrics.class_confusion import class_confusion


@pytest.mark.parametrize("labels", [[3, 1, 2], ["navigational", "buy", "info"]], ids=["numbers", "words"])
def test_counts_and_measures_equal_scikit_learns(labels):
    rng = np.random.default_rng(0)
    true, called = rng.choice(labels, 80), rng.choice(labels, 80, p=[0.6, 0.3, 0.1])
    found = class_confusion(true, called)
    assert found.classes == tuple(sorted(labels))
    assert np.array(found.counts).tolist() == confusion_matrix(true, called).tolist()
    assert [one.f1 for one in found.by_class] == pytest.approx(f1_score(true, called, average=None))
    assert [one.precision for one in found.by_class] == pytest.approx(precision_score(true, called, average=None))
    assert [one.recall for one in found.by_class] == pytest.approx(recall_score(true, called, average=None))
    assert found.macro_f1 == pytest.approx(f1_score(true, called, average="macro"))
    assert found.accuracy == accuracy_score(true, called)


def test_a_class_that_neither_occurs_nor_is_predicted_does_not_count():
    found = class_confusion(["a", "b"], ["a", "a"], ["a", "b", "c"])
    # F1 of a is 2/3, of b 0, of c undefined.
    assert found.macro_f1 == pytest.approx(1 / 3)
    assert found.counts == ((1, 0, 0), (1, 0, 0), (0, 0, 0))


def test_labels_without_a_class_are_refused():
    with pytest.raises(DataError, match="none for the label 'c'"):
        class_confusion(["a", "c"], ["a", "b"], ["a", "b"])
    with pytest.raises(DataError, match="one entry per entry of y_true"):
        class_confusion(["a"], ["a", "b"])
    with pytest.raises(DataError, match="must not be empty"):
        class_confusion([], [])
