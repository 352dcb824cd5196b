"""The LightGBM baseline equals LightGBM's own training and cross-validation."""

import lightgbm
import numpy as np
import pytest

import glassrank as gr
from glassrank.studies.ranking import tuned_lightgbm
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from tests.shop_table import shop


@pytest.fixture(scope="module")
def data():
    return gr.RankingData.from_frame(shop())


def test_settings_are_drawn_the_same_way_and_begin_with_the_defaults():
    drawn = tuned_lightgbm.draw_settings(20, seed=3)
    assert drawn == tuned_lightgbm.draw_settings(20, seed=3)
    assert (drawn[0].num_leaves, drawn[0].learning_rate, drawn[0].min_data_in_leaf, drawn[0].feature_fraction) == (
        31,
        0.1,
        20,
        1.0,
    )
    assert all(4 <= one.num_leaves <= 64 and 0.05 <= one.learning_rate <= 0.3 for one in drawn[1:])
    assert len(set(drawn)) == 20


def test_the_default_baseline_equals_lightgbm_with_weights_and_categories(data):
    booster, setting = tuned_lightgbm.TunedLightGBM(0, "ndcg@10", "standard", 0).fit(FoldRows.of(data, data))
    rows = data.weights > 0
    model = lightgbm.LGBMRanker(random_state=0, deterministic=True, force_row_wise=True, n_jobs=1, verbose=-1)
    weights = data.weights[rows] / data.weights[rows].mean()
    sizes = np.unique(data.groups.of_row[rows], return_counts=True)[1]
    model.fit(data.X[rows], data.y[rows], group=sizes, sample_weight=weights, categorical_feature=[3])
    assert booster.predict(data.X) == pytest.approx(model.predict(data.X))
    assert setting.n_trees == 100


def test_tuning_takes_the_best_of_its_settings_as_lightgbm_measures_them(data):
    used = data.pick_rows(data.weights > 0)
    valid, weights = np.flatnonzero(data.groups.of_row >= 8), used.weights / used.weights.mean()
    _, chosen = tuned_lightgbm.TunedLightGBM(3, "map", "standard", 0).fit(FoldRows.of(data, data, valid))
    held_out = used.groups.of_row >= 8
    fixed = {"deterministic": True, "force_row_wise": True, "num_threads": 1, "feature_pre_filter": False}
    fixed |= {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "seed": 0, "verbose": -1}
    found = []
    for one in tuned_lightgbm.draw_settings(3, 0):
        names = ("num_leaves", "learning_rate", "min_data_in_leaf", "feature_fraction")
        whole = lightgbm.Dataset(
            used.X, used.y, group=used.groups.sizes, weight=weights, categorical_feature=[3], params=fixed
        )
        cv = lightgbm.cv(
            fixed | {name: getattr(one, name) for name in names},
            whole,
            num_boost_round=200,
            folds=[(np.flatnonzero(~held_out), np.flatnonzero(held_out))],
            callbacks=[lightgbm.early_stopping(10, verbose=False)],
            return_cvbooster=True,
        )
        n_trees = len(cv["valid ndcg@10-mean"])
        scores = cv["cvbooster"].boosters[0].predict(used.X[held_out], num_iteration=n_trees)
        asked = {"qid": used.qid[held_out], "measures": ["map"]}
        found.append((gr.evaluate(used.y[held_out], scores, **asked)["map"], n_trees, one.num_leaves))
    assert (chosen.value, chosen.n_trees, chosen.num_leaves) == max(found, key=lambda one: one[0])


def test_a_tuned_study_says_what_was_chosen_and_repeats_itself(data):
    tuned = tuned_lightgbm.TunedLightGBM(5, "ndcg@10", "standard", 0, (("price", -1),))
    fold = FoldRows.of(data, data)
    (first, setting), (second, again) = tuned.fit(fold), tuned.fit(fold)
    assert setting == again
    assert first.predict(data.X).tolist() == second.predict(data.X).tolist()
    prices = np.repeat(data.X[:1], 50, axis=0)
    prices[:, 0] = np.linspace(0, 200, 50)
    assert (np.diff(first.predict(prices)) <= 1e-12).all()
    said = tuned_lightgbm.tuning_in_words(5, [setting.to_dict()])
    assert "best of 5 settings on the same folds that choose C" in said
    assert f"{setting.n_trees} trees of up to {setting.num_leaves} leaves" in said
