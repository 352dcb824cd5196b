"""The data of a study: what is trained on, what is measured, and whether they fit together."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, IntArray
from glassrank.core.setting import setting
from glassrank.core.table_faults import FaultFinder, TableFault
from glassrank.core.wording import counted
from glassrank.data.join_data import join_data
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_columns import read_ranking_columns
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.studies.ranking.dense_features import dense_features
from glassrank.studies.ranking.given_systems import in_training_levels
from glassrank.studies.ranking.measuring.study_folds import StudyFolds, check_comparable
from glassrank.studies.ranking.query_sample import fits_in_memory, load_sample
from glassrank.studies.resumable_steps import digest_of_data


@dataclass(frozen=True, eq=False)
class StudyData:
    """Training and measured documents, as they were given and as the study's own model takes them."""

    raw: RankingData
    """Training and validation rows, as they were given."""
    raw_test: RankingData | None
    rows: RankingData
    """Training and validation rows, scaled within each query if the study does so, without features without values."""
    test: RankingData | None
    valid: IntArray | None
    """Which of the rows are for validation."""
    whole: PartitionedData | None = None
    """All training rows, if they are partitioned; the others are then a sample of their queries."""

    @classmethod
    def of(
        cls,
        train: RankingData | PartitionedData,
        valid: RankingData | None,
        test: RankingData | None,
        scale_per_query: str | None,
        say: Any,
        seed: int = 0,
        tell: Callable[[str], object] = warnings.warn,
    ) -> "StudyData":
        """Check the data, and make them dense and scaled; of partitioned data, draw a sample with this seed.

        ``tell`` is told about features without values, which are left out.
        """
        whole = train if isinstance(train, PartitionedData) and not fits_in_memory(train) else None
        train = load_sample(train, seed) if isinstance(train, PartitionedData) else train
        for name, part in {"train": train, "valid": valid, "test": test}.items():
            if part is not None or name == "train":
                check_ranking_data(part, name)
        train = dense_features(train, say)
        valid, test = (None if part is None else dense_features(part, say) for part in (valid, test))
        raw, valid_rows = _training_rows(train, valid)
        _check_test(raw, test)
        raw_test = None if test is None else in_training_levels(test, raw.kinds)
        rows = raw if whole is not None else raw.without_empty_features(tell)
        scaled_test = None if raw_test is None else raw_test.pick_features(rows.feature_names)
        if scale_per_query is not None:
            rows = rows.scaled(scale_per_query)
            scaled_test = None if scaled_test is None else scaled_test.scaled(scale_per_query)
        return cls(raw, raw_test, rows, scaled_test, valid_rows, whole)

    @property
    def measured(self) -> RankingData:
        """The documents on which the systems are measured: test data or, by folds, the training data."""
        return self.rows if self.test is None else self.test

    @property
    def raw_measured(self) -> RankingData:
        """The measured documents as they were given, for models that were not trained by the study."""
        return self.raw if self.raw_test is None else self.raw_test

    @cached_property
    def digest(self) -> str:
        """A digest of all rows as they were given, and of how many of them are for validation."""
        return f"{digest_of_data(self.raw, self.raw_test)}-{0 if self.valid is None else len(self.valid)}"

    def check_names(self, settings: Mapping[str, tuple[tuple[str, Any], ...]]) -> None:
        """Raise an error if settings by feature name contain an unknown name."""
        for parameter, given in settings.items():
            for name, _ in given:
                if name not in self.rows.feature_names:
                    raise DataError(
                        f"{parameter} must name features of the data: got {name!r}.", parameter=parameter, got=name
                    )


def find_faults(
    source: Any, reading: Mapping[str, Any], folds: str | None = None, test: Callable[[], RankingData] | None = None
) -> list[TableFault]:
    """Return everything in a table of training data that a study would refuse, before anything starts.

    ``reading`` has the options of ``RankingData.from_frame``, and ``test`` reads the test data if there are any.

    >>> import polars
    >>> table = polars.DataFrame({"qid": [1, 1], "label": [3, 3], "size": ["7", "n/a"]})
    >>> for fault in find_faults(table, {}):
    ...     print(fault.column, "-", fault.error.problem)
    size - row 1: column 'size' contains numbers and text, such as '7' and 'n/a'. 1 of its 2 values are text: 'n/a'.
    label - Training data must have at least 1 query with documents of different labels: got 0 among 1 query.
    """
    finder, label = FaultFinder(), reading.get("label", "label")
    say_nothing: Any = lambda words: None  # noqa: E731
    with finder.checking():
        found = read_ranking_columns(source, **reading, finder=finder)
        if found["y"] is not None and reading.get("qid", "qid") not in finder.columns:
            rows = RankingData(np.zeros((len(found["y"]), 1)), found["y"], found["qid"], weights=found["weights"])
            with finder.checking(label):
                StudyFolds.of(folds, rows)
        if test is not None and not finder.found:
            StudyData.of(RankingData(**found), None, test(), None, say_nothing, tell=say_nothing)
    return finder.found


def _training_rows(train: RankingData, valid: RankingData | None) -> tuple[RankingData, IntArray | None]:
    """All rows to train on, and which of them are for validation."""
    train.check_judged("Training data")
    if valid is None:
        return train, None
    valid.check_judged("Validation data")
    _check_same_features(train, valid, "validation")
    _check_other_queries(train, valid, "validation")
    return join_data([train, valid]), train.n_rows + np.arange(valid.n_rows)


def _check_test(data: RankingData, test: RankingData | None) -> None:
    if test is not None:
        test.check_judged("Test data")
        _check_same_features(data, test, "test")
        _check_other_queries(data, test, "test")
        check_comparable("Test data", test)


def _check_same_features(train: RankingData, other: RankingData, name: str) -> None:
    expected, got = train.feature_names, other.feature_names
    if expected != got:
        place = next((k for k, (one, two) in enumerate(zip(expected, got, strict=False)) if one != two), None)
        what = f"{len(expected)} features, got {len(got)}"
        if place is not None:
            what = f"{expected[place]!r} as feature {place + 1}, got {got[place]!r}"
        raise DataError(
            f"The {name} data must have the features of the training data, in the same order: expected {what}.",
            remedy=("Give both files the same columns in the same order", f"pick them with {setting('pick_features')}"),
        )


def _check_other_queries(train: RankingData, other: RankingData, name: str) -> None:
    shared = np.intersect1d(train.groups.ids.astype(np.str_), other.groups.ids.astype(np.str_))
    if len(shared):
        raise DataError(
            f"The {name} data share {counted(len(shared), 'query', 'queries')} with the training data, the first "
            f"{shared[0]}: a model cannot be measured on queries that it was trained on.",
            remedy="Rename or remove it.",
        )
