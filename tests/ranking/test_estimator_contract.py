"""scikit-learn's own checks of estimators."""

import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank import (
    AdditiveSVC,
    ELMRank,
    KernelLeastSquaresRanker,
    PairCalibrator,
    PairwiseRanker,
    RankSVM,
    RankSVMCV,
)
from tests.estimator_checks import assert_passes, assert_takes_odd_data

OTHER_SETTINGS = [
    RankSVM(loss="hinge", tol=1e-9),
    RankSVM(loss="logistic"),
    RankSVM(kernel="lrbf", loss="hinge", tol=1e-8),
    RankSVM(kernel="lrbf", loss="logistic", tol=1e-8),
    RankSVM(kernel="lrbf", mode="difference", loss="hinge", tol=1e-8),
    RankSVM(kernel="lrbf", mode="difference", loss="logistic", tol=1e-8),
    RankSVMCV(Cs=3, kernel="lrbf", scoring="misranking", C_unit="pair", n_jobs=2),
    ELMRank(n_nodes=50, nodes="additive", weighting="different-labels"),
    PairwiseRanker(SVC(kernel="linear")),
    PairwiseRanker(Ridge()),
    KernelLeastSquaresRanker(weighting="different-labels"),
    PairCalibrator(Ridge()),
    AdditiveSVC(kernel="lrbf"),
    AdditiveSVC(loss="hinge"),
]


@parametrize_with_checks([RankSVM()])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.mark.filterwarnings("ignore:Held-out .* are not .* better than by chance")
@pytest.mark.parametrize("estimator", OTHER_SETTINGS, ids=repr)
def test_other_settings_of_the_checked_classes_pass_too(estimator):
    """The classes with their defaults are checked as a whole; some data have labels that no feature explains."""
    assert_takes_odd_data(estimator)
