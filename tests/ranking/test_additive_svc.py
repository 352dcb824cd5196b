"""AdditiveSVC: two classes, a sum of one curve per feature, and probabilities from held-out rows."""

import csv
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.ranking.additive_svc import AdditiveSVC
from tests.estimator_checks import assert_passes
from tests.reference.class_objective import Classes, lrbf_gram, random_classes
from tests.reference.sigmoid import likelihood_derivatives


@pytest.mark.filterwarnings("ignore:Held-out rows are not classified better than by chance")
@parametrize_with_checks([AdditiveSVC(random_state=0), AdditiveSVC(kernel="lrbf", cv=None)])
def test_scikit_learns_checks_pass(estimator, check):
    """Some of the checks fit to labels that are unrelated to the features, which causes a warning."""
    assert_passes(check, estimator)


@pytest.fixture
def problem():
    return random_classes(11, n_rows=150, n_features=4)


def curved_problem(seed=0, n_rows=250):
    """Simulate a class that depends on three features by curves; the fourth is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)) * [1.0, 2.0, 0.5, 1.0]
    value = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 - 1.5 + 2 * X[:, 2] + 0.4 * rng.normal(size=n_rows)
    return X, np.where(value > 0, "yes", "no")


def linear_pieces(model, X):
    return X @ model.coef_[0] + model.intercept_[0]


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_squared_hinge_objective_is_liblinears(problem, C):
    model = AdditiveSVC(C=C, tol=1e-10, random_state=0).fit(problem.X, problem.signs)
    peer = LinearSVC(C=C, dual=False, intercept_scaling=1e4, tol=1e-12, max_iter=100_000)
    peer.fit(problem.X, problem.signs)
    twin = Classes(problem.X, problem.signs, np.full(150, C))
    assert model.objective_ == pytest.approx(twin.squared_hinge(model.coef_[0], model.intercept_[0]), rel=1e-11)
    assert model.objective_ == pytest.approx(twin.squared_hinge(peer.coef_[0], peer.intercept_[0]), rel=1e-7)
    assert 0.0 <= model.duality_gap_ <= 1e-10 * model.objective_
    assert model.coef_.shape == (1, 4)
    assert model.intercept_.shape == (1,)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_the_lrbf_solution_with_hinge_loss_is_libsvms_on_the_gram_matrix(C):
    X, y = curved_problem()
    gammas = 0.5 / X.var(axis=0)
    model = AdditiveSVC(C=C, kernel="lrbf", loss="hinge", cv=None, tol=1e-10).fit(X, y)
    gram = lrbf_gram(X, X, gammas)
    peer = SVC(kernel="precomputed", C=C, tol=1e-9).fit(gram, y)
    dual = peer.dual_coef_[0]
    signs = np.where(y == "yes", 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * peer.decision_function(gram))
    value = 0.5 * dual @ gram[np.ix_(peer.support_, peer.support_)] @ dual + C * slack.sum()
    assert model.objective_ == pytest.approx(value, rel=1e-7)
    new, _ = curved_problem(seed=1)
    expected = peer.decision_function(lrbf_gram(new, X, gammas))
    inside = (new >= X.min(axis=0)).all(axis=1) & (new <= X.max(axis=0)).all(axis=1)
    np.testing.assert_allclose(model.decision_function(new)[inside], expected[inside], rtol=0, atol=1e-4)


def test_the_lrbf_solution_with_squared_hinge_is_liblinears_on_a_factor_of_the_gram_matrix():
    X, y = curved_problem()
    gram = lrbf_gram(X, X, np.full(4, 0.3))
    eigenvalues, vectors = np.linalg.eigh(gram)
    factor = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    peer = LinearSVC(C=2.0, dual=False, intercept_scaling=1e4, tol=1e-12, max_iter=100_000).fit(factor, y)
    twin = Classes(factor, np.where(y == "yes", 1.0, -1.0), np.full(len(y), 2.0))
    model = AdditiveSVC(C=2.0, kernel="lrbf", gamma=0.3, cv=None, tol=1e-10).fit(X, y)
    assert model.objective_ == pytest.approx(twin.squared_hinge(peer.coef_[0], peer.intercept_[0]), rel=1e-7)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(factor), rtol=0, atol=1e-5)


def test_the_lrbf_kernel_learns_what_a_line_cannot():
    X, y = curved_problem()
    new, expected = curved_problem(seed=1)
    curved, straight = AdditiveSVC(kernel="lrbf", random_state=0).fit(X, y), AdditiveSVC(random_state=0).fit(X, y)
    assert curved.score(new, expected) > 0.85 > 0.75 > straight.score(new, expected)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_the_decision_is_a_sum_of_one_term_per_feature(kernel):
    """In such a sum, a change of one feature has the same effect for any values of the others."""
    X, y = curved_problem()
    model = AdditiveSVC(kernel=kernel, random_state=0).fit(X, y)
    changed, elsewhere = X.copy(), X[::-1].copy()
    changed[:, 1] += 0.7
    elsewhere[:, 1] = X[:, 1]
    elsewhere_changed = elsewhere.copy()
    elsewhere_changed[:, 1] += 0.7
    here = model.decision_function(changed) - model.decision_function(X)
    there = model.decision_function(elsewhere_changed) - model.decision_function(elsewhere)
    assert np.abs(here).max() > 0.01
    np.testing.assert_allclose(here, there, rtol=0, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_probabilities_are_those_of_calibrated_classifier_cv_on_the_same_folds(problem, loss):
    folds = list(StratifiedKFold(4, shuffle=True, random_state=1).split(problem.X, problem.signs))
    model = AdditiveSVC(C=0.5, loss=loss, cv=folds, tol=1e-10, random_state=0).fit(problem.X, problem.signs)
    if loss == "hinge":
        machine = SVC(kernel="linear", C=0.5, tol=1e-9)
    else:
        machine = LinearSVC(C=0.5, dual=False, intercept_scaling=1e3, tol=1e-12, max_iter=100_000)
    peer = CalibratedClassifierCV(machine, method="sigmoid", ensemble=False, cv=folds).fit(problem.X, problem.signs)
    np.testing.assert_allclose(model.predict_proba(problem.X), peer.predict_proba(problem.X), rtol=0, atol=1e-4)
    sigmoid = peer.calibrated_classifiers_[0].calibrators[0]
    assert (model.slope_, model.offset_) == pytest.approx((sigmoid.a_, sigmoid.b_), rel=1e-3, abs=1e-3)


def test_the_sigmoid_has_the_maximum_likelihood_on_outputs_for_held_out_rows(problem):
    positive = problem.signs > 0
    folds = list(KFold(3, shuffle=True, random_state=0).split(problem.X))
    outputs = np.empty(150)
    for train, test in folds:
        twin = Classes(problem.X[train], problem.signs[train], np.ones(len(train)))
        w, b = twin.best()
        outputs[test] = problem.X[test] @ w + b
    model = AdditiveSVC(cv=folds, tol=1e-12, random_state=0).fit(problem.X, problem.signs)
    _, gradient, hessian = likelihood_derivatives([model.slope_, model.offset_], outputs, positive)
    # The remaining Newton step says how far the fit is from the maximum likelihood.
    np.testing.assert_allclose(np.linalg.solve(hessian, gradient), 0.0, atol=1e-6)


def test_a_number_of_folds_means_stratified_shuffled_folds(problem):
    splitter = StratifiedKFold(5, shuffle=True, random_state=7)
    counted = AdditiveSVC(cv=5, random_state=7).fit(problem.X, problem.signs)
    split = AdditiveSVC(cv=splitter, random_state=0).fit(problem.X, problem.signs)
    assert (counted.slope_, counted.offset_) == (split.slope_, split.offset_)
    other = AdditiveSVC(cv=5, random_state=8).fit(problem.X, problem.signs)
    assert other.slope_ != counted.slope_


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_decision_classes_and_probabilities_agree(kernel):
    X, y = curved_problem()
    model = AdditiveSVC(kernel=kernel, random_state=0).fit(X, y)
    decisions, probabilities = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(np.log(probabilities[:, 1] / probabilities[:, 0]), decisions, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-15)
    assert model.predict(X).tolist() == np.where(probabilities[:, 1] > 0.5, "yes", "no").tolist()


def test_the_log_odds_follow_from_the_output_and_the_sigmoid(problem):
    model = AdditiveSVC(random_state=0).fit(problem.X, problem.signs)
    expected = -(model.slope_ * linear_pieces(model, problem.X) + model.offset_)
    np.testing.assert_allclose(model.decision_function(problem.X), expected, rtol=1e-12, atol=1e-12)


def test_simulated_probabilities_are_recovered():
    """Log-odds 2x − 1 by simulation: the fitted probabilities lie near the true ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 1))
    truth = 1.0 / (1.0 + np.exp(1.0 - 2.0 * X[:, 0]))
    model = AdditiveSVC(random_state=0).fit(X, rng.random(20_000) < truth)
    assert np.abs(model.predict_proba(X)[:, 1] - truth).max() < 0.03


def test_without_folds_the_decision_is_the_raw_output_and_there_are_no_probabilities(problem):
    model = AdditiveSVC(cv=None).fit(problem.X, problem.signs)
    np.testing.assert_allclose(model.decision_function(problem.X), linear_pieces(model, problem.X), rtol=1e-13)
    assert model.slope_ is None
    assert model.offset_ is None
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba") as error:
        model.predict_proba(problem.X)
    assert "cv=None" in str(error.value)


def test_a_refit_without_folds_removes_the_probabilities(problem):
    model = AdditiveSVC(random_state=0).fit(problem.X, problem.signs)
    model.set_params(cv=None).fit(problem.X, problem.signs)
    np.testing.assert_allclose(model.decision_function(problem.X), linear_pieces(model, problem.X), rtol=1e-13)
    model.set_params(cv=3)
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("labels", [["cat", "dog"], [0, 1], [-1, 1], [True, False], [2.0, 7.0]])
def test_labels_may_be_anything(problem, labels):
    y = np.array(labels)[(problem.signs > 0).astype(int)]
    model = AdditiveSVC(random_state=0).fit(problem.X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert set(model.predict(problem.X).tolist()) == set(labels)
    assert model.score(problem.X, y) > 0.8


def test_exchanging_the_classes_changes_the_sign(problem):
    model = AdditiveSVC(tol=1e-12, cv=None).fit(problem.X, problem.signs)
    turned = AdditiveSVC(tol=1e-12, cv=None).fit(problem.X, -problem.signs)
    np.testing.assert_allclose(turned.coef_, -model.coef_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(turned.intercept_, -model.intercept_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
def test_sparse_rows_give_the_same_model(problem, kind, loss):
    X = np.where(np.abs(problem.X) < 0.5, 0.0, problem.X)
    dense = AdditiveSVC(loss=loss, tol=1e-10, random_state=0).fit(X, problem.signs)
    thin = AdditiveSVC(loss=loss, tol=1e-10, random_state=0).fit(kind(X), problem.signs)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=0, atol=1e-4)
    np.testing.assert_allclose(thin.predict_proba(kind(X)), dense.predict_proba(X), rtol=0, atol=1e-4)
    assert thin.objective_ == pytest.approx(dense.objective_, rel=1e-9)


def test_the_lrbf_kernel_takes_sparse_rows_too():
    X, y = curved_problem()
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense, thin = (
        AdditiveSVC(kernel="lrbf", random_state=0).fit(X, y),
        AdditiveSVC(kernel="lrbf", random_state=0).fit(sparse.csr_matrix(X), y),
    )
    np.testing.assert_array_equal(thin.decision_function(sparse.csr_matrix(X)), dense.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_a_row_weight_counts_as_repeated_rows(kernel, loss):
    X, y = curved_problem(n_rows=120)
    weights = np.random.default_rng(3).integers(0, 4, size=120)
    parameters = {"kernel": kernel, "loss": loss, "cv": None, "tol": 1e-10}
    weighted = AdditiveSVC(**parameters).fit(X, y, sample_weight=weights)
    repeated = AdditiveSVC(**parameters).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-4)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


def test_the_scale_of_a_feature_does_not_matter_to_the_lrbf_kernel():
    X, y = curved_problem()
    plain = AdditiveSVC(kernel="lrbf", random_state=0).fit(X, y).decision_function(X)
    scales = np.array([1e3, 1e-3, 1.0, 7.0])
    scaled = AdditiveSVC(kernel="lrbf", random_state=0).fit(X * scales + 5, y).decision_function(X * scales + 5)
    np.testing.assert_allclose(scaled, plain, rtol=0, atol=1e-6)


def test_a_constant_feature_has_no_effect():
    X, y = curved_problem()
    wider = np.column_stack([X, np.full(len(X), 3.0)])
    plain, model = (
        AdditiveSVC(kernel="lrbf", random_state=0).fit(X, y),
        AdditiveSVC(kernel="lrbf", random_state=0).fit(wider, y),
    )
    np.testing.assert_allclose(model.decision_function(wider), plain.decision_function(X), rtol=0, atol=1e-9)


def test_one_gamma_for_features_of_very_different_scale_is_warned_of():
    X, y = curved_problem()
    with pytest.warns(UserWarning, match="gamma='scale'"):
        AdditiveSVC(kernel="lrbf", gamma=1e-3, random_state=0).fit(X * [1.0, 1.0, 500.0, 1.0], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdditiveSVC(kernel="lrbf", gamma=0.5, random_state=0).fit(X, y)


def test_labels_without_a_connection_to_the_features_are_warned_of():
    """Both classes have the same features: held-out outputs favour the wrong class."""
    X = np.repeat(np.arange(6.0), 2)[:, None]
    y = np.tile([0, 1], 6)
    folds = [(np.arange(1, 12), np.array([0])), (np.arange(11), np.array([11]))]
    with pytest.warns(UserWarning, match="by chance"):
        AdditiveSVC(cv=folds, random_state=0).fit(X, y)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_an_early_stop_warns_and_names_the_gap(problem, loss):
    with pytest.warns(ConvergenceWarning, match=r"4 of 4 fits stopped at a certified gap of up to .* max_iter"):
        AdditiveSVC(C=1e3, loss=loss, max_iter=1, tol=1e-12, random_state=0).fit(problem.X, problem.signs)


def test_two_fits_are_the_same(problem):
    first, second = (AdditiveSVC(random_state=0).fit(problem.X, problem.signs) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(problem.X), second.predict_proba(problem.X))


def test_rows_may_be_held_out_more_than_once_or_never(problem):
    for splitter in (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), ShuffleSplit(3, random_state=0)):
        model = AdditiveSVC(cv=splitter, random_state=0).fit(problem.X, problem.signs)
        assert model.slope_ < 0


def test_names_of_features_are_kept_and_checked(problem):
    frame = pd.DataFrame(problem.X, columns=list("abcd"))
    model = AdditiveSVC(random_state=0).fit(frame, pd.Series(problem.signs))
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("bacd")])


def test_a_search_and_a_pipeline_take_it(problem):
    pipeline = make_pipeline(StandardScaler(), AdditiveSVC(kernel="lrbf", random_state=0))
    search = GridSearchCV(pipeline, {"additivesvc__C": [0.01, 1.0]}, cv=3, scoring="neg_log_loss")
    search.fit(problem.X, problem.signs)
    assert search.best_score_ == pytest.approx(max(search.cv_results_["mean_test_score"]))
    assert search.predict_proba(problem.X).shape == (150, 2)


def test_a_clone_has_the_parameters_and_no_fit(problem):
    model = AdditiveSVC(C=3.0, kernel="lrbf", gamma=0.2, cv=4, random_state=0).fit(problem.X, problem.signs)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict_proba(problem.X)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 2, 0, 1, 2], "Only binary classification is supported.*6 rows of 3 classes: 0, 1, 2"),
        (["a"] * 6, "6 rows of the one class 'a'"),
        ([0.5, 0.1, 2.0, 0.3, 0.7, 0.9], "continuous"),
        ([0, 0, 0, 0, 1, 1], r"3 folds need 3 rows of each class: '1' has 2\. Lower cv"),
    ],
)
def test_labels_that_do_not_fit_are_refused_with_the_reason(y, message):
    with pytest.raises(ValueError, match=message):
        AdditiveSVC(random_state=0).fit(np.arange(12.0).reshape(6, 2), y)


def test_a_fold_with_one_class_to_train_on_is_refused():
    X, y = np.arange(12.0).reshape(6, 2), [0, 0, 0, 0, 0, 1]
    with pytest.raises(DataError, match="is of class '1'"):
        AdditiveSVC(cv=KFold(2), random_state=0).fit(X, y)


@pytest.mark.parametrize("weights", [[1, 1, 1, -1, 1, 1], [1, 1], [np.nan] * 6, [0] * 6, [1, 1, 1, 0, 0, 0]])
def test_row_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(DataError, match="sample_weight"):
        AdditiveSVC(random_state=0).fit(np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 1], sample_weight=weights)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        *(("C", value) for value in (0, -1.0, "big", np.inf)),
        *(("gamma", value) for value in (0.0, -1, "auto", None)),
        *(("cv", value) for value in (0, 1, "three", 2.5)),
        *(("tol", value) for value in (0.0, np.nan)),
        *(("max_iter", value) for value in (0, 1.5)),
        *(("kernel", value) for value in ("rbf", None)),
        ("loss", "logistic"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(problem, parameter, value):
    with pytest.raises(DataError, match=f"^{parameter} must"):
        AdditiveSVC(**{parameter: value}).fit(problem.X, problem.signs)


def test_the_hinge_with_too_many_columns_is_refused_with_the_remedy():
    X = sparse.random(20, 5_000, density=0.01, random_state=0, format="csr")
    with pytest.raises(DataError, match=r"at most 4,096 columns: got 5,000. Use loss='squared_hinge'"):
        AdditiveSVC(loss="hinge", random_state=0).fit(X, np.tile([0, 1], 10))
    assert AdditiveSVC(cv=None).fit(X, np.tile([0, 1], 10)).coef_.shape == (1, 5_000)


def test_infinite_features_are_refused(problem):
    X = problem.X.copy()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"infinity"):
        AdditiveSVC(random_state=0).fit(X, problem.signs)


def read_tab(path):
    """Read a table with three lines of header: names, kinds and roles; the class is the last column; '?' is missing."""
    with path.open(newline="") as file:
        names, kinds, _, *rows = csv.reader(file, delimiter="\t")
    table = pd.DataFrame([row for row in rows if row and "?" not in row], columns=names)
    y = table.pop(names[-1]).to_numpy()
    numeric = [name for name, kind in zip(names, kinds, strict=True) if kind in {"c", "continuous"} and name in table]
    return pd.get_dummies(table.astype(dict.fromkeys(numeric, float)), dtype=float).to_numpy(), y


@pytest.mark.parametrize(
    ("file", "n_rows"), [("heart_disease.tab", 297), ("breast-cancer-wisconsin-cont.tab", 683)], ids=["heart", "breast"]
)
@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_real_classes_are_separated_as_well_as_by_logistic_regression(real_data, file, n_rows, kernel):
    X, y = read_tab(real_data / "tabular" / file)
    assert len(y) == n_rows
    folds, measures = StratifiedKFold(5, shuffle=True, random_state=0), ["accuracy", "neg_log_loss"]
    ours = make_pipeline(StandardScaler(), AdditiveSVC(C=0.01, kernel=kernel, random_state=0))
    peer = make_pipeline(StandardScaler(), LogisticRegression())
    of_ours, of_peer = (cross_validate(model, X, y, cv=folds, scoring=measures) for model in (ours, peer))
    for measure in measures:
        differences = of_ours[f"test_{measure}"] - of_peer[f"test_{measure}"]
        assert differences.mean() > -2.0 * differences.std(ddof=1) / np.sqrt(5)


def test_real_probabilities_match_frequencies(real_data):
    """In each third of the scale, the share of ill patients is about their mean probability."""
    X, y = read_tab(real_data / "tabular" / "heart_disease.tab")
    held_out = np.empty(len(y))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        model = make_pipeline(StandardScaler(), AdditiveSVC(C=0.01, kernel="lrbf", random_state=0)).fit(
            X[train], y[train]
        )
        held_out[test] = model.predict_proba(X[test])[:, 1]
    assert log_loss(y == "1", held_out) < 0.45
    third = np.minimum((held_out * 3).astype(int), 2)
    for number in range(3):
        inside = third == number
        assert abs((y[inside] == "1").mean() - held_out[inside].mean()) < 0.1
