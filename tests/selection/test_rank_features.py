"""Rankings of features by several methods."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.ranking.rank_svm import RankSVM
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import CombinedSelector
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.rank_features import METHODS, rank_features
from glassrank.selection.selector_names import DEFAULT_SELECTORS, SELECTORS
from glassrank.selection.svm_weight import SVMWeightSelector
from tests.drawing.svg import says

NAMES = ["a", "b", "c", "d", "e"]


@pytest.fixture(scope="module")
def data():
    """Features b and d determine the order of the documents; the others are noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = np.round(2 * X[:, 1] - X[:, 3] + 0.5 * rng.normal(size=300)).clip(-2, 2)
    return RankingData(X, y, np.repeat(np.arange(30), 10), feature_names=NAMES)


@pytest.fixture(scope="module")
def found(data):
    return rank_features(data, n_features=2, random_state=0)


def test_every_method_finds_the_planted_features(found):
    assert [one.method for one in found.rankings] == list(DEFAULT_SELECTORS)
    for one in found.rankings:
        assert [NAMES[k] for k in np.flatnonzero(one.chosen)] == ["b", "d"], one.method
        assert one.places[1] == 1
        assert sorted(one.places) == [1, 2, 3, 4, 5]
    assert found.votes.tolist() == [0, 5, 0, 5, 0]
    assert [NAMES[k] for k in found.order[:2]] == ["b", "d"]


def test_the_scores_equal_those_of_the_selectors(data, found):
    selectors = {
        "information gain": InformationGainSelector(),
        "SVM weights": SVMWeightSelector(),
        "boosting influence": BoostingInfluenceSelector(random_state=0),
        "combined": CombinedSelector(random_state=0),
    }
    for method, selector in selectors.items():
        fitted = selector.fit(data.X, data.y, qid=data.qid)
        np.testing.assert_allclose(found[method].scores, fitted.scores_)
        assert found[method].places.tolist() == fitted.ranking_.tolist()


def test_by_default_cross_validation_decides_what_the_nomogram_keeps(data):
    ours = rank_features(data, methods=["nomogram"], random_state=0)["nomogram"]
    centred = data.X - np.array([data.X[data.qid == query].mean(axis=0) for query in range(30)])[data.qid]
    scaled = data.X / centred.std(axis=0)
    rfe = NomogramRFE(RankSVM(C=300.0, C_unit="mean"), random_state=0).fit(scaled, data.y, qid=data.qid)
    assert ours.chosen.tolist() == rfe.support_.tolist()
    assert np.argsort(-ours.places)[:4].tolist() == rfe.elimination_order_.tolist()


def test_the_papers_own_methods_are_used_if_they_are_named(data):
    zeros = replace(data, X=np.where(np.abs(data.X) < 0.7, 0.0, data.X))
    named = {
        "presence information gain": InformationGainSelector(discretisation="presence"),
        "hinge SVM weights": SVMWeightSelector(loss="hinge"),
    }
    found = rank_features(zeros, methods=list(named), n_features=2)
    for method, selector in named.items():
        np.testing.assert_allclose(found[method].scores, selector.fit(zeros.X, zeros.y, qid=zeros.qid).scores_)
    assert list(METHODS) == list(SELECTORS)
    with pytest.raises(DataError, match="'presence information gain', 'hinge SVM weights': got 'chi2'"):
        rank_features(data, methods=["chi2"])


def test_methods_keep_their_order_without_repeats(data):
    found = rank_features(data, methods=["SVM weights", "information gain", "SVM weights"], random_state=0)
    assert [one.method for one in found.rankings] == ["SVM weights", "information gain"]


def test_sparse_data_have_the_same_rankings(data, found):
    thin = RankingData(sparse.csr_matrix(data.X), data.y, data.qid, feature_names=NAMES)
    for one, other in zip(rank_features(thin, n_features=2, random_state=0).rankings, found.rankings, strict=True):
        assert one.places.tolist() == other.places.tolist()


def test_text_frame_and_json_agree(found):
    lines = str(found).splitlines()
    assert lines[0].startswith("5 features, 30 queries")
    assert lines[2].split()[0] == "b"
    frame = found.to_frame("pandas")
    assert frame["feature"].tolist() == [line.split()[0] for line in lines[2:7]]
    assert frame["votes"].tolist()[:2] == [5, 5]
    saved = json.loads(found.to_json())
    assert [method["features"][0]["feature"] for method in saved["methods"]] == ["b"] * 5
    assert (
        frame.set_index("feature").loc["b", "boosting influence score"] == saved["methods"][2]["features"][0]["score"]
    )


def test_the_picture_names_every_feature_and_method(found):
    shown = says(found.chart()._repr_svg_())
    assert {*NAMES, *DEFAULT_SELECTORS} <= set(shown)


@pytest.mark.parametrize("suffix", [".html", ".svg", ".png", ".pdf"])
def test_the_picture_is_saved_in_every_form(suffix, found, tmp_path):
    assert found.chart().save(tmp_path / f"chart{suffix}").stat().st_size > 1000


def test_progress_reports_the_name_of_each_method(data):
    reported = []
    rank_features(
        data, methods=["SVM weights", "information gain"], progress=lambda *step: reported.append(step), random_state=0
    )
    assert reported == [(0, 2, "ranking by SVM weights"), (1, 2, "ranking by information gain")]


def test_invalid_arguments_are_refused(data):
    with pytest.raises(DataError, match="methods must be one of"):
        rank_features(data, methods=["chi2"], random_state=0)
    with pytest.raises(DataError, match="at least one of"):
        rank_features(data, methods=[], random_state=0)
    with pytest.raises(DataError, match="from 1 to 5"):
        rank_features(data, n_features=6, random_state=0)
    with pytest.raises(KeyError, match="'chi2' is not among the methods"):
        rank_features(data, methods=["SVM weights"], random_state=0)["chi2"]
