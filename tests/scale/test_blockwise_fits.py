"""Fits on a folder of blocks equal fits in memory: coefficients to 1e-8, and everything else that a model keeps."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline

from glassrank import QueryScaler, effects
from glassrank.core.checks import DataError
from glassrank.ranking.any_ranker import fit_ranker
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.elm_rank_cv import ELMRankCV
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from tests.scale.partitioned import in_blocks, mixed_data, plain_data, weighted_data

DATA = {
    "plain": plain_data,
    "weighted": weighted_data,
    "mixed": mixed_data,
    "mixed weighted": lambda: mixed_data(weighted_data().weights),
}


# The solvers take different steps to the same minimum. The error of the weights is about √tol, so they continue beyond
# what they can certify.
TIGHT = 1e-17
pytestmark = pytest.mark.filterwarnings("ignore:.* a certified gap of .* tol is 1.0e-17")


def assert_equal_coefficients(found, expected):
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-8 * np.abs(expected.coef_).max())


def assert_same_model(found, expected):
    assert_equal_coefficients(found, expected)
    assert found.n_queries_ == expected.n_queries_
    assert found.n_features_in_ == expected.n_features_in_
    assert tuple(found.feature_names_in_) == tuple(expected.feature_names_in_)
    assert found.feature_kinds_ == expected.feature_kinds_
    for name in ("low", "high", "mean", "missing"):
        expected_values = getattr(expected.observed_values_, name)
        np.testing.assert_allclose(getattr(found.observed_values_, name), expected_values, rtol=1e-12, atol=1e-12)


def standardised(ranker):
    return make_pipeline(FeatureTransformer(), ranker)


def fit_both(ranker, data, blocks):
    """Fit a Pipeline to blocks and to rows in memory; return the last steps."""
    found = standardised(ranker()).fit(blocks)
    expected = fit_ranker(standardised(ranker()), data.table, data.y, data.groups, data.weights)
    return found[-1], expected[-1]


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_a_ranking_svm_in_blocks_is_the_one_in_memory(tmp_path, name, kernel):
    data = DATA[name]()
    blocks = in_blocks(data, tmp_path / "blocks")
    assert blocks.n_blocks > 4
    found, expected = fit_both(lambda: RankSVM(C=3.0, kernel=kernel, missing="mean", tol=TIGHT), data, blocks)
    assert_same_model(found, expected)
    assert found.n_pairs_ == expected.n_pairs_
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-12)
    assert found.duality_gap_ <= 1e-12 * found.objective_


@pytest.mark.parametrize("rows_per_block", [1, 37, 10_000])
def test_the_size_of_blocks_changes_nothing(tmp_path, rows_per_block):
    """With 1 row per block, every query is longer than a block, and is one of its own."""
    data = weighted_data()
    blocks = in_blocks(data, tmp_path / "blocks", rows_per_block)
    assert blocks.n_blocks == {1: data.n_queries, 37: 15, 10_000: 1}[rows_per_block]
    found, expected = (RankSVM(C=10.0, tol=TIGHT).fit(rows) for rows in (blocks, data))
    assert_same_model(found, expected)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
def test_every_loss_has_the_same_optimum_and_certificate(tmp_path, loss):
    data = plain_data(n_queries=12)
    blocks = in_blocks(data, tmp_path / "blocks", 30)
    ranker = RankSVM(C=1.0, loss=loss, tol=1e-9, max_iter=500)
    found, expected = fit_both(lambda: ranker, data, blocks)
    np.testing.assert_allclose(found.predict(data), expected.predict(data), rtol=1e-5, atol=1e-6)
    assert found.duality_gap_ <= 1e-9 * found.objective_
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-9)


@pytest.mark.parametrize("pair_weight", ["query", "label-gap", "ndcg"])
def test_every_weighting_of_pairs_is_the_one_in_memory(tmp_path, pair_weight):
    data = weighted_data()
    blocks = in_blocks(data, tmp_path / "blocks")
    found, expected = fit_both(lambda: RankSVM(pair_weight=pair_weight, C_unit="pair", tol=TIGHT), data, blocks)
    assert_same_model(found, expected)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_monotone_effects_are_those_in_memory(tmp_path, kernel):
    data = mixed_data()
    blocks = in_blocks(data, tmp_path / "blocks")
    monotone = {"bm25": -1, "Bm25": 1}
    found, expected = fit_both(
        lambda: RankSVM(kernel=kernel, monotone=monotone, missing="mean", tol=TIGHT), data, blocks
    )
    assert_same_model(found, expected)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("weighting", ["pairs", "query", "different-labels"])
def test_elm_rank_in_blocks_is_the_one_in_memory(tmp_path, name, weighting):
    data = DATA[name]()
    blocks = in_blocks(data, tmp_path / "blocks")
    nodes = "full" if data.kinds[3].name == "number" else "additive"
    ranker = {"n_nodes": 30, "alpha": 0.01, "nodes": nodes, "weighting": weighting, "random_state": 0}
    found, expected = fit_both(lambda: ELMRank(**ranker, missing="mean"), data, blocks)
    assert_same_model(found, expected)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)


@pytest.mark.parametrize("rows", ["memory", "blocks", "two parts"])
def test_partial_fit_refuses_the_queries_of_an_earlier_fit_wherever_they_were(tmp_path, rows):
    """Query 3 has no row of positive weight, so no fit has seen it."""
    data, model = weighted_data(), ELMRank(n_nodes=10, alpha=0.1, random_state=0)
    if rows == "two parts":
        early = data.qid < 20
        model.partial_fit(data.pick_rows(np.flatnonzero(early))).partial_fit(data.pick_rows(np.flatnonzero(~early)))
    else:
        model.fit(data if rows == "memory" else in_blocks(data, tmp_path / "blocks"))
    again = np.flatnonzero(np.isin(data.qid, [3, 5, 46]))
    with pytest.raises(DataError, match="2 were in an earlier call, such as '46'"):
        model.partial_fit(plain_data().pick_rows(again))
    unseen = plain_data().pick_rows(np.flatnonzero(data.qid == 3))
    assert model.partial_fit(unseen).n_queries_ == 41


@pytest.mark.parametrize("name", ["weighted", "mixed"])
def test_the_choice_of_parameters_is_the_one_in_memory(tmp_path, name):
    data = DATA[name]()
    blocks = in_blocks(data, tmp_path / "blocks")
    kernel, gamma = ("linear", "scale") if name == "weighted" else ("lrbf", ["scale", "scale/4"])
    search = RankSVMCV([0.1, 1.0, 10.0], kernel=kernel, gamma=gamma, missing="mean", tol=TIGHT)
    found, expected = fit_both(lambda: search, data, blocks)
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    assert (found.C_, found.gamma_) == (expected.C_, expected.gamma_)
    assert_equal_coefficients(found, expected)


def test_the_choice_of_alpha_is_the_one_in_memory(tmp_path):
    data = weighted_data()
    blocks = in_blocks(data, tmp_path / "blocks")
    found, expected = fit_both(lambda: ELMRankCV([0.01, 1.0], n_nodes=20, random_state=0), data, blocks)
    np.testing.assert_allclose(found.cv_results_["split1_test_score"], expected.cv_results_["split1_test_score"])
    assert found.alpha_ == expected.alpha_
    assert_equal_coefficients(found, expected)


@pytest.mark.parametrize("search", [RankSVMCV([0.1, 10.0]), ELMRankCV([0.01, 1.0], n_nodes=20, random_state=0)])
def test_a_splitter_may_leave_queries_out_of_a_fold(tmp_path, search):
    """A quarter of the queries to train on, a fifth held out; the rest is in neither part."""
    data = plain_data()
    splitter = GroupShuffleSplit(2, train_size=0.25, test_size=0.2, random_state=0)
    blocks = in_blocks(data, tmp_path / "blocks")
    found, expected = (clone(search).set_params(cv=splitter).fit(rows) for rows in (blocks, data))
    for name in ("split0_test_score", "split1_test_score"):
        np.testing.assert_allclose(found.cv_results_[name], expected.cv_results_[name], rtol=1e-9)


@pytest.mark.parametrize("method", ["log", "quantile", "auto"])
def test_transforms_learned_from_blocks_are_those_in_memory(tmp_path, method):
    data = mixed_data(weighted_data().weights)
    blocks = in_blocks(data, tmp_path / "blocks")
    found = FeatureTransformer(method).fit(blocks)
    expected = FeatureTransformer(method).fit(data, sample_weight=data.weights)
    assert found.methods_ == expected.methods_
    np.testing.assert_allclose(found.transform(data).values, expected.transform(data).values, rtol=1e-12, atol=1e-12)


REFUSED = {
    "mode='difference'": RankSVM(kernel="lrbf", mode="difference"),
    "leave-query-out": ELMRankCV(cv="leave-query-out"),
    "iterable of splits": RankSVMCV(cv=[([0, 1], [2, 3])]),
    "missing values": ELMRank(),
    "is a category": ELMRank(nodes="full"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_blocks_cannot_do_is_an_error_with_a_remedy(tmp_path, what):
    data = mixed_data() if "category" in what else plain_data()
    if "missing" in what:
        X = data.X.copy()
        X[0, 0] = np.nan
        data = type(data)(X, data.y, data.qid)
    with pytest.raises(DataError, match=what) as error:
        REFUSED[what].fit(in_blocks(data, tmp_path / "blocks"))
    assert error.value.remedy


def test_what_needs_all_rows_in_memory_says_so(tmp_path):
    blocks = in_blocks(plain_data(), tmp_path / "blocks")
    model = RankSVM().fit(blocks)
    for refused in (lambda: QueryScaler().fit(blocks), lambda: effects(model, blocks), lambda: np.asarray(blocks)):
        with pytest.raises(DataError, match=r"needs all rows in memory: got PartitionedData\. Load some"):
            refused()


def test_labels_and_weights_are_not_given_twice(tmp_path):
    blocks = in_blocks(plain_data(), tmp_path / "blocks")
    with pytest.raises(DataError, match="y is part of PartitionedData"):
        RankSVM().fit(blocks, np.zeros(3))
    with pytest.raises(DataError, match="sample_weight is part of PartitionedData"):
        FeatureTransformer().fit(blocks, sample_weight=np.zeros(3))


@pytest.mark.parametrize("model", [FeatureTransformer(), RankSVM()])
def test_blocks_whose_rows_all_have_weight_0_are_an_error(tmp_path, model):
    blocks = in_blocks(plain_data(weights=np.zeros(plain_data().n_rows)), tmp_path / "blocks")
    with pytest.raises(DataError, match="no row has a positive weight"):
        model.fit(blocks)


WITHOUT_PAIRS = {
    "all equal": "516 rows of 41 queries have the label 1",
    "equal within each query": "516 rows in 41 queries have labels from 0 to 46",
}


@pytest.mark.parametrize("labels", WITHOUT_PAIRS)
def test_rows_without_a_comparable_pair_are_the_same_error_in_blocks_and_in_memory(tmp_path, labels):
    data = plain_data()
    y = np.ones(data.n_rows) if labels == "all equal" else data.qid.astype(float)
    data = type(data)(data.X, y, data.qid)
    for rows in (data, in_blocks(data, tmp_path / "blocks")):
        with pytest.raises(DataError, match=WITHOUT_PAIRS[labels]):
            RankSVM().fit(rows)


def test_predict_names_the_way_to_score_blocks(tmp_path):
    blocks = in_blocks(plain_data(), tmp_path / "blocks")
    with pytest.raises(DataError, match="read_block"):
        RankSVM().fit(blocks).predict(blocks)
