"""Widens the search for links step by step, if a method finds none between the pages that it would rank."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from glassrank.core.process.stopwatch import Stopwatch
from glassrank.distillation.candidates import Candidates, gather_candidates
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.methods import METHODS, NoRankingError, Scored
from glassrank.distillation.options import Options
from glassrank.distillation.prepared_collection import PreparedCollection
from glassrank.distillation.relevance import OF_LARGEST
from glassrank.distillation.site_rule import SiteRule

PRUNING = ("bharat-henzinger", "svdd", "hits-top")
"""Methods that prune pages before they analyse links."""
ADDED_NEIGHBOURS = "the neighbours of the search results were added (base set)"
COUNTED_ALL = "every link was counted, also inside a site"
KEPT_ALL = "no page was pruned"


@dataclass(frozen=True)
class Attempt:
    """A method with options, and what they changed, step by step."""

    method: str
    options: Options
    changes: tuple[str, ...] = ()


def attempts(method: str, options: Options) -> Iterator[Attempt]:
    """Yield the given options, and wider ones: the base set, all links, and no pruning.

    >>> [attempt.changes[-1] for attempt in attempts("hits", Options()) if attempt.changes] == [
    ...     ADDED_NEIGHBOURS, COUNTED_ALL]
    True
    """
    last = Attempt(method, options)
    yield last
    if not options.widen:
        return
    for wider, change in _wider(options):
        last = Attempt(method, wider, (*last.changes, change))
        yield last
    if method == "bharat-henzinger":
        unpruned = replace(last.options, threshold=OF_LARGEST, fraction=0.0)
        yield Attempt(method, unpruned, (*last.changes, KEPT_ALL))
    elif method in PRUNING:
        yield Attempt("hits", last.options, (*last.changes, KEPT_ALL))


def _wider(options: Options) -> Iterator[tuple[Options, str]]:
    if options.candidates == "root":
        options = replace(options, candidates="base")
        yield options, ADDED_NEIGHBOURS
    if options.site_rule != SiteRule("page", "all"):
        yield replace(options, site="page", edges="all"), COUNTED_ALL


def distill_widely(prepared: PreparedCollection, query: str, method: str, options: Options) -> Distilled:
    """Run a method with the first options under which links are left; without any links, pages stay in search order.

    With ``widen=False`` in the options, a method without links raises an error.
    """
    first: NoRankingError | None = None
    for attempt in attempts(method, options):
        candidates = gather_candidates(prepared, query, attempt.options)
        try:
            found = run_method(candidates, attempt.method, attempt.options)
        except NoRankingError as error:
            first = first or error
            continue
        return replace(found, method=method, widened=widened_text(attempt, first))
    if first is not None and not options.widen:
        raise first
    why = f"{'' if first is None else first.problem} Wider searches found no links either:"
    return in_search_order(gather_candidates(prepared, query, options), method, options, why.strip())


def in_search_order(candidates: Candidates, method: str, options: Options, why: str) -> Distilled:
    """Return the list of a method that finds no links: all candidates, in search order."""
    nothing = Scored(np.zeros(len(candidates.pages)), None, np.zeros(len(candidates.pages), dtype=bool))
    said = f"{why} pages are in search order."
    return Distilled(method, options, candidates, nothing, candidates.timings, candidates.notes, (said,))


def widened_text(attempt: Attempt, first: NoRankingError | None) -> tuple[str, ...]:
    """Say why and how the search for links was widened; nothing if it was not."""
    if first is None:
        return ()
    return (f"{first.problem} Therefore {', then '.join(attempt.changes)}.",)


def run_method(candidates: Candidates, method: str, options: Options) -> Distilled:
    """Run one method on gathered candidates."""
    watch = Stopwatch()
    scored = METHODS[method](candidates, options, watch)
    notes = (*candidates.notes, *_radius_notes(scored))
    return Distilled(method, options, candidates, scored, {**candidates.timings, **watch.seconds}, notes)


def _radius_notes(scored: Scored) -> tuple[str, ...]:
    judgement = scored.judgement
    if judgement is None or judgement.quantile is not None or judgement.sphere.radius_is_certain:
        return ()
    low, high = judgement.radius_interval
    return (f"No page lies on the sphere: any radius from {low:.4g} to {high:.4g} is optimal, and the middle is used.",)
