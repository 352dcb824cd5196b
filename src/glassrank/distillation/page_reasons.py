"""Why a page has its rank: which pages vote for it, and which words and citations connect it with the topic."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.methods import Scored
from glassrank.distillation.page_kernels import centre, citation_vectors, word_vectors

VOTERS = 3
TERMS = 5


@dataclass(frozen=True)
class Vote:
    """A page that contributes to another page's score by a link."""

    page: int
    """Its row in the collection."""
    title: str
    share: float
    """Its share of the authority's or hub's score."""


@dataclass(frozen=True)
class Topicality:
    """How close a page is to the topic, and why.

    Distances are those of the text and co-citation vectors from the centre of the sphere. With Bharat–Henzinger, the
    relevance is the cosine with the query document, and only words count.
    """

    distance: float | None
    """From the sphere's centre, as a multiple of its radius."""
    relevance: float | None
    towards: tuple[str, ...]
    """Words shared with the topic, the most important first."""
    away: tuple[str, ...]
    """Words that increase the distance from the topic, the strongest first."""
    cited_with: tuple[str, ...]
    """Titles of pages that link both to it and to pages of the topic."""


def votes_for(position: int, candidates: Candidates, scored: Scored) -> tuple[Vote, ...]:
    """Return the pages whose links give an authority its score, the largest share first."""
    if scored.flows is None:
        return ()
    received = scored.flows.to_target[:, [position]].tocoo()
    return _votes(received.row, received.data, candidates)


def links_of(position: int, candidates: Candidates, scored: Scored) -> tuple[Vote, ...]:
    """Return the pages that give a hub its score because it links to them, the largest share first."""
    if scored.flows is None or scored.flows.to_source is None:
        return ()
    received = scored.flows.to_source[[position]].tocoo()
    return _votes(received.col, received.data, candidates)


def _votes(positions: IntArray, amounts: FloatArray, candidates: Candidates) -> tuple[Vote, ...]:
    """Return all votes, the largest first; equal ones in search order."""
    total = amounts.sum()
    order = np.lexsort((positions, -amounts))
    rows, titles = candidates.pages[positions], candidates.prepared.collection.pages.title
    shares = amounts / total if total > 0 else amounts
    return tuple(Vote(int(rows[k]), titles[rows[k]], float(shares[k])) for k in order)


class TopicReader:
    """Explains how close pages are to the topic that a method has learnt."""

    def __init__(self, candidates: Candidates, scored: Scored, text_weight: float = 1.0) -> None:
        self._candidates, self._scored = candidates, scored
        self._words_count = text_weight > 0 or scored.judgement is None
        self._words = word_vectors(candidates)
        self._terms = candidates.prepared.index.terms
        self._citations = None
        if scored.judgement is not None and text_weight < 1:
            self._citations = citation_vectors(candidates)
            self._citing_topic = centre(self._citations, scored.judgement.alpha)
        if scored.judgement is not None:
            self._topic = centre(self._words, scored.judgement.alpha)
        else:
            about = candidates.prepared.index.query_document(candidates.pages[: candidates.n_root])
            self._topic = about.toarray().ravel()

    def read(self, position: int) -> Topicality:
        """Explain how close one candidate is to the topic."""
        row = self._words[[position]] if self._words_count else self._words[[position]] * 0.0
        shared = row.data * self._topic[row.indices]
        # ‖z − c‖² is a sum over words, to which words that the topic lacks contribute most.
        away = row.data * (row.data - self._topic[row.indices])
        judgement, relevance = self._scored.judgement, self._scored.relevance
        return Topicality(
            None if judgement is None else float(judgement.distances[position] / judgement.radii[position]),
            None if relevance is None else float(relevance[position]),
            self._name(row.indices, shared),
            self._name(row.indices, away),
            self._cited_with(position),
        )

    def _name(self, columns: IntArray, weights: FloatArray) -> tuple[str, ...]:
        order = np.lexsort((columns, -weights))[:TERMS]
        return tuple(self._terms[columns[k]] for k in order if weights[k] > 0)

    def _cited_with(self, position: int) -> tuple[str, ...]:
        if self._citations is None:
            return ()
        row = self._citations[[position]]
        weights = row.data * self._citing_topic[row.indices]
        titles: Any = self._candidates.prepared.collection.pages.title
        order = np.lexsort((row.indices, -weights))[:VOTERS]
        return tuple(titles[row.indices[k]] for k in order if weights[k] > 0)
