"""ELMRankCV: ELMRank with the penalty chosen on held-out queries."""

from typing import Any, Self

import numpy as np
from scipy.stats import rankdata

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, check_choice
from glassrank.core.groups import Groups, group_codes
from glassrank.core.input_types import ArrayLike, FoldsLike, RandomState
from glassrank.core.nodes.least_squares import Columns, leave_query_out, scores
from glassrank.core.nodes.pair_rows import pair_rows
from glassrank.core.setting import setting
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.ranking.elm_rank import RandomNodeRanker, check_alphas, pair_equations
from glassrank.ranking.estimator import CheckedRows
from glassrank.ranking.feature_columns import SeenColumns
from glassrank.ranking.partitioned_rows import CheckedBlocks, check_partitions, partitioned_folds, refuse_partitions
from glassrank.ranking.query_folds import check_folds, query_folds
from glassrank.scale.blockwise_equations import node_scores_of_block

LEAVE_QUERY_OUT = "leave-query-out"
# Half-decades; float32 is not precise enough for penalties as small as those of float64.
DEFAULT_ALPHAS = {"float64": 10.0 ** np.arange(-6.0, 1.25, 0.5), "float32": 10.0 ** np.arange(-4.0, 1.25, 0.5)}


class ELMRankCV(RandomNodeRanker):
    """ELMRank with λ chosen by a measure on held-out queries; one eigendecomposition is enough for all λ.

    Parameters
    ----------
    alphas : sequence of float, optional
        Values of λ to choose from; by default half-decades from 1e-6 (in float32 from 1e-4) to 10.
    cv : int, splitter, iterable of splits or "leave-query-out"
        Folds that keep each query whole; with a single query, a number makes folds of its documents.
        ``"leave-query-out"`` ranks each query by the fit without it, exactly and without refitting; the penalty λZ/2 of
        all queries is kept.
    scoring : str
        Measure of ``glassrank.evaluate`` that decides, such as "pair_accuracy", "ndcg@10" or "misranking"; the smallest
        value wins if lower is better.
    convention : str
        Convention of the measure.
    n_nodes, activation, nodes, min_count, missing, weighting, input_range, bias_range, dtype, random_state
        As in ``ELMRank``. All folds have the same nodes. The columns of categories and missing values are those of the
        training rows of a fold; with ``"leave-query-out"``, those of all queries.

    Attributes
    ----------
    alpha_ : float
        The best λ; of equally good ones the largest.
    best_score_ : float
        Mean of the measure for the best λ, over the folds or over the queries left out.
    coef_ : array
        Weights of the nodes, fitted to all queries with the best λ.
    cv_results_ : dict of arrays
        ``alpha``, ``mean_test_score``, ``std_test_score``, ``rank_test_score`` and, with folds,
        ``split<i>_test_score``; NaN if the measure is undefined in a fold.

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
        alphas: ArrayLike | None = None,
        cv: FoldsLike = 3,
        scoring: str = "pair_accuracy",
        *,
        convention: str = "standard",
        n_nodes: int = 500,
        activation: str = "sigmoid",
        nodes: str = "full",
        min_count: int = 10,
        missing: str = "refuse",
        weighting: str = "pairs",
        input_range: float | None = None,
        bias_range: float | None = None,
        dtype: str = "float64",
        random_state: RandomState = None,
    ) -> None:
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.convention = convention
        self.n_nodes = n_nodes
        self.activation = activation
        self.nodes = nodes
        self.min_count = min_count
        self.missing = missing
        self.weighting = weighting
        self.input_range = input_range
        self.bias_range = bias_range
        self.dtype = dtype
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Choose λ on held-out queries, then fit to all queries; ``qid=None`` means one query.

        Row weights are used in every fit, as in ``ELMRank``. The measure is unweighted, on the rows of positive weight.
        """
        self._check_node_parameters()
        measure = parse_measure(self.scoring).measure
        check_choice("convention", self.convention, CONVENTIONS)
        if isinstance(self.cv, str):
            check_choice("cv as a string", self.cv, [LEAVE_QUERY_OUT])
        else:
            check_folds(self.cv)
        if isinstance(self.cv, str):
            refuse_partitions(X, f"{setting('cv', LEAVE_QUERY_OUT)}", "Pass a number of folds.")
        if isinstance(X, PartitionedData):
            rows: CheckedRows | CheckedBlocks = check_partitions(self, X, y, qid, sample_weight)
        else:
            rows = self._check_training_data(X, y, qid, sample_weight)
        alphas = DEFAULT_ALPHAS[self.dtype] if self.alphas is None else check_alphas(self.alphas)
        seen = rows.columns(self.observed_values_.missing > 0)
        self.hidden_nodes_ = self._draw_nodes(seen)
        self.feature_map_, columns = self._columns(seen)
        equations = pair_equations(rows, columns, self.weighting)
        if isinstance(rows, CheckedBlocks):
            tables = [self._measure_blocks(rows, fold, alphas) for fold in partitioned_folds(self.cv, rows)]
            table = np.column_stack(tables)
        elif isinstance(self.cv, str):
            self._check_several(rows.groups)
            pairs = pair_rows(self.weighting, rows.y, rows.groups, rows.weights.values)
            held_out_scores = leave_query_out(equations, columns, rows.X, rows.y, pairs, alphas)
            table = np.array([self._measure(rows.y, row, rows.groups) for row in held_out_scores])
        else:
            folds = query_folds(rows.weights.translate(self.cv), rows.X, rows.y, rows.groups)
            table = np.column_stack([self._measure_fold(rows, fold, alphas) for fold in folds])
        names = [] if isinstance(self.cv, str) else [f"split{number}_test_score" for number in range(table.shape[1])]
        splits = dict(zip(names, table.T, strict=False))
        self.cv_results_ = {"alpha": alphas.copy()} | splits | self._summary(table, measure.higher_is_better)
        self.alpha_ = float(alphas[self.cv_results_["rank_test_score"] == 1].max())
        self.best_score_ = float(self.cv_results_["mean_test_score"][alphas == self.alpha_][0])
        self.coef_ = equations.solve(self.alpha_)
        return self

    def _columns(self, rows: SeenColumns) -> tuple[FeatureMap | None, Columns]:
        """Return the feature map of training rows, if they need one, and it or the nodes as columns of a fit."""
        made = self._make_map(self.hidden_nodes_, rows)
        return made, self.hidden_nodes_ if made is None else made

    def _check_several(self, groups: Groups) -> None:
        """Raise an error if there is one query, which cannot be left out."""
        if groups.n_queries == 1:
            raise DataError(
                f"{setting('cv', LEAVE_QUERY_OUT)} needs at least two queries: got 1.",
                remedy="Pass a number of folds, which holds out documents.",
            )

    def _measure_fold(self, rows: CheckedRows, fold: tuple[IntArray, IntArray], alphas: FloatArray) -> FloatArray:
        """Return the mean measure on the held-out queries for each λ, fitted to the other queries."""
        train, test = map(rows.pick, fold)
        _, columns = self._columns(train.columns(self.observed_values_.missing > 0))
        coefs = pair_equations(train, columns, self.weighting).path(alphas)
        return self._means(test.y, scores(columns, test.X, coefs), test.groups)

    def _measure_blocks(self, rows: CheckedBlocks, fold: tuple[BoolArray, BoolArray], alphas: FloatArray) -> FloatArray:
        """As ``_measure_fold``, for a fold of the queries of partitioned data."""
        train, test = map(rows.pick, fold)
        _, columns = self._columns(train.columns(self.observed_values_.missing > 0))
        coefs = pair_equations(train, columns, self.weighting).path(alphas)
        found = np.concatenate(test.blocks.add_up(node_scores_of_block, columns, coefs))
        return self._means(test.data.labels, found, group_codes(test.data.row_queries))

    def _means(self, y: FloatArray, document_scores: FloatArray, groups: Groups) -> FloatArray:
        """Return the mean measure for each column of scores."""
        return np.array([_mean(self._measure(y, column, groups)) for column in document_scores.T])

    def _measure(self, y: FloatArray, document_scores: FloatArray, groups: Groups) -> FloatArray:
        found = evaluate(y, document_scores, qid=groups, measures=self.scoring, convention=self.convention)
        return found.table[0]

    def _summary(self, table: FloatArray, higher_is_better: bool) -> dict[str, Any]:
        """Return mean, standard deviation and rank of each λ over the folds or queries with a defined measure."""
        defined = table[:, ~np.isnan(table).any(axis=0)]
        if defined.shape[1] == 0:
            raise DataError(
                f"{self.scoring} is undefined in every fold: no held-out query has a value.",
                remedy=("Add judged queries", f"lower {setting('cv')}"),
            )
        mean = defined.mean(axis=1)
        rank = rankdata(-mean if higher_is_better else mean, method="min").astype(np.int64)
        return {"mean_test_score": mean, "std_test_score": defined.std(axis=1), "rank_test_score": rank}


def _mean(values: FloatArray) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
