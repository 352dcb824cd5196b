"""RankSVMCV: a ranking SVM with C and γ chosen on held-out queries."""

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.blocks import MIN_ROWS_PER_THREAD
from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, as_vector, check_choice, check_positive
from glassrank.core.groups import Groups
from glassrank.core.input_types import ArrayLike, FoldsLike
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.pairs.newton import KeptHessian
from glassrank.core.setting import setting
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.ranking.estimator import CheckedRows, Ranker, warn_user
from glassrank.ranking.feature_columns import ColumnOptions, check_gamma
from glassrank.ranking.partitioned_rows import CheckedBlocks, check_partitions, partitioned_folds, survey_partitions
from glassrank.ranking.query_folds import check_folds, query_folds
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.weighed_rows import RowsInBlocks, RowsInMemory, minimise_loss

MIN_C, MAX_C = 1e-3, 1e3  # of the grid, on the mean pair loss


class RankSVMCV(Ranker):
    """Ranking SVM with C, and γ of the LRBF kernel, chosen by a measure on held-out queries.

    The queries are split into folds. For each fold and each γ, the model is fitted to the other queries for every C
    from the smallest to the largest, each time starting from the previous solution. All these solutions rank the fold's
    queries. The best mean over folds wins, and ``RankSVM`` is fitted with these parameters to all queries.

    Parameters
    ----------
    Cs : int or sequence of float
        Values of C to choose from, in the unit ``C_unit``; a number makes that many values from 0.001 to 1000 on the
        mean pair loss, evenly spaced on a logarithmic scale.
    cv : int, splitter or iterable of splits
        Folds that keep each query whole; with a single query, a number makes folds of its documents.
    scoring : str
        Measure of ``glassrank.evaluate`` that decides, such as "ndcg@10", "map" or "misranking"; the smallest value
        wins if lower is better.
    convention : str
        Convention of the measure.
    kernel, loss, linear, min_count, missing, monotone, pair_weight, C_unit, tol, max_iter
        As in ``RankSVM``. With ``C_unit="mean"``, C means the same for the folds and for all queries.
    gamma : "scale", float or a sequence of these
        As in ``RankSVM``; from a sequence, the best is chosen together with C.
    n_jobs : int or None
        Number of folds to process in parallel, with joblib. With 40,000 rows or more, folds are processed one after the
        other by all cores, except on a cluster (``spark_jobs``).

    Attributes
    ----------
    C_, gamma_ : float; "scale" or float
        The best values; of equally good ones the smallest C, then the first γ.
    best_score_ : float
        Mean of the measure over the folds, for the best values.
    best_estimator_ : RankSVM
        The model with the best values, fitted to all queries. Its ``coef_``, ``objective_``, ``duality_gap_``,
        ``feature_map_``, ``n_iter_`` and ``n_pairs_`` are also attributes of this estimator.
    cv_results_ : dict of arrays
        ``C``, ``gamma`` (LRBF only), ``mean_test_score``, ``std_test_score``, ``rank_test_score`` and
        ``split<i>_test_score``, one entry for each combination; NaN if the measure is undefined in a fold.

    Examples
    --------
    >>> from glassrank import RankSVMCV, simulate_ranking
    >>> data = simulate_ranking(n_queries=30, documents_per_query=20, random_state=0).data
    >>> X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    >>> model = RankSVMCV(Cs=[0.01, 1.0, 100.0]).fit(X, data.y, qid=data.qid)
    >>> model.C_ in (0.01, 1.0, 100.0), bool(model.best_score_ == model.cv_results_["mean_test_score"].max())
    (True, True)
    """

    def __init__(
        self,
        Cs: int | ArrayLike = 10,
        cv: FoldsLike = 3,
        scoring: str = "ndcg@10",
        *,
        convention: str = "standard",
        kernel: str = "linear",
        loss: str = "squared_hinge",
        gamma: str | float | Sequence[str | float] = "scale",
        linear: float = 0.0,
        min_count: int = 10,
        missing: str = "refuse",
        monotone: Mapping[str | int, int] | None = None,
        pair_weight: str = "uniform",
        C_unit: str = "mean",
        n_jobs: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 200,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.convention = convention
        self.kernel = kernel
        self.loss = loss
        self.gamma = gamma
        self.linear = linear
        self.min_count = min_count
        self.missing = missing
        self.monotone = monotone
        self.pair_weight = pair_weight
        self.C_unit = C_unit
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_iter = max_iter

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Choose C and γ on held-out queries, then fit to all queries; ``qid=None`` means one query.

        Row weights are used in every fit, as in ``RankSVM``. The measure is unweighted, on the rows of positive weight.
        """
        self.search(X, y, qid, sample_weight)
        self.best_estimator_ = self._ranker(self.C_, self.gamma_).fit(X, y, qid=qid, sample_weight=sample_weight)
        return self

    def search(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Choose C and γ as ``fit`` does, without a model of all queries: only ``cv_results_`` and the best values."""
        measure = parse_measure(self.scoring).measure
        check_choice("convention", self.convention, CONVENTIONS)
        check_folds(self.cv)
        rows = self._check_rows(X, y, qid, sample_weight)
        Cs, gammas = self._grid(rows), self._gammas()
        for C, gamma in product(Cs.tolist(), gammas):
            self._ranker(C, gamma)._check_parameters()
        paths = self._paths(rows, Cs, gammas)
        stopped = [gap for path in paths for gap in path.early_gaps]
        if stopped:
            warn_user(
                f"{len(stopped)} of {len(paths) * len(Cs)} fits to folds stopped at a certified gap of up to "
                f"{max(stopped):.1e} of the objective, tol is {self.tol:.1e}: scale the features (StandardScaler), or "
                "raise tol or max_iter.",
                ConvergenceWarning,
            )
        self.cv_results_ = self._results(paths, Cs, gammas, measure.higher_is_better)
        # Combinations are sorted by C, from the smallest: the first of equally good ones has the smallest C.
        best = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        self.C_, self.gamma_ = float(Cs[best // len(gammas)]), gammas[best % len(gammas)]
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents by the best model, fitted to all queries; higher ranks first."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @property
    def coef_(self) -> FloatArray:
        """``coef_`` of the best model."""
        return self.best_estimator_.coef_

    @property
    def feature_map_(self) -> FeatureMap | None:
        """``feature_map_`` of the best model."""
        return self.best_estimator_.feature_map_

    @property
    def objective_(self) -> float:
        """``objective_`` of the best model."""
        return self.best_estimator_.objective_

    @property
    def duality_gap_(self) -> float:
        """``duality_gap_`` of the best model."""
        return self.best_estimator_.duality_gap_

    @property
    def n_iter_(self) -> int:
        """``n_iter_`` of the best model."""
        return self.best_estimator_.n_iter_

    @property
    def n_pairs_(self) -> int:
        """``n_pairs_`` of the best model."""
        return self.best_estimator_.n_pairs_

    def _ranker(self, C: float, gamma: Any) -> RankSVM:
        return RankSVM(
            C,
            kernel=self.kernel,
            loss=self.loss,
            gamma=gamma,
            linear=self.linear,
            min_count=self.min_count,
            missing=self.missing,
            monotone=self.monotone,
            pair_weight=self.pair_weight,
            C_unit=self.C_unit,
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def _check_rows(self, X: Any, *given: Any) -> CheckedRows | CheckedBlocks:
        if isinstance(X, PartitionedData):
            return check_partitions(self, X, *given, pair_weight=self.pair_weight)
        return self._check_training_data(X, *given)

    def _grid(self, rows: CheckedRows | CheckedBlocks) -> FloatArray:
        """Return the values of C in ascending order."""
        if not isinstance(self.Cs, numbers.Real):
            values = np.sort(as_vector("Cs", self.Cs))
            if len(values) == 0:
                raise DataError("Cs is empty: pass at least one value of C, or a number of values.", parameter="Cs")
            return values
        check_positive("Cs", self.Cs, whole=True)
        n_values = int(float(self.Cs))
        if n_values < 2:
            raise DataError(
                f"Cs as a number of values must be at least 2: got {n_values}.", remedy="Write [1.0] for one value."
            )
        grid = np.geomspace(MIN_C, MAX_C, n_values)
        if self.C_unit == "mean":
            return grid
        return grid / self._weighed(rows).total

    def _gammas(self) -> list[Any]:
        """Return the values of γ to choose from; one is enough for the linear kernel, which ignores it."""
        several = [self.gamma] if isinstance(self.gamma, str) or not isinstance(self.gamma, Iterable) else self.gamma
        gammas: list[Any] = list(several)
        if not gammas:
            raise DataError("gamma is empty: pass at least one value, or 'scale'.", parameter="gamma")
        for gamma in gammas:
            check_gamma(gamma)
        return gammas if self.kernel == "lrbf" else gammas[:1]

    def _weighed(self, rows: CheckedRows | CheckedBlocks) -> RowsInMemory | RowsInBlocks:
        gaps = self.observed_values_.missing > 0
        if isinstance(rows, CheckedBlocks):
            return RowsInBlocks(rows, gaps, self.pair_weight)
        return RowsInMemory(rows, gaps, self.pair_weight)

    def _paths(self, rows: CheckedRows | CheckedBlocks, Cs: FloatArray, gammas: list[Any]) -> list["_Path"]:
        """Return one path over C for each γ and each fold, sorted by γ."""
        folds = self._folds(rows)
        # One level of parallelism: larger data are cut into blocks, which keep all cores of this machine busy.
        by_blocks = isinstance(rows, CheckedBlocks) or (len(rows.y) >= 2 * MIN_ROWS_PER_THREAD and not _on_cluster())
        n_jobs = 1 if by_blocks else effective_n_jobs(self.n_jobs)
        with nullcontext() if n_jobs == 1 else one_blas_thread():
            jobs = (delayed(self._path)(fold, Cs, gamma) for gamma in gammas for fold in folds)
            return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))

    def _folds(self, rows: CheckedRows | CheckedBlocks) -> list[Callable[[], tuple[Any, Any]]]:
        """Return functions that give the training rows of a fold, and its held-out rows."""
        if isinstance(rows, CheckedBlocks):
            survey: Any = {"pair_weight": self.pair_weight, "spread": self.kernel == "lrbf"}
            return [partial(_surveyed, rows, *fold, survey) for fold in partitioned_folds(self.cv, rows)]
        folds = query_folds(rows.weights.translate(self.cv), rows.X, rows.y, rows.groups)
        return [partial(_divided, rows, *fold) for fold in folds]

    def _path(self, fold: Callable[[], tuple[Any, Any]], Cs: FloatArray, gamma: Any) -> "_Path":
        """Fit to the training rows for every C, each from the previous solution, and measure on the held-out rows."""
        train, held_out = map(self._weighed, fold())
        if not train.total > 0:
            raise DataError(
                "A fold has no comparable pair among its training rows.",
                remedy=("Add judged queries", f"change {setting('cv')}"),
            )
        made = ColumnOptions.of(self._ranker(1.0, gamma)).feature_map(train.columns)
        data = train.compared(made)
        unit = train.total if self.C_unit == "mean" else 1.0
        limits: Any = {"tol": self.tol, "max_iter": self.max_iter}
        limits |= {"nonnegative": None if made is None else made.nonnegative, "kept": KeptHessian()}
        w, path, early_gaps = None, [], []
        for C in Cs:
            solution = minimise_loss(self.loss, data, float(C) / unit, start=w, **limits)
            w = solution.w
            path.append(w)
            if not solution.converged:
                early_gaps.append(solution.duality_gap / solution.value)
        y, groups, scores = held_out.scored_lists(made, np.column_stack(path))
        return _Path(np.array([self._measure(y, column, groups) for column in scores.T]), early_gaps)

    def _measure(self, y: FloatArray, scores: FloatArray, groups: Groups) -> float:
        return evaluate(y, scores, qid=groups, measures=self.scoring, convention=self.convention)[self.scoring]

    def _results(
        self, paths: list["_Path"], Cs: FloatArray, gammas: list[Any], higher_is_better: bool
    ) -> dict[str, Any]:
        """Return the held-out measures of every combination of C and γ, sorted by C."""
        by_gamma = np.array([path.measures for path in paths]).reshape(len(gammas), -1, len(Cs))
        per_fold = by_gamma.transpose(2, 0, 1).reshape(len(Cs) * len(gammas), -1)
        defined = per_fold[:, ~np.isnan(per_fold).any(axis=0)]
        if defined.shape[1] == 0:
            raise DataError(
                f"{self.scoring} is undefined in every fold: no held-out query has a value.",
                remedy=("Add judged queries", f"lower {setting('cv')}"),
            )
        mean = defined.mean(axis=1)
        results: dict[str, Any] = {"C": np.repeat(Cs, len(gammas))}
        if self.kernel == "lrbf":
            results["gamma"] = np.array(gammas * len(Cs), dtype=object)
        results |= {f"split{number}_test_score": column for number, column in enumerate(per_fold.T)}
        results |= {"mean_test_score": mean, "std_test_score": defined.std(axis=1)}
        results["rank_test_score"] = rankdata(-mean if higher_is_better else mean, method="min").astype(np.int64)
        return results


def _on_cluster() -> bool:
    """Whether joblib's jobs run on the executors of a cluster (``spark_jobs``)."""
    return getattr(get_active_backend(prefer="threads")[0], "on_cluster", False)


def _divided(rows: CheckedRows, train: IntArray, held_out: IntArray) -> tuple[CheckedRows, CheckedRows]:
    return rows.pick(train), rows.pick(held_out)


def _surveyed(
    rows: CheckedBlocks, train: BoolArray, held_out: BoolArray, survey: Any
) -> tuple[CheckedBlocks, CheckedBlocks]:
    """Survey the training rows of a fold; held-out rows need no survey of their own."""
    return survey_partitions(rows.data.pick_queries(train), **survey), rows.pick(held_out)


@dataclass(frozen=True, eq=False)
class _Path:
    """Held-out measure for each C."""

    measures: FloatArray
    early_gaps: list[float]
    """Certified gaps, as shares of the objective, of the fits that stopped before ``tol`` was reached."""
