"""Estimators that choose by a measure take its name in any case."""

import pytest

import glassrank as gr


@pytest.fixture(scope="module")
def data():
    return gr.simulate_ranking(9, 8, random_state=0).data.pick_features([0, 1, 2])


@pytest.mark.parametrize(
    "make",
    [
        lambda scoring: gr.RankSVMCV((0.1, 1.0), 3, scoring),
        lambda scoring: gr.ELMRankCV((1e-3, 1.0), 3, scoring, n_nodes=10, random_state=0),
        lambda scoring: gr.BestSingleFeature(scoring),
        lambda scoring: gr.NomogramRFE(gr.RankSVM(), cv=3, scoring=scoring, random_state=0),
    ],
    ids=["RankSVMCV", "ELMRankCV", "BestSingleFeature", "NomogramRFE"],
)
def test_the_case_of_a_measure_changes_nothing(make, data):
    lower, upper = (make(scoring).fit(data).predict(data) for scoring in ("ndcg@5", "NDCG@5"))
    assert (lower == upper).all()


def test_pairs_in_folds_need_pair_accuracy_in_any_case(data):
    rfe = gr.NomogramRFE(gr.RankSVM(), cv=3, scoring="Pair_Accuracy", fold_unit="pair", random_state=0)
    assert rfe.fit(data).result_.scoring == "pair_accuracy"
