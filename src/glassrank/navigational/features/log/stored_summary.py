"""Look up the sums over a log for the results in its stored statistics."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.address_spellings import Spellings
from glassrank.navigational.features.log.base_tables import AskedQueries
from glassrank.navigational.features.log.clicked_query_models import ClickedQueries, ClickedQueryModels
from glassrank.navigational.features.log.log_summary import LogSummary, LookedUp, domain_of, looked_up
from glassrank.navigational.features.log.log_words import BEGINNING, LogWords, WordTotals
from glassrank.navigational.features.log_statistics import LogStatistics
from glassrank.navigational.features.vocabulary import numbered
from glassrank.navigational.features.wanted_features import Column
from glassrank.text.tokens import tokenise


def as_bigram(first: str, second: str) -> str:
    """Return two words as one text; no word contains a space."""
    return f"{first} {second}"


def of_bigram(text: str) -> tuple[str, str]:
    """Return the words of a bigram.

    >>> of_bigram(as_bigram("", "zen"))
    ('', 'zen')
    """
    first, _, second = text.partition(" ")
    return first, second


def look_up_log(stored: LogStatistics, asked: AskedQueries) -> LogSummary:
    """Return the same sums as ``summarise_log`` from stored statistics, without reading the log."""
    return LogSummary(stored.facts, _StoredSums(stored, asked), stored.clicks_at)


class _StoredSums(Mapping[str, FloatArray]):
    """Sums for the rows of the results, each looked up in the stored tables when it is first read."""

    def __init__(self, stored: LogStatistics, asked: AskedQueries) -> None:
        self.stored, self.asked = stored, asked
        form = Spellings().form
        self.forms = [form(url) for url in asked.urls]
        self.query_of = {query: number for number, query in enumerate(asked.queries)}
        self.url_of = {url: number for number, url in enumerate(self.forms)}
        self._width = max(len(self.forms), 1)
        self._columns: dict[str, Column] = {
            **{name: partial(self._of_pairs, name) for name in stored.sums["pairs"]},
            **{name: partial(self._of_queries, name) for name in stored.sums["queries"]},
            **{name: partial(self._of_urls, name) for name in stored.sums["urls"]},
            "domain_clicks": self._domain_clicks,
            "lm": lambda: self._spread(self._models.likelihoods(self._words)),
            "kl": lambda: self._spread(self._models.divergence(self._all_words)),
            "top_like": lambda: self._spread(self._compared_with_top[0]),
            "top_same": lambda: self._spread(self._compared_with_top[1]),
            "chance": lambda: replace(self._words, pairs=self._bigrams).chance_of_queries()[asked.query_of],
        }
        self._found: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self._found:
            self._found[name] = self._columns[name]()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @cached_property
    def _pairs(self) -> Mapping[str, Any]:
        return self.stored.rows("pairs", self.asked.queries)

    @cached_property
    def _clicked(self) -> Mapping[str, Any]:
        return self.stored.rows("clicked", self.forms)

    @cached_property
    def _places_of_pairs(self) -> tuple[Any, LookedUp]:
        """Which stored pairs are of results, and where those of the results are among them."""
        found, width = self._pairs, self._width
        known = np.array([url in self.url_of for url in found["url"]], dtype=bool)
        place = [
            self.query_of[query] * width + self.url_of[url]
            for query, url in zip(found["query"][known], found["url"][known], strict=True)
        ]
        wanted = self.asked.query_of * width + self.asked.url_of
        return known, LookedUp(np.array(place, dtype=np.int64), wanted)

    def _of_pairs(self, name: str) -> FloatArray:
        known, places = self._places_of_pairs
        return places.values(self._pairs[name][known])

    @cached_property
    def _queries(self) -> tuple[Mapping[str, Any], LookedUp]:
        return self._look_up("queries", "query", self.query_of, self.asked.query_of)

    @cached_property
    def _urls(self) -> tuple[Mapping[str, Any], LookedUp]:
        return self._look_up("urls", "url", self.url_of, self.asked.url_of)

    def _look_up(
        self, table: str, key: str, number_of: Mapping[str, int], rows: IntArray
    ) -> tuple[Mapping[str, Any], LookedUp]:
        found = self.stored.rows(table, list(number_of))
        return found, LookedUp(np.array([number_of[text] for text in found[key]], dtype=np.int64), rows)

    def _of_queries(self, name: str) -> FloatArray:
        found, places = self._queries
        return places.values(found[name])

    def _of_urls(self, name: str) -> FloatArray:
        found, places = self._urls
        return places.values(found[name])

    def _domain_clicks(self) -> FloatArray:
        """Clicks for the row's query on the row's domain."""
        domains, domain_of_url = numbered(map(domain_of, self.asked.urls))
        number_of = {domain: number for number, domain in enumerate(domains)}
        wide, clicks, pairs = max(len(domains), 1), Counter[int](), self._pairs
        for query, domain, n in zip(pairs["query"], pairs["domain"], pairs["n"].tolist(), strict=True):
            if domain in number_of:
                clicks[self.query_of[query] * wide + number_of[domain]] += n
        rows = self.asked.query_of * wide + domain_of_url[self.asked.url_of]
        return looked_up(np.array(list(clicks), dtype=np.int64), list(clicks.values()), rows)

    @cached_property
    def _words(self) -> LogWords:
        """Counts of the words of the asked queries."""
        return self._counted({word for query in self.asked.tokens for word in query})

    @cached_property
    def _all_words(self) -> LogWords:
        """Counts of the words of the asked queries, and of all queries with a click on an asked address."""
        clicked = {word for text in dict.fromkeys(self._clicked["query"]) for word in tokenise(text)}
        return self._counted(clicked.union(*self.asked.tokens))

    def _counted(self, needed: set[str]) -> LogWords:
        asked = self.asked
        found = self.stored.rows("words", [*needed, BEGINNING])
        counts = {
            name: Counter(dict(zip(found["word"], found[name].tolist(), strict=True)))
            for name in ("clicked", "issued", "followed")
        }
        totals = WordTotals(**self.stored.word_totals)
        return LogWords(asked.queries, asked.tokens, **counts, stored_totals=totals)

    @cached_property
    def _bigrams(self) -> Counter[tuple[str, str]]:
        needed = {as_bigram(*pair) for query in self.asked.tokens for pair in pairwise([BEGINNING, *query])}
        pairs = self.stored.rows("bigrams", list(needed))
        both = (of_bigram(text) for text in pairs["bigram"])
        return Counter(dict(zip(both, pairs["n"].tolist(), strict=True)))

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray]:
        """Distinct pairs of a query and an address, and the pair of each row."""
        keys, pair_of = np.unique(self.asked.query_of * self._width + self.asked.url_of, return_inverse=True)
        return keys, pair_of

    @cached_property
    def _clicked_urls(self) -> IntArray:
        return np.array([self.url_of[form] for form in self._clicked["url"]], dtype=np.int64)

    @cached_property
    def _with_clicks(self) -> IntArray:
        """Numbers of the distinct pairs whose address has clicks."""
        return np.flatnonzero(np.isin(self._distinct[0] % self._width, self._clicked_urls))

    @cached_property
    def _models(self) -> ClickedQueryModels:
        found = ClickedQueries(self._clicked_urls, self._clicked["query"], self._clicked["n"].astype(np.float64))
        return ClickedQueryModels(found, *np.divmod(self._distinct[0][self._with_clicks], self._width))

    @cached_property
    def _compared_with_top(self) -> tuple[FloatArray, FloatArray]:
        return self._models.compare_with_top(self.asked.queries)

    def _spread(self, found: FloatArray) -> FloatArray:
        """Expand values of pairs with clicks to the rows; NaN for the others."""
        values = np.full(len(self._distinct[0]), np.nan)
        values[self._with_clicks] = found
        return values[self._distinct[1]]
