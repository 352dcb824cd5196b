"""FeatureLog: the features that a search engine has logged for documents of queries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, as_matrix, check_length, read_only
from glassrank.core.feature_kinds import check_values
from glassrank.core.frames import make_frame
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.data.judgements.judgements import check_pairs

_SHOWN = 3


@dataclass(frozen=True, eq=False, repr=False)
class FeatureLog:
    """Logged features of documents for queries, one row per query and document; NaN is a missing value.

    ``load_feature_log`` makes it; it prints what was read, merged and filled.

    >>> log = FeatureLog(["zen", "zen"], ["d1", "d2"], [[7.5, 3.0], [1.25, float("nan")]], ["bm25", "price"])
    >>> log
    FeatureLog(2 documents, 1 query, 2 features)
    >>> log.to_frame("polars").rows()[0]
    ('zen', 'd1', 7.5, 3.0)
    """

    query: Any
    doc_ids: Any
    X: Any
    feature_names: Any
    format: str = ""
    n_responses: int = 0
    empty_queries: tuple[str, ...] = ()
    """Queries whose responses contain no document."""
    n_merged: int = 0
    """Number of rows that repeat another one with the same values."""
    absent: Mapping[str, int] = field(default_factory=dict)
    """Feature → number of values that are not in the log, although other rows have one or the store lists it."""
    filled: str = ""
    """What they became; empty if they are missing."""
    other_files: tuple[str, ...] = ()
    """Files of the folder that are not JSON by their names, and were not read."""

    def __post_init__(self) -> None:
        query = np.strings.strip(as_identifiers("query", self.query).astype(np.str_))
        doc_ids = as_identifiers("doc_ids", self.doc_ids).astype(np.str_)
        check_length("doc_ids", doc_ids, len(query), per="entry of query")
        X = as_matrix(np.asarray(self.X, dtype=np.float64))
        check_length("X", X, len(query), per="entry of query")
        names = tuple(str(name) for name in self.feature_names)
        check_length("feature_names", names, X.shape[1], per="column of X")
        if len(set(names)) < len(names):
            raise DataError("feature_names must be different.", parameter="feature_names")
        check_values(X, names, refuse_missing=False)
        check_pairs(query.tolist(), doc_ids.tolist())
        for name, values in {"query": query, "doc_ids": doc_ids, "X": X}.items():
            object.__setattr__(self, name, read_only(values))
        object.__setattr__(self, "feature_names", names)

    def __repr__(self) -> str:
        return f"FeatureLog({self._sizes()})"

    def __str__(self) -> str:
        responses = f" in {counted(self.n_responses, 'response')}" if self.n_responses else ""
        return "\n".join([f"{self._sizes()}{responses}", *self.notes])

    def __len__(self) -> int:
        return len(self.query)

    def _sizes(self) -> str:
        return ", ".join(
            [
                counted(len(self), "document"),
                counted(len(np.unique(self.query)), "query", "queries"),
                counted(len(self.feature_names), "feature"),
            ]
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on queries without documents, repeated rows, absent values and files that were not read."""
        return tuple(_notes(self))

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns query, doc_id and one for each feature."""
        reserved = {"query": self.query.tolist(), "doc_id": self.doc_ids.tolist()}
        clash = next((name for name in self.feature_names if name in reserved), None)
        if clash is not None:
            raise DataError(f"Feature {clash!r} has the name of a reserved column (query, doc_id).")
        return make_frame(reserved | dict(zip(self.feature_names, self.X.T, strict=True)), backend)


def _notes(log: FeatureLog) -> Iterator[str]:
    if log.empty_queries:
        have = counted(len(log.empty_queries), "query has", "queries have")
        yield f"{have} no document, such as {log.empty_queries[0]!r}."
    if log.n_merged:
        yield f"{counted(log.n_merged, 'row repeats', 'rows repeat')} another with the same values: merged."
    if log.absent:
        most = sorted(log.absent.items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{name!r} {count:,}" for name, count in most[:_SHOWN]) + ", …" * (len(most) > _SHOWN)
        are = counted(sum(log.absent.values()), "value is", "values are")
        yield f"{are} not in the log ({shown}): {log.filled or 'missing'}."
    never = [name for name, count in log.absent.items() if count == len(log)]
    if never:
        yield f"{counted(len(never), 'feature is', 'features are')} in no row of the log, such as {never[0]!r}."
    if log.other_files:
        files = counted(len(log.other_files), "file is", "files are")
        yield f"{files} not JSON by name and not read, such as {log.other_files[0]}."
