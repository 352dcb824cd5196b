"""A surrogate imitates a ranker as far as curves can, and says how far."""

import json

import lightgbm
import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.linear_model import LinearRegression

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.studies.ranking.additive_surrogate import _fidelity, additive_surrogate

N_QUERIES, PER_QUERY = 12, 15
QID = np.repeat(np.arange(N_QUERIES), PER_QUERY)
NAMES = ["a", "b", "c"]


def documents(y=True, **given):
    X = np.random.default_rng(0).normal(size=(len(QID), 3))
    labels = np.digitize(X[:, 0] - X[:, 1], [0.0, 1.0]) if y else None
    return gr.RankingData(X, labels, QID, feature_names=NAMES, **given)


def curved(X):
    return np.tanh(2.0 * X[:, 0]) + 0.5 * X[:, 1]


def mixed(X):
    return X[:, 0] * X[:, 1]


def test_the_order_of_an_additive_ranker_is_learnt():
    found = additive_surrogate(curved, documents(), random_state=0)
    assert found.fidelity.equal_pairs > 0.95
    assert found.fidelity.r2 > 0.95
    assert found.fidelity.n_pairs == N_QUERIES * PER_QUERY * (PER_QUERY - 1) // 2


def test_a_product_of_features_is_not_imitated_and_the_result_says_so():
    found = additive_surrogate(mixed, documents(), random_state=0)
    assert found.fidelity.equal_pairs < 0.65
    assert found.fidelity.r2 < 0.3
    assert f"{100 * found.fidelity.equal_pairs:.1f} % of 1,260 pairs in the ranker's order" in str(found)


def test_figures_are_those_of_the_definitions():
    data, rng = documents(), np.random.default_rng(1)
    scores = rng.integers(0, 6, data.n_rows).astype(float)
    held_out = np.round(scores + rng.normal(size=data.n_rows))
    found = _fidelity(data, scores, held_out, np.arange(data.n_rows) % 1, "ndcg@10", 0)
    lists = [np.flatnonzero(query == QID) for query in range(N_QUERIES)]
    taus = [kendalltau(scores[rows], held_out[rows]).statistic for rows in lists]
    pairs = [(i, j) for rows in lists for i in rows for j in rows if scores[i] > scores[j]]
    right = sum(1.0 if held_out[i] > held_out[j] else 0.5 * (held_out[i] == held_out[j]) for i, j in pairs)
    assert (found.n_pairs, found.equal_pairs) == (len(pairs), pytest.approx(right / len(pairs)))
    assert found.tau == pytest.approx(np.mean(taus))
    s, u = (np.concatenate([own[rows] - own[rows].mean() for rows in lists]) for own in (scores, held_out))
    line = LinearRegression(fit_intercept=False).fit(u[:, None], s)
    assert found.r2 == pytest.approx(1.0 - ((s - line.predict(u[:, None])) ** 2).sum() / (s**2).sum())
    expected = gr.evaluate(data.y, scores, qid=QID, measures=["ndcg@10"])["ndcg@10"]
    assert found.comparison["ranker"].mean == pytest.approx(expected)


def test_labels_are_not_needed():
    found = additive_surrogate(curved, documents(y=False), random_state=0)
    judged = additive_surrogate(curved, documents(), random_state=0)
    assert found.fidelity.comparison is None
    assert "ndcg" not in str(found)
    assert found.fidelity.equal_pairs == judged.fidelity.equal_pairs
    assert json.loads(found.to_json())["comparison"] is None


def test_rows_of_weight_zero_count_as_absent():
    data = documents(weights=np.where(np.arange(len(QID)) % 3, 2.0, 0.0))
    found = additive_surrogate(curved, data, random_state=0)
    few = additive_surrogate(curved, documents().pick_rows(np.flatnonzero(data.weights)), random_state=0)
    assert found.fidelity == few.fidelity


def test_deep_trees_are_imitated_saved_and_explained(tmp_path):
    data = documents()
    ranker = lightgbm.LGBMRanker(n_estimators=20, min_child_samples=5, verbose=-1, n_jobs=1)
    ranker.fit(data.X, data.y, group=[PER_QUERY] * N_QUERIES)
    found = additive_surrogate(ranker, data, cv=2, random_state=0)
    assert (found.ranker, found.fidelity.folds) == ("LGBMRanker", 2)
    found.save(tmp_path / "surrogate.json")
    scorer = gr.load_scorer(tmp_path / "surrogate.json")
    assert scorer.feature_names == tuple(NAMES)
    assert scorer.predict(data).tolist() == found.estimator.predict(data.X).tolist()
    assert gr.effects(found.estimator, data.X).names == tuple(NAMES)


def test_another_model_can_be_fitted():
    found = additive_surrogate(curved, documents(), estimator=gr.RankSVM(C=10.0), random_state=0)
    assert str(found).startswith("RankSVM that imitates function, 3 features")
    assert found.estimator.kernel == "linear"


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (lambda X: np.zeros(len(X)), "gives all documents of each query the same score"),
        (gr.RankSVM(kernel="lrbf", mode="difference").fit(np.eye(3), [0, 1, 2]), "RankSVM only compares two documents"),
    ],
)
def test_rankers_without_an_order_of_documents_are_refused(ranker, message):
    with pytest.raises(DataError, match=message):
        additive_surrogate(ranker, documents())
