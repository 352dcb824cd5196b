"""The methods by name: each gives candidates authority and hub scores, and may prune pages first."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.process.stopwatch import Stopwatch
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.distillation.bharat_henzinger import bharat_henzinger
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.hits import hits
from glassrank.distillation.in_degree import in_degree
from glassrank.distillation.link_flows import (
    Flows,
    bharat_henzinger_flows,
    hits_flows,
    in_degree_flows,
    pagerank_flows,
)
from glassrank.distillation.link_scores import LinkScores
from glassrank.distillation.options import TRUSTED_SHARE, Options
from glassrank.distillation.page_kernels import page_kernel
from glassrank.distillation.pagerank import pagerank
from glassrank.distillation.relevance import relevance_threshold, relevance_weights
from glassrank.distillation.sphere_prune import SphereJudgement, judge_pages

USE_HITS = f"use {setting('method', 'hits')}"
NOT_PRUNED = (
    f"Raise {setting('root_size')}",
    f"pass {setting('candidates', 'base')}",
    f"use {setting('method', 'bm25')}",
)


class NoRankingError(DataError):
    """A method cannot rank these candidates; other methods may."""


class NoLinksError(NoRankingError):
    """There is no link that counts between the pages that a method would rank."""


@dataclass(frozen=True, eq=False)
class Scored:
    """The result of a method for the candidates."""

    authority: FloatArray
    hub: FloatArray | None
    """None if the method has no hub scores."""
    pruned: Any
    """Which candidates were pruned before the link analysis; their scores are 0."""
    flows: Flows | None = None
    """What each link passes on; None if the method does not use links."""
    link_scores: LinkScores | None = None
    """The scores of the kept pages, and how the iteration ended."""
    judgement: SphereJudgement | None = None
    relevance: FloatArray | None = None
    threshold: float | None = None
    """Relevance below which pages were pruned."""


def _by_search(candidates: Candidates, options: Options, watch: Stopwatch) -> Scored:
    return Scored(candidates.search_scores, None, _none(candidates))


def _by_links(
    score: Callable[[Any], LinkScores], flows: Callable[[Any, LinkScores], Flows]
) -> Callable[[Candidates, Options, Stopwatch], Scored]:
    def scored(candidates: Candidates, options: Options, watch: Stopwatch) -> Scored:
        return _score_kept(candidates, ~_none(candidates), score, flows, watch, NOT_PRUNED)

    return scored


def _by_top(candidates: Candidates, options: Options, watch: Stopwatch) -> Scored:
    """HITS on the trusted top of the search only: a baseline for the sphere."""
    kept = np.arange(len(candidates.pages)) < trusted(candidates, options)
    return _score_kept(candidates, kept, hits, hits_flows, watch, (f"Raise {setting('train_size')}", USE_HITS))


def _by_bharat_henzinger(candidates: Candidates, options: Options, watch: Stopwatch) -> Scored:
    index = candidates.prepared.index
    with watch.step("relevance"):
        about = index.query_document(candidates.pages[: candidates.n_root])
        relevance = relevance_weights(index.tfidf(candidates.pages), about)
        threshold = relevance_threshold(relevance, candidates.in_root, options.threshold, fraction=options.fraction)
    kept = relevance >= threshold

    def score(adjacency: Any) -> LinkScores:
        return bharat_henzinger(adjacency, candidates.sites[kept], relevance[kept])

    def flows(adjacency: Any, scores: LinkScores) -> Flows:
        return bharat_henzinger_flows(adjacency, scores, candidates.sites[kept], relevance[kept])

    found = _score_kept(
        candidates, kept, score, flows, watch, (f"Prune less with {setting('threshold', 'max/10')}", USE_HITS)
    )
    if not found.authority.any():
        raise NoLinksError(
            "Bharat–Henzinger gives no weight to links within a site, nor to pages without relevance, and there are no "
            f"other links between the {counted(int(kept.sum()), 'page')} kept.",
            remedy=(f"Use finer sites: {setting('site', 'page')}", USE_HITS),
        )
    return replace(found, relevance=relevance, threshold=threshold)


def _by_sphere(candidates: Candidates, options: Options, watch: Stopwatch) -> Scored:
    p = trusted(candidates, options)
    with watch.step("kernel"):
        K = page_kernel(candidates, options)
    with watch.step("sphere"):
        judgement = judge_pages(
            K, np.arange(p), C=options.C, nu=options.nu, accept=options.accept, quantile=options.quantile
        )
    if np.isinf(judgement.relative_distances).any():
        raise _no_sphere(p)
    kept = judgement.accepted
    if options.neighbours == "take":
        kept = _with_neighbours(kept & candidates.in_root, candidates)
    remedy = (
        f"Prune less: {setting('accept', 'plain')}, a lower {setting('nu')}, a larger {setting('train_size')}, or a "
        f"{setting('quantile')} near 1",
        USE_HITS,
    )
    return replace(_score_kept(candidates, kept, hits, hits_flows, watch, remedy), judgement=judgement)


def _no_sphere(p: int) -> NoRankingError:
    """Describe a sphere of radius 0, which accepts only copies of its training pages."""
    return NoRankingError(
        f"The sphere has radius 0, because its {counted(p, 'training page')} cannot be distinguished by words and "
        "citations.",
        remedy=(
            f"Change {setting('text_weight')}",
            f"train on more pages with {setting('train_size')}",
            f"use {setting('method', 'hits-top')}",
        ),
    )


def _with_neighbours(accepted: Any, candidates: Candidates) -> Any:
    """Return the accepted pages of the root set, and the pages outside it with a link to or from one of them."""
    links = candidates.prepared.links[candidates.pages][:, candidates.pages]
    linked = (links.T @ accepted > 0) | (links @ accepted > 0)
    return accepted | (linked & ~candidates.in_root)


METHODS: dict[str, Callable[[Candidates, Options, Stopwatch], Scored]] = {
    "bharat-henzinger": _by_bharat_henzinger,
    "svdd": _by_sphere,
    "hits": _by_links(hits, hits_flows),
    "hits-top": _by_top,
    "pagerank": _by_links(pagerank, pagerank_flows),
    "in-degree": _by_links(in_degree, in_degree_flows),
    "bm25": _by_search,
}
DEFAULT_METHOD = "bharat-henzinger"


def trusted(candidates: Candidates, options: Options) -> int:
    """Return p, the number of pages at the top of the search that are assumed to be on topic."""
    p = options.train_size or max(1, int(TRUSTED_SHARE * candidates.n_root))
    if p > candidates.n_root:
        raise DataError(
            parameter="train_size", expected=f"at most {candidates.n_root}, the pages of the root set", got=p
        )
    return p


def _none(candidates: Candidates) -> Any:
    return np.zeros(len(candidates.pages), dtype=bool)


def _score_kept(
    candidates: Candidates,
    kept: Any,
    score: Callable[[Any], LinkScores],
    flows: Callable[[Any, LinkScores], Flows],
    watch: Stopwatch,
    remedy: tuple[str, ...],
) -> Scored:
    """Score the graph of the kept pages; the others get 0. ``remedy`` is used if there are no links."""
    rows = np.flatnonzero(kept)
    adjacency = candidates.adjacency[rows][:, rows]
    if adjacency.nnz == 0:
        raise _no_links(candidates, len(rows), remedy)
    with watch.step("link analysis"):
        found = score(adjacency)
    passed = flows(adjacency, found).spread(rows, len(candidates.pages))
    return Scored(
        _spread(found.authority_scores, kept), _spread(found.hub_scores, kept), ~kept, passed, link_scores=found
    )


def _spread(scores: FloatArray | None, kept: Any) -> Any:
    if scores is None:
        return None
    everywhere = np.zeros(len(kept))
    everywhere[kept] = scores
    return everywhere


def _no_links(candidates: Candidates, n_kept: int, remedy: tuple[str, ...]) -> NoLinksError:
    among = f"{counted(n_kept, 'page')} left after pruning" if n_kept < len(candidates.pages) else "candidate pages"
    if candidates.edges_total and not candidates.adjacency.nnz:
        return NoLinksError(
            f"No link between the {among} counts: each of the {candidates.edges_total:,} is inside a site.",
            remedy=(f"Count every link: {setting('edges', 'all')}", f"use finer sites: {setting('site', 'page')}"),
        )
    return NoLinksError(f"There are no links between the {among}.", remedy=remedy)
