"""Anchor texts by target: the links of a scope with their weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.collection import Links
from glassrank.navigational.features.address_parts import domains_of, hosts_of
from glassrank.navigational.features.language_models import Documents
from glassrank.navigational.features.vocabulary import Words, numbered
from glassrank.navigational.normal_text import normal_text


@dataclass(frozen=True, eq=False)
class AnchorLinks:
    """The links that count and have a text; texts, hosts and targets have numbers."""

    texts: list[str]
    """Distinct anchor texts, normalised."""
    words: Words
    """Words of these texts."""
    text_of: IntArray
    host_of: IntArray
    """Host of each link's source."""
    targets: list[str]
    """Distinct target addresses of the links."""
    target_of: IntArray

    @classmethod
    def of(cls, links: Links, rows: IntArray, read: Callable[[list[str]], Words]) -> "AnchorLinks":
        """Select rows of the links that have a text; ``read`` numbers words."""
        written, written_of = numbered(links.anchor[rows])
        normal = list(map(normal_text, written))
        rows = rows[np.array(list(map(bool, normal)), dtype=bool)[written_of]]
        texts, text_of_written = numbered(normal)
        text_of = text_of_written[written_of]
        if "" in texts:
            # Remove the empty text: larger numbers decrease by one.
            empty = texts.index("")
            text_of = text_of[text_of != empty]
            text_of -= text_of > empty
            texts.remove("")
        pages, page_of = numbered(links.source[rows])
        targets, target_of = numbered(links.target[rows])
        hosts = numbered(hosts_of(pages))[1][page_of]
        return cls(texts, read(texts), text_of, hosts, targets, target_of)

    @cached_property
    def text_lengths(self) -> IntArray:
        """Number of characters of each text."""
        return np.fromiter(map(len, self.texts), np.int64, len(self.texts))

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Number of each text."""
        return {text: number for number, text in enumerate(self.texts)}

    def scopes(self) -> dict[str, "AnchorScope"]:
        """The three scopes: which links belong to a result, and their weights."""
        domains, domain_of = numbered(domains_of(self.targets))
        ones = np.ones(len(self.text_of))
        keys = self.target_of * (self.host_of.max(initial=0) + 1) + self.host_of
        _, same, number = np.unique(keys, return_inverse=True, return_counts=True)
        return {
            "link": AnchorScope.of(self, self.targets, self.target_of, ones),
            "host": AnchorScope.of(self, self.targets, self.target_of, 1.0 / number[same]),
            "site": AnchorScope.of(self, domains, domain_of[self.target_of], ones),
        }


@dataclass(frozen=True, eq=False)
class AnchorScope:
    """Weights of anchor texts by target; the last row, without texts, is for addresses without links."""

    links: AnchorLinks
    row_of: dict[str, int]
    weights: Any
    """Targets × texts (CSR): w(a)."""
    host_starts: IntArray
    """Start of the hosts of each stored entry of ``weights`` in the two arrays below."""
    hosts: IntArray
    host_weights: FloatArray

    @classmethod
    def of(cls, links: AnchorLinks, targets: Sequence[str], to: IntArray, weight: FloatArray) -> "AnchorScope":
        """Sum the weights of links with the same target and text, and also by host."""
        shape = (len(targets) + 1, len(links.texts))
        order = np.lexsort((links.host_of, links.text_of, to))
        to, text, host = to[order], links.text_of[order], links.host_of[order]
        entry_begins = np.flatnonzero(_changes(to, text))
        host_begins = np.flatnonzero(_changes(to, text, host))
        rows = np.searchsorted(to[entry_begins], np.arange(shape[0] + 1))
        sums = np.add.reduceat(weight[order], entry_begins) if len(order) else np.zeros(0)
        weights = sparse.csr_matrix((sums, text[entry_begins], rows), shape=shape)
        by_host = np.add.reduceat(weight[order], host_begins) if len(order) else np.zeros(0)
        starts = np.searchsorted(host_begins, np.append(entry_begins, len(order)))
        return cls(links, {name: row for row, name in enumerate(targets)}, weights, starts, host[host_begins], by_host)

    @property
    def nothing(self) -> int:
        """Row for addresses without links."""
        return int(self.weights.shape[0]) - 1

    @cached_property
    def mass(self) -> FloatArray:
        """W: sum of the weights of each target."""
        return np.asarray(self.weights.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def by_text(self) -> Any:
        """Targets × texts (CSC): w(a)."""
        return self.weights.tocsc()

    @cached_property
    def text_weights(self) -> FloatArray:
        """Sum of the weights of each text over all targets."""
        return np.asarray(self.weights.sum(axis=0), dtype=np.float64).ravel()

    @cached_property
    def shares(self) -> FloatArray:
        """P(a) = w(a) / W of each stored entry."""
        shares: FloatArray = self.weights.data / np.repeat(self.mass, np.diff(self.weights.indptr))
        return shares

    @cached_property
    def documents(self) -> Documents:
        """Anchor documents: all words of a target's texts with their weights; targets without a word do not count."""
        counts = sparse.csr_matrix(self.weights @ self.links.words.counts.astype(np.float64))
        counts.sort_indices()
        return Documents(counts, int((np.diff(counts.indptr) > 0).sum()))


def _changes(*columns: Any) -> Any:
    """Whether a row of sorted columns differs from the one before."""
    changes = np.zeros(len(columns[0]), dtype=bool)
    changes[:1] = True
    for column in columns:
        changes[1:] |= column[1:] != column[:-1]
    return changes
