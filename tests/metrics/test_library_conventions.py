"""The conventions named after libraries equal those libraries' own evaluation of given scores."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from glassrank.metrics.evaluation import evaluate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # warnings of other libraries on import do not matter here
    import ir_measures
    import lightgbm
    import xgboost

SIZES = (5, 1, 8, 4, 12, 30)


def random_lists(seed, *, decimals, highest=4):
    """Labels, scores and queries; the third query has no relevant document."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(len(SIZES)), SIZES)
    y = rng.integers(0, highest + 1, len(qid)).astype(float)
    y[qid == 2] = 0.0
    return y, np.round(rng.normal(size=len(qid)), decimals).astype(np.float32).astype(float), qid


def ask_xgboost(y, scores, qid, metrics):
    """Return XGBoost's metrics of scores, given as the base margin of a model without trees."""
    data = xgboost.DMatrix(np.zeros((len(y), 1)), label=y, qid=qid, base_margin=scores)
    booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": metrics, "base_score": 0.0}, [data])
    fields = dict(field.rsplit(":", 1) for field in booster.eval(data).split("\t")[1:])
    return [float(fields[f"eval-{metric}"]) for metric in metrics]


def ask_lightgbm(y, scores, metric, cutoffs):
    """Return LightGBM's metrics of scores, given as the initial score of a model without trees."""
    quiet = {"verbose": -1}
    data = lightgbm.Dataset(np.zeros((len(y), 1)), label=y, group=list(SIZES), init_score=scores, params=quiet)
    settings = {"objective": "lambdarank", "metric": metric, "eval_at": cutoffs, **quiet}
    return [result[2] for result in lightgbm.Booster(settings, data).eval_train()]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("decimals", [0, 6])
def test_xgboost_ndcg_is_reproduced(seed, decimals):
    y, scores, qid = random_lists(seed, decimals=decimals)
    measures = ["ndcg@3", "ndcg@10", "ndcg"]
    found = evaluate(y, scores, qid=qid, measures=measures, convention="xgboost")
    assert list(found.values()) == pytest.approx(ask_xgboost(y, scores, qid, measures), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_xgboost_map_is_reproduced_for_binary_labels(seed):
    y, scores, qid = random_lists(seed, decimals=0, highest=1)
    found = evaluate(y, scores, qid=qid, measures="map", convention="xgboost")
    assert [found["map"]] == pytest.approx(ask_xgboost(y, scores, qid, ["map"]), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("decimals", [0, 6])
def test_lightgbm_ndcg_and_map_are_reproduced(seed, decimals):
    y, scores, qid = random_lists(seed, decimals=decimals)
    found = evaluate(y, scores, qid=qid, measures=["ndcg@3", "ndcg@10", "ndcg", "map"], convention="lightgbm")
    assert list(found.values())[:3] == pytest.approx(ask_lightgbm(y, scores, "ndcg", [3, 10, max(SIZES)]), abs=1e-9)
    assert [found["map"]] == pytest.approx(ask_lightgbm(y, scores, "map", [max(SIZES)]), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("decimals", [0, 6])
@pytest.mark.parametrize("k", [1, 3, 10, None])
def test_sklearn_ndcg_score_is_reproduced_with_ties(seed, decimals, k):
    y, scores, qid = random_lists(seed, decimals=decimals)
    measure = "ndcg" if k is None else f"ndcg@{k}"
    found = evaluate(y, scores, qid=qid, measures=measure, convention="sklearn").per_query[measure]
    for query, size in enumerate(SIZES):
        if size > 1:  # scikit-learn rejects lists of one document
            expected = ndcg_score([y[qid == query]], [scores[qid == query]], k=k)
            assert found[query] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cutoff", ["", "@5"])
def test_standard_ndcg_equals_ir_measures_with_exponential_gains(seed, cutoff):
    y, scores, qid = random_lists(seed, decimals=6)
    peer = ir_measures.parse_measure("nDCG(gains={1:1,2:3,3:7,4:15})" + cutoff)
    qrels = [ir_measures.Qrel(str(query), str(row), int(y[row])) for row, query in enumerate(qid)]
    run = [ir_measures.ScoredDoc(str(query), str(row), scores[row]) for row, query in enumerate(qid)]
    expected = np.full(len(SIZES), np.nan)
    for metric in ir_measures.iter_calc([peer], qrels, run):
        if y[qid == int(metric.query_id)].any():  # otherwise left out by glassrank, 0 in ir-measures
            expected[int(metric.query_id)] = metric.value
    found = evaluate(y, scores, qid=qid, measures="ndcg" + cutoff, convention="standard")
    np.testing.assert_allclose(found.per_query["ndcg" + cutoff], expected, rtol=0, atol=1e-9)
    assert found.left_out["ndcg" + cutoff] == np.isnan(expected).sum() >= 1
