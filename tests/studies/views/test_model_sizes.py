"""Points of the elimination curve: differences against SciPy's paired t interval."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from glassrank.core.checks import DataError
from glassrank.studies.views.model_sizes import FoldDifference, model_size


def test_the_interval_is_that_of_a_paired_t_test():
    one, other = np.array([0.71, 0.74, 0.69, 0.73]), np.array([0.75, 0.79, 0.72, 0.78])
    found, expected = FoldDifference.of(one, other), ttest_rel(one, other).confidence_interval(0.95)
    np.testing.assert_allclose(found.interval, (expected.low, expected.high))
    assert found.mean == pytest.approx((one - other).mean())
    assert (found.verdict, FoldDifference.of(other, one).verdict) == ("worse", "better")


def test_folds_without_a_score_are_left_out():
    assert FoldDifference.of([0.5, None, 0.7], [0.5, 0.9, 0.7]) == FoldDifference.of([0.5, 0.7], [0.5, 0.7])
    single = FoldDifference.of([0.5, None], [0.4, 0.3])
    assert (single.interval, single.verdict) == (None, "undecided")
    assert FoldDifference.of([None], [0.3]) is None


def test_each_size_has_its_score_its_neighbours_and_what_is_dropped_next(saved):
    rounds, chosen = saved.elimination.rounds, saved.elimination.n_kept
    for one in rounds:
        found = model_size(saved, one.n_features)
        assert found.score == pytest.approx(np.mean(one.folds))
        assert (found.difference is None) == (one.n_features == chosen)
        after = [other for other in rounds if other.n_features < one.n_features]
        assert found.fewer == (after[0].n_features if after else None)
        left = saved.features_with(found.fewer) if after else saved.features_with(one.n_features)
        assert set(found.leaves) == set(saved.features_with(one.n_features)) - set(left)
    with pytest.raises(DataError, match="must be one of 8, 7"):
        model_size(saved, 99)
