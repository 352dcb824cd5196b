"""scikit-learn's own checks of what an estimator is."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank import RankSVM


@parametrize_with_checks([RankSVM()])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
