"""ELMRank: least squares over pairs of documents, on a random hidden layer."""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.additive.feature_map import FeatureMap, check_columns
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.additive.scoring import finite_scores, map_scores
from glassrank.core.checks import (
    DataError,
    FloatArray,
    Matrix,
    as_vector,
    check_choice,
    check_finite,
    check_positive,
)
from glassrank.core.feature_kinds import FeatureTable, kinds_of, values_of
from glassrank.core.groups import Groups, group_rows
from glassrank.core.input_types import ArrayLike, RandomState
from glassrank.core.missing_rule import MISSING
from glassrank.core.nodes.hidden_nodes import (
    ACTIVATIONS,
    DTYPES,
    NODE_KINDS,
    HiddenNodes,
    OneFeatureNodes,
    draw_nodes,
)
from glassrank.core.nodes.least_squares import Columns, NormalEquations, normal_equations, scores
from glassrank.core.nodes.pair_rows import WEIGHTINGS, pair_rows
from glassrank.core.randomness import random_generator
from glassrank.core.row_weights import row_weights
from glassrank.core.setting import setting
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.estimator import CheckedRows, Ranker
from glassrank.ranking.feature_columns import SeenColumns, TrainingColumns, as_dense, feature_blocks, missing_columns
from glassrank.ranking.named_rows import (
    checked_rows,
    feature_names,
    keep_names,
    known_rows,
    rows_of,
    training_input,
)
from glassrank.ranking.partitioned_rows import CheckedBlocks, check_partitions
from glassrank.scale.blockwise_equations import equations_of_block


class RandomNodeRanker(Ranker):
    """Base of rankers that score documents by f(x) = Σ β_k φ_k(x) with random nodes φ that are not trained."""

    n_nodes: int
    activation: str
    nodes: str
    min_count: int
    missing: str
    weighting: str
    input_range: float | None
    bias_range: float | None
    dtype: str
    random_state: Any
    hidden_nodes_: HiddenNodes
    feature_map_: FeatureMap | None
    coef_: FloatArray

    def hidden_layer(self, X: Any) -> FloatArray:
        """Return the output of every node for every document: rows are documents, columns are nodes.

        The columns of a model with categories or missing values are those of ``feature_map_``: feature by feature, its
        nodes or its levels, and the indicator of missing values.
        """
        check_is_fitted(self, "coef_")
        X = known_rows(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            layer = self.hidden_nodes_(X) if self.feature_map_ is None else self.feature_map_(as_dense(X))
        check_finite("The hidden layer", layer, "Scale the features first.")
        return layer

    def predict(self, X: Any) -> FloatArray:
        """Score documents: the hidden layer times ``coef_``; higher ranks first."""
        check_is_fitted(self, "coef_")
        X = known_rows(self, X)
        if self.feature_map_ is not None:
            return finite_scores(map_scores, X, self.feature_map_, self.coef_)
        return finite_scores(scores, self.hidden_nodes_, X, self.coef_[None, :])[:, 0]

    def _draw_nodes(self, rows: SeenColumns) -> HiddenNodes:
        return draw_nodes(
            self.nodes,
            len(rows.names),
            int(self.n_nodes),
            self.activation,
            random_generator(self.random_state),
            input_range=self.input_range,
            bias_range=self.bias_range,
            dtype=self.dtype,
            numbers=np.flatnonzero(rows.numbers),
        )

    def _make_map(self, nodes: HiddenNodes, rows: SeenColumns) -> FeatureMap | None:
        """Return the columns for training rows; None if they are the nodes alone."""
        if not isinstance(nodes, OneFeatureNodes) or not rows.need_a_map:
            return None
        blocks = feature_blocks(rows, int(self.min_count), lambda k, *_: nodes.columns(k))
        made = FeatureMap(blocks, nodes.dtype)
        widths = np.where(rows.numbers, 0, np.diff(made.ends, prepend=0))
        check_columns("The model", widths.tolist(), rows.names)
        return made

    @property
    def _takes_categories(self) -> bool:
        return self.nodes == "additive"

    @property
    def _for_real_data(self) -> str:
        return f"use {setting('nodes', 'additive')}"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.nodes == "additive"
        return tags

    def _check_node_parameters(self) -> None:
        check_positive("n_nodes", self.n_nodes, whole=True)
        check_choice("activation", self.activation, ACTIVATIONS)
        check_choice("nodes", self.nodes, NODE_KINDS)
        check_positive("min_count", self.min_count, whole=True)
        check_choice("missing", self.missing, MISSING)
        check_choice("weighting", self.weighting, WEIGHTINGS)
        check_choice("dtype", self.dtype, DTYPES)
        for name in ("input_range", "bias_range"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))


class ELMRank(RandomNodeRanker):
    """Extreme learning machine for ranking: random hidden nodes, output weights by least squares over pairs.

    Minimises (1/Z) Σ ω_ij (y_i − y_j − (f(x_i) − f(x_j)))² + λ‖β‖² over all pairs of documents of one query, with
    f(x) = Σ β_k φ_k(x) and Z = Σ ω_ij (Chen et al. 2014, eq. 4, which has one query and ω = 1). The solution is exact
    and uses sums over documents: pairs are never listed, and memory does not grow with the number of documents.

    Features should have the same scale (``StandardScaler``): the nodes are drawn for values of the order of 1.

    Parameters
    ----------
    n_nodes : int
        Number of hidden nodes.
    activation : {"sigmoid", "gaussian", "tanh", "relu", "linear"}
        φ(a·x + b) of a node with input weights a and bias b; a Gaussian node is exp(−b‖x − a‖²).
    alpha : float
        λ, the weight of ‖β‖² against the mean squared error of the pairs.
    nodes : {"full", "additive"}
        Whether a node uses all features or one. With additive nodes, divided evenly among the features, f is a sum of
        one curve per feature, and the model learns effects of missing values and of categories. Full nodes need known
        numbers.
    min_count : int
        Levels of a category with fewer training rows share one effect, "other".
    missing : {"refuse", "mean"}
        What to do with a missing value of a feature that had none in training: raise an error, or treat it as the
        feature's mean. With additive nodes, a feature with missing values in training has a learned effect for them.
    weighting : {"pairs", "query", "different-labels"}
        ω: 1 for every pair; 1/(documents of the query)², so that each query counts the same; or 1 for pairs of
        different labels and 0 for equal ones.
    input_range : float, optional
        Input weights a are drawn from U(−r, r). By default r = 2/√(features per node), for Gaussian nodes 2.
    bias_range : float, optional
        Biases b are drawn from U(−s, s), by default s = 1; for Gaussian nodes from U(0, s), by default
        s = 1/(features per node).
    dtype : {"float64", "float32"}
        Precision of the hidden layer; float32 needs half the memory and time. Sums are always in float64.
    random_state : int, numpy generator or None
        Random seed of the nodes. Results depend on it: try several.

    Attributes
    ----------
    coef_ : array
        β: one weight per node, or per column of ``feature_map_``.
    hidden_nodes_ : HiddenNodes
        The random nodes, with their activation, inputs and biases.
    feature_map_ : FeatureMap or None
        Columns of nodes, levels and indicators of missing values; None if the nodes are the only columns.
    feature_kinds_ : tuple of FeatureKind
        Which features are numbers, yes/no values or categories, with the levels of categories.

    Examples
    --------
    >>> from glassrank import ELMRank
    >>> X = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]]
    >>> y, qid = [0, 1, 2, 0, 1], ["a", "a", "a", "b", "b"]
    >>> model = ELMRank(n_nodes=20).fit(X, y, qid=qid)
    >>> model.hidden_layer(X).shape, model.score(X, y, qid=qid)
    ((5, 20), 1.0)
    """

    def __init__(
        self,
        n_nodes: int = 500,
        activation: str = "sigmoid",
        alpha: float = 1e-3,
        *,
        nodes: str = "full",
        min_count: int = 10,
        missing: str = "refuse",
        weighting: str = "pairs",
        input_range: float | None = None,
        bias_range: float | None = None,
        dtype: str = "float64",
        random_state: RandomState = None,
    ) -> None:
        self.n_nodes = n_nodes
        self.activation = activation
        self.alpha = alpha
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
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query.

        With row weights v, the weight of a pair is v_i · v_j · ω_ij, so that whole numbers are equivalent to repeated
        rows and rows of weight 0 are ignored.
        """
        self._check_parameters()
        checked: CheckedRows | CheckedBlocks
        if isinstance(X, PartitionedData):
            checked = check_partitions(self, X, y, qid, sample_weight)
            self._n_rows, seen = float(checked.survey.weight), X.query_ids[checked.queries]
        else:
            checked = self._check_training_data(X, y, qid, sample_weight)
            self._n_rows, seen = _total(checked.y, checked.weights.values), _named_queries(X, qid, checked.groups)
        self._seen_queries = set(map(str, seen))
        rows = checked.columns(self.observed_values_.missing > 0)
        nodes = self._draw_nodes(rows)
        feature_map = self._make_map(nodes, rows)
        equations = pair_equations(checked, nodes if feature_map is None else feature_map, self.weighting)
        if equations.normaliser == 0.0:
            raise DataError(
                "sample_weight is so small that every pair has weight 0: nothing to learn from. Scale it up."
            )
        self._solve(nodes, feature_map, equations)
        return self

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from further queries, as if all rows so far had been passed to ``fit`` at once.

        All rows of a query must be in one call, because its documents are compared with each other: a query that
        ``fit`` or an earlier call has seen is an error. Without ``qid``, each call is a query of its own. Features must
        be known numbers: the columns of categories and missing values depend on all rows.
        """
        self._check_parameters()
        begun = hasattr(self, "normal_equations_")
        X, y, groups, weights, queries = self._check_chunk(X, y, qid, sample_weight, reset=not begun)
        rows = TrainingColumns(X, self.feature_kinds_, feature_names(self), groups, weights, missing_columns(X))
        self._refuse_columns(rows)
        nodes = self.hidden_nodes_ if begun else self._draw_nodes(rows)
        equations = normal_equations(nodes, X, y, pair_rows(self.weighting, y, groups, weights))
        # Solve before anything else is stored: an error leaves the model unchanged.
        self._solve(nodes, None, self.normal_equations_ + equations if begun else equations)
        if not begun:
            self._n_rows, self._seen_queries, self.n_queries_ = 0, set(), 0
        observed, total = ObservedValues.of(X).weighted(X, weights), _total(y, weights)
        self.observed_values_ = _merge(self.observed_values_, self._n_rows, observed, total) if begun else observed
        self._n_rows += total
        self._seen_queries |= queries
        self.n_queries_ += groups.n_queries
        return self

    def coef_path(self, alphas: ArrayLike) -> FloatArray:
        """Return ``coef_`` for each of many λ, one per row, from one eigendecomposition and without the data.

        >>> from glassrank import ELMRank
        >>> model = ELMRank(n_nodes=3).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
        >>> model.coef_path([1e-3, 1.0]).shape
        (2, 3)
        """
        check_is_fitted(self, "coef_")
        return self.normal_equations_.path(check_alphas(alphas))

    def _check_chunk(
        self, X: Any, y: Any, qid: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Matrix, FloatArray, Groups, FloatArray | None, set[str]]:
        """Check rows of further queries; unlike all rows together, they need not contain a comparable pair.

        The last of the values returned are the names of the queries.
        """
        given = X, qid
        if not reset:
            rows_of(self, X)
        X, y, qid, sample_weight, names = training_input(X, y, qid, sample_weight, read_frames=True)
        kinds = X.kinds if isinstance(X, FeatureTable) else None
        finite: Any = True if sparse.issparse(X) else "allow-nan"
        checks: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": finite, "dtype": "float64", "order": "C"}
        if reset:
            X, y = validate_data(self, values_of(X), y, y_numeric=True, **checks)
            keep_names(self, names)
        else:
            X = checked_rows(self, values_of(X), **checks)
        if reset or kinds is not None:
            self.feature_kinds_ = kinds or kinds_of(X)
        y, groups = as_vector("y", y, X.shape[0]), group_rows(qid, X.shape[0])
        weights = row_weights(sample_weight, len(y))
        if weights.rows is not None:
            X, y, groups = X[weights.rows], y[weights.rows], groups.pick(weights.rows)
        queries = set(map(str, _named_queries(*given, groups)))
        repeated = set() if reset else self._seen_queries & queries
        if repeated:
            raise DataError(
                f"qid must name new queries: {len(repeated)} were in an earlier call, such as {min(repeated)!r}.",
                parameter="qid",
                remedy=(
                    "Pass all rows of a query in one call of partial_fit, because its documents are compared with each "
                    "other."
                ),
            )
        return X, y, groups, weights.values, queries

    def _refuse_columns(self, rows: TrainingColumns) -> None:
        """Raise an error if the model has columns that depend on all rows, or needs them for these rows."""
        if getattr(self, "feature_map_", None) is None and not rows.need_a_map:
            return
        k = int(np.argmax(~rows.numbers | rows.gaps))
        what = "has missing values (NaN)" if rows.gaps[k] else "is a category"
        which = f"feature {rows.names[k]!r} {what}" if rows.need_a_map else "the model was fitted to others"
        raise DataError(
            f"partial_fit needs known numbers: {which}.",
            remedy=f"Pass all rows to fit, with {setting('nodes', 'additive')}.",
        )

    def _solve(self, nodes: HiddenNodes, feature_map: FeatureMap | None, equations: NormalEquations) -> None:
        self.coef_ = equations.solve(float(self.alpha))
        self.objective_ = equations.objective(self.coef_, float(self.alpha))
        self.hidden_nodes_, self.feature_map_, self.normal_equations_ = nodes, feature_map, equations

    def _check_parameters(self) -> None:
        self._check_node_parameters()
        check_positive("alpha", self.alpha)


def pair_equations(rows: CheckedRows | CheckedBlocks, columns: Columns, weighting: str) -> NormalEquations:
    """Return the normal equations of checked rows, in memory or in blocks."""
    if isinstance(rows, CheckedBlocks):
        return rows.blocks.add_up(equations_of_block, columns, weighting)
    return normal_equations(columns, rows.X, rows.y, pair_rows(weighting, rows.y, rows.groups, rows.weights.values))


def check_alphas(alphas: Any) -> FloatArray:
    """Return values of λ as a vector: at least one, all positive."""
    values = as_vector("alphas", alphas)
    if len(values) == 0 or (values <= 0).any():
        raise DataError(parameter="alphas", expected="one or more positive numbers", got=alphas)
    return values


def _named_queries(X: Any, qid: Any, groups: Groups) -> Any:
    """Return the identifiers of the queries; none if the rows are one query without a name."""
    return groups.ids if isinstance(X, RankingData) or qid is not None else []


def _total(y: FloatArray, weights: FloatArray | None) -> float:
    """Return the number of rows, or the sum of their weights."""
    return len(y) if weights is None else float(weights.sum())


def _merge(first: ObservedValues, n_first: float, second: ObservedValues, n_second: float) -> ObservedValues:
    """Return the observed values of two sets of rows together."""
    mean = (n_first * first.mean + n_second * second.mean) / (n_first + n_second)
    return ObservedValues(np.minimum(first.low, second.low), np.maximum(first.high, second.high), mean)
