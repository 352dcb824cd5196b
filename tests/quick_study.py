"""Studies with few resamples, intervals and tuned trees, for tests that do not depend on their number."""

import pytest

from glassrank.studies.ranking import picker_queries, study, tuned_lightgbm


def resample_seldom(patch):
    for kernel in study.RESAMPLES:
        patch.setitem(study.RESAMPLES, kernel, 4)
    patch.setattr(picker_queries, "MOST_SAMPLED_VALUES", 0)


@pytest.fixture(scope="module", autouse=True)
def few_resamples():
    """Pages may show how LightGBM ranks, so its trees are not limited."""
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        yield


@pytest.fixture(scope="module", autouse=True)
def few_resamples_and_picks():
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        patch.setattr(tuned_lightgbm, "MAX_TREES", 3)
        yield
