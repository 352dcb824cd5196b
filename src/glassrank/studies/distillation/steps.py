"""One topic of a distillation study: every method on the same candidates, and the sphere over its settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.process.stopwatch import Stopwatch
from glassrank.data.collection import Collection
from glassrank.distillation.candidates import Candidates, gather_candidates
from glassrank.distillation.compare_distillers import rank_tau, shared_share, top_rows
from glassrank.distillation.distill import checked_query
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.hits import hits
from glassrank.distillation.methods import DEFAULT_METHOD, NoRankingError, Scored
from glassrank.distillation.options import TRUSTED_SHARE, Options
from glassrank.distillation.page_kernels import page_kernel
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.sphere_prune import SphereJudgement, judge_pages
from glassrank.distillation.widening import in_search_order, run_method

KERNELS: dict[str, dict[str, Any]] = {
    "unit": {"kernel": "unit"},
    "raw": {"kernel": "raw"},
    "raw text": {"kernel": "raw", "text_rows": "raw"},
}
"""Name in the tables → arguments of the distiller for the kernels that are compared."""
HELD_OUT = {"accept": "cross-fit", "quantile": 0.9}
METHODS: dict[str, dict[str, Any]] = {
    "bm25": {"method": "bm25"},
    "in-degree": {"method": "in-degree"},
    "pagerank": {"method": "pagerank"},
    "hits": {"method": "hits"},
    "bharat-henzinger median": {"method": "bharat-henzinger", "threshold": "median"},
    "bharat-henzinger root-median": {"method": "bharat-henzinger", "threshold": "root-median"},
    "hits-top": {"method": "hits-top"},
    "svdd unit": {"method": "svdd", **KERNELS["unit"]},
    "svdd raw": {"method": "svdd", **KERNELS["raw"]},
    "svdd raw text": {"method": "svdd", **KERNELS["raw text"]},
    "svdd unit cross-fit": {"method": "svdd", **KERNELS["unit"], "accept": "cross-fit"},
    "svdd raw cross-fit": {"method": "svdd", **KERNELS["raw"], "accept": "cross-fit"},
    "svdd unit held-out radius": {"method": "svdd", **KERNELS["unit"], **HELD_OUT},
    "svdd raw held-out radius": {"method": "svdd", **KERNELS["raw"], **HELD_OUT},
}
"""Name in the tables → arguments of the distiller; all methods share one candidate set."""
DEFAULT_LIST = f"{DEFAULT_METHOD} {Options().threshold}"
"""The distiller's default method."""
DEFAULT_SPHERE = f"svdd {Options().kernel}"
"""The method whose pruned pages are reported."""
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
    unlinked: str | None = None
    """Why the list is that of the search, if the method finds no links."""
    seconds: dict[str, float] | None = None
    """CPU seconds by step; None if the method was refused or found no links."""
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


class SphereSetting(NamedTuple):
    """A sphere of the sweep."""

    kernel: str
    """Name of the kernel: ``"unit"``, ``"raw"``, or ``"raw text"`` with raw tf-idf rows."""
    share: float
    """Share p/|R| of the root set that the sphere is trained on."""
    C: float
    text_weight: float
    """μ, the weight of the text kernel."""


@dataclass(frozen=True)
class TopicSphere:
    """The sphere of one topic at one setting; SpherePoint documents the fields and averages them over topics."""

    kernel: str
    share: float
    C: float
    text_weight: float
    train_size: int
    radius: float
    kept: float
    kept_trained: float
    kept_unseen: float | None
    overlap: float
    overlap_top: float
    tau: float | None
    seconds: float
    ranking: tuple[int, ...]
    """The first k pages of SVDD → HITS, or of the search if the kept pages have no links."""

    @property
    def setting(self) -> SphereSetting:
        """Kernel, share, C and text weight."""
        return SphereSetting(self.kernel, self.share, self.C, self.text_weight)


@dataclass(frozen=True)
class RadiusSweep:
    """Settings of the sphere: with every kernel, every C with every share of the root set and every text weight.

    >>> RadiusSweep.of_root(50).prices
    (0.02, 0.04, 0.05, 0.06, 0.08, 0.16, 0.4, 0.632, 1.0)
    """

    shares: tuple[float, ...]
    prices: tuple[float, ...]
    """Values of C; those below 1/p are skipped, because no sphere exists."""
    text_weights: tuple[float, ...]
    default: SphereSetting
    """The distiller's default setting, which the compared methods have except for their kernel."""

    @classmethod
    def of_root(cls, root_size: int) -> "RadiusSweep":
        """Sweep C from 1/|R| to 1, the hard sphere, including the C that the distiller's defaults give."""
        usual = Options()
        chosen = 1.0 / (usual.nu * TRUSTED_SHARE * root_size)
        prices = [multiple / root_size for multiple in (1, 2, 2.5, 3, 4, 8)] + [chosen, sqrt(chosen), 1.0]
        rounded = tuple(sorted({float(f"{price:.3g}") for price in prices if price <= 1.0}))
        default = SphereSetting(usual.kernel, TRUSTED_SHARE, float(f"{chosen:.3g}"), usual.text_weight)
        return cls((0.25, 0.5, 0.75, 1.0), rounded, (0.0, 0.25, 0.5, 0.75, 1.0), default)

    @property
    def settings(self) -> list[SphereSetting]:
        """The settings of every sphere that is trained."""
        _, share, _, weight = self.default
        pairs = [(one, weight) for one in self.shares] + [(share, one) for one in self.text_weights]
        return [
            SphereSetting(kernel, p, price, mu)
            for kernel in KERNELS
            for p, mu in dict.fromkeys(pairs)
            for price in self.prices
        ]


def methods_step(collection: Collection, query: str, settings: Options) -> MethodRuns:
    """Ranked pages and CPU seconds of every method on one candidate set, or the reason why a method has none."""
    try:
        candidates = gather_candidates(prepare(collection, settings.language), checked_query(query), settings)
    except DataError as error:
        return {name: MethodRun(refused=error.problem) for name in METHODS}
    return {name: _run(candidates, settings, **method) for name, method in METHODS.items()}


def _run(candidates: Candidates, settings: Options, method: str, **changed: Any) -> MethodRun:
    options = replace(settings, **changed)
    try:
        one = run_method(candidates, method, options)
    except NoRankingError as error:
        searched = in_search_order(candidates, method, options, f"{error.problem} Therefore")
        return MethodRun(ranked_pages(searched, DEPTH), unlinked=error.problem, n_pages=len(searched.pages))
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
    """Rows of the collection in the method's order, without pruned pages; the command lists the same pages."""
    return tuple(int(page) for page in found.pages[found.listed(depth)])


def sphere_step(collection: Collection, query: str, sweep: RadiusSweep, settings: Options) -> list[TopicSphere]:
    """The sphere of one root set at every setting, and how close SVDD → HITS stays to HITS.

    The steps of the method are called one by one, so that all spheres with the same kernel and text weight share a
    Gram matrix and a sphere that leaves no links is included too.
    """
    root = gather_candidates(prepare(collection, settings.language), checked_query(query), settings)
    lists = _RootLists(root, settings)
    spheres = []
    for kernel, weight in dict.fromkeys((one.kernel, one.text_weight) for one in sweep.settings):
        watch = Stopwatch()
        with watch.step("kernel"):
            K = page_kernel(root, replace(settings, **KERNELS[kernel], text_weight=weight))
        for one in (one for one in sweep.settings if (one.kernel, one.text_weight) == (kernel, weight)):
            size = _train_size(root, one.share)
            if one.C * size < 1.0:  # no sphere exists
                continue
            with watch.step("sphere"):
                judgement = judge_pages(K, np.arange(size), C=one.C)
            seconds = watch.seconds["kernel"] + watch.seconds.pop("sphere")
            spheres.append(_measured_sphere(lists, settings.k, one, judgement, seconds))
    return spheres


@dataclass(frozen=True)
class _Pruned:
    """HITS on some pages of a root set, against HITS on all of them."""

    top: list[int]
    overlap: float
    tau: float | None
    ranking: tuple[int, ...]


class _RootLists:
    """HITS on parts of a root set, each computed once, because many spheres accept the same pages."""

    def __init__(self, root: Candidates, settings: Options) -> None:
        self._root, self._settings = root, settings
        self._whole = _distilled(root, settings, np.ones(len(root.pages), dtype=bool))
        self._searched = ranked_pages(in_search_order(root, "hits", settings, "There are no links:"), settings.k)
        self._known: dict[bytes, _Pruned] = {}

    def of(self, kept: Any) -> _Pruned:
        """Compare HITS on the kept pages with HITS on all pages."""
        key = kept.tobytes()
        if key not in self._known:
            found = _distilled(self._root, self._settings, kept)
            tau, top, k = rank_tau(found, self._whole), top_rows(found), self._settings.k
            self._known[key] = _Pruned(
                top=top,
                overlap=shared_share(top, top_rows(self._whole), k),
                tau=None if np.isnan(tau) else tau,
                ranking=ranked_pages(found, k) if top else self._searched,
            )
        return self._known[key]


def _measured_sphere(
    lists: _RootLists, k: int, setting: SphereSetting, judgement: SphereJudgement, seconds: float
) -> TopicSphere:
    pruned, trained = lists.of(judgement.accepted), lists.of(judgement.trained)
    return TopicSphere(
        **setting._asdict(),
        train_size=int(judgement.trained.sum()),
        radius=float(judgement.radius),
        kept=float(judgement.accepted.mean()),
        kept_trained=judgement.accepted_trained,
        kept_unseen=judgement.accepted_unseen,
        overlap=pruned.overlap,
        overlap_top=shared_share(pruned.top, trained.top, k),
        tau=pruned.tau,
        seconds=seconds,
        ranking=pruned.ranking,
    )


def _train_size(root: Candidates, share: float) -> int:
    return max(1, round(share * root.n_root))


def _distilled(root: Candidates, chosen: Options, kept: Any) -> Distilled:
    """HITS on some of the pages; scores are 0 if no link is left."""
    authority, rows = np.zeros(len(kept)), np.flatnonzero(kept)
    if len(rows):
        authority[rows] = hits(root.adjacency[rows][:, rows]).authority_scores
    return Distilled("hits", chosen, root, Scored(authority, None, ~np.asarray(kept)), {}, ())


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
