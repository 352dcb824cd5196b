"""Any ranker, ours or another library's: how to pass queries to its ``fit``, and how to compare two documents."""

from collections.abc import Iterator
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from glassrank.core.checks import DataError, FloatArray, IntArray, as_vector
from glassrank.core.feature_kinds import FeatureKind, FeatureTable
from glassrank.core.groups import Groups
from glassrank.core.missing_rule import MEAN, REFUSE
from glassrank.core.pairs.pair_decisions import rank_by_wins
from glassrank.core.setting import setting
from glassrank.data.partitions.data_block import DataBlock
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.native_categories import as_frame, declare_categories, declared_categories, learned_names
from glassrank.ranking.tree_rankers import BoostedTrees, dmatrix_scores, library_of, takes_only_dmatrix
from glassrank.scale.open_blocks import open_blocks

# Models without a score per document compare this many pairs at a time, to limit memory.
PAIRS_AT_A_TIME = 65_536


def check_ranker(estimator: Any, *, fitted: bool) -> None:
    """Raise an error unless a model can score documents: for classifiers, for classes instead of objects, and so on."""
    usable = scores_documents(estimator) or _decides_pairs(estimator) if fitted else hasattr(estimator, "fit")
    if isinstance(estimator, type) or not usable:
        wanted = "a fitted model with predict, or a function from rows to scores" if fitted else "fit and predict"
        raise DataError(f"A ranker scores documents: expected {wanted}, got {estimator!r}.")
    if hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator):
        raise DataError(
            f"A ranker scores documents, but {type(estimator).__name__} predicts classes.",
            remedy=(
                "Wrap a linear classifier in PairwiseRanker(classifier)",
                f"pass its decision_function with {setting('cv', 'prefit')}",
            ),
        )


def fit_ranker(estimator: Any, X: Any, y: FloatArray, groups: Groups, weights: FloatArray | None = None) -> Any:
    """Fit an estimator to rows of known queries, which are passed as the estimator's ``fit`` expects.

    ``qid`` gets the groups (glassrank) or a number for each row (XGBoost), ``group`` (LightGBM) the sizes of the
    queries. A Pipeline passes them to its last step. An estimator that takes neither, such as a regressor, is fitted to
    X and y alone. Rows are sorted by query, as LightGBM and XGBoost expect. Row weights are passed to every step that
    takes them. Rankers of other libraries are told which features are categories.
    """
    if isinstance(X, PartitionedData):
        return _fit_partitions(estimator, X)
    X = rows_for(estimator, X, to_fit=True)
    if not groups.adjacent:
        order = groups.order
        X, y, groups = _safe_indexing(X, order), y[order], groups.pick(order)
        weights = None if weights is None else weights[order]
    return estimator.fit(X, y, **_query_arguments(estimator, groups), **weight_arguments(estimator, weights))


class TrainingLists(NamedTuple):
    """Training data of any ranker: rows as ``fit_ranker`` takes them, labels, queries and weights."""

    X: Any
    y: FloatArray
    groups: Groups
    weights: FloatArray | None

    @classmethod
    def of(cls, data: RankingData | PartitionedData) -> "TrainingLists":
        """Return the rows of data in memory, or those of positive weight of partitioned data."""
        if isinstance(data, PartitionedData):
            return cls(data, data.labels, data.groups, data.row_weights)
        return cls(data.table, data.y, data.groups, data.weights)


def pick_rows(X: Any, rows: IntArray) -> Any:
    """Return some rows of a matrix, a table or a data frame, or whole queries of partitioned data."""
    return X.pick_rows(rows) if isinstance(X, PartitionedData) else _safe_indexing(X, rows)


def _fit_partitions(estimator: Any, data: PartitionedData) -> Any:
    """Fit to partitioned data, which contain labels, queries and weights."""
    other = next((step for _, step in _steps(estimator) if not _is_own(step)), None)
    if other is not None:
        raise DataError(
            f"{type(other).__name__} needs all rows in memory: got PartitionedData.",
            parameter="X",
            remedy="Train it on some blocks, loaded with data.read_block(number), or use RankSVM or ELMRank.",
        )
    return estimator.fit(data)


def rows_for(estimator: Any, X: Any, *, to_fit: bool = False) -> Any:
    """Return the rows as an estimator takes them: rankers of other libraries take the codes of categories.

    Before a fit, the categories are declared to the library by its own parameter. A fitted ranker must have taken the
    same features as categories.
    """
    if not isinstance(X, FeatureTable):
        return X
    if not is_foreign(estimator):
        return X
    *before, last = (step for _, step in _steps(estimator) if step not in (None, "passthrough"))
    columns = [k for k, kind in enumerate(X.kinds) if kind.is_category]
    if columns:
        # Other libraries' transformers would take codes for numbers.
        ranker = next((step for step in before if not _is_own(step)), last)
        _check_categories(ranker, X, columns, to_fit=to_fit and ranker is last)
        if not to_fit and not before and learned_names(last):
            return as_frame(X)
    return X if before and _is_own(before[0]) else X.values


def is_foreign(estimator: Any) -> bool:
    """Whether a ranker, or a step of a Pipeline, belongs to another library."""
    return not all(_is_own(step) for _, step in _steps(estimator) if step not in (None, "passthrough"))


def _is_own(step: Any) -> bool:
    return type(step).__module__.startswith("glassrank.")


def _check_categories(ranker: Any, X: FeatureTable, columns: list[int], *, to_fit: bool) -> None:
    """Raise an error unless a ranker of another library takes these columns as categories."""
    taken = declare_categories(ranker, X.names, columns) if to_fit else declared_categories(ranker)
    k = next((k for k in columns if k not in taken), None)
    if k is not None:
        raise DataError(
            f"{type(ranker).__name__} would take the codes of the category {X.names[k]!r} for numbers.",
            remedy=(
                "Leave it out",
                "use RankSVM, or a ranker of LightGBM, XGBoost or HistGradientBoosting, which takes categories",
                "fit a Pipeline with an encoder to a data frame",
            ),
        )


def tolerant(estimator: Any) -> Any:
    """Let a model for a fold or a resample take missing values that its training rows lack as the mean, if it can."""
    refusing = [name for name, value in estimator.get_params().items() if name.endswith("missing") and value == REFUSE]
    return estimator.set_params(**dict.fromkeys(refusing, MEAN)) if refusing else estimator


def weight_arguments(estimator: Any, weights: FloatArray | None) -> dict[str, Any]:
    """Return the arguments of ``fit`` for row weights; in a Pipeline, every step that takes weights gets them.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler, StandardScaler
    >>> from sklearn.linear_model import Ridge
    >>> sorted(weight_arguments(make_pipeline(MinMaxScaler(), StandardScaler(), Ridge()), np.ones(3)))
    ['ridge__sample_weight', 'standardscaler__sample_weight']
    """
    if weights is None:
        return {}
    steps = list(_steps(estimator))
    if not takes_weights(steps[-1][1]):
        raise DataError(
            f"{type(steps[-1][1]).__name__} takes no sample_weight in fit, but rows have different weights. Omit the "
            "weights, or use an estimator that takes them."
        )
    if get_config()["enable_metadata_routing"]:
        return {"sample_weight": weights}
    return {f"{prefix}sample_weight": weights for prefix, step in steps if takes_weights(step)}


def takes_weights(step: Any) -> bool:
    """Whether ``fit`` takes row weights."""
    return "sample_weight" in _taken_by_fit(step)


def _steps(estimator: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the steps of a Pipeline, also of nested ones, with the prefix of their parameters."""
    if not isinstance(estimator, Pipeline):
        yield prefix, estimator
        return
    for name, step in estimator.steps:
        yield from _steps(step, f"{prefix}{name}__")


def _query_arguments(estimator: Any, groups: Groups) -> dict[str, Any]:
    """Return the arguments of ``fit`` for the queries of rows that are sorted by query."""
    *_, (prefix, step) = _steps(estimator)
    if get_config()["enable_metadata_routing"]:
        prefix = ""
    taken = _taken_by_fit(step)
    if "qid" in taken:
        # Our own estimators accept checked groups.
        return {f"{prefix}qid": groups if _is_own(step) else groups.of_row}
    if "group" in taken:
        return {f"{prefix}group": groups.sizes}
    inner = getattr(step, "estimator", None)
    if {"qid", "group"} & _taken_by_fit(inner):
        raise DataError(
            f"{type(step).__name__} takes no queries in fit, but the {type(inner).__name__} inside it needs them.",
            remedy=f"Fit it on other data first, and pass it with {setting('cv', 'prefit')}.",
        )
    return {}


def _taken_by_fit(estimator: Any) -> set[str]:
    return set(signature(estimator.fit).parameters) if hasattr(estimator, "fit") else set()


def scores_documents(ranker: Any) -> bool:
    """Whether a ranker scores single documents, and does not only compare pairs."""
    return hasattr(ranker, "predict") or (callable(ranker) and not hasattr(ranker, "decide_pairs"))


def document_scores(ranker: Any, X: Any) -> FloatArray:
    """Return the score of each row, by ``predict`` or by a function of X."""
    if isinstance(X, PartitionedData):
        blocks = open_blocks(X, once=True)
        return np.concatenate(blocks.add_up(ranker_scores_of_block, ranker, X.kinds, X.feature_names))
    if isinstance(X, FeatureTable) and library_of(ranker) is not None:
        return as_vector("scores", BoostedTrees.of(ranker).scores(X))
    X = rows_for(ranker, X)
    if takes_only_dmatrix(ranker):
        return as_vector("scores", dmatrix_scores(ranker, X))
    return as_vector("scores", ranker.predict(X) if hasattr(ranker, "predict") else ranker(X))


def ranker_scores_of_block(
    block: DataBlock, ranker: Any, kinds: tuple[FeatureKind, ...], names: tuple[str, ...]
) -> list[FloatArray]:
    """Return the scores of one block, in a list, so that those of several blocks can be added to it."""
    return [document_scores(ranker, FeatureTable(block.X, kinds, names))]


def is_antisymmetric(ranker: Any) -> bool:
    """Whether f(b, a) = −f(a, b), so that it does not matter in which order two documents are compared."""
    if isinstance(ranker, Pipeline):
        return is_antisymmetric(ranker[-1])
    return bool(getattr(ranker, "antisymmetric", True))


def list_scores(ranker: Any, X: Any, groups: Groups) -> FloatArray:
    """Return a score for each row, by which higher ranks first within its query.

    A ranker that only compares two documents ranks them by wins minus losses (Copeland). The score is then the number
    of documents of the query that rank below.
    """
    if scores_documents(ranker):
        return document_scores(ranker, X)
    ranks = rank_by_wins(partial(compare_rows, ranker, X), groups, antisymmetric=is_antisymmetric(ranker))
    return np.asarray(groups.sizes[groups.of_row] - ranks, dtype=np.float64)


def compare_rows(ranker: Any, X: Any, first: IntArray, second: IntArray) -> FloatArray:
    """Return f(a, b) for pairs of rows, which is positive if the ranker puts row ``first`` above row ``second``."""
    if scores_documents(ranker):
        scores = document_scores(ranker, X)
        return scores[first] - scores[second]
    starts = range(0, len(first), PAIRS_AT_A_TIME)
    parts = [(first[start : start + PAIRS_AT_A_TIME], second[start : start + PAIRS_AT_A_TIME]) for start in starts]
    return np.concatenate([compare_documents(ranker, _safe_indexing(X, a), _safe_indexing(X, b)) for a, b in parts])


def compare_documents(ranker: Any, A: Any, B: Any) -> FloatArray:
    """Return f(a, b) for each row of ``A`` and the same row of ``B``.

    This is the difference of scores. For a model that only compares pairs, it is half the difference of its outputs for
    (a, b) and for (b, a), so that f(a, b) = −f(b, a) exactly; or its output for (a, b), if the model declares
    that it is not antisymmetric.
    """
    if not is_antisymmetric(ranker):
        return _decisions(ranker, A, B)
    if not scores_documents(ranker):
        return 0.5 * (_decisions(ranker, A, B) - _decisions(ranker, B, A))
    first, second = document_scores(ranker, A), document_scores(ranker, B)
    if len(first) != len(second):
        raise DataError(f"A and B must have one row per pair: got {len(first)} and {len(second)} rows.")
    return first - second


def _decides_pairs(ranker: Any) -> bool:
    """Whether a ranker, or the last step of a Pipeline, compares two documents."""
    return hasattr(ranker, "decide_pairs") or (isinstance(ranker, Pipeline) and _decides_pairs(ranker[-1]))


def _decisions(ranker: Any, A: Any, B: Any) -> FloatArray:
    """Return the output of ``decide_pairs``; in a Pipeline, of the last step for the transformed rows."""
    if isinstance(ranker, Pipeline):
        if len(ranker.steps) > 1:
            A, B = ranker[:-1].transform(A), ranker[:-1].transform(B)
        return _decisions(ranker[-1], A, B)
    return as_vector("outputs", ranker.decide_pairs(rows_for(ranker, A), rows_for(ranker, B)))
