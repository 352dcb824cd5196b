"""Row weights: rows of weight 0 are ignored, including in splits given by row numbers."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError
from glassrank.core.row_weights import row_weights


def test_rows_of_weight_zero_are_left_out():
    found = row_weights([0.5, 0.0, 2.0, 0.0], 4)
    assert (found.rows.tolist(), found.values.tolist()) == ([0, 2], [0.5, 2.0])
    assert found.pick(np.array([10, 11, 12, 13])).tolist() == [10, 12]
    assert found.pick(None) is None


@pytest.mark.parametrize("weights", [None, [1, 1, 1], np.ones(3)])
def test_weights_that_are_all_one_are_dropped(weights):
    found = row_weights(weights, 3)
    assert (found.rows, found.values) == (None, None)


def test_zeros_and_ones_only_select_rows():
    found = row_weights([1, 0, 1], 3)
    assert (found.rows.tolist(), found.values) == ([0, 2], None)


def test_weights_that_are_all_zero_are_rejected():
    with pytest.raises(DataError, match="sample_weight is zero for all 3 rows"):
        row_weights([0, 0, 0], 3)


def test_splits_are_renumbered_and_splits_without_test_rows_are_dropped():
    weights = row_weights([1, 0, 1, 1, 0], 5)
    splits = [(np.array([0, 1, 2]), np.array([3, 4])), ([3, 2], [1, 4]), (np.arange(5) > 2, np.arange(5) < 2)]
    found = weights.translate(iter(splits))
    assert [(train.tolist(), test.tolist()) for train, test in found] == [([0, 1], [2]), ([2], [0])]


@pytest.mark.parametrize("cv", [3, "leave-query-out", GroupKFold(2)])
def test_numbers_and_splitters_are_not_translated(cv):
    assert row_weights([1, 0], 2).translate(cv) is cv


def test_an_effect_is_zero_at_the_weighted_mean():
    X, weights = np.array([[1.0, 4.0], [2.0, np.nan], [9.0, 8.0]]), np.array([1.0, 5.0, 3.0])
    mean = ObservedValues(np.zeros(2), np.zeros(2), np.zeros(2)).weighted(X, weights).mean
    # (1·1 + 5·2 + 3·9)/9 and (1·4 + 3·8)/4: missing values are ignored.
    np.testing.assert_allclose(mean, [38 / 9, 7.0], rtol=1e-15)
