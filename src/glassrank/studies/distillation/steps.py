"""One topic of a distillation study: every method on the same candidates, and the sphere over its settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.data.collection import Collection
from glassrank.distillation.candidates import Candidates, gather_candidates
from glassrank.distillation.compare_distillers import ComparedDistillers
from glassrank.distillation.distill import checked_query, run_method
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.hits import hits
from glassrank.distillation.methods import Scored
from glassrank.distillation.options import TRUSTED_SHARE, Options
from glassrank.distillation.page_kernels import page_kernel
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.sphere_prune import SphereJudgement, judge_pages
from glassrank.distillation.stopwatch import Stopwatch

METHODS: dict[str, dict[str, Any]] = {
    "bm25": {"method": "bm25"},
    "in-degree": {"method": "in-degree"},
    "pagerank": {"method": "pagerank"},
    "hits": {"method": "hits"},
    "bharat-henzinger": {"method": "bharat-henzinger"},
    "bharat-henzinger root-median": {"method": "bharat-henzinger", "threshold": "root-median"},
    "hits-top": {"method": "hits-top"},
    "svdd": {"method": "svdd"},
    "svdd cross-fit": {"method": "svdd", "accept": "cross-fit"},
    "svdd held-out radius": {"method": "svdd", "accept": "cross-fit", "quantile": 0.9},
}
"""Name in the tables → arguments of the distiller; all methods share one candidate set."""
DEPTH = 50  # stored length of each list
MAX_PRUNED = 5  # pruned pages reported per topic


@dataclass(frozen=True)
class FarPage:
    """A root page outside the sphere."""

    page: int
    """Row of the collection."""
    distance: float
    radius: float
    search_rank: int


@dataclass(frozen=True)
class MethodRun:
    """One method on the candidates of one topic: its list, or the reason why it has none."""

    ranking: tuple[int, ...] = ()
    """Rows of the collection, best first."""
    refused: str | None = None
    seconds: dict[str, float] | None = None
    """CPU seconds by step; None if the method was refused."""
    n_pages: int = 0
    notes: tuple[str, ...] = ()
    pruned: tuple[FarPage, ...] = ()
    """The pages outside the sphere, the farthest first."""

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "MethodRun":
        """Restore a run from ``dataclasses.asdict``, also if it was stored as JSON."""
        pruned = tuple(FarPage(**one) for one in plain["pruned"])
        return cls(**plain | {"ranking": tuple(plain["ranking"]), "notes": tuple(plain["notes"]), "pruned": pruned})


MethodRuns = dict[str, MethodRun]
"""Method → its run."""


@dataclass(frozen=True)
class TopicSphere:
    """The sphere of one topic at one setting; SpherePoint documents the fields and averages them over topics."""

    share: float
    C: float
    text_weight: float
    train_size: int
    radius: float
    kept: float
    kept_trained: float
    kept_unseen: float | None
    overlap: float
    tau: float | None
    seconds: float

    @property
    def setting(self) -> tuple[float, float, float]:
        """Share, C and text weight."""
        return self.share, self.C, self.text_weight


@dataclass(frozen=True)
class RadiusSweep:
    """Settings of the sphere: every C with every share of the root set, and every C with every text weight.

    >>> RadiusSweep.of_root(50).prices
    (0.02, 0.04, 0.05, 0.06, 0.08, 0.16, 0.4, 0.632, 1.0)
    """

    shares: tuple[float, ...]
    prices: tuple[float, ...]
    """Values of C; those below 1/p are skipped, because no sphere exists."""
    text_weights: tuple[float, ...]
    default: tuple[float, float, float]
    """Share, C and text weight of the methods that are compared."""

    @classmethod
    def of_root(cls, root_size: int) -> "RadiusSweep":
        """Sweep C from 1/|R| to 1, the hard sphere, including the C that the distiller's defaults give."""
        usual = Options()
        chosen = 1.0 / (usual.nu * TRUSTED_SHARE * root_size)
        prices = [multiple / root_size for multiple in (1, 2, 2.5, 3, 4, 8)] + [chosen, sqrt(chosen), 1.0]
        rounded = tuple(sorted({float(f"{price:.3g}") for price in prices if price <= 1.0}))
        default = (TRUSTED_SHARE, float(f"{chosen:.3g}"), usual.text_weight)
        return cls((0.25, 0.5, 0.75, 1.0), rounded, (0.0, 0.25, 0.5, 0.75, 1.0), default)

    @property
    def settings(self) -> list[tuple[float, float, float]]:
        """Share, C and text weight of every sphere that is trained."""
        share, _, weight = self.default
        by_share = [(one, price, weight) for one in self.shares for price in self.prices]
        by_weight = [(share, price, one) for one in self.text_weights for price in self.prices]
        return list(dict.fromkeys([*by_share, *by_weight]))


def methods_step(collection: Collection, query: str, settings: Options) -> MethodRuns:
    """Ranked pages and CPU seconds of every method on one candidate set, or the reason why a method has none."""
    try:
        candidates = gather_candidates(prepare(collection), checked_query(query), settings)
    except DataError as error:
        return {name: MethodRun(refused=error.problem) for name in METHODS}
    return {name: _run(candidates, settings, **method) for name, method in METHODS.items()}


def _run(candidates: Candidates, settings: Options, method: str, **changed: Any) -> MethodRun:
    try:
        one = run_method(candidates, method, replace(settings, **changed))
    except DataError as error:
        return MethodRun(refused=error.problem)
    return MethodRun(
        ranking=ranked_pages(one, DEPTH),
        seconds=dict(one.timings),
        n_pages=len(one.pages),
        notes=tuple(one.notes),
        pruned=tuple(_far_pages(one)),
    )


def ranked_pages(found: Distilled, depth: int) -> tuple[int, ...]:
    """Rows of the collection in the method's order, without pruned pages."""
    kept = found.ranking[~found.pruned[found.ranking]]
    return tuple(int(page) for page in found.pages[kept[:depth]])


def sphere_step(collection: Collection, query: str, sweep: RadiusSweep, settings: Options) -> list[TopicSphere]:
    """The sphere of one root set at every setting, and how close SVDD → HITS stays to HITS.

    The steps of the method are called one by one, so that all spheres with the same text weight share a kernel and a
    sphere that leaves no links is included too.
    """
    root = gather_candidates(prepare(collection), checked_query(query), settings)
    whole = _distilled(root, settings, None)
    spheres = []
    for weight in dict.fromkeys(setting[2] for setting in sweep.settings):
        watch = Stopwatch()
        with watch.step("kernel"):
            K = page_kernel(root, weight)
        for share, price, _ in (setting for setting in sweep.settings if setting[2] == weight):
            if price * _train_size(root, share) >= 1.0:  # otherwise no sphere exists
                measured = _sphere(root, K, share, price, replace(settings, text_weight=weight), whole)
                spheres.append(replace(measured, seconds=measured.seconds + watch.seconds["kernel"]))
    return spheres


def _sphere(
    root: Candidates, K: FloatArray, share: float, C: float, settings: Options, whole: Distilled
) -> TopicSphere:
    watch, size = Stopwatch(), _train_size(root, share)
    with watch.step("sphere"):
        judgement = judge_pages(K, np.arange(size), C=C)
    pruned = _distilled(root, replace(settings, C=C, train_size=size), judgement)
    compared = ComparedDistillers({"svdd": pruned, "hits": whole}, {})
    tau = float(compared.tau()[0, 1])
    return TopicSphere(
        share=share,
        C=C,
        text_weight=settings.text_weight,
        train_size=size,
        radius=float(judgement.radius),
        kept=float(judgement.accepted.mean()),
        kept_trained=judgement.accepted_trained,
        kept_unseen=judgement.accepted_unseen,
        overlap=float(compared.overlap()[0, 1]),
        tau=None if np.isnan(tau) else tau,
        seconds=watch.seconds["sphere"],
    )


def _train_size(root: Candidates, share: float) -> int:
    return max(1, round(share * root.n_root))


def _distilled(root: Candidates, chosen: Options, judgement: SphereJudgement | None) -> Distilled:
    """HITS on the pages that a sphere accepts, or on all pages; scores are 0 if no link is left."""
    kept = np.ones(len(root.pages), dtype=bool) if judgement is None else np.asarray(judgement.accepted)
    authority, rows = np.zeros(len(kept)), np.flatnonzero(kept)
    if len(rows):
        authority[rows] = hits(root.adjacency[rows][:, rows]).authority_scores
    return Distilled(
        "svdd" if judgement else "hits", chosen, root, Scored(authority, None, ~kept, judgement=judgement), {}, ()
    )


def _far_pages(found: Distilled) -> Iterator[FarPage]:
    """The root pages that lie farthest outside the sphere, with their distance."""
    if found.judgement is None:
        return
    outside = np.flatnonzero(found.pruned & found.in_root)
    distances = found.judgement.distances
    for place in outside[np.argsort(-distances[outside], kind="stable")][:MAX_PRUNED]:
        yield FarPage(
            page=int(found.pages[place]),
            distance=float(distances[place]),
            radius=float(found.judgement.radius),
            search_rank=int(place) + 1,
        )
