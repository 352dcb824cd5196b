"""Results whose page is known, and their distinct pairs of a query and a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.distinct_pairs import Pairs
from glassrank.navigational.features.sources import IntentSources


@dataclass(frozen=True, eq=False)
class PageRows:
    """Rows with a page; page features of all other rows are missing."""

    sources: IntentSources
    rows: IntArray
    pairs: Pairs
    """Pairs of a query and a page, for these rows."""

    @classmethod
    def of(cls, sources: IntentSources) -> "PageRows":
        """Find the rows whose address is among the pages."""
        rows = np.flatnonzero(sources.page_of >= 0)
        return cls(sources, rows, Pairs.of(sources.query_of[rows], sources.page_of[rows]))

    @property
    def query(self) -> IntArray:
        """Query of each pair."""
        return self.pairs.one

    @property
    def page(self) -> IntArray:
        """Page of each pair."""
        return self.pairs.other

    @property
    def has_word(self) -> Any:
        """Whether the query of each pair has a word."""
        return self.sources.query_words.lengths[self.query] > 0

    def spread_pairs(self, found: Mapping[str, Any]) -> dict[str, FloatArray]:
        """Expand values of pairs to all rows, NaN for a row without a page."""
        return {name: self._rows(self.pairs.rows(values)) for name, values in found.items()}

    def spread_pages(self, found: Mapping[str, Any]) -> dict[str, FloatArray]:
        """Expand values of pages to all rows."""
        return {name: self._rows(values[self.sources.page_of[self.rows]]) for name, values in found.items()}

    def _rows(self, values: Any) -> FloatArray:
        every = np.full(self.sources.n_rows, np.nan)
        every[self.rows] = values
        return every
