"""RankSVM's losses, pair weights and row weights against peers on the listed pairs."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy import sparse
from scipy.stats import kendalltau
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from glassrank import DataError, RankSVM
from tests.reference import pair_losses as twin
from tests.reference.pairs import published_points, random_problem

LOSSES = {"squared_hinge": twin.SquaredHinge(), "hinge": twin.Hinge(), "logistic": twin.Logistic()}
KINDS = ["uniform", "query", "label-gap", "ndcg"]
TIGHT = {"squared_hinge": 1e-12, "hinge": 1e-7, "logistic": 1e-12}
# Share of the largest weight: ½‖w − optimum‖² may be as large as the gap.
CLOSE = {"squared_hinge": 1e-6, "hinge": 1e-4, "logistic": 3e-5}
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def problem():
    return random_problem(11, n_rows=120, n_features=4, n_queries=8)


def fit(problem, loss="squared_hinge", rows=None, tol=None, **parameters):
    """Fit with a tolerance as tight as the loss allows."""
    model = RankSVM(**{"C_unit": "pair", "loss": loss, "tol": TIGHT[loss] if tol is None else tol} | parameters)
    return model.fit(problem.X, problem.y, qid=problem.qid, sample_weight=rows)


def assert_close(weights, expected, loss):
    np.testing.assert_allclose(weights, expected, rtol=0, atol=CLOSE[loss] * np.abs(expected).max())


def listed(problem, loss, C, kind="uniform", rows=None):
    return twin.listed_objective(problem.X, problem.y, problem.qid, C, LOSSES[loss], kind, rows)


def peer_weights(slow, loss):
    """Weights by LIBLINEAR or scikit-learn on the listed pairs in both orientations, with C/2."""
    rows = np.vstack([slow.differences, -slow.differences])
    sign, weights = np.repeat([1, -1], len(slow.differences)), np.tile(slow.weights, 2)
    if loss == "logistic":
        peer = LogisticRegression(C=slow.C / 2, fit_intercept=False, solver="newton-cholesky", tol=1e-10, max_iter=200)
    else:
        peer = LinearSVC(
            loss=loss, C=slow.C / 2, fit_intercept=False, dual=loss == "hinge", tol=1e-9, max_iter=1_000_000
        )
    return peer.fit(rows, sign, sample_weight=weights).coef_[0]


@every_loss
@every_kind
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_is_the_peers_on_the_listed_pairs(problem, loss, kind, C, weighted):
    rows = np.random.default_rng(0).integers(0, 4, size=len(problem.y)) * 0.5 if weighted else None
    slow = listed(problem, loss, C, kind, rows)
    model = fit(problem, loss, rows, C=C, pair_weight=kind)
    peer = peer_weights(slow, loss)
    assert model.n_pairs_ == (slow.weights > 0).sum()
    assert model.objective_ == pytest.approx(slow.value(model.coef_), rel=1e-11)
    assert model.objective_ == pytest.approx(slow.value(peer), rel=1e-6 if loss == "hinge" else 1e-8)
    assert model.objective_ - model.duality_gap_ <= slow.value(peer) * (1 + 1e-9)
    assert_close(model.coef_, peer, loss)


@every_loss
@pytest.mark.parametrize("levels", [2, None])
def test_the_optimum_is_the_peers_for_two_and_for_real_valued_labels(loss, levels):
    problem = random_problem(12, n_rows=70, levels=levels)
    slow = listed(problem, loss, 0.1)
    model = fit(problem, loss, C=0.1)
    assert model.objective_ == pytest.approx(slow.value(peer_weights(slow, loss)), rel=1e-7)


def assert_hinge_certificate_holds(X, y, qid, C):
    """objective_ − minimum ≤ duality_gap_ at any tolerance, also where rounding ends the narrowing."""
    slow = twin.listed_objective(X, y, qid, C, twin.Hinge())
    model = RankSVM(C=C, C_unit="pair", loss="hinge", tol=1e-12, max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, qid=qid)
    rounding = 1e-10 * model.objective_
    assert model.duality_gap_ >= -rounding
    assert model.objective_ - slow.value(peer_weights(slow, "hinge")) <= model.duality_gap_ + rounding


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_hinge_certificate_holds_even_when_too_much_is_asked(seed, C):
    problem = random_problem(seed, n_rows=70)
    assert_hinge_certificate_holds(problem.X, problem.y, problem.qid, C)


@pytest.mark.parametrize(("seed", "C"), [(0, 0.01), (3, 0.01), (3, 1.0), (5, 1.0), (10, 1.0)])
def test_the_hinge_certificate_holds_when_many_documents_are_equal(seed, C):
    """Whole-numbered features: at the optimum hundreds of pairs stand together at the margin 1."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 + seed % 2, size=(250, 2 + seed % 3)).astype(float)
    y = np.round(X @ rng.normal(size=X.shape[1]) + rng.normal(size=250)).clip(0, 3)
    assert_hinge_certificate_holds(X, y, None, C)


@pytest.mark.parametrize(
    ("seed", "n_rows", "n_features", "levels"),
    [
        (20, 300, 2, None),
        (32, 300, 5, 2),
        (47, 300, 2, None),
        (53, 300, 20, None),
        (56, 300, 2, 2),
        (3, 40, 5, 2),
        (33, 40, 20, 2),
        (43, 100, 5, 3),
    ],
)
def test_the_hinge_keeps_its_promise_at_the_default_tolerance(seed, n_rows, n_features, levels):
    """Well-scaled problems, some of them separable: a certified gap of 10⁻⁶ is what the default asks for."""
    problem = random_problem(seed, n_rows=n_rows, n_features=n_features, levels=levels)
    for C in [0.01, 1.0, 100.0]:
        model = RankSVM(C=C, C_unit="pair", loss="hinge").fit(problem.X, problem.y, qid=problem.qid)
        assert model.duality_gap_ <= 1e-6 * model.objective_


RAW_SCALES = np.array([1e-3, 1.0, 1e3, 1e6, 20.0, 1e-2])


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e3])
def test_raw_scales_from_a_thousandth_to_a_million_converge(loss, C):
    """The Hessian takes care of the scales."""
    problem = random_problem(1, n_rows=120, n_features=6)
    X = (problem.X + 5) * RAW_SCALES
    model = RankSVM(C=C, C_unit="pair", loss=loss).fit(X, problem.y, qid=problem.qid)
    slow = twin.listed_objective(X, problem.y, problem.qid, C, LOSSES[loss])
    assert model.duality_gap_ <= 1e-6 * model.objective_
    assert model.objective_ == pytest.approx(slow.value(model.coef_), rel=1e-8)


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e3])
def test_raw_scales_do_not_leave_the_hinge_at_its_start(C):
    """Even without a certified gap the model must be one: at weights of 0 every pair costs C."""
    problem = random_problem(1, n_rows=120, n_features=6)
    X = (problem.X + 5) * RAW_SCALES
    model = RankSVM(C=C, C_unit="pair", loss="hinge")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, problem.y, qid=problem.qid)
    assert model.objective_ < 0.5 * C * model.n_pairs_
    assert model.score(X, problem.y, qid=problem.qid) > 0.7


@every_loss
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
def test_thousands_of_features_are_certified_by_weak_duality(loss, as_rows):
    problem = random_problem(7, n_rows=40, n_features=2500)
    model = RankSVM(C=0.1, C_unit="pair", loss=loss).fit(as_rows(problem.X), problem.y, qid=problem.qid)
    slow = listed(problem, loss, 0.1)
    assert model.duality_gap_ <= 1e-6 * model.objective_
    assert model.objective_ == pytest.approx(slow.value(model.coef_), rel=1e-10)


def test_the_published_experiment_has_the_known_weights_and_taus():
    """Hinge, C = 0.1, no bias, on the training half of the well-known 60 points."""
    X, y, blocks, generator = published_points()
    train, test = next(StratifiedShuffleSplit(n_splits=10, test_size=0.5, random_state=generator).split(X, y))
    model = RankSVM(loss="hinge", C=0.1, C_unit="pair", tol=1e-7).fit(X[train], y[train], qid=blocks[train])
    assert model.n_pairs_ == 154
    np.testing.assert_allclose(model.coef_, [0.61287, 0.17533], rtol=0, atol=1e-5)
    np.testing.assert_allclose(model.coef_ / np.linalg.norm(model.coef_), [0.961431, 0.275046], rtol=0, atol=1e-6)
    taus = [
        kendalltau(model.predict(X[test][blocks[test] == block]), y[test][blocks[test] == block]).statistic
        for block in (0, 1)
    ]
    np.testing.assert_allclose(taus, [0.83627, 0.84387], rtol=0, atol=5e-6)


@every_loss
def test_one_pair_by_hand(loss):
    """δ = 1, C = 2: ½w² + 2(1 − w)² is least at 4/5, ½w² + 2(1 − w) at 1, ½w² + 2 log(1 + e⁻ʷ) where w(1 + eʷ) = 2."""
    model = RankSVM(C=2.0, C_unit="pair", loss=loss, tol=1e-8).fit([[0.0], [1.0]], [0, 1])
    w = model.coef_[0]
    if loss == "logistic":
        assert w * (1 + np.exp(w)) == pytest.approx(2.0, rel=1e-4)
    else:
        assert w == pytest.approx({"squared_hinge": 0.8, "hinge": 1.0}[loss], rel=1e-4)


@every_loss
@every_kind
def test_whole_row_weights_equal_repeated_rows(problem, loss, kind):
    weights = np.random.default_rng(3).integers(0, 4, size=len(problem.y))
    X, y, qid = (np.repeat(part, weights, axis=0) for part in (problem.X, problem.y, problem.qid))
    weighted = fit(problem, loss, weights, C=0.1, pair_weight=kind)
    repeated = RankSVM(C=0.1, C_unit="pair", loss=loss, pair_weight=kind, tol=TIGHT[loss]).fit(X, y, qid=qid)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=2 * TIGHT[loss])
    assert_close(weighted.coef_, repeated.coef_, loss)


@every_loss
def test_each_document_repeated_in_its_query_changes_nothing_under_query_weights(problem, loss):
    """k² times the pairs, each of 1/k² of the weight."""
    X, y, qid = (np.repeat(part, 3, axis=0) for part in (problem.X, problem.y, problem.qid))
    repeated = RankSVM(C=2.0, C_unit="pair", loss=loss, pair_weight="query", tol=TIGHT[loss]).fit(X, y, qid=qid)
    plain = fit(problem, loss, C=2.0, pair_weight="query")
    assert_close(repeated.coef_, plain.coef_, loss)


@every_loss
@every_kind
def test_a_query_that_comes_three_times_under_other_names_counts_three_times(problem, loss, kind):
    """Each copy is a query of its own; the peer gets the original pairs of the query with three times the weight."""
    chosen = problem.qid == 3
    copies = [np.concatenate([part, part[chosen], part[chosen]]) for part in (problem.X, problem.y)]
    qid = np.concatenate([problem.qid, np.full(chosen.sum(), 90), np.full(chosen.sum(), 91)])
    model = RankSVM(C=0.5, C_unit="pair", loss=loss, pair_weight=kind, tol=TIGHT[loss]).fit(*copies, qid=qid)
    slow = listed(problem, loss, 0.5, kind)
    tripled = np.where(chosen[twin.listed_pairs(problem.y, problem.qid)[:, 0]], 3.0, 1.0)
    threefold = twin.ListedObjective(slow.differences, tripled * slow.weights, 0.5, slow.loss)
    assert model.objective_ == pytest.approx(threefold.value(model.coef_), rel=1e-11)
    assert model.objective_ == pytest.approx(threefold.value(peer_weights(threefold, loss)), rel=1e-6)


@pytest.mark.parametrize("kind", ["uniform", "label-gap"])
def test_row_weights_of_the_root_of_k_equal_k_copies_of_the_query(problem, kind):
    """The weight of a pair is the product of its rows' weights."""
    chosen = problem.qid == 3
    X, y = (np.concatenate([part, part[chosen]]) for part in (problem.X, problem.y))
    copied = RankSVM(C_unit="pair", tol=1e-12, pair_weight=kind).fit(
        X, y, qid=np.append(problem.qid, np.full(chosen.sum(), 90))
    )
    weighted = fit(problem, rows=np.where(chosen, np.sqrt(2), 1.0), pair_weight=kind)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=0, atol=1e-8)


@every_loss
@every_kind
def test_c_on_the_mean_is_c_over_the_total_weight(problem, loss, kind):
    rows = np.random.default_rng(4).random(len(problem.y))
    total = listed(problem, loss, 1.0, kind, rows).weights.sum()
    mean = fit(problem, loss, rows, C=50.0, C_unit="mean", pair_weight=kind)
    pair = fit(problem, loss, rows, C=50.0 / total, pair_weight=kind)
    assert mean.objective_ == pytest.approx(pair.objective_, rel=2 * TIGHT[loss])
    assert_close(mean.coef_, pair.coef_, loss)


def test_c_on_the_mean_does_not_depend_on_the_number_of_pairs(problem):
    """Twice the queries, twice the pairs, the same mean loss."""
    X, y = np.concatenate([problem.X] * 2), np.concatenate([problem.y] * 2)
    doubled = RankSVM(C=50.0, C_unit="mean", tol=1e-12).fit(X, y, qid=np.concatenate([problem.qid, problem.qid + 100]))
    plain = fit(problem, C=50.0, C_unit="mean")
    np.testing.assert_allclose(doubled.coef_, plain.coef_, rtol=0, atol=1e-9)


@every_loss
@pytest.mark.parametrize("size", [0.5, 2.0, 4.0])
def test_equal_row_weights_multiply_c_by_their_square(problem, loss, size):
    weighted = fit(problem, loss, np.full(len(problem.y), size), C=0.1)
    plain = fit(problem, loss, C=0.1 * size**2)
    assert_close(weighted.coef_, plain.coef_, loss)


@every_loss
@every_kind
def test_sparse_rows_give_the_same_model(problem, loss, kind):
    thin = RankSVM(C=0.5, C_unit="pair", loss=loss, pair_weight=kind, tol=TIGHT[loss])
    thin.fit(sparse.csr_matrix(problem.X), problem.y, qid=problem.qid)
    dense = fit(problem, loss, C=0.5, pair_weight=kind)
    assert_close(thin.coef_, dense.coef_, loss)


@every_loss
def test_the_same_fit_comes_twice(problem, loss):
    first, again = fit(problem, loss), fit(problem, loss)
    np.testing.assert_array_equal(first.coef_, again.coef_)
    assert first.objective_ == again.objective_


def test_a_pipeline_routes_row_weights(problem):
    rows = np.random.default_rng(5).integers(0, 3, size=len(problem.y))
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankSVM(C_unit="pair", tol=1e-12).set_fit_request(qid=True, sample_weight=True)
        ranker.set_score_request(qid=True, sample_weight=True)
        # Scaling by unweighted moments, so that the weights reach the ranker alone.
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, ranker).fit(problem.X, problem.y, qid=problem.qid, sample_weight=rows)
    X = StandardScaler().fit_transform(problem.X)
    slow = twin.listed_objective(X, problem.y, problem.qid, 1.0, twin.SquaredHinge(), row_weights=rows)
    np.testing.assert_allclose(pipeline[-1].coef_, peer_weights(slow, "squared_hinge"), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 1.0], "sample_weight must have one entry per row of X: expected 3, got 2."),
        ([1.0, -2.0, 1.0], "sample_weight must not be negative: got -2 at position 1."),
        ([1.0, 1.0, np.nan], "sample_weight has 1 value that is not finite, the first (nan) at position 2."),
        ([[1.0], [1.0], [1.0]], "sample_weight must be one-dimensional: got shape (3, 1)."),
        (["a", "b", "c"], "sample_weight must contain numbers:"),
        ([0.0, 0.0, 1.0], "sample_weight is zero for a document of every comparable pair: nothing to learn from."),
    ],
)
def test_row_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(DataError) as error:
        RankSVM().fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=weights)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("loss", "hinge2", "loss must be one of 'squared_hinge', 'hinge', 'logistic': got 'hinge2'."),
        ("kernel", "rbf", "kernel must be one of 'linear', 'lrbf': got 'rbf'."),
        (
            "pair_weight",
            "gap",
            "pair_weight must be one of 'uniform', 'query', 'label-gap', 'ndcg': got 'gap'.",
        ),
        ("C_unit", "sum", "C_unit must be one of 'mean', 'pair': got 'sum'."),
        ("C", 0.0, "C must be a positive number: got 0.0."),
        ("C", np.inf, "C must be a positive number: got inf."),
        ("C", True, "C must be a positive number: got True."),
        ("tol", -1e-3, "tol must be a positive number: got -0.001."),
        ("max_iter", 0, "max_iter must be a positive whole number: got 0."),
        ("loss", None, "loss must be one of 'squared_hinge', 'hinge', 'logistic': got None."),
    ],
)
def test_parameters_out_of_range_are_refused_with_the_choices(parameter, value, message):
    with pytest.raises(DataError) as error:
        RankSVM(**{parameter: value}).fit([[0.0], [1.0]], [0, 1])
    assert str(error.value) == message
