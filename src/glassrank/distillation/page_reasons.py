"""Why a page has its rank: which pages vote for it, and which words and citations connect it with the topic."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.sphere.smallest_sphere import squared_distances
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.methods import Scored
from glassrank.distillation.options import Options
from glassrank.distillation.page_kernels import centre, citation_vectors, kernel_parts, word_vectors
from glassrank.distillation.sphere_prune import SphereJudgement
from glassrank.text.text_index import TextIndex
from glassrank.text.weighting import document_frequencies

VOTERS = 3
TERMS = 5
COMMON_SHARE = 0.5
"""Words of more than this share of the pages are not given as reasons."""
FEW_PAGES = 20
"""In so small a collection, the words of its topic are as common as articles."""


@dataclass(frozen=True)
class Vote:
    """A page that contributes to another page's score by a link."""

    page: int
    """Its row in the collection."""
    title: str
    """Its title, or its address if it has none."""
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
    cited_apart: tuple[str, ...] = ()
    """Titles of pages that link to it and increase its distance, because they rarely link to the topic."""
    words_share: float | None = None
    """Share of its squared distance that is due to words; the rest is due to citations."""
    size: float | None = None
    """Length √K(z, z) of its vector, as a multiple of the median of the training pages. With the raw kernel, pages with
    many in-links (or, with raw text rows, many words) are long, and long pages are far from any centre."""


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
    rows, pages = candidates.pages[positions], candidates.prepared.collection.pages
    shares = amounts / total if total > 0 else amounts
    return tuple(Vote(int(rows[k]), _named(pages, rows[k]), float(shares[k])) for k in order)


def _named(pages: Any, row: int) -> str:
    """Return the title of a page, or its address if it has none."""
    return pages.title[row].strip() or pages.url[row]


class TopicReader:
    """Explains how close pages are to the topic that a method has learnt."""

    def __init__(self, candidates: Candidates, scored: Scored, options: Options) -> None:
        self._candidates, self._scored = candidates, scored
        judgement, text_weight = scored.judgement, options.text_weight
        self._words_count = text_weight > 0 or judgement is None
        self._words = candidates.prepared.index.tfidf(candidates.pages)
        self._index = candidates.prepared.index
        self._is_common = common_terms(self._index)
        self._citations = None
        if judgement is None:
            about = candidates.prepared.index.query_document(candidates.pages[: candidates.n_root])
            self._topic = about.toarray().ravel()
            return
        self._words = word_vectors(candidates, options)
        self._topic = centre(self._words, judgement.alpha)
        self._words_shares, self._sizes = _parts_of_distance(candidates, judgement, options)
        if text_weight < 1:
            self._citations = citation_vectors(candidates, options)
            self._citing_topic = centre(self._citations, judgement.alpha)

    def read(self, position: int) -> Topicality:
        """Explain how close one candidate is to the topic."""
        row = self._words[[position]] if self._words_count else self._words[[position]] * 0.0
        shared = row.data * self._topic[row.indices]
        # ‖z − c‖² is a sum over words, to which words that the topic lacks contribute most.
        away = row.data * (row.data - self._topic[row.indices])
        judgement, relevance = self._scored.judgement, self._scored.relevance
        with_topic, apart = self._citing(position)
        towards = self._name(row.indices, shared)
        return Topicality(
            distance=None if judgement is None else float(judgement.relative_distances[position]),
            relevance=None if relevance is None else float(relevance[position]),
            towards=towards,
            # A word that the page shares with the topic is not also named as leading away from it.
            away=tuple(word for word in self._name(row.indices, away, TERMS + len(towards)) if word not in towards)[
                :TERMS
            ],
            cited_with=with_topic,
            cited_apart=apart,
            words_share=None if judgement is None else float(self._words_shares[position]),
            size=None if judgement is None else float(self._sizes[position]),
        )

    def _name(self, columns: IntArray, weights: FloatArray, n: int = TERMS) -> tuple[str, ...]:
        # Words of most pages, such as articles, say nothing about a topic.
        weights = np.where(self._is_common[columns], 0.0, weights)
        order = np.lexsort((columns, -weights))[:n]
        return tuple(self._index.word(columns[k]) for k in order if weights[k] > 0)

    def _citing(self, position: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Titles of citing pages that bring a page closer to the topic, and of those that lead away from it."""
        if self._citations is None:
            return (), ()
        row = self._citations[[position]]
        topic = self._citing_topic[row.indices]
        return self._titles(row.indices, row.data * topic), self._titles(row.indices, row.data * (row.data - topic))

    def _titles(self, rows: IntArray, weights: FloatArray) -> tuple[str, ...]:
        pages = self._candidates.prepared.collection.pages
        order = np.lexsort((rows, -weights))[:VOTERS]
        return tuple(_named(pages, rows[k]) for k in order if weights[k] > 0)


def common_terms(index: TextIndex) -> Any:
    """Return which terms are on most pages of a collection; none in a collection of few pages."""
    n_pages = index.counts.shape[0]
    frequencies = document_frequencies(index.counts)
    return (frequencies > COMMON_SHARE * n_pages) & (n_pages >= FEW_PAGES)


def _parts_of_distance(
    candidates: Candidates, judgement: SphereJudgement, options: Options
) -> tuple[FloatArray, FloatArray]:
    """Return the share of each squared distance that is due to words, and the relative length of each vector.

    d² is a sum over the two kernels: d² = μ d²_text + (1 − μ) d²_cocitation, both from the same weights α.
    """
    weights = (options.text_weight, 1.0 - options.text_weight)
    parts, lengths = [], np.zeros(len(judgement.alpha))
    for K, weight in zip(kernel_parts(candidates, options), weights, strict=True):
        own, products = np.diagonal(K), K @ judgement.alpha
        parts.append(weight * squared_distances(K, own, judgement.alpha, float(judgement.alpha @ products)))
        lengths = lengths + weight * own
    total = parts[0] + parts[1]
    shares = np.divide(parts[0], total, out=np.full(len(total), options.text_weight), where=total > 0)
    lengths = np.sqrt(lengths)
    typical = float(np.median(lengths[judgement.trained]))
    return shares, lengths / typical if typical > 0 else np.ones(len(lengths))
