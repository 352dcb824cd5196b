"""PartitionedData as the training data of a ranker: checked in one pass over the blocks."""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray
from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.groups import group_codes
from glassrank.core.wording import counted
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.ranking.estimator import nothing_to_compare
from glassrank.ranking.feature_columns import SeenColumns
from glassrank.ranking.query_folds import query_folds
from glassrank.scale.block_contract import Blocks
from glassrank.scale.open_blocks import open_blocks
from glassrank.scale.survey import Survey, survey_blocks


@dataclass(frozen=True, eq=False)
class PartitionedColumns(SeenColumns):
    """Features of partitioned data; one feature of all rows fits into memory."""

    data: PartitionedData
    kinds: tuple[FeatureKind, ...]
    names: tuple[str, ...]
    gaps: BoolArray
    survey: Survey

    def known(self, k: int) -> tuple[FloatArray, FloatArray | None]:
        values, weights = self.data.column(k), self.data.row_weights
        found = ~np.isnan(values)
        return values[found], None if weights is None else weights[found]

    def spread(self) -> FloatArray:
        if self.survey.spread is None:
            raise TypeError("The survey of these blocks has no spread.")
        return self.survey.spread.spread()


@dataclass(frozen=True, eq=False)
class CheckedBlocks:
    """Checked training data of a ranker in blocks: the rows of positive weight."""

    data: PartitionedData
    blocks: Blocks
    survey: Survey

    def columns(self, gaps: BoolArray) -> PartitionedColumns:
        """Return the features, from which the columns of a fit are made."""
        return PartitionedColumns(self.data, self.data.kinds, self.data.feature_names, gaps, self.survey)

    def pick(self, chosen: BoolArray) -> "CheckedBlocks":
        """Return some queries, given by a mask over all queries of the folder, without another survey."""
        view = self.data.pick_queries(chosen)
        return CheckedBlocks(view, open_blocks(view), self.survey)

    @property
    def queries(self) -> IntArray:
        """Numbers of the queries, in the order of the blocks."""
        return np.unique(self.data.row_queries)


def survey_partitions(data: PartitionedData, *, pair_weight: str = "uniform", spread: bool = False) -> CheckedBlocks:
    """Survey all rows in one pass."""
    blocks = open_blocks(data)
    return CheckedBlocks(data, blocks, survey_blocks(blocks, pair_weight=pair_weight, spread=spread))


def check_partitions(model: Any, data: PartitionedData, *given: Any, **survey: Any) -> CheckedBlocks:
    """Check partitioned data as a ranker checks rows in memory, and store what the model keeps of them.

    ``given`` are labels, queries and weights, which must be None because the data contain their own.
    """
    check_not_given(given)
    data.check_judged("Training data")
    model.n_features_in_, model.feature_names_in_ = data.n_features, np.array(data.feature_names, dtype=object)
    model._keep_kinds(data.kinds)
    rows = survey_partitions(data, **survey)
    found = rows.survey
    if not found.n_pairs:
        raise DataError(nothing_to_compare(found.n_rows, found.n_queries, *found.labels))
    gaps = np.flatnonzero(found.n_absent)
    if len(gaps) and not get_tags(model).input_tags.allow_nan:
        raise DataError(
            f"{type(model).__name__} needs known values for this: feature {data.feature_names[gaps[0]]!r} has "
            f"{counted(int(found.n_absent[gaps[0]]), 'missing value')} (NaN).",
            parameter="X",
            remedy=("Fill them", f"{model._for_real_data}, which learns an effect of missing values"),
        )
    model.n_queries_, model.observed_values_ = found.n_queries, found.observed
    return rows


def check_not_given(given: Sequence[Any]) -> None:
    """Raise an error if labels, queries or weights are given although the data contain their own."""
    for name, value in zip(("y", "qid", "sample_weight"), given, strict=True):
        if value is not None:
            raise DataError(f"{name} is part of PartitionedData: got another one.", parameter=name, remedy="Omit it.")


def refuse_partitions(X: Any, what: str, remedy: str) -> None:
    """Raise an error if X is partitioned and something cannot be computed blockwise."""
    if isinstance(X, PartitionedData):
        raise DataError(f"{what} cannot be computed block by block.", parameter="X", remedy=remedy)


def partitioned_folds(cv: Any, rows: CheckedBlocks) -> list[tuple[BoolArray, BoolArray]]:
    """Return for each fold the queries of the folder to train on, and those that are held out, as masks.

    A splitter may leave queries out of both.
    """
    queries, data = rows.data.row_queries, rows.data
    groups = group_codes(queries)
    if groups.n_queries == 1:
        raise DataError(
            "Folds of partitioned data consist of queries: got one query.",
            remedy="Load the data into memory, where the documents of one query can be held out.",
        )
    if not (isinstance(cv, numbers.Integral) or hasattr(cv, "split")):
        raise DataError(
            "cv must be a number of folds or a splitter for partitioned data: got an iterable of splits.",
            parameter="cv",
            remedy="Pass a number of folds, or a splitter such as GroupKFold.",
        )
    folds = query_folds(cv, data.labels[:, None], data.labels, groups)

    def mask(picked: IntArray) -> BoolArray:
        return np.bincount(queries[picked], minlength=data.manifest.n_queries) > 0

    return [(mask(train), mask(held_out)) for train, held_out in folds]
