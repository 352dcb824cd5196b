"""RankingData as the input of estimators: the same fit as from its arrays, with the names of the features."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import glassrank as gr

DATA = gr.simulate_ranking(12, 10, random_state=0).data
WEIGHTED = gr.RankingData(
    DATA.X, DATA.y, DATA.qid, DATA.doc_ids, DATA.feature_names, np.random.default_rng(0).uniform(0.5, 2.0, DATA.n_rows)
)
RANKERS = [
    gr.RankSVM(),
    gr.RankSVM(kernel="lrbf"),
    gr.RankSVMCV(Cs=[0.1, 1.0]),
    gr.ELMRank(n_nodes=20, random_state=0),
    gr.ELMRankCV(n_nodes=20, random_state=0),
    gr.KernelLeastSquaresRanker(),
    gr.PairwiseRanker(LinearSVC(fit_intercept=False)),
    gr.BestSingleFeature(),
    gr.PairCalibrator(make_pipeline(StandardScaler(), gr.RankSVM()), random_state=0),
    gr.NomogramRFE(gr.RankSVM(), random_state=0),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
@pytest.mark.parametrize("data", [DATA, WEIGHTED], ids=["plain", "weighted"])
def test_a_fit_to_ranking_data_is_the_fit_to_its_arrays(ranker, data):
    named = clone(ranker).fit(data)
    arrays = clone(ranker).fit(data.X, data.y, qid=data.qid, sample_weight=data.weights)
    assert_array_equal(named.predict(data), arrays.predict(data.X))
    assert named.feature_names_in_.tolist() == list(data.feature_names)
    assert not hasattr(arrays, "feature_names_in_")


def test_names_reach_effects_and_model_files(tmp_path):
    model = gr.RankSVM().fit(DATA)
    assert gr.effects(model).names == DATA.feature_names
    gr.save_model(model, tmp_path / "model.json")
    assert gr.load_model(tmp_path / "model.json").feature_names_in_.tolist() == list(DATA.feature_names)


def test_selectors_take_ranking_data():
    selector = gr.InformationGainSelector(3).fit(DATA)
    again = gr.InformationGainSelector(3).fit(DATA.X, DATA.y, qid=DATA.qid)
    assert_array_equal(selector.ranking_, again.ranking_)
    assert set(selector.get_feature_names_out()) <= set(DATA.feature_names)


def test_scores_and_ranks_of_ranking_data_are_those_of_its_arrays():
    model = gr.RankSVM().fit(DATA)
    plain = gr.RankSVM().fit(DATA.X, DATA.y, qid=DATA.qid)
    assert model.score(DATA) == plain.score(DATA.X, DATA.y, qid=DATA.qid)
    assert_array_equal(model.rank(DATA), plain.rank(DATA.X, qid=DATA.qid))


def test_difference_mode_takes_ranking_data():
    model = gr.RankSVM(mode="difference", kernel="lrbf").fit(DATA)
    plain = gr.RankSVM(mode="difference", kernel="lrbf").fit(DATA.X, DATA.y, qid=DATA.qid)
    assert model.score(DATA) == plain.score(DATA.X, DATA.y, qid=DATA.qid)
    assert_array_equal(model.rank(DATA), plain.rank(DATA.X, qid=DATA.qid))


def test_features_of_other_names_or_order_are_refused():
    model = gr.RankSVM().fit(DATA)
    turned = DATA.pick_features(DATA.feature_names[::-1])
    with pytest.raises(gr.DataError, match=r"in the same order: expected .* Select and order them with pick_features"):
        model.predict(turned)
    with pytest.raises(gr.DataError, match="expected 18 features, got 3"):
        model.predict(DATA.pick_features(DATA.feature_names[:3]))


@pytest.mark.parametrize("name", ["y", "qid", "sample_weight"])
def test_parts_of_ranking_data_cannot_be_passed_again(name):
    with pytest.raises(
        gr.DataError, match=f"{name} is part of RankingData: got another one. Omit it, or pass the arrays"
    ):
        gr.RankSVM().fit(DATA, **{name: np.ones(DATA.n_rows)})


def test_data_without_labels_are_refused():
    unjudged = gr.RankingData(DATA.X, None, DATA.qid)
    with pytest.raises(gr.DataError, match="Training data"):
        gr.RankSVM().fit(unjudged)
