"""A navigational classifier is restored from its file unchanged, and modified files are rejected."""

import copy
from dataclasses import replace

import numpy as np
import pandas
import pytest
from pydantic import ValidationError
from sklearn.linear_model import LogisticRegression

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.json_text import read_text, write_text
from glassrank.modelfile.codec.values import faults
from glassrank.modelfile.codec.vectors import extract_vectors, insert_vectors
from glassrank.modelfile.kinds.navigational_classifier import NavigationalPart
from glassrank.modelfile.kinds.navigational_decisions import describe_decision
from glassrank.modelfile.load_model import load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.navigational.decisions import EstimatorDecision
from glassrank.navigational.feature_settings import FeatureSettings
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from tests.modelfile.test_round_trip import assert_same_values
from tests.navigational.planted import planted_queries

X, Y, NAMES, _ = planted_queries(120)
FRAME = pandas.DataFrame(X, columns=NAMES)
BEYOND = np.vstack([X, 3.0 * X - 1.0])
MODELS = {
    "maximum entropy": NavigationalClassifier(("SVM weights", "maximum entropy", 6), cv=2, random_state=0),
    "naive Bayes": NavigationalClassifier(("combined", "naive Bayes", 6), cv=2, precision=0.5, random_state=0),
    "SVM linear": NavigationalClassifier(
        [("SVM weights", "SVM linear", 6), (None, "naive Bayes")], cv=2, random_state=0
    ),
    "SVM RBF": NavigationalClassifier(("SVM weights", "SVM RBF", 6), cv=2, threshold=0.25, n_jobs=1, random_state=0),
    "boosting trees": NavigationalClassifier((None, "boosting trees"), cv=2, random_state=3),
    "intervals": NavigationalClassifier(
        ("presence information gain", "categorical naive Bayes", 6), cv=2, random_state=0
    ),
    "tuned": NavigationalClassifier(("SVM weights", "SVM RBF", 6), cv=2, tune=True, random_state=0),
    "nested": NavigationalClassifier(("SVM weights", "maximum entropy", 6), cv=2, nested=True, random_state=0),
    "three classes": NavigationalClassifier(
        [("SVM weights", "maximum entropy", 6), (None, "boosting trees")], cv=2, nested=True, random_state=0
    ),
}
THREE = np.where(Y == 1, "navigational", np.where(np.nan_to_num(X[:, 3]) > 0.3, "transactional", "informational"))


@pytest.fixture(scope="module")
def fitted():
    labels = {"three classes": THREE}
    found = {name: copy.deepcopy(model).fit(X, labels.get(name, Y)) for name, model in MODELS.items()}
    # Two classes that take turns along the axis, so that one column has two cuts.
    turns = np.repeat([0, 1, 0], 40)
    intervals = NavigationalClassifier((None, "categorical naive Bayes"), cv=2, random_state=0)
    found["two cuts"] = intervals.fit(np.arange(120.0).reshape(-1, 1), turns)
    found["settings"] = copy.deepcopy(found["nested"])
    found["settings"].feature_settings_ = FeatureSettings("en", ("a.org",))
    return found


def as_written(model):
    """Return the validated content after writing and reading, with vectors inline or in a separate file."""
    content, aside = extract_vectors(NavigationalPart.of(model).model_dump(by_alias=True))
    text = read_text(write_text(content).encode(), "m.json")
    text.pop("checksum")
    return insert_vectors(text, aside, "m.json")


def passed_through(model):
    return NavigationalPart.model_validate(as_written(model)).restore()


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_has_the_same_state(name, fitted):
    loaded = passed_through(fitted[name])
    assert repr(loaded) == repr(fitted[name])
    assert_same_values(fitted[name], loaded)


@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_bitwise_equal(name, fitted):
    model, loaded = fitted[name], passed_through(fitted[name])
    assert loaded.predict_proba(BEYOND).tolist() == model.predict_proba(BEYOND).tolist()
    assert loaded.predict(BEYOND).tolist() == model.predict(BEYOND).tolist()


@pytest.mark.parametrize("name", [name for name in MODELS if name != "three classes"])
def test_the_file_gives_the_same_decisions_as_the_model(name, fitted):
    part = NavigationalPart.model_validate(as_written(fitted[name]))
    assert part.score(BEYOND).tolist() == fitted[name].decision_function(BEYOND).tolist()


def test_a_model_of_three_classes_has_no_single_score(fitted, tmp_path):
    save_model(fitted["three classes"], tmp_path / "three.json")
    with pytest.raises(DataError, match=r"has 3 classes and no single score.* glassrank intent predict"):
        load_scorer(tmp_path / "three.json").predict(np.nan_to_num(X))


def in_the_older_format(content):
    """The content as files had it before there were more than two classes: one model, beside the classifier."""
    (model,) = content.pop("class_models")
    training = {name: model.pop(name) for name in ("slope", "offset")}
    del model["threshold"]
    training["threshold"] = float(1.0 / (1.0 + np.exp(-model.pop("cut"))))
    return {**content, **model, "training": training}


@pytest.mark.parametrize("name", ["boosting trees", "tuned", "settings"])
def test_a_file_of_an_older_version_loads_unchanged(name, fitted):
    part = NavigationalPart.model_validate(in_the_older_format(as_written(fitted[name])))
    loaded = part.restore()
    assert loaded.threshold_ == pytest.approx(fitted[name].threshold_, rel=1e-12)
    assert part.score(BEYOND) == pytest.approx(fitted[name].decision_function(BEYOND), rel=1e-9)
    (model,), (expected,) = loaded.class_models_, fitted[name].class_models_
    loaded.class_models_ = (replace(model, cut=expected.cut),)
    assert_same_values(fitted[name], loaded)
    assert loaded.predict_proba(BEYOND).tolist() == fitted[name].predict_proba(BEYOND).tolist()


def test_a_damaged_file_of_an_older_version_is_rejected(fitted):
    content = in_the_older_format(as_written(fitted["nested"])) | {"training": [1, 2]}
    with pytest.raises(ValidationError, match="class_models"):
        NavigationalPart.model_validate(content)


def test_feature_names_are_restored():
    model = NavigationalClassifier(("SVM weights", "maximum entropy", 6), cv=2, random_state=0)
    model.fit(FRAME, np.where(Y, "navigational", "informational"))
    loaded = passed_through(model)
    assert loaded.feature_names_in_.tolist() == NAMES
    assert loaded.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    assert str(loaded.explain(FRAME.iloc[[0]])) == str(model.explain(FRAME.iloc[[0]]))
    assert loaded.effects().total(X).tolist() == model.effects().total(X).tolist()


def test_feature_settings_are_restored(fitted):
    model = copy.deepcopy(fitted["nested"])
    model.feature_settings_ = FeatureSettings("en", ("a.org", "b.org"), "literal")
    assert passed_through(model).feature_settings_ == model.feature_settings_
    model.feature_settings_ = FeatureSettings()
    assert passed_through(model).feature_settings_ == FeatureSettings(None, None)


def test_an_older_file_without_feature_settings_loads(fitted):
    content = as_written(fitted["nested"])
    del content["feature_settings"]
    assert not hasattr(NavigationalPart.model_validate(content).restore(), "feature_settings_")


def test_an_older_file_without_tuning_was_not_tuned(fitted):
    content = as_written(fitted["nested"])
    del content["class_models"][0]["tuned"], content["parameters"]["tune"]
    loaded = NavigationalPart.model_validate(content).restore()
    assert not loaded.tune
    assert not hasattr(loaded, "tuned_")
    assert set(passed_through(fitted["tuned"]).tuned_) == {"C", "gamma"}


def test_an_older_file_without_the_form_of_urlmr_has_the_bare_one(fitted):
    content = as_written(fitted["settings"])
    del content["feature_settings"]["urlmr"]
    assert NavigationalPart.model_validate(content).restore().feature_settings_.urlmr == "bare"


def test_a_file_with_old_names_of_selectors_loads(fitted):
    content = as_written(fitted["nested"])
    content["parameters"]["coupling"] = ["boosting", "maximum entropy", 6]
    content["class_models"][0]["tried"]["couplings"] = [["nomogram length", "maximum entropy", 6]]
    loaded = NavigationalPart.model_validate(content).restore()
    assert loaded.coupling == ("boosting influence", "maximum entropy", 6)
    assert loaded.cv_results_["coupling"][0].selector == "nomogram"


def test_a_fold_without_a_nested_score_is_restored(fitted):
    model = copy.deepcopy(fitted["nested"])
    model.nested_scores_ = np.array([np.nan, 0.5])
    loaded = passed_through(model)
    assert np.isnan(loaded.nested_scores_[0])
    assert loaded.nested_score_ == 0.5


def change(place, value):
    def apply(content):
        *way, last = place.split(".")
        for name in way:
            content = content[int(name) if isinstance(content, list) else name]
        content[last] = value(content[last])

    return apply


FAULTS = {
    "a source that is not a feature": (
        "boosting trees",
        "preparation.sources",
        lambda v: [999, *v[1:]],
        "must be features",
    ),
    "a mark of another kind": ("maximum entropy", "preparation.marks", lambda v: [2, *v[1:]], "must be 0 or 1"),
    "a slope too few": ("maximum entropy", "decision.slopes", lambda v: v[1:], "one entry per column"),
    "a ramp without width": ("naive Bayes", "decision.widths", lambda v: [0.0, *v[1:]], "above 0"),
    "a column without a number of cuts": ("intervals", "decision.n_cuts", lambda v: v[1:], "one entry per column"),
    "a cut too many": ("intervals", "decision.cuts", lambda v: [*v, 9.0], "one entry per cut"),
    "a level too few": ("intervals", "decision.levels", lambda v: v[1:], "one entry per interval"),
    "cuts out of order": ("two cuts", "decision.cuts", lambda v: v[::-1], "ascending order"),
    "a support vector too few": ("SVM RBF", "decision.duals", lambda v: v[1:], "support vector and column"),
    "a tree that goes in circles": ("boosting trees", "decision.left", lambda v: [0, *v[1:]], "come after it"),
    "a child beyond the nodes": ("boosting trees", "decision.right", lambda v: [10**6, *v[1:]], "come after it"),
    "a column that is not there": ("boosting trees", "decision.features", lambda v: [-1, *v[1:]], "must be columns"),
    "a root that is not there": ("boosting trees", "decision.roots", lambda v: [-1, *v[1:]], "roots must be nodes"),
    "a threshold beyond 1": ("nested", "threshold", lambda v: 1.5, "threshold"),
    "neither cut nor threshold": ("nested", "cut", lambda v: None, "either cut or threshold"),
    "a decision of an unknown kind": ("nested", "decision.kind", lambda v: "pickle", "unknown kind 'pickle'"),
    "a coupling of numbers": ("nested", "coupling", lambda v: [1, 2, 3], "expected a coupling"),
    "hosts that are no list": (
        "settings",
        "feature_settings.trusted_hosts",
        lambda v: "a.org",
        "expected a list of names",
    ),
    "a model too few": ("three classes", "class_models", lambda v: v[1:], "class_models must have one entry per class"),
    "a model too many": ("nested", "class_models", lambda v: v * 2, "one for two classes: expected 1, got 2"),
    "labels out of order": ("three classes", "classes.labels", lambda v: v[::-1], "in ascending order"),
    "one label": ("nested", "classes.labels", lambda v: v[:1], "two or more values"),
    "a median too few": ("nested", "medians", lambda v: v[1:], "medians must have one entry per feature"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_modified_file_is_rejected_with_the_reason(name, fitted):
    model, place, value, message = FAULTS[name]
    content = as_written(fitted[model])
    of_classifier = place.partition(".")[0] in content
    change(place if of_classifier else f"class_models.0.{place}", value)(content)
    with pytest.raises(ValidationError) as error:
        NavigationalPart.model_validate(content)
    assert message in faults(error.value)


def test_a_decision_of_an_unknown_estimator_is_rejected():
    with pytest.raises(DataError, match=r"expected LinearDecision, .* got EstimatorDecision"):
        describe_decision(EstimatorDecision(LogisticRegression()))


def test_an_unfitted_classifier_is_rejected():
    with pytest.raises(DataError, match="not fitted yet"):
        NavigationalPart.of(NavigationalClassifier(random_state=0))
