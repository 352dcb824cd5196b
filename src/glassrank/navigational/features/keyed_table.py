"""A table in memory whose rows are found by a text, for thousands of look-ups per second."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.dtypes import StringDType

from glassrank.core.checks import IntArray
from glassrank.navigational.features.vocabulary import spread


class KeyedTable:
    """Columns of equal length; the rows of a key are found by its hash.

    Texts take as much memory as their bytes and 16 more each. A data base would plan each query, which takes longer
    than the look-up.

    >>> table = KeyedTable({"word": np.array(["zen", "tea", "zen"], dtype=object), "n": np.array([1, 2, 3])}, "word")
    >>> {name: values.tolist() for name, values in table.rows(["zen", "sushi"]).items()}
    {'word': ['zen', 'zen'], 'n': [1, 3]}
    """

    def __init__(self, columns: Mapping[str, Any], key: str) -> None:
        hashes = _hashes(columns[key])
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]
        self._key = key
        self._columns = {name: _compact(values) for name, values in columns.items()}

    def rows(self, keys: Sequence[str]) -> dict[str, Any]:
        """Return the rows of any of these keys, in the order of the table."""
        wanted = set(keys)
        found = np.unique(np.array(list(map(hash, wanted)), dtype=np.int64))
        starts, ends = (np.searchsorted(self._hashes, found, side=side) for side in ("left", "right"))
        some = ends > starts
        # The ranges [start, end) of the found hashes, one after the other.
        bounds = np.ravel(np.column_stack([starts[some], ends[some]]))
        _, place = spread(bounds, np.arange(0, len(bounds), 2))
        rows = np.sort(self._order[place])
        texts = _plain(self._columns[self._key][rows])
        # Different texts can have the same hash.
        same = np.array([text in wanted for text in texts], dtype=bool)
        rows = rows[same]
        return {name: texts[same] if name == self._key else _plain(v[rows]) for name, v in self._columns.items()}


def _hashes(texts: Any) -> IntArray:
    return np.fromiter(map(hash, texts), np.int64, len(texts))


def _compact(values: Any) -> Any:
    return values.astype(StringDType()) if values.dtype == object else values


def _plain(values: Any) -> Any:
    return values.astype(object) if isinstance(values.dtype, StringDType) else values
