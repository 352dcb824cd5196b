"""RankSVM with the LRBF kernel against LIBSVM and LIBLINEAR on the listed pairs and their exact kernel."""

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from glassrank import DataError, RankSVM
from tests.estimator_checks import assert_passes
from tests.reference import lrbf
from tests.reference import pair_losses as twin
from tests.reference.pairs import random_problem

LOSSES = {"squared_hinge": twin.SquaredHinge(), "hinge": twin.Hinge(), "logistic": twin.Logistic()}
TIGHT = {"squared_hinge": 1e-12, "hinge": 1e-12, "logistic": 1e-12}
every_loss = pytest.mark.parametrize("loss", LOSSES)


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """The products are small: on a busy machine, a second thread would only add waiting time."""
    with threadpool_limits(1, user_api="blas"):
        yield


@dataclass(frozen=True)
class PairKernelSVM:
    """The exact kernel of documents and of pairs, without approximation."""

    X: np.ndarray
    pairs: np.ndarray
    gammas: np.ndarray
    documents: np.ndarray
    gram: np.ndarray

    @classmethod
    def of(cls, problem, gammas=None):
        gammas = lrbf.scale_gammas(problem.X, problem.qid) if gammas is None else gammas
        pairs = twin.listed_pairs(problem.y, problem.qid)
        documents = lrbf.kernel(problem.X, problem.X, gammas)
        return cls(problem.X, pairs, gammas, documents, lrbf.pair_kernel(documents, pairs))

    def libsvm(self, C):
        """Coefficient of each pair by SVC on both orientations with C/2, and the primal and dual objectives."""
        gram = np.block([[self.gram, -self.gram], [-self.gram, self.gram]])
        sign = np.repeat([1, -1], len(self.pairs))
        peer = SVC(kernel="precomputed", C=C / 2, tol=1e-10).fit(gram, sign)
        alpha = np.zeros(len(sign))
        alpha[peer.support_] = peer.dual_coef_[0]
        shares = alpha[: len(self.pairs)] - alpha[len(self.pairs) :]
        margins = self.gram @ shares
        primal = 0.5 * shares @ margins + C * np.maximum(0, 1 - margins).sum()
        return shares, primal, np.abs(alpha).sum() - 0.5 * shares @ margins

    def scores(self, shares, X):
        """u(x) of documents by the coefficients of the pairs."""
        return lrbf.kernel(X, self.X, self.gammas) @ lrbf.dual_coefficients_of_rows(shares, self.pairs, len(self.X))

    def factor(self):
        """Columns whose products are the kernel of the training documents."""
        values, vectors = np.linalg.eigh(self.documents)
        kept = values > 1e-13 * values[-1]
        return vectors[:, kept] * np.sqrt(values[kept])


def solve_listed(slow, loss):
    """Weights by LIBLINEAR or scikit-learn on the listed pairs in both orientations, with C/2."""
    rows, sign = np.vstack([slow.differences, -slow.differences]), np.repeat([1, -1], len(slow.differences))
    if loss == "logistic":
        peer = LogisticRegression(C=slow.C / 2, fit_intercept=False, solver="newton-cholesky", tol=1e-10)
    else:
        peer = LinearSVC(
            loss=loss, C=slow.C / 2, fit_intercept=False, dual=loss == "hinge", tol=1e-9, max_iter=1_000_000
        )
    return peer.fit(rows, sign, sample_weight=np.tile(slow.weights, 2)).coef_[0]


def fit(problem, loss="squared_hinge", rows=None, **parameters):
    """Fit as precisely as the loss allows; ignore the warning if rounding stops the hinge early."""
    model = RankSVM(**({"C_unit": "pair", "kernel": "lrbf", "loss": loss, "tol": TIGHT[loss]} | parameters))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(problem.X, problem.y, qid=problem.qid, sample_weight=rows)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
def test_the_hinge_solution_is_libsvms_on_the_exact_pair_kernel(seed, C):
    """LIBSVM keeps its kernel in single precision: its primal value is above the minimum, its dual value below."""
    problem = random_problem(seed, n_rows=40, n_features=3)
    exact = PairKernelSVM.of(problem)
    shares, primal, dual = exact.libsvm(C)
    model = fit(problem, "hinge", C=C)
    assert dual * (1 - 1e-7) <= model.objective_ <= primal * (1 + 1e-7)
    scores = exact.scores(shares, problem.X)
    decisions = model.decide_pairs(problem.X[exact.pairs[:, 0]], problem.X[exact.pairs[:, 1]])
    expected = scores[exact.pairs[:, 0]] - scores[exact.pairs[:, 1]]
    np.testing.assert_allclose(decisions, expected, rtol=0, atol=1e-5)


@every_loss
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_the_optimum_is_the_peers_on_a_factor_of_the_exact_kernel(loss, C):
    problem = random_problem(4, n_rows=60, n_features=3)
    exact = PairKernelSVM.of(problem)
    columns = exact.factor()
    slow = twin.listed_objective(columns, problem.y, problem.qid, C, LOSSES[loss])
    peer = solve_listed(slow, loss)
    model = fit(problem, loss, C=C)
    assert model.objective_ == pytest.approx(slow.value(peer), rel=1e-7)
    scores, expected = model.predict(problem.X), columns @ peer
    np.testing.assert_allclose(scores - scores[0], expected - expected[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", ["query", "label-gap", "ndcg"])
def test_pair_weights_and_row_weights_are_used_with_the_kernel(kind):
    problem = random_problem(5, n_rows=60, n_features=2)
    rows = np.random.default_rng(5).random(60)
    gammas = np.full(2, 0.7)
    columns = PairKernelSVM.of(problem, gammas).factor()
    slow = twin.listed_objective(columns, problem.y, problem.qid, 1.0, twin.SquaredHinge(), kind, rows)
    model = fit(problem, rows=rows, gamma=0.7, pair_weight=kind)
    assert model.objective_ == pytest.approx(slow.value(solve_listed(slow, "squared_hinge")), rel=1e-7)


def test_scores_outside_the_training_range_are_those_of_the_exact_kernel():
    """LIBSVM scores any document; the columns give the same scores, and far away both are 0."""
    problem = random_problem(6, n_rows=40, n_features=2)
    exact = PairKernelSVM.of(problem)
    shares, _, _ = exact.libsvm(1.0)
    model = fit(problem, "hinge", C=1.0)
    strange = np.random.default_rng(6).normal(size=(200, 2)) * 4
    np.testing.assert_allclose(model.predict(strange), exact.scores(shares, strange), rtol=0, atol=1e-3)
    np.testing.assert_array_equal(model.predict([[1e4, -1e4], [1e100, 1e100]]), 0.0)


def test_the_score_is_a_sum_of_one_curve_per_feature():
    """Changing one feature changes the score by the same amount for any values of the others."""
    problem = random_problem(7, n_rows=80, n_features=3)
    model = fit(problem)
    low, high = problem.X.copy(), problem.X.copy()
    low[:, 1], high[:, 1] = -0.5, 0.8
    steps = model.decide_pairs(high, low)
    np.testing.assert_allclose(steps, steps[0], rtol=0, atol=1e-10)


def test_gamma_scale_is_half_the_inverse_variance_within_queries():
    problem = random_problem(8, n_rows=90, n_features=3)
    X = (problem.X + 3 * problem.qid[:, None]) * [1.0, 50.0, 0.01]
    model = RankSVM(kernel="lrbf").fit(X, problem.y, qid=problem.qid)
    found = [block.gamma for block in model.feature_map_.blocks]
    np.testing.assert_allclose(found, lrbf.scale_gammas(X, problem.qid), rtol=1e-9)


def test_a_number_is_the_gamma_of_every_feature():
    problem = random_problem(8, n_rows=50, n_features=3)
    model = fit(problem, gamma=0.25)
    assert [block.gamma for block in model.feature_map_.blocks] == [0.25, 0.25, 0.25]


@pytest.mark.parametrize("gamma", ["scale", 0.5])
def test_a_feature_constant_within_every_query_has_no_columns_and_no_influence(gamma):
    problem = random_problem(9, n_rows=80, n_features=3)
    X = problem.X.copy()
    X[:, 1] = 10.0 * problem.qid + 0.1
    model = RankSVM(kernel="lrbf", gamma=gamma).fit(X, problem.y, qid=problem.qid)
    without = RankSVM(kernel="lrbf", gamma=gamma).fit(X[:, [0, 2]], problem.y, qid=problem.qid)
    assert model.feature_map_.blocks[1] is None
    np.testing.assert_allclose(model.predict(X), without.predict(X[:, [0, 2]]), rtol=0, atol=1e-9)


@every_loss
def test_features_constant_within_queries_give_scores_of_zero(loss):
    model = RankSVM(kernel="lrbf", loss=loss, C=2.0, C_unit="pair").fit(np.full((4, 2), 3.0), [0, 1, 2, 2])
    np.testing.assert_array_equal(model.predict([[3.0, 3.0], [0.0, 1.0]]), 0.0)
    at_zero = {"squared_hinge": 1.0, "hinge": 1.0, "logistic": np.log(2)}[loss]
    assert model.objective_ == pytest.approx(2.0 * 5 * at_zero)


@every_loss
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix])
def test_sparse_rows_give_the_same_model(loss, kind):
    problem = random_problem(10, n_rows=60, n_features=3)
    X = np.where(np.random.default_rng(10).random(problem.X.shape) < 0.5, 0.0, problem.X)
    dense = RankSVM(kernel="lrbf", loss=loss, tol=1e-8).fit(X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(dense.predict(kind(X)), dense.predict(X), rtol=0, atol=1e-12)
    thin = RankSVM(kernel="lrbf", loss=loss, tol=1e-8).fit(kind(X), problem.y, qid=problem.qid)
    np.testing.assert_allclose(thin.predict(X), dense.predict(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("gamma", ["scale", 0.5])
def test_whole_row_weights_equal_repeated_rows(gamma):
    """With gamma="scale" the spreads must use the weights too; rows of weight 0 are ignored."""
    problem = random_problem(11, n_rows=80, n_features=2)
    weights = np.random.default_rng(11).integers(0, 4, size=80)
    X, y, qid = (np.repeat(part, weights, axis=0) for part in (problem.X, problem.y, problem.qid))
    weighted = fit(problem, rows=weights, gamma=gamma, C=0.1)
    repeated = RankSVM(kernel="lrbf", gamma=gamma, C=0.1, C_unit="pair", tol=1e-12).fit(X, y, qid=qid)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=0, atol=1e-6)


@pytest.mark.parametrize("exponent", [-500, -40, 40, 500])
def test_the_unit_of_a_feature_does_not_matter_under_gamma_scale(exponent):
    """A power of two causes no rounding: the Gaussians are the same in another unit."""
    problem = random_problem(12, n_rows=60, n_features=2)
    X = problem.X * [1.0, 2.0**exponent]
    scaled = RankSVM(C_unit="pair", kernel="lrbf", tol=1e-12).fit(X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(scaled.predict(X), fit(problem).predict(problem.X), rtol=0, atol=1e-8)


@pytest.mark.parametrize("exponent", [-540, 540])
def test_a_feature_whose_variance_overflows_is_refused_by_name(exponent):
    """Dropping it silently would give another model than the requested one."""
    problem = random_problem(12, n_rows=60, n_features=2)
    with np.errstate(over="ignore"), pytest.raises(DataError, match="feature 2"):
        RankSVM(kernel="lrbf").fit(problem.X * [1.0, 2.0**exponent], problem.y, qid=problem.qid)


SCALE_WARNING = "One gamma for features whose spreads differ by .* times: scale them first, or use gamma='scale'."


def rows_with_spreads(ratio):
    """Two features with standard deviations of 1 and ``ratio`` exactly."""
    X = np.column_stack([[-1.0, 1.0, -1.0, 1.0], ratio * np.array([-1.0, -1.0, 1.0, 1.0])])
    return X, np.array([0.0, 1.0, 2.0, 3.0])


def test_one_gamma_for_spreads_that_differ_a_hundredfold_warns():
    with pytest.warns(UserWarning, match=SCALE_WARNING) as caught:
        RankSVM(kernel="lrbf", gamma=1e-3).fit(*rows_with_spreads(101.0))
    assert "101 times" in str(caught[0].message)


def test_the_warning_names_the_line_that_called_fit():
    with pytest.warns(UserWarning, match=SCALE_WARNING) as caught:
        RankSVM(kernel="lrbf", gamma=1e-3).fit(*rows_with_spreads(101.0))
    assert Path(caught[0].filename).name == Path(__file__).name


@pytest.mark.parametrize(("gamma", "ratio"), [(1e-3, 99.0), ("scale", 1e4)])
def test_spreads_that_are_close_or_scaled_do_not_warn(gamma, ratio):
    with warnings.catch_warnings(record=True) as caught:
        RankSVM(kernel="lrbf", gamma=gamma).fit(*rows_with_spreads(ratio))
    assert caught == []


@pytest.mark.parametrize(
    ("gamma", "message"),
    [
        ("auto", "gamma must be a positive number, 'scale', or a multiple such as 'scale*4': got 'auto'."),
        (0.0, "gamma must be a positive number: got 0.0."),
        (-1.0, "gamma must be a positive number: got -1.0."),
        (np.inf, "gamma must be a positive number: got inf."),
        (None, "gamma must be a positive number: got None."),
        (True, "gamma must be a positive number: got True."),
    ],
)
def test_an_invalid_gamma_is_refused(gamma, message):
    with pytest.raises(DataError) as error:
        RankSVM(kernel="lrbf", gamma=gamma).fit([[0.0], [1.0]], [0, 1])
    assert str(error.value) == message


def test_a_feature_too_wide_for_gamma_is_rejected_by_name():
    frame = pd.DataFrame({"bm25": [0.0, 1.0, 2.0], "clicks": [0.0, 10.0, 1e6]})
    with (
        pytest.warns(UserWarning, match="One gamma"),
        pytest.raises(DataError, match=r"Feature 'clicks': .*Clip or transform the feature .*, or use a smaller gamma"),
    ):
        RankSVM(kernel="lrbf", gamma=1.0).fit(frame, [0, 1, 2])


def test_too_many_columns_are_refused_with_the_widest_feature_by_its_number():
    """90 features on a range of 1 and one on a range of 1.2: more than 4,096 columns."""
    X = np.random.default_rng(13).random((30, 91))
    X[:2] = np.array([[0.0], [1.0]])
    X[:, 6] *= 1.2
    with pytest.raises(
        DataError, match=r"needs \d+ columns, but at most 4096 are supported; 'feature 7' alone needs \d\d\."
    ):
        RankSVM(kernel="lrbf", gamma=250.0).fit(X, np.arange(30) % 3)


def test_two_fits_are_the_same():
    problem = random_problem(14, n_rows=60, n_features=3)
    np.testing.assert_array_equal(fit(problem).coef_, fit(problem).coef_)


@parametrize_with_checks([RankSVM(kernel="lrbf", tol=1e-8)])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)
