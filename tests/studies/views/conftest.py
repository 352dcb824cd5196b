"""Finished studies for all tests of views: of dirty data, of curves, and of a model that only compares."""

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.feature_kinds import PLAIN, FeatureKind
from glassrank.studies.views.model_view import ModelView
from glassrank.studies.views.saved_study import SavedStudy
from tests.dirty_study import make_dirty_study
from tests.quick_study import resample_seldom

N_QUERIES, N_DOCUMENTS = 15, 8
LEVELS = ("news", "shop: sale", "wiki")


def shop_like_data():
    """Labels depend on a wave, a category and a price that is missing in every seventh row."""
    rng = np.random.default_rng(0)
    n = N_QUERIES * N_DOCUMENTS
    wave, kind, price = rng.normal(size=n), rng.integers(0, 3, n).astype(float), rng.gamma(2.0, 2.0, n)
    price[::7] = np.nan
    utility = 2.0 * np.sin(1.5 * wave) + (kind == 1) + np.nan_to_num(price) / 5 + rng.normal(scale=0.3, size=n)
    ids = [f"d{row}" for row in range(n)]
    ids[1] = ids[0]
    return gr.RankingData(
        np.column_stack([wave, kind, price]),
        np.digitize(utility, [0.0, 1.0, 2.0]),
        np.repeat([f"q{number}" for number in range(N_QUERIES)], N_DOCUMENTS),
        ids,
        ["wave: α", "kind", "price %"],
        kinds=[PLAIN, FeatureKind("category", LEVELS), PLAIN],
    )


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A finished study; tests must not change it."""
    return SavedStudy.open(make_dirty_study(tmp_path_factory.mktemp("views") / "dirty"))


@pytest.fixture(scope="session")
def curved(tmp_path_factory):
    """A finished study of curves; tests must not change it."""
    folder = tmp_path_factory.mktemp("shop-like")
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        gr.study(shop_like_data(), folder=folder, tune=0, kernel="lrbf", C=1.0, gamma=1.0)
    return SavedStudy.open(folder)


@pytest.fixture(scope="session")
def view(curved):
    """The study's model with all three features."""
    return ModelView.of(curved, 3)


@pytest.fixture(scope="session")
def comparing(tmp_path_factory):
    """A finished study whose model only compares two documents."""
    folder = tmp_path_factory.mktemp("comparing")
    data = gr.simulate_ranking(8, 6, n_noise=0, random_state=0).data.pick_features([0, 1])
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        gr.study(data, folder=folder, tune=0, kernel="lrbf", mode="difference", C=1.0, gamma=1.0)
    return ModelView.of(SavedStudy.open(folder))
