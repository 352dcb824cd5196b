"""Look up the sums over a log for the results in its stored statistics."""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.address_spellings import Spellings
from glassrank.navigational.features.log.base_tables import AskedQueries
from glassrank.navigational.features.log.clicked_query_models import ClickedQueries, compare_with_models
from glassrank.navigational.features.log.log_summary import LogSummary, domain_of, looked_up
from glassrank.navigational.features.log.log_words import BEGINNING, LogWords, WordTotals
from glassrank.navigational.features.log_statistics import LogStatistics
from glassrank.navigational.features.vocabulary import numbered
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
    return _LookUp(stored, asked).run()


class _LookUp:
    """Reads the stored rows of the asked queries and addresses, and spreads them over the rows of the results."""

    def __init__(self, stored: LogStatistics, asked: AskedQueries) -> None:
        self.stored, self.asked = stored, asked
        form = Spellings().form
        self.forms = [form(url) for url in asked.urls]
        self.pairs = stored.rows("pairs", "query", asked.queries)
        self.clicked = stored.rows("clicked", "url", self.forms)

    def run(self) -> LogSummary:
        asked = self.asked
        query_of = {query: number for number, query in enumerate(asked.queries)}
        url_of = {url: number for number, url in enumerate(self.forms)}
        sums = self._sums_of_pairs(query_of, url_of)
        sums |= self._sums("queries", "query", query_of, asked.query_of)
        sums |= self._sums("urls", "url", url_of, asked.url_of)
        sums["domain_clicks"] = self._domain_clicks(query_of)
        words = self._words()
        sums |= self._comparisons(words, url_of)
        sums["chance"] = words.chance_of_queries()[asked.query_of]
        return LogSummary(self.stored.facts, sums, self.stored.clicks_at)

    def _sums(self, table: str, key: str, number_of: Mapping[str, int], rows: IntArray) -> dict[str, FloatArray]:
        """Sums of queries or of addresses."""
        found = self.stored.rows(table, key, list(number_of))
        place = np.array([number_of[text] for text in found[key]], dtype=np.int64)
        return {name: looked_up(place, found[name], rows) for name in self.stored.sums[table]}

    def _sums_of_pairs(self, query_of: Mapping[str, int], url_of: Mapping[str, int]) -> dict[str, FloatArray]:
        found, width = self.pairs, max(len(self.forms), 1)
        known = np.array([url in url_of for url in found["url"]], dtype=bool)
        place = [
            query_of[query] * width + url_of[url]
            for query, url in zip(found["query"][known], found["url"][known], strict=True)
        ]
        keys, wanted = np.array(place, dtype=np.int64), self.asked.query_of * width + self.asked.url_of
        return {name: looked_up(keys, found[name][known], wanted) for name in self.stored.sums["pairs"]}

    def _domain_clicks(self, query_of: Mapping[str, int]) -> FloatArray:
        """Clicks for the row's query on the row's domain."""
        domains, domain_of_url = numbered(map(domain_of, self.asked.urls))
        number_of = {domain: number for number, domain in enumerate(domains)}
        wide, clicks = max(len(domains), 1), Counter[int]()
        for query, domain, n in zip(self.pairs["query"], self.pairs["domain"], self.pairs["n"].tolist(), strict=True):
            if domain in number_of:
                clicks[query_of[query] * wide + number_of[domain]] += n
        rows = self.asked.query_of * wide + domain_of_url[self.asked.url_of]
        return looked_up(np.array(list(clicks), dtype=np.int64), list(clicks.values()), rows)

    def _words(self) -> LogWords:
        """Counts of the words of the asked queries, and of all queries with a click on an asked address."""
        asked = self.asked
        needed = {word for query in asked.tokens for word in query}
        needed |= {word for text in dict.fromkeys(self.clicked["query"]) for word in tokenise(text)}
        found = self.stored.rows("words", "word", [*needed, BEGINNING])
        counts = {
            name: Counter(dict(zip(found["word"], found[name].tolist(), strict=True)))
            for name in ("clicked", "issued", "followed")
        }
        needed_pairs = {as_bigram(*pair) for query in asked.tokens for pair in pairwise([BEGINNING, *query])}
        pairs = self.stored.rows("bigrams", "bigram", list(needed_pairs))
        both = (of_bigram(text) for text in pairs["bigram"])
        bigrams = Counter(dict(zip(both, pairs["n"].tolist(), strict=True)))
        totals = WordTotals(**self.stored.word_totals)
        return LogWords(asked.queries, asked.tokens, **counts, pairs=bigrams, stored_totals=totals)

    def _comparisons(self, words: LogWords, url_of: Mapping[str, int]) -> dict[str, FloatArray]:
        """Features of the words in queries with clicks on an address."""
        width = max(len(self.forms), 1)
        keys, pair_of = np.unique(self.asked.query_of * width + self.asked.url_of, return_inverse=True)
        query, url = np.divmod(keys, width)
        place = np.array([url_of[form] for form in self.clicked["url"]], dtype=np.int64)
        found = ClickedQueries(place, self.clicked["query"], self.clicked["n"].astype(np.float64))
        here = np.flatnonzero(np.isin(url, place))
        values = {name: np.full(len(keys), np.nan) for name in ("lm", "kl", "top_like", "top_same")}
        for name, value in compare_with_models(found, words, query[here], url[here]).items():
            values[name][here] = value
        return {name: value[pair_of] for name, value in values.items()}
