"""An elimination says when it drops a feature because a kept one moves with it."""

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.feature_kinds import FeatureKind


@pytest.fixture(scope="module")
def copies():
    """A signal, a noisy copy of it, and noise; simulated."""
    rng = np.random.default_rng(0)
    signal = rng.normal(size=120)
    X = np.column_stack([signal + 0.2 * rng.normal(size=120), signal, rng.normal(size=120)])
    y = np.round(2 + signal)
    return gr.RankingData(X, y, np.repeat(np.arange(12), 10), feature_names=["copy", "signal", "noise"])


def eliminate(data):
    return gr.NomogramRFE(gr.RankSVM(), cv=3, keep="one-se").fit(data).result_


def test_a_dropped_copy_is_carried_by_the_feature_that_is_kept(copies):
    found = eliminate(copies)
    assert [line.feature for line in found.kept] == ["signal"]
    assert found.carried == {"copy": "signal"}
    assert "carries its effect: copy (signal)." in str(found)


def test_without_copies_nothing_is_carried(copies):
    found = eliminate(copies.pick_features(["signal", "noise"]))
    assert found.carried == {}
    assert "carries" not in str(found)


def test_nothing_is_carried_if_all_features_are_kept_after_all(copies):
    found = eliminate(copies).keep_all("All 3 features are kept.")
    assert found.n_kept == 3
    assert "carries" not in str(found)


def test_it_survives_json_and_older_results_have_none(copies):
    found = eliminate(copies)
    kind = type(found)
    assert kind.from_dict(found.to_dict()) == found
    older = found.to_dict()
    del older["carried"]
    assert kind.from_dict(older).carried == {}


def test_categories_and_missing_values_are_no_obstacle(copies):
    X = np.column_stack([copies.X, np.arange(120) % 3])
    X[::7, 0] = np.nan
    kinds = (*copies.kinds, FeatureKind("category", ("x", "y", "z")))
    names = [*copies.feature_names, "brand"]
    found = eliminate(gr.RankingData(X, copies.y, copies.qid, feature_names=names, kinds=kinds))
    assert found.carried == {"copy": "signal"}
