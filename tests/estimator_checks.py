"""scikit-learn's checks of estimators, as assertions.

A class is checked once for each code path that its settings select. ``ODD_DATA`` are the checks that depend on the
numbers inside a fit; the other settings of a class must pass these.
"""

from functools import partial

from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_dict_unchanged,
    check_estimators_pickle,
    check_fit2d_1feature,
    check_fit2d_1sample,
    check_methods_sample_order_invariance,
)

ODD_DATA = (
    check_fit2d_1sample,
    check_fit2d_1feature,
    check_methods_sample_order_invariance,
    check_dict_unchanged,
    check_estimators_pickle,
)


def assert_passes(check, estimator):
    """Assert that a check of scikit-learn passes and does not change the settings."""
    before = repr(estimator.get_params())
    check(estimator)
    assert repr(estimator.get_params()) == before


def assert_takes_odd_data(estimator):
    """Assert that another setting of a class, which is fully checked elsewhere, passes the checks of odd data."""
    for check in ODD_DATA:
        assert_passes(partial(check, type(estimator).__name__), clone(estimator))
