"""Effects of glassrank's own estimators against their own outputs."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.elm_rank_cv import ELMRankCV
from glassrank.ranking.pairwise import PairwiseRanker
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.single_feature import BestSingleFeature
from tests.nomograms.adapters.additive import CLASS, LABEL, OTHER, QID, X, assert_adds_up

SCALER = StandardScaler().fit(X)
Z, OTHER_Z = SCALER.transform(X), SCALER.transform(OTHER)

RANKERS = {
    "linear": RankSVM(),
    "lrbf": RankSVM(C=10.0, kernel="lrbf"),
    "chosen C": RankSVMCV(Cs=[1e-2, 1.0], kernel="lrbf"),
    "additive nodes": ELMRank(n_nodes=40, nodes="additive", random_state=0),
    "gaussian nodes": ELMRank(n_nodes=40, nodes="additive", activation="gaussian", random_state=0),
    "chosen nodes": ELMRankCV(n_nodes=40, nodes="additive", random_state=0),
    "classifier of pairs": PairwiseRanker(LinearSVC()),
    "logistic of pairs": PairwiseRanker(LogisticRegression(C=0.01)),
    "one feature": BestSingleFeature(),
}
DIFFERENCES = {
    "linear": RankSVM(mode="difference"),
    "lrbf": RankSVM(C=10.0, kernel="lrbf", mode="difference"),
}


@pytest.mark.parametrize("name", RANKERS)
def test_effects_add_up_to_the_scores(name):
    model = RANKERS[name].fit(Z, LABEL, qid=QID)
    found = assert_adds_up(model, Z, model.predict(Z))
    assert_adds_up(model, OTHER_Z, model.predict(OTHER_Z))
    assert (found.unit, found.subject) == ("score", "utility")
    np.testing.assert_allclose(
        found.differences(Z[:40], Z[40:80]).sum(axis=1), model.decide_pairs(Z[:40], Z[40:80]), atol=1e-9
    )


@pytest.mark.parametrize("name", RANKERS)
def test_a_calibrated_pipeline_adds_up_to_the_probability_of_a_pair_in_original_units(name):
    model = PairCalibrator(make_pipeline(StandardScaler(), RANKERS[name]), cv=2, random_state=0)
    model.fit(X, LABEL, qid=QID)
    found = effects(model, X)
    assert (found.unit, found.subject) == ("log-odds", "utility")
    totals = found.differences(OTHER[:40], OTHER[40:]).sum(axis=1)
    np.testing.assert_allclose(totals, -model.slope_ * model.decide_pairs(OTHER[:40], OTHER[40:]), atol=1e-9)
    np.testing.assert_allclose(found.probability(totals), model.predict_pair_proba(OTHER[:40], OTHER[40:]), rtol=1e-9)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_effects_of_differences_add_up_to_the_decision_on_a_pair(name):
    model = DIFFERENCES[name].fit(Z, LABEL, qid=QID)
    found = effects(model)
    assert (found.subject, found.unit, found.intercept) == ("difference", "score", 0.0)
    np.testing.assert_allclose(
        found.differences(Z[:40], Z[40:80]).sum(axis=1), model.decide_pairs(Z[:40], Z[40:80]), atol=1e-9
    )
    for k, feature in enumerate(found.features):
        assert (feature.low, feature.high, feature.centre) == (-np.ptp(Z[:, k]), np.ptp(Z[:, k]), 0.0)
        places = np.linspace(0, feature.high, 20)
        np.testing.assert_array_equal(feature(places), -feature(-places))


@pytest.mark.parametrize("name", DIFFERENCES)
def test_effects_of_differences_add_up_through_a_scaler(name):
    model = make_pipeline(StandardScaler(), DIFFERENCES[name]).fit(X, LABEL, ranksvm__qid=QID)
    totals = effects(model, X).differences(OTHER[:40], OTHER[40:]).sum(axis=1)
    expected = model[-1].decide_pairs(model[0].transform(OTHER[:40]), model[0].transform(OTHER[40:]))
    np.testing.assert_allclose(totals, expected, atol=1e-9)


def test_effects_of_differences_add_up_through_a_scaler_and_a_calibrator():
    model = PairCalibrator(make_pipeline(StandardScaler(), DIFFERENCES["linear"]), cv=2, random_state=0)
    model.fit(X, LABEL, qid=QID)
    found = effects(model, X)
    assert (found.subject, found.unit) == ("difference", "log-odds")
    totals = found.differences(OTHER[:40], OTHER[40:]).sum(axis=1)
    np.testing.assert_allclose(totals, -model.slope_ * model.decide_pairs(OTHER[:40], OTHER[40:]), atol=1e-9)


def test_a_calibrator_around_a_model_of_differences_adds_up():
    model = PairCalibrator(DIFFERENCES["lrbf"], cv=2, random_state=0).fit(Z, LABEL, qid=QID)
    totals = effects(model).differences(Z[:40], Z[40:80]).sum(axis=1)
    np.testing.assert_allclose(totals, -model.slope_ * model.decide_pairs(Z[:40], Z[40:80]), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
@pytest.mark.parametrize("cv", [3, None], ids=["probabilities", "no probabilities"])
def test_effects_of_a_classifier_add_up_to_its_decision(kernel, cv):
    model = AdditiveSVC(kernel=kernel, cv=cv, random_state=0).fit(Z, CLASS)
    found = assert_adds_up(model, Z, model.decision_function(Z))
    assert_adds_up(model, OTHER_Z, model.decision_function(OTHER_Z))
    assert (found.unit, found.subject, found.outcome) == ("log-odds" if cv else "score", "class", "yes")
    if cv:
        np.testing.assert_allclose(found.probability(found.total(Z)), model.predict_proba(Z)[:, 1], rtol=1e-9)


def test_one_feature_alone_has_a_line_and_the_others_are_points():
    model = BestSingleFeature().fit(X, LABEL, qid=QID)
    lengths = effects(model).lengths(X)
    assert (lengths > 0).tolist() == [k == model.feature_ for k in range(4)]


def test_straight_lines_are_marked_as_linear():
    assert all(feature.linear for feature in effects(RANKERS["linear"].fit(Z, LABEL, qid=QID)).features)
    assert not any(feature.linear for feature in effects(RANKERS["lrbf"].fit(Z, LABEL, qid=QID)).features)
