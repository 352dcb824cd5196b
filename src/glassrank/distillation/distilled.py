"""The result of a distillation: authorities and hubs, pruned pages, and the reasons."""

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.figure.list_text import distilled_text
from glassrank.distillation.figure.neighbourhood import Neighbourhood
from glassrank.distillation.figure.neighbourhood_chart import NeighbourhoodChart, draw_neighbourhood
from glassrank.distillation.link_scores import NOT_SIMPLE
from glassrank.distillation.methods import Scored
from glassrank.distillation.options import Options
from glassrank.distillation.page_reasons import Topicality, TopicReader, Vote, links_of, votes_for
from glassrank.distillation.score_ties import above_rounding, score_steps
from glassrank.distillation.sphere_prune import SphereJudgement


@dataclass(frozen=True)
class RankedPage:
    """A page with its rank and the reasons for it."""

    rank: int
    page: int
    """Its row in the collection."""
    url: str
    title: str
    score: float
    votes: tuple[Vote, ...]
    """The pages that link to an authority, or to which a hub links, those that count most first."""
    topicality: Topicality | None = None
    """How close the page is to the topic; None if the method does not prune by topic."""
    filled: bool = False
    """Whether the page has no links that count and is listed in search order."""


@dataclass(frozen=True, eq=False, repr=False)
class Distilled:
    """Authorities and hubs for a query, as text, table, JSON and picture."""

    method: str
    options: Options
    candidates: Candidates
    scored: Scored
    timings: dict[str, float]
    """CPU seconds of each step."""
    first_notes: tuple[str, ...]
    widened: tuple[str, ...] = ()
    """How the search for links was widened, because there were none."""

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes about the result."""
        scores = self.scored.link_scores
        notes = (*self.widened, *self.first_notes, *self._length_notes())
        if scores is not None and not scores.converged:
            notes += (f"{scores.method} did not converge: its last change was {scores.change:.1e}.",)
        if scores is not None and scores.gap < NOT_SIMPLE:
            notes += (
                "The links alone do not determine the scores (the leading eigenvalue is not simple): parts of the "
                "graph tie, and the uniform start of the iteration decides between them.",
            )
        return notes

    def __str__(self) -> str:
        return distilled_text(self)

    __repr__ = __str__

    @property
    def query(self) -> str:
        return self.candidates.query

    @property
    def pages(self) -> IntArray:
        """Rows of the candidates in the collection, the root set in search order first."""
        return self.candidates.pages

    @property
    def in_root(self) -> Any:
        """Which candidates are in the root set."""
        return self.candidates.in_root

    @property
    def search_scores(self) -> FloatArray:
        """Score of each candidate in the search."""
        return self.candidates.search_scores

    @property
    def authority_scores(self) -> FloatArray:
        """Score by which the method ranks each candidate; 0 for a pruned one."""
        return self.scored.authority

    @property
    def hub_scores(self) -> FloatArray | None:
        """Hub score of each candidate; None if the method has no hub scores."""
        return self.scored.hub

    @property
    def pruned(self) -> Any:
        """Which candidates were pruned."""
        return self.scored.pruned

    @property
    def judgement(self) -> SphereJudgement | None:
        """SVDD's judgement of the candidates."""
        return self.scored.judgement

    @property
    def relevance(self) -> FloatArray | None:
        """Bharat–Henzinger's relevance weights of the candidates."""
        return self.scored.relevance

    @cached_property
    def links(self) -> IntArray:
        """Links that count, as positions among the candidates: source, target."""
        return np.column_stack(self.candidates.adjacency.nonzero())

    @property
    def edges_kept(self) -> int:
        return int(self.candidates.adjacency.nnz)

    @property
    def edges_total(self) -> int:
        return self.candidates.edges_total

    @cached_property
    def ranking(self) -> IntArray:
        """Positions of all candidates, best authority first; pruned ones last, equal ones in search order."""
        return _order(self.authority_scores, self.pruned)

    @cached_property
    def best_linked(self) -> IntArray:
        """Positions of the best authorities, at most ``k``, without pages of score 0."""
        return _first(self.ranking, self.options.k, self.authority_scores)

    def listed(self, depth: int) -> IntArray:
        """Positions of at most ``depth`` pages: authorities by score, then the other kept pages in search order."""
        order = self.ranking[~self.pruned[self.ranking]]
        return order[(self._has_score | (self.search_scores > 0))[order]][:depth]

    @cached_property
    def _has_score(self) -> Any:
        return above_rounding(self.authority_scores)

    @cached_property
    def authorities(self) -> tuple[RankedPage, ...]:
        """The best authorities, with their reasons; pages without links that count follow in search order."""
        return tuple(
            replace(
                self._ranked(rank, k, self.authority_scores, votes_for(k, self.candidates, self.scored)),
                filled=not self._has_score[k],
            )
            for rank, k in enumerate(self.listed(self.options.k), start=1)
        )

    def _length_notes(self) -> tuple[str, ...]:
        # Pages are counted without their reasons, which take most of the time of a method.
        listed = self.listed(self.options.k)
        filled, n = int(np.sum(~self._has_score[listed])), len(listed)
        notes = []
        if 0 < filled < n:
            notes.append(
                f"{counted(n - filled, 'authority has', 'authorities have')} links that count; "
                f"{counted(filled, 'other page is', 'other pages are')} in search order."
            )
        if n < self.options.k:
            notes.append(f"The list of authorities is shorter than {self.options.k}: no other page is left.")
        if self.hub_scores is not None and len(self._best_hubs(self.hub_scores)) < self.options.k:
            notes.append(f"The list of hubs is shorter than {self.options.k}: no other page has links that count.")
        return tuple(notes)

    @cached_property
    def hubs(self) -> tuple[RankedPage, ...]:
        """The best hubs, with their reasons; empty if the method has no hub scores."""
        if self.hub_scores is None:
            return ()
        return tuple(
            self._ranked(rank, k, self.hub_scores, links_of(k, self.candidates, self.scored))
            for rank, k in enumerate(self._best_hubs(self.hub_scores), start=1)
        )

    def _best_hubs(self, scores: FloatArray) -> IntArray:
        return _first(_order(scores, self.pruned), self.options.k, scores)

    @cached_property
    def pruned_pages(self) -> tuple[RankedPage, ...]:
        """Pages pruned as off-topic, the furthest first; for ``"hits-top"``, those below the cut."""
        return self.first_pruned(int(self.pruned.sum()))

    def first_pruned(self, n: int) -> tuple[RankedPage, ...]:
        """Return the first ``n`` of the pruned pages, because the reasons of thousands take long to compute."""
        out = np.flatnonzero(self.pruned)
        if self.judgement is not None:
            out = out[np.argsort(-self.judgement.distances[out], kind="stable")]
        elif self.relevance is not None:
            out = out[np.argsort(self.relevance[out], kind="stable")]
        return tuple(self._ranked(rank, k, self.search_scores, ()) for rank, k in enumerate(out[:n], start=1))

    @cached_property
    def _reader(self) -> TopicReader | None:
        prunes_by_topic = self.judgement is not None or self.relevance is not None
        return TopicReader(self.candidates, self.scored, self.options) if prunes_by_topic else None

    def _ranked(self, rank: int, position: int, scores: FloatArray, votes: tuple[Vote, ...]) -> RankedPage:
        row = int(self.pages[position])
        pages = self.candidates.prepared.collection.pages
        topicality = None if self._reader is None else self._reader.read(int(position))
        return RankedPage(rank, row, pages.url[row], pages.title[row], float(scores[position]), votes, topicality)

    @property
    def roles(self) -> list[str]:
        """Role of each candidate: authority, hub, both, page or pruned."""
        authorities = {page.page for page in self.authorities if not page.filled}
        hubs = {page.page for page in self.hubs}
        parts = {(True, True): "both", (True, False): "authority", (False, True): "hub", (False, False): "page"}
        return [
            "pruned" if pruned else parts[row in authorities, row in hubs]
            for row, pruned in zip(self.pages.tolist(), self.pruned, strict=True)
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Return all candidates in the method's order, as columns."""
        pages, order, rows = self.candidates.prepared.collection.pages, self.ranking, self.pages[self.ranking]
        roles = self.roles
        columns: dict[str, list[Any]] = {
            "rank": list(range(1, len(order) + 1)),
            "url": pages.url[rows].tolist(),
            "title": pages.title[rows].tolist(),
            "role": [roles[k] for k in order],
            "authority": self.authority_scores[order].tolist(),
        }
        if self.hub_scores is not None:
            columns["hub"] = self.hub_scores[order].tolist()
        columns |= {"search_score": self.search_scores[order].tolist(), "in_root": self.in_root[order].tolist()}
        if self.judgement is not None:
            columns["distance"] = self.judgement.relative_distances[order].tolist()
        if self.relevance is not None:
            columns["relevance"] = self.relevance[order].tolist()
        return columns

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row for each candidate, in the method's order."""
        return make_frame(self.columns(), backend)

    def to_json(self) -> str:
        """Return the lists with their reasons as JSON."""
        return json.dumps(self.summary(), ensure_ascii=False)

    def summary(self) -> dict[str, Any]:
        """Return the lists with their reasons as plain values."""
        judgement = self.judgement
        return {
            "query": self.query,
            "method": self.method,
            "candidates": len(self.pages),
            "root_set": self.candidates.n_root,
            "pruned": int(self.pruned.sum()),
            "edges_kept": self.edges_kept,
            "edges_total": self.edges_total,
            "radius": None if judgement is None else judgement.radius,
            "threshold": self.scored.threshold,
            "authorities": [asdict(page) for page in self.authorities],
            "hubs": [asdict(page) for page in self.hubs],
            "pruned_pages": [asdict(page) for page in self.pruned_pages],
            "widened": list(self.widened),
            "notes": list(self.notes),
            "cpu_seconds": self.timings,
        }

    def chart(self) -> NeighbourhoodChart:
        """Draw the candidates and their links."""
        pages = self.candidates.prepared.collection.pages
        hub = np.zeros(len(self.pages)) if self.hub_scores is None else self.hub_scores
        distances = None if self.judgement is None else self.judgement.relative_distances
        return draw_neighbourhood(
            Neighbourhood(
                titles=pages.title[self.pages],
                urls=pages.url[self.pages],
                roles=self.roles,
                authority=self.authority_scores,
                hub=hub,
                links=self.links,
                distances=distances,
                radius=None if distances is None else 1.0,
                query=self.query,
                method=self.method,
            )
        )


def _order(scores: FloatArray, pruned: Any) -> IntArray:
    """Return positions by score, pruned ones last; scores that differ only by rounding errors count as equal."""
    return np.lexsort((np.arange(len(scores)), -score_steps(scores), pruned))


def _first(order: IntArray, k: int, scores: FloatArray) -> IntArray:
    """Return the first k positions, without those of score 0."""
    return order[:k][above_rounding(scores)[order[:k]]]
