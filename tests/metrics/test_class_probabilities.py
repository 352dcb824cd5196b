"""Brier score, reliability and precision–recall agree with scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, precision_recall_curve

from glassrank.core.checks import DataError
from glassrank.metrics.class_probabilities import brier_score, precision_recall_points, reliability

RNG = np.random.default_rng(0)
P = np.append(RNG.random(200).round(2), [0.0, 0.5, 1.0])
Y = (RNG.random(len(P)) < P).astype(float)


def test_the_brier_score_is_scikit_learns():
    assert brier_score(Y, P) == pytest.approx(brier_score_loss(Y, P), abs=1e-15)


@pytest.mark.parametrize("n_bins", [1, 5, 10, 400])
def test_bins_are_scikit_learns_and_contain_every_row(n_bins):
    observed, predicted = calibration_curve(Y, P, n_bins=n_bins)
    bins = reliability(Y, P, n_bins)
    assert [one.observed for one in bins] == pytest.approx(observed)
    assert [one.predicted for one in bins] == pytest.approx(predicted)
    assert sum(one.n for one in bins) == len(P)


def test_precision_and_recall_are_scikit_learns():
    precision, recall, _ = precision_recall_curve(Y, P)
    own_recall, own_precision = precision_recall_points(Y, P)
    assert own_recall[::-1] == pytest.approx(recall[:-1])
    assert own_precision[::-1] == pytest.approx(precision[:-1])


def test_numbers_that_are_no_probabilities_are_refused():
    with pytest.raises(DataError, match="between 0 and 1"):
        brier_score([1, 0], [0.5, 1.5])
    with pytest.raises(DataError, match="one entry per entry of y_true: expected 2, got 1"):
        reliability([1, 0], [0.5])
