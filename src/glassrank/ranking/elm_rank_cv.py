"""ELMRankCV: ELMRank with the penalty chosen on held-out queries."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix, check_choice
from glassrank.core.groups import Groups, group_rows
from glassrank.core.nodes.least_squares import NormalEquations, leave_query_out, normal_equations, scores
from glassrank.core.nodes.pair_rows import PairRows, pair_rows
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.ranking.elm_rank import RandomNodeRanker, check_alphas
from glassrank.ranking.query_folds import check_folds, query_folds

LEAVE_QUERY_OUT = "leave-query-out"
# Half-decades; float32 does not resolve penalties as small as float64 does.
DEFAULT_ALPHAS = {"float64": 10.0 ** np.arange(-6.0, 1.25, 0.5), "float32": 10.0 ** np.arange(-4.0, 1.25, 0.5)}


class ELMRankCV(RandomNodeRanker):
    """ELMRank with λ chosen by a measure on held-out queries; one eigendecomposition serves all λ.

    Parameters
    ----------
    alphas : sequence of float, optional
        Values of λ to choose from; by default half-decades from 1e-6 (in float32 from 1e-4) to 10.
    cv : int, splitter, iterable of splits or "leave-query-out"
        Folds, each query whole in one of them; with a single query, a number makes folds of its documents.
        ``"leave-query-out"`` ranks each query by the fit without it, exactly and without fitting anew; the penalty λZ/2
        of all queries is kept.
    scoring : str
        Measure of ``glassrank.evaluate`` to choose by, such as "pair_accuracy", "ndcg@10" or "misranking"; the best is
        the smallest value where lower is better.
    convention : str
        The convention of the measure.
    n_nodes, activation, nodes, weighting, input_range, bias_range, dtype, random_state
        As in ``ELMRank``. All folds have the same nodes.

    Attributes
    ----------
    alpha_ : float
        The best; of equals the largest.
    best_score_ : float
        Mean of the measure over the folds, or over the queries left out, for the best.
    coef_ : array
        Weights of the nodes, fitted with the best to all queries.
    cv_results_ : dict of arrays
        ``alpha``, ``mean_test_score``, ``std_test_score``, ``rank_test_score`` and, with folds,
        ``split<i>_test_score``; NaN where a fold has nothing to measure.

    Examples
    --------
    >>> from glassrank import ELMRankCV, simulate_ranking
    >>> data = simulate_ranking(n_queries=20, documents_per_query=10, random_state=0).data
    >>> X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    >>> model = ELMRankCV([0.001, 0.1, 10.0], cv="leave-query-out", n_nodes=50).fit(X, data.y, qid=data.qid)
    >>> model.alpha_ in (0.001, 0.1, 10.0), bool(model.best_score_ == model.cv_results_["mean_test_score"].max())
    (True, True)
    """

    def __init__(
        self,
        alphas: Any = None,
        cv: Any = 3,
        scoring: str = "pair_accuracy",
        *,
        convention: str = "standard",
        n_nodes: int = 500,
        activation: str = "sigmoid",
        nodes: str = "full",
        weighting: str = "pairs",
        input_range: float | None = None,
        bias_range: float | None = None,
        dtype: str = "float64",
        random_state: Any = None,
    ) -> None:
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.convention = convention
        self.n_nodes = n_nodes
        self.activation = activation
        self.nodes = nodes
        self.weighting = weighting
        self.input_range = input_range
        self.bias_range = bias_range
        self.dtype = dtype
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None) -> "ELMRankCV":
        """Choose on held-out queries, then fit to all; ``qid=None`` means one query."""
        self._check_node_parameters()
        measure = parse_measure(self.scoring).measure
        check_choice("convention", self.convention, CONVENTIONS)
        if isinstance(self.cv, str):
            check_choice("cv as a word", self.cv, [LEAVE_QUERY_OUT])
        else:
            check_folds(self.cv)
        X, y, groups = self._check_training_data(X, y, qid)
        alphas = DEFAULT_ALPHAS[self.dtype] if self.alphas is None else check_alphas(self.alphas)
        self.hidden_nodes_ = self._draw_nodes(X.shape[1])
        pairs = pair_rows(self.weighting, y, groups)
        equations = normal_equations(self.hidden_nodes_, X, y, pairs)
        if isinstance(self.cv, str):
            table, splits = self._leave_query_out(equations, X, y, groups, pairs, alphas), {}
        else:
            folds = query_folds(self.cv, X, y, groups)
            table = np.column_stack([self._measure_fold(X, y, groups.of_row, fold, alphas) for fold in folds])
            splits = {f"split{number}_test_score": column for number, column in enumerate(table.T)}
        self.cv_results_ = {"alpha": alphas.copy()} | splits | self._summary(table, measure.higher_is_better)
        self.alpha_ = float(alphas[self.cv_results_["rank_test_score"] == 1].max())
        self.best_score_ = float(self.cv_results_["mean_test_score"][alphas == self.alpha_][0])
        self.coef_ = equations.solve(self.alpha_)
        return self

    def _leave_query_out(
        self, equations: NormalEquations, X: Matrix, y: FloatArray, groups: Groups, pairs: PairRows, alphas: FloatArray
    ) -> FloatArray:
        """Measure of each query by the fit without it: one row per λ, one column per query."""
        if groups.n_queries == 1:
            raise DataError(
                f"cv={LEAVE_QUERY_OUT!r} needs at least two queries: got 1. A number of folds holds out documents."
            )
        held_out = leave_query_out(equations, self.hidden_nodes_, X, y, pairs, alphas)
        return np.array([self._measure(y, row, groups.of_row) for row in held_out])

    def _measure_fold(
        self, X: Matrix, y: FloatArray, query: IntArray, fold: tuple[IntArray, IntArray], alphas: FloatArray
    ) -> FloatArray:
        """Mean measure of the queries held out, by the fit to the others, for each λ."""
        train, test = fold
        pairs = pair_rows(self.weighting, y[train], group_rows(query[train], len(train)))
        coefs = normal_equations(self.hidden_nodes_, X[train], y[train], pairs).path(alphas)
        by_alpha = scores(self.hidden_nodes_, X[test], coefs).T
        return np.array([_mean(self._measure(y[test], row, query[test])) for row in by_alpha])

    def _measure(self, y: FloatArray, document_scores: FloatArray, query: IntArray) -> FloatArray:
        found = evaluate(y, document_scores, qid=query, measures=self.scoring, convention=self.convention)
        return found.per_query[self.scoring]

    def _summary(self, table: FloatArray, higher_is_better: bool) -> dict[str, Any]:
        """Mean, spread and rank of each λ over the folds or queries in which the measure is defined."""
        defined = table[:, ~np.isnan(table).any(axis=0)]
        if defined.shape[1] == 0:
            raise DataError(f"{self.scoring} is undefined in every fold: no held-out query can be measured. Lower cv.")
        mean = defined.mean(axis=1)
        rank = rankdata(-mean if higher_is_better else mean, method="min").astype(np.int64)
        return {"mean_test_score": mean, "std_test_score": defined.std(axis=1), "rank_test_score": rank}


def _mean(values: FloatArray) -> float:
    """Mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
