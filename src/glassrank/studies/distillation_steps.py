"""One topic of a distillation study: every method on the same candidates, and the sphere over its settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection
from glassrank.distillation.candidates import Candidates, gather_candidates
from glassrank.distillation.compared import ComparedDistillers
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.distiller import checked_query, run_method
from glassrank.distillation.options import Options
from glassrank.distillation.page_kernels import page_kernel
from glassrank.distillation.prepared import prepare
from glassrank.distillation.sphere_prune import judge_pages

METHODS: dict[str, dict[str, Any]] = {
    "bm25": {"method": "bm25"},
    "in-degree": {"method": "in-degree"},
    "pagerank": {"method": "pagerank"},
    "hits": {"method": "hits"},
    "bharat-henzinger": {"method": "bharat-henzinger"},
    "b-h root-median": {"method": "bharat-henzinger", "threshold": "root-median"},
    "hits-top": {"method": "hits-top"},
    "svdd": {"method": "svdd"},
    "svdd cross-fit": {"method": "svdd", "accept": "cross-fit"},
    "svdd held-out radius": {"method": "svdd", "accept": "cross-fit", "quantile": 0.9},
}
"""Name in the tables → how the distiller is called; one candidate set serves all."""
NU, SHARE = 0.1, 0.5  # the distiller's own defaults
DEPTH = 50  # ranks that are kept of each list
MOST_PRUNED = 5  # pages of a topic to look at


@dataclass(frozen=True)
class Sweep:
    """Settings of the sphere: every C for every share of the root set, and every C for every weight of the text.

    >>> Sweep.of_root(50).prices
    (0.02, 0.04, 0.05, 0.06, 0.08, 0.16, 0.4, 0.632, 1.0)
    """

    shares: tuple[float, ...]
    prices: tuple[float, ...]
    """Values of C; those below 1/p, where no sphere exists, are passed over."""
    text_weights: tuple[float, ...]
    default: tuple[float, float, float]
    """Share, C and text weight of the methods that are compared."""

    @classmethod
    def of_root(cls, root_size: int) -> "Sweep":
        """From C = 1/|R| to the hard sphere, over the C that ν = 0.1 gives for half of the root set."""
        chosen = 1.0 / (NU * SHARE * root_size)
        prices = [multiple / root_size for multiple in (1, 2, 2.5, 3, 4, 8)] + [chosen, sqrt(chosen), 1.0]
        rounded = tuple(sorted({float(f"{price:.3g}") for price in prices if price <= 1.0}))
        return cls((0.25, 0.5, 0.75, 1.0), rounded, (0.0, 0.25, 0.5, 0.75, 1.0), (SHARE, float(f"{chosen:.3g}"), 0.5))

    @property
    def settings(self) -> list[tuple[float, float, float]]:
        """Share, C and text weight of every sphere that is trained."""
        share, _, weight = self.default
        by_share = [(one, price, weight) for one in self.shares for price in self.prices]
        by_weight = [(share, price, one) for one in self.text_weights for price in self.prices]
        return list(dict.fromkeys([*by_share, *by_weight]))


def methods_step(collection: Collection, query: str, settings: Options) -> dict[str, Any]:
    """Ranked pages and CPU seconds of every method on one candidate set, or why a method gives none."""
    try:
        candidates = gather_candidates(prepare(collection), checked_query(query), settings)
    except DataError as error:
        return {name: {"ranking": [], "refused": str(error)} for name in METHODS}
    return {name: _run(candidates, settings, **method) for name, method in METHODS.items()}


def _run(candidates: Candidates, settings: Options, method: str, **changed: Any) -> dict[str, Any]:
    try:
        one = run_method(candidates, method, replace(settings, **changed))
    except DataError as error:
        return {"ranking": [], "refused": str(error)}
    found = {"ranking": ranked_pages(one, DEPTH), "seconds": dict(one.timings), "n_pages": len(one.pages)}
    return found | {"notes": list(one.notes), "pruned": list(_pruned(one))}


def ranked_pages(found: Distilled, depth: int) -> list[int]:
    """Rows of the collection in the method's order; what was pruned is not in the list."""
    kept = found.ranking[~found.pruned[found.ranking]]
    return [int(page) for page in found.pages[kept[:depth]]]


def sphere_step(collection: Collection, query: str, sweep: Sweep, settings: Options) -> list[dict[str, Any]]:
    """The sphere of one root set at every setting, and how close SVDD → HITS stays to HITS."""
    root = gather_candidates(prepare(collection), checked_query(query), settings)
    try:
        hits = run_method(root, "hits", settings)
    except DataError:
        hits = None
    rows = []
    for share, price, weight in sweep.settings:
        train_size = max(1, round(share * root.n_root))
        if price * train_size >= 1.0:  # else no sphere exists
            row = {"share": share, "C": price, "text_weight": weight, "train_size": train_size}
            chosen = replace(settings, C=price, train_size=train_size, text_weight=weight, accept="plain")
            rows.append(row | _sphere_facts(root, chosen, hits))
    return rows


def _sphere_facts(root: Candidates, chosen: Options, hits: Distilled | None) -> dict[str, Any]:
    """Radius, accepted pages and closeness to HITS; a sphere that leaves no links shares nothing with HITS."""
    try:
        pruned = run_method(root, "svdd", chosen)
    except DataError:
        pruned = None
    judgement = None if pruned is None else pruned.judgement
    if judgement is None:
        K = page_kernel(root, chosen.text_weight)
        judgement = judge_pages(K, np.arange(chosen.train_size or 0), C=chosen.C)
    seconds = None if pruned is None else pruned.timings.get("kernel", 0.0) + pruned.timings.get("sphere", 0.0)
    accepted, size = np.asarray(judgement.accepted), chosen.train_size or 0
    return {
        "radius": float(judgement.radius),
        "kept": float(accepted.mean()),
        "kept_trained": float(accepted[:size].mean()),
        "kept_unseen": float(accepted[size:].mean()) if size < len(accepted) else None,
        "seconds": seconds,
        **_closeness(pruned, hits),
    }


def _closeness(pruned: Distilled | None, hits: Distilled | None) -> dict[str, float | None]:
    if pruned is None or hits is None:
        return {"overlap": 0.0, "tau": None}
    both = ComparedDistillers({"svdd": pruned, "hits": hits})
    tau = float(both.tau()[0, 1])
    return {"overlap": float(both.overlap()[0, 1]), "tau": None if np.isnan(tau) else tau}


def _pruned(found: Distilled) -> Iterator[dict[str, Any]]:
    """The root pages that lie farthest outside the sphere, with their distance."""
    if found.judgement is None:
        return
    outside = np.flatnonzero(found.pruned & found.in_root)
    distances = found.judgement.distances
    for place in outside[np.argsort(-distances[outside], kind="stable")][:MOST_PRUNED]:
        yield {
            "page": int(found.pages[place]),
            "distance": float(distances[place]),
            "radius": float(found.judgement.radius),
            "search_rank": int(place) + 1,
        }
