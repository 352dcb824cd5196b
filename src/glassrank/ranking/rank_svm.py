"""RankSVM: the ranking support vector machine, trained without listing pairs, except in difference mode."""

from collections.abc import Mapping
from typing import Any, Self

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.additive.odd_gaussian_columns import OddMap, difference_scores
from glassrank.core.additive.scoring import finite_scores, linear_scores, map_scores
from glassrank.core.checks import DataError, FloatArray, check_choice, check_positive
from glassrank.core.input_types import ArrayLike, RandomState
from glassrank.core.missing_rule import MISSING
from glassrank.core.pairs.difference_hinge import minimise_hinge_on_differences
from glassrank.core.pairs.difference_objective import SMOOTH_LOSSES
from glassrank.core.pairs.difference_rows import DifferenceRows, draw_pairs, weights_of_pairs
from glassrank.core.pairs.pair_weights import PAIR_WEIGHTS
from glassrank.core.randomness import random_generator
from glassrank.core.setting import setting
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.ranking.absent_method import absent_if
from glassrank.ranking.estimator import Ranker, warn_user
from glassrank.ranking.feature_columns import ColumnOptions, as_dense
from glassrank.ranking.named_rows import known_rows
from glassrank.ranking.partitioned_rows import check_partitions, refuse_partitions
from glassrank.ranking.warm_start import first_weights
from glassrank.ranking.weighed_rows import LOSSES, RowsInBlocks, RowsInMemory, minimise_loss

MODES = ("utility", "difference")
C_UNITS = ("mean", "pair")

DIFFERENCE_LOSSES = SMOOTH_LOSSES | {"hinge": minimise_hinge_on_differences}


def _why_no_score(model: "RankSVM") -> str | None:
    """Return why a model of differences has no ``predict``; None for other models."""
    if not model._acts_on_differences:
        return None
    return (
        "RankSVM(kernel='lrbf', mode='difference') compares two documents and does not score single ones: use "
        "decide_pairs(A, B) or rank(X, qid), or mode='utility' for a model with predict."
    )


def _sampled_message(n_sampled: int, n_pairs: int) -> str:
    return (
        f"RankSVM learns from {n_sampled:,} of {n_pairs:,} comparable pairs, drawn at random: raise max_pairs, or set "
        "it to None for all of them."
    )


class RankSVM(Ranker):
    """Ranking SVM: linear, or with the additive Gaussian kernel LRBF.

    Minimises ½‖w‖² + C · mean of loss(w·(φ(x_i) − φ(x_j))), weighted, over all pairs of documents of one query in which
    i is judged better than j, and scores a document by u(x) = w·φ(x). Pairs are never listed: with a hinge loss a step
    costs O(n d + n log n) for n documents. The solution has a certificate: ``objective_`` exceeds the minimum by at
    most ``duality_gap_``.

    Parameters
    ----------
    C : float
        Weight of the loss against the size of w; see ``C_unit``.
    kernel : {"linear", "lrbf"}
        ``lrbf`` is K(x, z) = Σ_k exp(−γ_k (x_k − z_k)²): one smooth curve per feature, made linear to 1e-10.
    loss : {"squared_hinge", "hinge", "logistic"}
        max(0, 1 − m)², max(0, 1 − m) or log(1 + exp(−m)) of the margin m. The logistic loss visits every pair.
    gamma : "scale" or float
        Precision of the Gaussians. ``"scale"`` means γ_k = 1/(2 s_k²) with s_k the standard deviation within queries,
        and ``"scale*4"`` or ``"scale/4"`` multiples of it; a number is one γ for all features.
    linear : float
        κ of the LRBF kernel's linear part: K(x, z) = Σ_k [exp(−γ_k (x_k − z_k)²) + κ x_k z_k]. With κ > 0, trends
        reach the ends of the data instead of bending back to the mean; features should then be standardised.
    min_count : int
        Levels of a category with fewer training rows share one effect, "other".
    missing : {"refuse", "mean"}
        What to do with a missing value of a feature that had none in training: raise an error, or give it the effect
        of the feature's mean. A feature with missing values in training has a learned effect for them.
    monotone : mapping or None
        Features, by name or number, whose effect may only rise (1) or only fall (−1) with the value, such as
        ``{"price": -1}``. With the LRBF kernel, such a feature has straight lines between knots at its quantiles.
    mode : {"utility", "difference"}
        ``utility``: documents have scores, and f(a, b) = u(a) − u(b). ``difference``: the model is a function of
        x_a − x_b, f(a, b) = Σ_k g_k(a_k − b_k) with odd curves g_k, so that f(b, a) = −f(a, b). The margin of a pair is
        w·φ(x_i − x_j), the pairs are listed, and there are ``decide_pairs`` and ``rank`` but no ``predict``
        (equations 9–11 of Thuy's "Feature selection with ranking support vector machine visualization", b = 0). With
        the linear kernel both are the same model, which is trained as ``utility``.
    pair_weight : {"uniform", "query", "label-gap", "ndcg"}
        Weight of a pair: 1; 1/(pairs of its query); the difference of the labels; or the difference of the gains 2^y
        over the query's largest DCG.
    C_unit : {"mean", "pair"}
        C multiplies the weighted mean of the pair losses, so that it does not depend on the number of pairs, or their
        sum, as in LIBSVM and LIBLINEAR.
    max_pairs : int or None
        Maximum number of pairs that difference mode lists. If there are more, this many are drawn at random with a
        warning, and C grows in proportion, so that the objective estimates that of all pairs. None lists all.
    random_state : int, numpy generator or None
        Random seed of that draw.
    tol : float
        Stop when ``duality_gap_ ≤ tol · objective_``.
    max_iter : int
        Maximum number of Newton steps.

    Attributes
    ----------
    coef_ : array
        w: one weight per feature, or per column of ``feature_map_``.
    feature_map_ : FeatureMap, OddMap or None
        Columns φ of curves, categories and features with missing values; None if they are the features themselves.
        ``feature_map_.curves(coef_)`` are the effects of the features; in difference mode the g_k.
    feature_kinds_ : tuple of FeatureKind
        Which features are numbers, yes/no values or categories, with the levels of categories.
    n_pairs_, n_sampled_pairs_ : int
        Number of comparable pairs, and of those used in the fit: all, unless ``max_pairs`` is smaller. Pairs with a row
        of weight 0 do not count.

    Examples
    --------
    >>> from glassrank import RankSVM
    >>> X = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]]
    >>> y, qid = [0, 1, 2, 0, 1], ["a", "a", "a", "b", "b"]
    >>> model = RankSVM(C=10.0).fit(X, y, qid=qid)
    >>> model.n_pairs_, model.score(X, y, qid=qid), model.rank(X, qid=qid).tolist()
    (4, 1.0, [3, 2, 1, 2, 1])
    >>> model = RankSVM(C=10.0, kernel="lrbf", mode="difference").fit(X, y, qid=qid)
    >>> hasattr(model, "predict"), model.decide_pairs(X[:1], X[2:3]) == -model.decide_pairs(X[2:3], X[:1])
    (False, array([ True]))
    """

    feature_map_: FeatureMap | OddMap | None
    n_pairs_: int
    n_sampled_pairs_: int

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "linear",
        loss: str = "squared_hinge",
        gamma: str | float = "scale",
        linear: float = 0.0,
        min_count: int = 10,
        missing: str = "refuse",
        monotone: Mapping[str | int, int] | None = None,
        mode: str = "utility",
        pair_weight: str = "uniform",
        C_unit: str = "mean",
        max_pairs: int | None = 100_000,
        random_state: RandomState = None,
        tol: float = 1e-6,
        max_iter: int = 200,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.gamma = gamma
        self.linear = linear
        self.min_count = min_count
        self.missing = missing
        self.monotone = monotone
        self.mode = mode
        self.pair_weight = pair_weight
        self.C_unit = C_unit
        self.max_pairs = max_pairs
        self.random_state = random_state
        self.tol = tol
        self.max_iter = max_iter

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query.

        More than 10,000 rows without ``qid`` give a warning, because they are compared with each other.

        Row weights multiply the weight of a pair by v_i · v_j, so that whole numbers are equivalent to repeated rows
        and rows of weight 0 are ignored.
        """
        self._check_parameters()
        rows = self._weighed_rows(X, y, qid, sample_weight)
        if rows.total <= 0:
            raise DataError(
                "sample_weight is so small that every pair has weight 0: nothing to learn from. Scale it up."
            )
        C = float(self.C) / (rows.total if self.C_unit == "mean" else 1.0)
        options = ColumnOptions.of(self)
        message = options.scales_message(rows.columns)
        if message is not None:
            warn_user(message, UserWarning)
        if isinstance(rows, RowsInMemory) and self._on_differences:
            self.feature_map_ = options.odd_map(rows.columns)
            data = self._drawn_differences(rows, self.feature_map_)
            if self.n_sampled_pairs_ < self.n_pairs_:
                warn_user(_sampled_message(self.n_sampled_pairs_, self.n_pairs_), UserWarning)
            # The drawn pairs represent all of them.
            C *= self.n_pairs_ / self.n_sampled_pairs_
            solution = DIFFERENCE_LOSSES[self.loss](data, C, self.tol, self.max_iter)
        else:
            self.feature_map_ = options.feature_map(rows.columns)
            compared = rows.compared(self.feature_map_)
            self.n_pairs_ = self.n_sampled_pairs_ = compared.sizes.n_pairs
            start = first_weights(self, len(compared.sizes.largest))
            bounds = None if self.feature_map_ is None else self.feature_map_.nonnegative
            solution = minimise_loss(
                self.loss, compared, C, start=start, nonnegative=bounds, tol=self.tol, max_iter=self.max_iter
            )
        if not solution.converged:
            warn_user(
                f"RankSVM stopped at a certified gap of {solution.duality_gap / solution.value:.1e} of the objective, "
                f"tol is {self.tol:.1e}: scale the features (StandardScaler), or raise tol or max_iter.",
                ConvergenceWarning,
            )
        self.coef_ = solution.w
        if self.feature_map_ is not None and not isinstance(self.feature_map_, OddMap):
            self.feature_map_, self.coef_ = self.feature_map_.signed(solution.w)
        self.objective_ = solution.value
        self.duality_gap_ = solution.duality_gap
        self.n_iter_ = solution.n_iter
        return self

    def _weighed_rows(self, X: Any, *given: Any) -> RowsInMemory | RowsInBlocks:
        """Return the checked training data, with the weights of their pairs."""
        if self._on_differences:
            refuse_partitions(X, f"{setting('mode', 'difference')} with curves", f"Use {setting('mode', 'utility')}.")
        if isinstance(X, PartitionedData):
            blocks = check_partitions(self, X, *given, pair_weight=self.pair_weight, spread=self.kernel == "lrbf")
            return RowsInBlocks(blocks, self.observed_values_.missing > 0, self.pair_weight)
        checked = self._check_training_data(X, *given)
        return RowsInMemory(checked, self.observed_values_.missing > 0, self.pair_weight)

    def _drawn_differences(self, rows: RowsInMemory, columns: OddMap) -> DifferenceRows:
        """Draw pairs, and return their differences."""
        X, y, groups = rows.rows.X, rows.rows.y, rows.rows.groups
        pairs = draw_pairs(y, groups, self.max_pairs, random_generator(self.random_state))
        self.n_pairs_, self.n_sampled_pairs_ = int(pairs.n_comparable.sum()), len(pairs)
        return DifferenceRows(as_dense(X), pairs, weights_of_pairs(pairs, rows.weights, groups), columns)

    @absent_if(_why_no_score)
    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents: u(x) = w·φ(x); higher ranks first."""
        check_is_fitted(self)
        X = known_rows(self, X)
        if self.feature_map_ is None:
            return finite_scores(linear_scores, X, self.coef_)
        return finite_scores(map_scores, X, self.feature_map_, self.coef_)

    def decide_pairs(self, A: ArrayLike, B: ArrayLike) -> FloatArray:
        """Return f(a, b) for each row of ``A`` and the same row of ``B``; positive means A above B.

        f(a, b) is u(a) − u(b), or in difference mode Σ_k g_k(a_k − b_k). f(b, a) = −f(a, b) exactly.
        """
        check_is_fitted(self)
        if not isinstance(self.feature_map_, OddMap):
            return super().decide_pairs(A, B)
        A, B = (known_rows(self, side) for side in (A, B))
        if A.shape[0] != B.shape[0]:
            raise DataError(f"A and B must have one row per pair: got {A.shape[0]} and {B.shape[0]} rows.")
        return finite_scores(difference_scores, as_dense(A) - as_dense(B), self.feature_map_.curves(self.coef_))

    @property
    def _on_differences(self) -> bool:
        """Whether the parameters ask for a model that compares documents without scores."""
        return self.kernel == "lrbf" and self.mode == "difference"

    @property
    def _acts_on_differences(self) -> bool:
        """Whether the model compares documents without scores; after fitting, changed parameters have no influence."""
        if hasattr(self, "feature_map_"):
            return isinstance(self.feature_map_, OddMap)
        return self._on_differences

    @property
    def _for_real_data(self) -> str:
        return f"use {setting('mode', 'utility')}"

    def _check_parameters(self) -> None:
        check_positive("C", self.C)
        ColumnOptions.of(self)
        check_choice("missing", self.missing, MISSING)
        check_choice("loss", self.loss, LOSSES)
        check_choice("mode", self.mode, MODES)
        check_choice("pair_weight", self.pair_weight, PAIR_WEIGHTS)
        check_choice("C_unit", self.C_unit, C_UNITS)
        if self.max_pairs is not None:
            check_positive("max_pairs", self.max_pairs, whole=True)
        check_positive("tol", self.tol)
        check_positive("max_iter", self.max_iter, whole=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._acts_on_differences
        return tags
