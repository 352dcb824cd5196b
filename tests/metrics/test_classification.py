"""Precision, recall and F1 of binary classifications."""

import json

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from glassrank.core.checks import DataError
from glassrank.metrics.classification import precision_recall_f1


@pytest.mark.parametrize("seed", range(5))
def test_measures_equal_sklearn(seed):
    y_true, y_predicted = np.random.default_rng(seed).integers(0, 2, (2, 40))
    found = precision_recall_f1(y_true, y_predicted)
    expected = precision_recall_fscore_support(y_true, y_predicted, average="binary")[:3]
    assert (found.precision, found.recall, found.f1) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("negative", "positive"), [(0, 1), (False, True), (-1, 1), ("informational", "navigational"), (1, 2)]
)
def test_any_two_classes_will_do(negative, positive):
    classes = np.array([negative, positive])
    found = precision_recall_f1(classes[[1, 1, 1, 0]], classes[[1, 0, 0, 1]], positive=positive)
    assert (found.true_positives, found.false_positives, found.false_negatives) == (1, 1, 2)
    assert str(found) == "precision 0.5000, recall 0.3333, F1 0.4000"


def test_nothing_predicted_leaves_precision_undefined():
    found = precision_recall_f1([1, 0], [0, 0])
    assert (found.precision, found.recall, found.f1) == (None, 0.0, 0.0)
    assert str(found) == "precision undefined, recall 0.0000, F1 0.0000"


def test_no_positive_at_all_leaves_everything_undefined():
    found = precision_recall_f1([0, 0], [0, 0])
    assert (found.precision, found.recall, found.f1) == (None, None, None)


def test_table_and_json_hold_measures_and_counts():
    found = precision_recall_f1([1, 1, 0, 0], [1, 0, 0, 0])
    expected = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3}
    counts = {"true_positives": 1, "false_positives": 0, "false_negatives": 1}
    assert json.loads(found.to_json()) == {**expected, **counts}
    assert found.to_frame("pandas").iloc[0].to_dict() == {**expected, **counts}


@pytest.mark.parametrize(
    ("y_true", "y_predicted", "message"),
    [
        ([1, 0, 2], [1, 0, 1], r"has two classes, one of them positive=1: got 3 classes \(1, 0, 2\)\."),
        (["nav", "inf"], ["nav", "nav"], r"has two classes, one of them positive=1: got 2 classes \('nav', 'inf'\)\."),
        ([1, 0], [1], r"y_predicted must have one entry per entry of y_true: expected 2, got 1\."),
        ([1, 0.5], [1, 0], r"y_true must contain whole numbers or strings: got 0\.5 at position 1\."),
        ([1, 0], [[1, 0]], r"y_predicted must be one-dimensional: got shape \(1, 2\)\."),
    ],
)
def test_what_is_not_binary_is_refused(y_true, y_predicted, message):
    with pytest.raises(DataError, match=message):
        precision_recall_f1(y_true, y_predicted)
