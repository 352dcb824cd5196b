"""The navigational classifier: the choice, its probabilities, its threshold, and its explanations."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.navigational.coupling.classifiers import BOOSTING, CLASSIFIERS, DEFAULT_CLASSIFIERS
from glassrank.navigational.coupling.couplings import GRID, Coupling, as_couplings, fit_couplings, held_out_outputs
from glassrank.navigational.coupling.tuning import fit_tuned
from glassrank.navigational.decision_explanation import DecisionContribution, DecisionExplanation
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.selection.selector_names import DEFAULT_SELECTORS
from tests.estimator_checks import assert_passes, assert_takes_odd_data
from tests.navigational.planted import planted_queries

X, Y, NAMES, _ = planted_queries(200)
FRAME = pandas.DataFrame(X, columns=NAMES)
LOGISTIC = ("SVM weights", "maximum entropy", 6)
ADDITIVE = [LOGISTIC, ("SVM weights", "naive Bayes", 6), ("information gain", "SVM linear", 6)]
OTHERS = [("SVM weights", "SVM RBF", 6), ("boosting influence", "boosting trees", 6)]


def held_out_probabilities(model, rows, labels):
    """The probabilities on which the threshold was chosen: the sigmoid of the outputs on each held-out fold."""
    outputs = np.empty(len(rows))
    names = tuple(map(str, range(rows.shape[1])))
    for train, test in StratifiedKFold(model.cv, shuffle=True, random_state=0).split(rows, labels):
        (fitted,) = fit_couplings(rows[train], labels[train], names, [model.coupling_], 0)
        outputs[test] = fitted(rows[test])
    return 1.0 / (1.0 + np.exp(model.slope_ * outputs + model.offset_))


@parametrize_with_checks([NavigationalClassifier(LOGISTIC, cv=2, threshold=0.5, random_state=0)])
def test_scikit_learns_checks_pass(estimator, check):
    with warnings.catch_warnings():
        # Some checks use labels that do not depend on the features.
        warnings.filterwarnings("ignore", message="Held-out rows are classified no better")
        assert_passes(check, estimator)


def test_the_default_threshold_works_on_odd_data():
    assert_takes_odd_data(NavigationalClassifier(LOGISTIC, cv=2))


def test_the_default_chooses_the_best_of_the_grid_on_held_out_rows():
    model = NavigationalClassifier(cv=3, random_state=0).fit(FRAME, Y)
    assert tuple(model.cv_results_["coupling"]) == GRID
    assert model.coupling_ == GRID[int(np.argmax(model.cv_results_["value"]))]
    assert f1_score(Y, model.predict(FRAME)) > 0.7
    assert clone(model).get_params() == model.get_params()


def test_every_coupling_that_a_study_ranks_can_be_tried():
    studied = {(selector, kind) for selector in (None, *DEFAULT_SELECTORS) for kind in DEFAULT_CLASSIFIERS}
    assert {(one.selector, one.classifier) for one in as_couplings("every")} == studied
    assert len(as_couplings("every")) == 30


def test_the_chosen_c_and_gamma_have_the_highest_average_precision_on_the_training_rows():
    clean, labels, _, _ = planted_queries(120, gaps=False)
    rows = clean[:, :5]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(rows, labels))
    expected = {}
    for C in (0.1, 1.0, 10.0):
        for gamma in (0.05, 0.2, 0.8):  # 1/4, 1 and 4 times 1/5
            scores = []
            for train, test in folds:
                mean, spread = rows[train].mean(axis=0), rows[train].std(axis=0)
                machine = SVC(C=C, gamma=gamma).fit((rows[train] - mean) / spread, labels[train])
                outputs = machine.decision_function((rows[test] - mean) / spread)
                scores.append(average_precision_score(labels[test], outputs))
            expected[C, gamma] = np.mean(scores)
    model, settings = fit_tuned(CLASSIFIERS["SVM RBF"], rows, labels, 0)
    best = max(expected, key=expected.get)
    assert (settings["C"], settings["gamma"]) == pytest.approx(best)
    assert (model[-1].C, model[-1].gamma) == pytest.approx(best)


def test_tuning_happens_inside_each_fold():
    """Flipped labels of held-out rows change neither C nor γ nor the outputs of their fold."""
    names = tuple(map(str, range(X.shape[1])))
    train, held_out = np.arange(0, 150), np.arange(150, 200)
    flipped = np.where(np.isin(np.arange(200), held_out), 1 - Y, Y)
    given = (names, [Coupling("SVM weights", "SVM RBF", 6)], 0, True, None, train, held_out)
    (one,), (other,) = held_out_outputs(X, Y, *given), held_out_outputs(X, flipped, *given)
    assert one.tolist() == other.tolist()


def test_classifiers_without_such_settings_are_fitted_as_they_are():
    for name in ("naive Bayes", BOOSTING, "categorical naive Bayes"):
        assert fit_tuned(CLASSIFIERS[name], np.nan_to_num(X), Y, 0)[1] == {}
    # One row of a class cannot be split.
    assert fit_tuned(CLASSIFIERS["SVM linear"], np.arange(8.0).reshape(4, 2), np.array([0, 0, 0, 1]), 0)[1] == {}


def test_a_selector_that_would_keep_all_columns_is_dropped():
    model = NavigationalClassifier(
        [("SVM weights", "maximum entropy", 50), ("boosting influence", "maximum entropy", 50)], cv=3, random_state=0
    )
    assert model.fit(X[:, :12], Y).cv_results_["coupling"] == [Coupling(None, "maximum entropy", None)]


def test_probabilities_equal_scikit_learns_sigmoid_calibration():
    clean, labels, _, _ = planted_queries(200, gaps=False)
    clean = clean[:, :20]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = NavigationalClassifier((None, "maximum entropy"), cv=3, random_state=0).fit(clean, labels)
    peer = CalibratedClassifierCV(
        make_pipeline(StandardScaler(), LogisticRegression()), method="sigmoid", ensemble=False, cv=folds
    ).fit(clean, labels)
    assert model.predict_proba(clean) == pytest.approx(peer.predict_proba(clean), abs=1e-3)


def test_the_threshold_has_the_highest_f1_on_held_out_rows():
    model = NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(X, Y)
    probabilities = held_out_probabilities(model, X, Y)
    reached = f1_score(Y, probabilities > model.threshold_)
    assert reached == pytest.approx(max(f1_score(Y, probabilities >= cut) for cut in probabilities), rel=1e-12)
    assert model.cv_results_["value"][0] == pytest.approx(reached, rel=1e-12)


@pytest.mark.parametrize("wanted", [0.5, 0.7, 0.9])
def test_a_required_precision_is_reached_on_held_out_rows(wanted):
    model = NavigationalClassifier(LOGISTIC, cv=3, precision=wanted, random_state=0).fit(X, Y)
    probabilities = held_out_probabilities(model, X, Y)
    called = probabilities > model.threshold_
    assert precision_score(Y, called) >= wanted
    # No lower threshold reaches it with a higher recall.
    lower = [probabilities >= cut for cut in probabilities if cut < model.threshold_]
    assert not any(precision_score(Y, more) >= wanted and Y[more].sum() > Y[called].sum() for more in lower)


def test_a_threshold_that_rounds_to_1_still_predicts_the_queries_above_it():
    """Twelve positives are far away, and two negatives are among the others: log-odds of the cut are above 37."""
    rng, labels = np.random.default_rng(0), np.arange(300) % 2
    values = rng.normal(size=300) + 3.0 * labels
    far = np.flatnonzero(labels == 1)[:12]
    values[far] += 80.0
    values[np.flatnonzero(labels == 0)[:2]] += 8.0
    model = NavigationalClassifier((None, "maximum entropy"), cv=3, precision=0.995, random_state=0)
    model.fit(values[:, None], labels)
    assert model.threshold_ == 1.0
    assert np.flatnonzero(model.predict(values[:, None])).tolist() == far.tolist()
    assert "above 1.000" in str(model.explain(values[far[:1], None]))


def test_a_precision_out_of_reach_is_refused():
    # Both values of the feature occur with both classes.
    one_feature, labels = np.tile([[0.0], [0.0], [1.0], [1.0]], (15, 1)), np.tile([0, 1], 30)
    with pytest.raises(DataError, match=r"No threshold reaches a precision of 0\.99"):
        NavigationalClassifier((None, "naive Bayes"), cv=3, precision=0.99, random_state=0).fit(one_feature, labels)


def test_decisions_probabilities_and_classes_agree():
    model = NavigationalClassifier(LOGISTIC, cv=3, threshold=0.3, random_state=0).fit(
        X, np.where(Y, "navigational", "other")
    )
    probabilities = model.predict_proba(X)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    assert model.classes_.tolist() == ["navigational", "other"]
    assert model.predict(X).tolist() == model.classes_[(probabilities[:, 1] > 0.3).astype(int)].tolist()
    assert ((model.decision_function(X) > 0) == (model.predict(X) == "other")).all()


def test_the_nested_estimate_repeats_the_choice_without_each_outer_fold():
    offered = [LOGISTIC, ("information gain", "naive Bayes", 4)]
    model = NavigationalClassifier(offered, cv=3, nested=True, random_state=0).fit(X, Y)
    expected = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y):
        again = NavigationalClassifier(offered, cv=3, random_state=0).fit(X[train], Y[train])
        expected.append(f1_score(Y[test], again.predict(X[test])))
    assert model.nested_scores_ == pytest.approx(expected, rel=1e-12)
    assert model.nested_score_ == pytest.approx(np.mean(expected), rel=1e-12)


def test_the_result_does_not_depend_on_n_jobs():
    from joblib import parallel_config

    with parallel_config(backend="threading"):
        one, two = (NavigationalClassifier(OTHERS, cv=2, n_jobs=jobs, random_state=0).fit(X, Y) for jobs in (1, 2))
    assert one.predict_proba(X).tolist() == two.predict_proba(X).tolist()


@pytest.mark.parametrize("coupling", ADDITIVE, ids=lambda one: one[1])
def test_effects_add_up_to_the_log_odds_including_missing_values(coupling):
    model = NavigationalClassifier(coupling, cv=3, threshold=0.5, random_state=0).fit(FRAME, Y)
    effects = model.effects()
    assert effects.names == tuple(NAMES)
    assert np.isnan(X).any()
    assert effects.total(X) == pytest.approx(model.decision_function(FRAME), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("coupling", ADDITIVE, ids=lambda one: one[1])
def test_contributions_of_an_additive_model_equal_its_effects(coupling):
    model = NavigationalClassifier(coupling, cv=3, random_state=0).fit(FRAME, Y)
    with_gaps = np.isnan(X).any(axis=1)
    row = X[with_gaps][:1]
    found = model.explain(FRAME[with_gaps][:1])
    assert found.exact
    effects = model.effects()
    by_effects = dict(
        zip(NAMES, (effects.contributions(row) - effects.contributions(model.medians_[None]))[0], strict=True)
    )
    for one in found.contributions:
        assert one.contribution == pytest.approx(by_effects[one.feature], abs=1e-9)
    total = found.usual_log_odds + sum(one.contribution for one in found.contributions)
    assert 1.0 / (1.0 + np.exp(-total)) == pytest.approx(found.probability, rel=1e-9)


@pytest.mark.parametrize("coupling", OTHERS, ids=lambda one: one[1])
def test_other_models_are_explained_by_replacing_one_feature_by_its_median(coupling):
    model = NavigationalClassifier(coupling, cv=3, threshold=0.5, random_state=0).fit(FRAME, Y)
    found = model.explain(FRAME.iloc[[3]])
    assert not found.exact
    strongest = found.contributions[0]
    replaced = FRAME.iloc[[3]].copy()
    replaced[strongest.feature] = FRAME[strongest.feature].median()
    change = model.decision_function(FRAME.iloc[[3]])[0] - model.decision_function(replaced)[0]
    assert strongest.contribution == pytest.approx(change, rel=1e-9, abs=1e-12)
    assert json.loads(found.to_json())["called"] == found.called
    assert "do not add up" in str(found)
    with pytest.raises(DataError, match="features interact"):
        model.effects()


@pytest.mark.parametrize("coupling", ADDITIVE, ids=lambda one: one[1])
def test_the_printed_rows_of_an_additive_model_add_up_to_the_log_odds_of_p(coupling):
    model = NavigationalClassifier(coupling, cv=3, random_state=0).fit(FRAME, Y)
    lines = str(model.explain(FRAME.iloc[[3]])).splitlines()
    assert lines[2].split()[1:] == ["usual", "query"]
    assert "total" in lines[-2]
    *rows, total = [float(line.split()[0]) for line in lines[2:-1]]
    # Each row is rounded to three decimals.
    assert sum(rows) == pytest.approx(total, abs=0.0005 * (len(rows) + 1))
    p = model.predict_proba(FRAME.iloc[[3]])[0, 1]
    assert total == pytest.approx(np.log(p / (1.0 - p)), abs=0.0005 + 1e-9)


def test_features_that_are_not_shown_have_one_row_in_the_sum():
    ones = tuple(DecisionContribution(f"f{k}", 1.0, 0.0, 0.25) for k in range(12))
    found = DecisionExplanation("1", "1", 1.0 / (1.0 + np.exp(-1.0)), 0.5, True, -2.0, ones, exact=True)
    lines = str(found).splitlines()
    # -2 + 12 · 0.25 = 1, ten of them shown: the other two add 0.5.
    assert lines[2].split() == ["-2.000", "usual", "query"]
    assert lines[-3].split() == ["+0.500", "2", "more"]
    assert lines[-2].startswith("+1.000    total = ")
    apart = str(replace(found, exact=False))
    assert "total" not in apart
    assert "usual query" not in apart
    assert "and 2 more" in apart


def test_an_explanation_prints_the_contributions():
    model = NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(FRAME, Y)
    row = FRAME.iloc[[int(np.argmax(model.predict_proba(FRAME)[:, 1]))]]
    text = str(model.explain(row))
    assert text.startswith("predicted 1: P(1) = 0.9")
    assert "clk_CR|p1" in text
    assert len(model.explain(row).to_frame("pandas")) == len(
        {name.removesuffix(" missing") for name in model.selected_features_}
    )


def test_a_nomogram_shows_an_additive_model():
    model = NavigationalClassifier(LOGISTIC, cv=3, threshold=0.5, random_state=0).fit(FRAME, Y)
    filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    picture = nomogram(model.effects(filled), filled, document=4)
    assert picture.overlay.total == pytest.approx(model.decision_function(pandas.DataFrame(filled, columns=NAMES))[4])


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_stored_decision_equals_the_fitted_classifier(classifier):
    """The library itself predicts the same."""
    rng = np.random.default_rng(2)
    rows, labels = rng.normal(size=(150, 5)), rng.integers(0, 2, 150)
    rows[:, 0] += labels
    kind = CLASSIFIERS[classifier]
    fitted = kind.make(0).fit(rows, labels)
    others = 2 * rng.normal(size=(40, 5))
    if classifier == BOOSTING and kind.engine == "LightGBM":
        wanted = fitted.booster_.predict(others, raw_score=True)
    elif hasattr(fitted, "decision_function"):
        wanted = fitted.decision_function(others)
    else:
        wanted = np.diff(fitted.predict_log_proba(others), axis=1).ravel()
    assert kind.read(fitted)(others) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coupling": ("chi2", "naive Bayes", 5)}, "selector must be one of 'information gain'"),
        ({"coupling": ("boosting influence", "forest", 5)}, "classifier must be one of 'naive Bayes'"),
        ({"coupling": ("boosting influence", "naive Bayes", 0)}, "n_features must be a positive whole number"),
        ({"coupling": "boosting influence"}, "coupling must be None, 'every', \\(selector"),
        ({"coupling": []}, "at least one coupling"),
        ({"threshold": 1.5}, "threshold must be 'f1' or a number above 0 and below 1: got 1.5"),
        ({"threshold": 0.4, "precision": 0.9}, "with threshold 'f1'"),
        ({"precision": 1.0}, "precision must be a number above 0 and below 1"),
        ({"cv": "five"}, "cv must be a number of folds"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:20],
)
def test_invalid_options_are_refused_with_the_reason(options, message):
    with pytest.raises(DataError, match=message):
        NavigationalClassifier(**options).fit(X, Y)


def test_explain_takes_one_row():
    model = NavigationalClassifier(LOGISTIC, cv=3, random_state=0).fit(X, Y)
    with pytest.raises(DataError, match="one row: got 2"):
        model.explain(X[:2])
    assert model.explain(X[0]).called == str(model.predict(X[:1])[0])
