"""The navigational classifier with more than two classes: one model per class, against scikit-learn and by hand."""

import numpy as np
import pandas
import pytest
from scipy.special import expit, logit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank.core.checks import DataError
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.nomograms.adapters.effects_of_model import effects

LOGISTIC = ("SVM weights", "maximum entropy", 3)
CLASSES = ["informational", "navigational", "transactional"]


def three_intents(n=150):
    """Rows of 12 columns and labels: column 2 is high for navigational queries, column 7 for transactional ones."""
    rng = np.random.default_rng(5)
    labels = rng.choice(CLASSES, n, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 12))
    X[:, 2] += 2.0 * (labels == "navigational")
    X[:, 7] += 2.0 * (labels == "transactional")
    return X, labels


X, LABELS = three_intents()
FRAME = pandas.DataFrame(X, columns=[f"f{k}" for k in range(12)])
QUERIES = [f"query {k}" for k in range(len(X))]


@pytest.fixture(scope="module")
def model():
    return NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(FRAME, LABELS, groups=QUERIES)


def test_probabilities_equal_scikit_learns_one_vs_rest_of_calibrated_classifiers():
    found = NavigationalClassifier((None, "maximum entropy"), cv=3, random_state=0).fit(X, LABELS, groups=QUERIES)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, LABELS))
    calibrated = CalibratedClassifierCV(
        make_pipeline(StandardScaler(), LogisticRegression()), method="sigmoid", ensemble=False, cv=folds
    )
    peer = OneVsRestClassifier(calibrated).fit(X, LABELS)
    assert found.classes_.tolist() == peer.classes_.tolist() == CLASSES
    assert found.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-3)


def test_probabilities_on_the_selected_columns_equal_scikit_learns(model):
    """Selection happens on all rows for the final models, so their decisions are those of the same columns."""
    for name, own in zip(CLASSES, model.class_models_, strict=True):
        columns = [int(column.removeprefix("f")) for column in own.selected_features]
        peer = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:, columns], name == LABELS)
        assert own.decision(own.preparation(X)) == pytest.approx(peer.decision_function(X[:, columns]), abs=1e-6)


def test_each_class_selects_its_own_columns(model):
    informational, navigational, transactional = (set(own.selected_features) for own in model.class_models_)
    assert "f2" in navigational
    assert "f7" in transactional
    assert {"f2", "f7"} <= informational
    assert len(navigational) == len(transactional) == 3


def test_probabilities_are_those_against_the_others_divided_by_their_sum(model):
    against_others = expit(np.column_stack([own.log_odds(X) for own in model.class_models_]))
    expected = against_others / against_others.sum(axis=1, keepdims=True)
    assert model.predict_proba(FRAME) == pytest.approx(expected, rel=1e-12)
    assert model.predict_proba(FRAME).sum(axis=1) == pytest.approx(1.0, abs=1e-15)


def test_tiny_probabilities_of_all_classes_still_sum_to_1(model):
    far = np.full((1, 12), 1e5) * np.where(np.arange(12) % 2, 1.0, -1.0)
    found = model.predict_proba(pandas.DataFrame(far, columns=FRAME.columns))
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1.0)


def test_the_predicted_class_is_the_farthest_above_its_threshold(model):
    above = np.column_stack([own.log_odds(X) - logit(own.threshold) for own in model.class_models_])
    assert model.decision_function(FRAME) == pytest.approx(above, rel=1e-12)
    assert model.predict(FRAME).tolist() == [CLASSES[k] for k in above.argmax(axis=1)]
    assert f1_score(LABELS, model.predict(FRAME), average="macro") > 0.7


def test_with_a_number_as_threshold_the_most_probable_class_is_predicted():
    model = NavigationalClassifier(LOGISTIC, cv=3, threshold=0.3, random_state=0).fit(X, LABELS, groups=QUERIES)
    assert model.predict(X).tolist() == [CLASSES[k] for k in model.predict_proba(X).argmax(axis=1)]


def test_classes_may_be_numbers():
    codes = np.array([CLASSES.index(label) for label in LABELS]) * 10
    model = NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(X, codes, groups=QUERIES)
    assert model.classes_.tolist() == [0, 10, 20]
    assert set(model.predict(X).tolist()) == {0, 10, 20}
    assert model.explain(X[0], outcome=20).outcome == "20"


def test_the_nested_estimate_is_macro_f1_of_the_whole_choice_without_each_fold():
    offered = [LOGISTIC, ("information gain", "naive Bayes", 2)]
    model = NavigationalClassifier(offered, cv=3, nested=True, random_state=0).fit(X, LABELS, groups=QUERIES)
    expected = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, LABELS):
        again = NavigationalClassifier(offered, cv=3, random_state=0).fit(X[train], LABELS[train], groups=train)
        expected.append(f1_score(LABELS[test], again.predict(X[test]), average="macro"))
    assert model.nested_scores_ == pytest.approx(expected, rel=1e-12)
    assert model.nested_score_ == pytest.approx(np.mean(expected), rel=1e-12)


def test_attributes_of_one_model_point_to_the_models_of_the_classes(model):
    assert not hasattr(model, "coupling_")
    with pytest.raises(AttributeError, match=r"no attribute 'threshold_'\. With more than two .*class_models_"):
        _ = model.threshold_


def test_a_prediction_is_explained_by_the_class_that_is_asked_for(model):
    row = FRAME.iloc[[int(np.argmax(model.predict_proba(FRAME)[:, 1]))]]
    found = model.explain(row, outcome="navigational")
    assert model.explain(row).outcome == model.explain(row).called == model.predict(row)[0]
    assert found.probability == pytest.approx(model.predict_proba(row)[0, 1], rel=1e-12)
    assert found.contributions[0].feature == "f2"
    total = found.usual_log_odds + sum(one.contribution for one in found.contributions)
    assert found.exact
    assert expit(total) == pytest.approx(found.against_others, rel=1e-9)
    other = model.explain(row, outcome="transactional")
    assert (other.called, other.outcome) == (found.called, "transactional")
    assert f"{other.against_others:.3f} against all others, not above its threshold" in str(other)
    assert "total = ln(P/(1-P)) against all others" in str(other)


def test_an_unknown_class_cannot_be_explained(model):
    with pytest.raises(DataError, match="outcome must be one of the classes informational, navigational, transac"):
        model.explain(FRAME.iloc[[0]], outcome="commercial")


def test_the_first_of_two_classes_has_the_opposite_contributions():
    labels = np.where(LABELS == "navigational", "navigational", "informational")
    model = NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(FRAME, labels, groups=QUERIES)
    row = FRAME.iloc[[4]]
    second, first = model.explain(row), model.explain(row, outcome="informational")
    assert first.probability == pytest.approx(1.0 - second.probability, rel=1e-9)
    assert first.threshold == pytest.approx(1.0 - second.threshold, rel=1e-12)
    assert first.called == second.called
    expected = {one.feature: -one.contribution for one in second.contributions}
    assert {one.feature: one.contribution for one in first.contributions} == pytest.approx(expected)
    opposite = -model.effects().total(X)
    assert model.effects(outcome="informational").total(X) == pytest.approx(opposite)


def test_effects_are_those_of_one_class(model):
    own = model.effects(outcome="transactional")
    assert own.outcome == "transactional"
    assert own.total(X) == pytest.approx(model.class_models_[2].log_odds(X), rel=1e-9, abs=1e-9)
    with pytest.raises(DataError, match=r"each class has curves of its own.*outcome='informational'"):
        effects(model)


def test_one_class_cannot_be_learned():
    with pytest.raises(DataError, match="two or more classes: got one class"):
        NavigationalClassifier(LOGISTIC, cv=3).fit(X, np.full(len(X), "navigational"), groups=QUERIES)


def test_a_class_with_fewer_rows_than_folds_is_named():
    labels = LABELS.copy()
    labels[:2] = "typo"
    with pytest.raises(DataError, match=r"3 folds need 3 rows of each class: 'typo' has .*, merge classes"):
        NavigationalClassifier(LOGISTIC, cv=3).fit(X, labels, groups=QUERIES)


def test_a_class_of_a_single_query_is_refused():
    labels, queries = LABELS.copy(), list(QUERIES)
    labels[:4], queries[:4] = "typo", ["the same"] * 4
    with pytest.raises(DataError, match="All rows of class 'typo' are in one fold"):
        NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(X, labels, groups=queries)


def test_a_required_precision_is_for_two_classes():
    with pytest.raises(DataError, match="precision is for two classes: got 3"):
        NavigationalClassifier(LOGISTIC, cv=3, precision=0.9).fit(X, LABELS, groups=QUERIES)


def test_folds_that_cannot_be_split_again_are_refused():
    labels = np.where(np.arange(len(X)) < 3, "rare", LABELS)
    with pytest.raises(DataError, match="the rarest class has 2"):
        NavigationalClassifier(LOGISTIC, cv=3, nested=True, random_state=0).fit(X, labels, groups=QUERIES)
