"""PairwiseRanker in difference mode: the published machine, which learns each pair in one order and has a bias."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import glassrank as gr
from tests.reference import lrbf

GAMMA, C = 0.5, 2.0


def _data(n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, n_features))
    y = np.digitize(X[:, 0] - X[:, 1] ** 2 + 0.5 * rng.normal(size=24), [-1.0, 0.5])
    return X, y, np.repeat(["a", "b"], 12)


def _machine(kernel="lrbf", **options):
    given = {"gamma": GAMMA} if kernel == "lrbf" else {}
    return gr.AdditiveSVC(kernel=kernel, loss="hinge", C=C, tol=1e-12, **given, **options)


def _all_pairs(X):
    first, second = np.divmod(np.arange(len(X) ** 2), len(X))
    return X[first], X[second]


@pytest.fixture(scope="module")
def fitted():
    X, y, qid = _data()
    return X, y, qid, gr.PairwiseRanker(_machine(), mode="difference").fit(X, y, qid=qid)


def test_curves_and_bias_equal_those_of_libsvm(fitted):
    X, y, qid, model = fitted
    differences, signs = gr.pairwise_transform(X, y, qid)
    gammas = np.full(X.shape[1], GAMMA)
    peer = SVC(kernel="precomputed", C=C, tol=1e-10).fit(lrbf.kernel(differences, differences, gammas), signs)
    A, B = _all_pairs(X)
    expected = peer.decision_function(lrbf.kernel(A - B, differences, gammas))
    np.testing.assert_allclose(model.decide_pairs(A, B), expected, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_[0], atol=1e-5)


def test_the_linear_machine_equals_libsvm_with_its_bias():
    X, y, qid = _data()
    differences, signs = gr.pairwise_transform(X, y, qid)
    peer = SVC(kernel="linear", C=C, tol=1e-10).fit(differences, signs)
    A, B = _all_pairs(X)
    for machine in (_machine("linear"), SVC(kernel="linear", C=C, tol=1e-10)):
        model = gr.PairwiseRanker(machine, mode="difference").fit(X, y, qid=qid)
        np.testing.assert_allclose(model.decide_pairs(A, B), peer.decision_function(A - B), atol=1e-5)


def test_only_the_odd_machine_reverses_its_decision(fitted):
    X, y, qid, model = fitted
    A, B = _all_pairs(X)
    assert np.abs(model.decide_pairs(A, B) + model.decide_pairs(B, A)).max() > 0.5
    odd = gr.RankSVM(kernel="lrbf", gamma=GAMMA, loss="hinge", C=C, C_unit="pair", mode="difference")
    odd.fit(X, y, qid=qid)
    np.testing.assert_array_equal(odd.decide_pairs(A, B) + odd.decide_pairs(B, A), 0.0)
    assert odd.antisymmetric
    assert not model.antisymmetric


def test_probabilities_of_single_rows_have_no_influence(fitted):
    X, y, qid, model = fitted
    folded = gr.PairwiseRanker(_machine(cv=3), mode="difference").fit(X, y, qid=qid)
    np.testing.assert_array_equal(folded.decide_pairs(X[:5], X[5:10]), model.decide_pairs(X[:5], X[5:10]))


def test_single_documents_have_no_score(fitted):
    X, _, _qid, model = fitted
    assert not hasattr(model, "predict")
    with pytest.raises(AttributeError, match=r"use decide_pairs\(A, B\) or rank\(X, qid\), or mode='utility'"):
        model.predict(X)
    assert not hasattr(gr.PairwiseRanker(_machine(), mode="difference"), "predict")


def test_documents_rank_by_wins_in_both_orders(fitted):
    X, _, qid, model = fitted
    expected = np.empty(len(X), dtype=int)
    for name in ("a", "b"):
        rows = np.flatnonzero(qid == name)
        f = np.array([[float(model.decide_pairs(X[[i]], X[[j]])[0]) for j in rows] for i in rows])
        np.fill_diagonal(f, 0.0)
        wins, sums = (np.sign(f) - np.sign(f.T)).sum(axis=1), (f - f.T).sum(axis=1)
        expected[rows[np.lexsort((-sums, -wins))]] = np.arange(1, len(rows) + 1)
    np.testing.assert_array_equal(model.rank(X, qid=qid), expected)
    shuffled = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(model.rank(X[shuffled], qid=qid[shuffled]), expected[shuffled])


def test_accuracy_counts_each_order_half(fitted):
    X, y, qid, model = fitted
    shares = []
    for name in ("a", "b"):
        rows = np.flatnonzero(qid == name)
        right = [
            float(np.sign(model.decide_pairs(X[[i]], X[[j]])[0]) == np.sign(y[i] - y[j]))
            for i in rows
            for j in rows
            if y[i] != y[j]
        ]
        shares.append(np.mean(right))
    assert model.score(X, y, qid=qid) == pytest.approx(np.mean(shares))


def test_weights_of_rows_multiply_in_a_pair():
    X, y, qid = _data()
    weights = np.where(np.arange(len(X)) % 5 == 0, 2.0, 1.0)
    weights[3] = 0.0
    model = gr.PairwiseRanker(_machine("linear"), mode="difference").fit(X, y, qid=qid, sample_weight=weights)
    kept = weights > 0
    differences, signs = gr.pairwise_transform(X[kept], y[kept], qid[kept])
    own, query = weights[kept], qid[kept]
    pairs = [
        (i, j)
        for i in range(len(own))
        for j in range(i + 1, len(own))
        if query[i] == query[j] and y[kept][i] != y[kept][j]
    ]
    peer = SVC(kernel="linear", C=C, tol=1e-10).fit(differences, signs, [own[i] * own[j] for i, j in pairs])
    np.testing.assert_allclose(model.coef_, peer.coef_[0], atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_[0], atol=1e-5)


def test_a_refit_in_utility_mode_forgets_the_bias():
    X, y, qid = _data()
    model = gr.PairwiseRanker(_machine("linear"), mode="difference").fit(X, y, qid=qid)
    weights = model.coef_
    model.set_params(mode="utility").fit(X, y, qid=qid)
    np.testing.assert_allclose(model.predict(X), X @ weights)
    assert model.antisymmetric
    assert not hasattr(model, "intercept_")


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ({"mode": "both"}, None, "mode must be one of 'utility', 'difference'"),
        ({"mode": "utility"}, None, r"kernel='lrbf' of a classifier of differences needs mode='difference'"),
        ({"mode": "difference"}, "missing", "missing value"),
    ],
)
def test_bad_settings_and_missing_values_are_refused(options, change, message):
    X, y, qid = _data()
    if change:
        X[4, 1] = np.nan
    with pytest.raises(gr.DataError, match=message):
        gr.PairwiseRanker(_machine(), **options).fit(X, y, qid=qid)


def test_a_category_has_no_difference():
    X, y, qid = _data(2)
    columns = {"bm25": X[:, 0], "site": np.where(X[:, 1] > 0, "news", "shop"), "label": y, "qid": qid}
    data = gr.RankingData.from_frame(pd.DataFrame(columns))
    with pytest.raises(gr.DataError, match="feature 'site' is a category"):
        gr.PairwiseRanker(_machine(), mode="difference").fit(data)


@pytest.fixture(scope="module")
def calibrated():
    data = gr.simulate_ranking(9, 8, random_state=0).data
    ranker = make_pipeline(StandardScaler(), gr.PairwiseRanker(gr.AdditiveSVC(kernel="lrbf"), mode="difference"))
    return data, gr.PairCalibrator(ranker, cv=3, random_state=0).fit(data)


def test_both_numbers_of_the_sigmoid_are_fitted_to_both_orders():
    X, y, qid = _data()
    held_X, held_y, held_qid = _data(seed=1)
    model = gr.PairwiseRanker(_machine(), mode="difference").fit(X, y, qid=qid)
    found = gr.PairCalibrator(model, cv="prefit", max_pairs=None).fit(held_X, held_y, qid=held_qid)
    differences, signs = gr.pairwise_transform(held_X, held_y, held_qid)
    outputs = model.estimator_.decision_function(np.vstack([differences, -differences]))
    positive = np.concatenate([signs, -signs]) > 0
    # Smoothed targets of n/2 pairs of each class, as rows of a logistic regression without penalty.
    n = len(signs) / 2
    target = np.where(positive, (n + 1) / (n + 2), 1 / (n + 2))
    rows, classes = np.tile(outputs, 2)[:, None], np.repeat([1, 0], len(outputs))
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(rows, classes, np.concatenate([target, 1 - target]))
    assert -found.slope_ == pytest.approx(peer.coef_[0, 0], rel=1e-4)
    assert -found.offset_ == pytest.approx(peer.intercept_[0], rel=1e-3, abs=1e-5)


def test_probabilities_of_both_orders_need_not_add_up(calibrated):
    data, model = calibrated
    A, B = data.X[:20], data.X[20:40]
    both = model.predict_pair_proba(A, B) + model.predict_pair_proba(B, A)
    assert np.abs(both - 1.0).max() > 0.01
    odd = gr.PairCalibrator(gr.RankSVM(), random_state=0).fit(data)
    assert odd.offset_ == 0.0


def test_effects_add_up_to_the_log_odds(calibrated):
    data, model = calibrated
    found = gr.effects(model, data)
    A, B = data.X[:20], data.X[20:40]
    scaler, machine = model.estimator_.steps[0][1], model.estimator_.steps[1][1].estimator_
    decided = machine.decision_function(scaler.transform(A) - scaler.transform(B))
    expected = 1 / (1 + np.exp(model.slope_ * decided + model.offset_))
    np.testing.assert_allclose(found.probability(found.pair_totals(A, B)), expected)
    np.testing.assert_allclose(found.differences(A, A), 0.0, atol=1e-12)
    equal = machine.decision_function(np.zeros((1, A.shape[1])))[0]
    assert found.pair_offset == pytest.approx(-(model.slope_ * equal + model.offset_))


def test_an_explanation_says_that_the_orders_differ(calibrated):
    data, model = calibrated
    pair = {"query": data.qid[0], "document": 0, "against": 1}
    why = gr.explain_pair(model, data, **pair)
    rows = np.flatnonzero(data.qid == data.qid[0])
    assert why.probability == pytest.approx(model.predict_pair_proba(data.X[rows[:1]], data.X[rows[1:2]])[0])
    assert why.offset + sum(feature.contribution for feature in why.features) == pytest.approx(why.total)
    assert "P(A above B) and P(B above A) need not add up to 1" in str(why)
    assert why.a.rank == model.rank(data.X[rows])[0]
    picture = gr.nomogram(model, data, **pair)
    assert "equal documents" in picture.specification()["description"]
    assert picture.pair.difference == pytest.approx(why.total)


def test_flip_values_are_ties(calibrated):
    data, model = calibrated
    rows = np.flatnonzero(data.qid == data.qid[0])
    why = gr.explain_pair(model, data, query=data.qid[0], document=0, against=1)
    k, feature = next((k, one) for k, one in enumerate(why.features) if one.flip_a is not None)
    changed = data.X[rows[:1]].copy()
    changed[0, k] = feature.flip_a
    assert model.predict_pair_proba(changed, data.X[rows[1:2]])[0] == pytest.approx(0.5, abs=1e-6)


def test_a_file_restores_curves_bias_and_sigmoid(calibrated, tmp_path):
    data, model = calibrated
    gr.save_model(model, tmp_path / "m.json")
    loaded = gr.load_model(tmp_path / "m.json")
    A, B = data.X[:20], data.X[20:40]
    np.testing.assert_array_equal(loaded.predict_pair_proba(A, B), model.predict_pair_proba(A, B))
    np.testing.assert_array_equal(loaded.rank(data), model.rank(data))
    assert not loaded.antisymmetric
    assert repr(loaded.estimator) == repr(model.estimator)


@pytest.mark.parametrize("linear", [0.0, 0.5])
def test_a_file_restores_the_ranker_alone(tmp_path, linear):
    X, y, qid = _data()
    model = gr.PairwiseRanker(_machine(linear=linear), mode="difference").fit(X, y, qid=qid)
    gr.save_model(model, tmp_path / "m.json")
    loaded = gr.load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.decide_pairs(X[:9], X[9:18]), model.decide_pairs(X[:9], X[9:18]))
    assert not hasattr(loaded, "predict")


@pytest.mark.parametrize("fold_unit", ["query", "pair"])
def test_elimination_scores_held_out_pairs_in_both_orders(fold_unit):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 3))
    y = (X[:, 1] + 0.1 * rng.normal(size=20) > 0).astype(int)
    machine = gr.PairwiseRanker(gr.AdditiveSVC(C=C, cv=None), mode="difference")
    rfe = gr.NomogramRFE(machine, cv=2, fold_unit=fold_unit, random_state=0).fit(X, y)
    assert rfe.support_[1]
    assert rfe.elimination_order_[-1] != 1
    assert rfe.selection_score_ > 0.9
