"""Counts of the words in a log's queries, updated query by query."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.text.tokens import tokenise

MIXTURE = 0.1
BEGINNING = ""


@dataclass(frozen=True)
class WordTotals:
    """Numbers of words in the queries of clicks and in issued queries: all of them, and distinct ones."""

    clicked: int
    distinct_clicked: int
    issued: int
    distinct_issued: int


@dataclass(eq=False)
class LogWords:
    """Counts of words in the queries of all clicks, and of the bigrams that the results' queries need.

    ``queries`` are the normalised queries of the results, ``tokens`` their words.

    >>> words = LogWords(["zen"], [["zen"]])
    >>> words.add("zen garden", clicks=2, issued=1)
    [0]
    >>> words.clicked["zen"], words.totals.clicked, np.exp(words.chance_of_queries()).round(4).tolist()
    (2, 4, [0.94])
    """

    queries: Sequence[str]
    tokens: Sequence[Sequence[str]]
    clicked: Counter[str] = field(default_factory=Counter)
    """Count of each word in the queries of clicks."""
    issued: Counter[str] = field(default_factory=Counter)
    """Count in issued queries of each word of the results' queries."""
    followed: Counter[str] = field(default_factory=Counter)
    """How often another word follows each of them, and how often a query begins."""
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Count of each bigram of the results' queries."""
    stored_totals: WordTotals | None = None
    """Totals of the log, if only some of its words are here."""

    def __post_init__(self) -> None:
        self._place = {query: place for place, query in enumerate(self.queries)}
        self.terms = {word: number for number, word in enumerate(dict.fromkeys(w for q in self.tokens for w in q))}
        self.times_issued = np.zeros(len(self.queries))
        self._vocabulary: set[str] = set()
        self._n_clicked = self._n_issued = 0
        self._wanted = {pair for query in self.tokens for pair in pairwise([BEGINNING, *query])}

    @property
    def totals(self) -> WordTotals:
        """Numbers of words in all queries."""
        counted = (self._n_clicked, len(self.clicked), self._n_issued, len(self._vocabulary))
        return self.stored_totals or WordTotals(*counted)

    def add(self, query: str, clicks: int, issued: int) -> list[int]:
        """Count a normalised query; return the numbers of its words that occur in the results' queries."""
        words = tokenise(query)
        if clicks:
            self._n_clicked += clicks * len(words)
            for word in words:
                self.clicked[word] += clicks
        if issued:
            self._add_issued(query, words, issued)
        return [self.terms[word] for word in dict.fromkeys(words) if word in self.terms]

    def _add_issued(self, query: str, words: list[str], times: int) -> None:
        place = self._place.get(query)
        if place is not None:
            self.times_issued[place] += times
        self._n_issued += times * len(words)
        self._vocabulary.update(words)
        for first, second in pairwise([BEGINNING, *words]):
            if second in self.terms:
                self.issued[second] += times
            # Count only the bigrams of the results' queries: those of a large log would not fit into memory.
            if first in self.terms or first == BEGINNING:
                self.followed[first] += times
                if (first, second) in self._wanted:
                    self.pairs[first, second] += times

    def clicked_chances(self, words: Sequence[str]) -> FloatArray:
        """P(t | C) = (cf + 1) / (#C + V + 1) of the queries of all clicks."""
        below = self.totals.clicked + self.totals.distinct_clicked + 1
        return np.array([(self.clicked.get(word, 0) + 1) / below for word in words], dtype=np.float64)

    def chance_of_queries(self) -> FloatArray:
        """Mean ln of the bigram probabilities of each of the results' queries; NaN without a word."""
        totals = self.totals
        if not totals.issued:
            return np.full(len(self.queries), np.nan)
        below = totals.issued + totals.distinct_issued + 1
        means = [
            np.mean([np.log(self._chance(*p, below)) for p in pairwise([BEGINNING, *q])]) if q else np.nan
            for q in self.tokens
        ]
        return np.array(means, dtype=np.float64)

    def _chance(self, first: str, second: str, below: int) -> float:
        single = (self.issued[second] + 1) / below
        followed = self.followed[first]
        if not followed:
            return single
        return (1.0 - MIXTURE) * self.pairs[first, second] / followed + MIXTURE * single
