"""RankingData as the input of an estimator, with rows, labels, queries, weights and feature names."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from glassrank.core.checks import DataError, IntArray
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable, in_levels_of
from glassrank.core.missing_rule import REFUSE, MissingRule
from glassrank.core.numbered_features import check_feature_names, numbered_names
from glassrank.core.table_faults import FaultFinder, raise_faults
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.data.read_features import check_features, feature_columns


class TrainingInput(NamedTuple):
    """The input of ``fit``; ``names`` is None unless the data are RankingData or a table of features."""

    X: Any
    y: Any
    qid: Any
    sample_weight: Any
    names: tuple[str, ...] | None


def training_input(X: Any, y: Any, qid: Any, sample_weight: Any = None, *, read_frames: bool = False) -> TrainingInput:
    """Return the arguments of ``fit`` unchanged, or take all of them from RankingData.

    With ``read_frames``, a data frame with columns other than numbers becomes a table of features.

    >>> data = RankingData([[0.5], [0.1]], y=[1, 0], feature_names=["bm25"])
    >>> training_input(data, None, None).names
    ('bm25',)
    """
    if isinstance(X, PartitionedData):
        raise DataError(
            "This model needs all rows in memory: got PartitionedData.",
            parameter="X",
            remedy="Train it on some blocks, loaded with data.read_block(number), or use RankSVM or ELMRank.",
        )
    if not isinstance(X, RankingData):
        X = read_frame(X) if read_frames else X
        return TrainingInput(X, y, qid, sample_weight, X.names if isinstance(X, FeatureTable) else None)
    for name, value in {"y": y, "qid": qid, "sample_weight": sample_weight}.items():
        if value is not None:
            raise DataError(
                f"{name} is part of RankingData: got another one.",
                parameter=name,
                remedy="Omit it, or pass the arrays instead.",
            )
    X.check_judged("Training data")
    return TrainingInput(X.table, X.y, X.groups, X.weights, X.feature_names)


def keep_names(model: Any, names: tuple[str, ...] | None) -> None:
    """Store the feature names of RankingData as scikit-learn stores those of a data frame."""
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)


def feature_names(model: Any) -> tuple[str, ...]:
    """Return the feature names of the training data, or numbers from 1 as in LETOR files."""
    if hasattr(model, "feature_names_in_"):
        return tuple(model.feature_names_in_)
    return numbered_names(model.n_features_in_)


def category_names(kinds: Sequence[FeatureKind], names: Sequence[str]) -> list[str]:
    """Return the names of the features that are categories."""
    return [name for name, kind in zip(names, kinds, strict=True) if kind.is_category]


def read_frame(X: Any, categorical: Collection[str] = ()) -> Any:
    """Return a data frame with text, categories or booleans as a table of features; anything else unchanged."""
    if not hasattr(X, "columns"):
        return X
    table = feature_table(X, categorical)
    return X if table is None else table


def feature_table(frame: Any, categorical: Collection[str] = ()) -> FeatureTable | None:
    """Return a frame whose columns are all features as a table; None if all of them are numbers.

    ``categorical`` names columns that are categories whatever they contain, if the frame has them.

    >>> import polars
    >>> table = feature_table(polars.DataFrame({"site": ["shop", "news"], "bm25": [1.5, None]}))
    >>> table.kinds[0].levels, table.values.tolist()
    (('news', 'shop'), [[1.0, 1.5], [0.0, nan]])
    """
    source = FrameColumns(frame)
    declared = [name for name in source.names if name in categorical]
    if not declared and not any(source.feature_type(name) in ("boolean", "text", "level") for name in source.names):
        return None
    faults = FaultFinder()
    readable = check_features(source, source.names, declared, faults)
    columns = feature_columns(source, readable, declared, (), faults)
    raise_faults(faults.found)
    values = np.column_stack([columns[name].values for name in source.names])
    return FeatureTable(values, tuple(columns[name].kind for name in source.names), source.names)


def rows_of(model: Any, X: Any) -> Any:
    """Return X, or the rows of RankingData, whose features must have the names and order of the training data."""
    if isinstance(X, PartitionedData):
        raise DataError(
            "Scores are computed block by block: got PartitionedData.",
            parameter="X",
            remedy="Pass one block after the other, as data.read_block(number).",
        )
    if not isinstance(X, RankingData):
        return X
    check_feature_names(getattr(model, "feature_names_in_", None), model.n_features_in_, X.feature_names)
    return X.table


def known_rows(model: Any, X: Any) -> Any:
    """Return rows to predict for as a float64 matrix, checked by scikit-learn and against the training features.

    Categories become the codes of the model's levels, −1 for one that it has not seen. They are matched by name, so
    that a model with categories takes tables and data frames, but no matrix of numbers.
    """
    given = rows_of(model, X)
    rows = in_codes_of(model, given)
    checks: dict[str, Any] = {"dtype": "float64", "accept_sparse": "csr"}
    settles_missing = hasattr(model, "missing")
    if settles_missing or get_tags(model).input_tags.allow_nan:
        checks["ensure_all_finite"] = "allow-nan"
    elif isinstance(given, FeatureTable) and hasattr(model, "_refuse_missing"):
        # A fold may hold out all rows with missing values, so that fit has not seen any.
        model._refuse_missing(given.values, given.rows)
    rows = checked_rows(model, rows, **checks)
    if not settles_missing:
        return rows
    return _filled(model, rows, given.rows if isinstance(given, FeatureTable) else None)


def in_codes_of(model: Any, X: Any) -> Any:
    """Return a table or data frame as a matrix in the codes of the model's levels; other rows unchanged."""
    kinds = getattr(model, "feature_kinds_", None) or (PLAIN,) * model.n_features_in_
    names = feature_names(model)
    table = read_frame(X, category_names(kinds, names))
    if table is not X and hasattr(model, "feature_names_in_"):
        check_feature_names(names, len(names), table.names)
    if isinstance(table, FeatureTable) and len(table.names) != len(names):
        raise _wrong_width(model, len(table.names))
    return in_levels_of(table, kinds, names)


def checked_rows(model: Any, X: Any, **checks: Any) -> Any:
    """Return rows as a matrix, checked by scikit-learn; the columns of a data frame must be those of the training data.

    Rows without names are taken in the order of the training data, without scikit-learn's warning about it.
    """
    if hasattr(X, "columns"):
        return validate_data(model, X, reset=False, **checks)
    rows = check_array(X, estimator=model, **checks)
    if rows.shape[1] != model.n_features_in_:
        raise _wrong_width(model, rows.shape[1])
    return rows


def _wrong_width(model: Any, width: int) -> DataError:
    return DataError(
        f"X has {width} features, but {type(model).__name__} is expecting {model.n_features_in_} features as input.",
        parameter="X",
        expected=model.n_features_in_,
        got=width,
    )


def _filled(model: Any, rows: Any, numbers: IntArray | None) -> Any:
    """Treat missing values of features that had none in training as the parameter ``missing`` says."""
    if model.missing == REFUSE and not get_tags(model).input_tags.allow_nan:
        model._refuse_missing(rows, numbers)
    observed = model.observed_values_
    rule = MissingRule(model.missing, observed.missing, observed.mean, model.feature_kinds_, feature_names(model))
    return rule.apply(rows, numbers)
