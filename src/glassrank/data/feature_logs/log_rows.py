"""The rows of a feature log while its responses are read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from glassrank.core.checks import BoolArray, DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.feature_logs.feature_log import FeatureLog
from glassrank.data.feature_logs.logged_document import LoggedDocument
from glassrank.data.feature_logs.response_files import SavedResponse


@dataclass
class LogRows:
    """The rows of a log while it is read; a row is stored with the names of its features, which are mostly the same."""

    sparse: bool
    defaults: Mapping[str, float] | None
    engine: str | None = None
    found: dict[tuple[str, str], tuple[tuple[str, ...], FloatArray]] = field(default_factory=dict)
    queries: dict[str, int] = field(default_factory=dict)
    names: dict[tuple[str, ...], str] = field(default_factory=dict)
    n_responses: int = 0
    n_merged: int = 0
    absent: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def begin(self, query: str) -> None:
        """Count a response."""
        self.n_responses += 1
        self.queries.setdefault(query, 0)

    def add(self, one: LoggedDocument, response: SavedResponse) -> None:
        """Add a document, unless it repeats an earlier row."""
        self._check_names(one, response.place)
        self.queries[response.query] += 1
        pair = (response.query, one.document)
        values = np.array([math.nan if value is None else value for value in one.values], dtype=np.float64)
        without = tuple(name for name, value in zip(one.names, one.values, strict=True) if value is None)
        if pair not in self.found:
            self.found[pair] = (one.names, values)
            if without:
                self.absent[pair] = without
            return
        self._check_equal(pair, dict(zip(one.names, values.tolist(), strict=True)), response.place)
        self.n_merged += 1

    def _check_equal(self, pair: tuple[str, str], now: Mapping[str, float], place: str) -> None:
        names, values = self.found[pair]
        earlier = dict(zip(names, values.tolist(), strict=True))
        unequal = [name for name in now.keys() | earlier.keys() if not _same(now.get(name), earlier.get(name))]
        if unequal:
            name = min(unequal)
            raise DataError(
                f"{place}: document {pair[1]!r} of query {pair[0]!r} is in the log already, with other values: feature "
                f"{name!r} is {_shown(now.get(name))}, and was {_shown(earlier.get(name))}.",
                remedy="Keep one of the responses, or log all queries again while the index does not change.",
            )

    def _check_names(self, one: LoggedDocument, place: str) -> None:
        if one.names in self.names:
            return
        if self.defaults is not None:
            unknown = next((name for name in one.names if name not in self.defaults), None)
            if unknown is not None:
                raise DataError(
                    f"{place}, document {one.document!r}: feature {unknown!r} is not in the feature store, whose "
                    f"features are {', '.join(map(repr, self.defaults))}.",
                    remedy="Give the store that was used for the log.",
                )
        elif not self.sparse:
            names, first = next(iter(self.names.items()), (one.names, place))
            if set(names) != set(one.names):
                raise _changed(names, first, one, place)
        self.names[one.names] = place

    def finish(self, fill: float | None, others: tuple[str, ...]) -> FeatureLog:
        """Return the log, with the columns in the order of the store, or of the first row that has them."""
        columns = list(self.defaults or dict.fromkeys(name for names in self.names for name in names))
        if not self.found or not columns:
            raise DataError(
                f"The log contains no document with features: {counted(self.n_responses, 'response')} of "
                f"{counted(len(self.queries), 'query', 'queries')}."
            )
        X, known = self._table(columns)
        defaults = self.defaults or {}
        substitutes = [defaults.get(name, math.nan) if fill is None else fill for name in columns]
        absent = dict(zip(columns, (~known).sum(axis=0).tolist(), strict=True))
        return FeatureLog(
            [query for query, _ in self.found],
            [document for _, document in self.found],
            np.where(known, X, substitutes),
            columns,
            format=self.engine or "",
            n_responses=self.n_responses,
            empty_queries=tuple(query for query, count in self.queries.items() if not count),
            n_merged=self.n_merged,
            absent={name: count for name, count in absent.items() if count},
            filled=f"set to {fill:g}" if fill is not None else "set to the defaults of the store" * bool(defaults),
            other_files=others,
        )

    def _table(self, columns: list[str]) -> tuple[FloatArray, BoolArray]:
        """Return the values of all rows, and which of them the log contains."""
        place = {name: column for column, name in enumerate(columns)}
        places = {names: np.array([place[name] for name in names], dtype=np.int64) for names in self.names}
        X = np.full((len(self.found), len(columns)), math.nan)
        known = np.zeros(X.shape, dtype=bool)
        for row, (pair, (names, values)) in enumerate(self.found.items()):
            X[row, places[names]] = values
            known[row, places[names]] = True
            known[row, [place[name] for name in self.absent.get(pair, ())]] = False
        return X, known


def _same(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and math.isnan(a) and math.isnan(b))


def _shown(value: float | None) -> str:
    return "absent" if value is None else f"{value!r}"


def _changed(names: tuple[str, ...], first: str, one: LoggedDocument, place: str) -> DataError:
    lost = [name for name in names if name not in one.names][:1]
    new = [name for name in one.names if name not in names][:1]
    parts = [f"has no {name!r}" for name in lost] + [f"has {name!r} in addition" for name in new]
    return DataError(
        f"{place}, document {one.document!r}: the features differ from those of {first}: the document "
        f"{' and '.join(parts)}.",
        remedy=(
            "Log all queries with the same features",
            f"if Solr has logged the format sparse, use {setting('sparse', True)}",
        ),
    )
