"""Effects of scikit-learn's additive models against their own outputs."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, LinearSVR, NuSVC

from tests.nomograms.adapters.additive import CLASS, OTHER, VALUE, X, assert_adds_up, log_odds

SCALER = StandardScaler().fit(X)
Z, OTHER_Z = SCALER.transform(X), SCALER.transform(OTHER)
COUNTS = np.random.default_rng(1).integers(0, 4, size=(len(X), 3))

REGRESSORS = [
    *(LinearRegression(), LinearRegression(fit_intercept=False), Ridge(), RidgeCV(), Lasso(0.01), LassoCV(cv=3)),
    *(ElasticNet(0.01), BayesianRidge(), SGDRegressor(random_state=0), LinearSVR(random_state=0)),
]
LOGISTIC = [
    *(LogisticRegression(), LogisticRegression(fit_intercept=False), LinearDiscriminantAnalysis()),
    SGDClassifier(loss="log_loss", random_state=0),
]
MARGINS = [
    *(LinearSVC(), SVC(kernel="linear"), NuSVC(kernel="linear", nu=0.4), RidgeClassifier()),
    SGDClassifier(random_state=0),
]


def named(models):
    return [pytest.param(model, id=str(model)) for model in models]


@pytest.mark.parametrize("model", named(REGRESSORS))
def test_regressors_add_up_to_their_predictions(model):
    model.fit(Z, VALUE)
    found = assert_adds_up(model, Z, model.predict(Z))
    assert_adds_up(model, OTHER_Z, model.predict(OTHER_Z))
    assert (found.unit, found.subject) == ("score", "utility")
    assert all(feature.linear for feature in found.features)


@pytest.mark.parametrize("model", named(LOGISTIC))
def test_logistic_models_add_up_to_log_odds(model):
    model.fit(Z, CLASS)
    found = assert_adds_up(model, OTHER_Z, model.decision_function(OTHER_Z))
    assert (found.unit, found.subject, found.outcome) == ("log-odds", "class", "yes")
    np.testing.assert_allclose(found.probability(found.total(Z)), model.predict_proba(Z)[:, 1], rtol=1e-9)


@pytest.mark.parametrize("model", named(MARGINS))
def test_margins_add_up_to_decision_values_without_probability(model):
    model.fit(Z, CLASS)
    found = assert_adds_up(model, OTHER_Z, model.decision_function(OTHER_Z))
    assert (found.unit, found.subject) == ("score", "class")


CALIBRATED = {
    "linear": LinearSVC(),
    "scaled": make_pipeline(StandardScaler(), SVC(kernel="linear")),
    "stumps": GradientBoostingClassifier(max_depth=1, n_estimators=20),
    "exponential": make_pipeline(GradientBoostingClassifier(max_depth=1, loss="exponential", n_estimators=20)),
}


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_calibrated_classifier_adds_up_to_log_odds(name):
    calibrated = CalibratedClassifierCV(CALIBRATED[name], ensemble=False, cv=3).fit(Z, CLASS)
    found = assert_adds_up(calibrated, Z, np.diff(np.log(calibrated.predict_proba(Z)))[:, 0])
    assert found.unit == "log-odds"


def test_gaussian_naive_bayes_adds_up_with_parabolas():
    model = GaussianNB().fit(X, CLASS)
    found = assert_adds_up(model, OTHER, log_odds(model, OTHER))
    assert not any(feature.linear for feature in found.features)
    # The third difference of a parabola vanishes.
    places = np.linspace(found.features[0].low, found.features[0].high, 9)
    np.testing.assert_allclose(np.diff(found.features[0](places), 3), 0, atol=1e-12)


def test_categorical_naive_bayes_adds_up_with_a_level_per_category():
    model = CategoricalNB().fit(COUNTS, CLASS)
    found = assert_adds_up(model, COUNTS, log_odds(model, COUNTS))
    assert found.features[0].categories == ("0", "1", "2", "3")


@pytest.mark.parametrize("binarize", [1.5, None])
def test_bernoulli_naive_bayes_adds_up(binarize):
    rows = COUNTS if binarize else np.minimum(COUNTS, 1)
    model = BernoulliNB(binarize=binarize).fit(rows, CLASS)
    assert_adds_up(model, rows, log_odds(model, rows))


def test_multinomial_naive_bayes_adds_up():
    model = MultinomialNB().fit(COUNTS, CLASS)
    assert_adds_up(model, COUNTS, log_odds(model, COUNTS))


def test_a_search_and_a_frozen_model_have_the_effects_of_the_inner_model():
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3).fit(Z, VALUE)
    assert_adds_up(search, OTHER_Z, search.predict(OTHER_Z))
    assert_adds_up(FrozenEstimator(search), OTHER_Z, search.predict(OTHER_Z))


def test_the_second_class_is_the_outcome_whatever_its_name():
    model = LogisticRegression().fit(Z, np.where(CLASS == "yes", 3, 7))
    assert assert_adds_up(model, Z, model.decision_function(Z)).outcome == "7"
