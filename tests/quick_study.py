"""Studies with few resamples, intervals and tuned trees, for tests that do not depend on their number."""

from contextlib import contextmanager

import pytest

from glassrank.studies.ranking import picker_queries, study, tuned_lightgbm


def resample_seldom(patch):
    for kernel in study.RESAMPLES:
        patch.setitem(study.RESAMPLES, kernel, 4)
    patch.setattr(picker_queries, "MOST_SAMPLED_VALUES", 0)
    # The picker of a page contains every ordered pair of a query's documents: 20 of five, 6 of three.
    patch.setattr(picker_queries, "TOP_DOCUMENTS", 3)


def tune_little(patch):
    """Try two settings of few trees: a lambdarank booster takes 10 ms before its first tree, and a study makes 180."""
    drawn = tuned_lightgbm.draw_settings
    patch.setattr(tuned_lightgbm, "draw_settings", lambda n_settings, seed: drawn(min(n_settings, 2), seed))
    patch.setattr(tuned_lightgbm, "MAX_TREES", 3)


@pytest.fixture(scope="module", autouse=True)
def few_resamples():
    """For pages, which may show how LightGBM ranks: its tuning is limited only by ``little_tuning_unless``."""
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        yield


@contextmanager
def little_tuning_unless(text):
    """Limit the tuning of LightGBM, unless a text shows how it ranks."""
    with pytest.MonkeyPatch.context() as patch:
        if "LightGBM lambdarank" not in text:
            tune_little(patch)
        yield


@pytest.fixture(scope="module", autouse=True)
def few_resamples_and_picks():
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        tune_little(patch)
        yield
