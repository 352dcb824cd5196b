"""The options of a distillation, checked once."""

from collections.abc import Sequence
from dataclasses import dataclass

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.input_types import RandomState
from glassrank.core.randomness import random_seed
from glassrank.distillation.relevance import THRESHOLDS, check_fraction
from glassrank.distillation.site_rule import SiteRule
from glassrank.distillation.sphere_prune import ACCEPT

CANDIDATES = ("root", "base")
NEIGHBOURS = ("judge", "take")
TRUSTED_SHARE = 0.5  # of the root set, its top, unless train_size says how many pages


@dataclass(frozen=True, kw_only=True)
class Options:
    """How pages are gathered, linked, pruned and ranked."""

    candidates: str = "root"
    """Pages that compete: the ``"root"`` set of the search, or the ``"base"`` set, which adds their neighbours."""
    root_size: int | None = None
    """Results of the search that make the root set; 200, in a collection of less than 10,000 pages 50. Of ``root``,
    the first so many; all unless given."""
    in_links: int | None = None
    """Pages that link to a root page and join the base set, at most; 50, in a small collection 10."""
    root: Sequence[str] | None = None
    """Addresses that make the root set, best first, instead of a search."""
    site: str = "host"
    """What makes pages one site: ``"host"``, ``"domain"``, ``"directory"``, ``"page"``, or ``"column"``."""
    edges: str = "inter-site"
    """Links that count: ``"inter-site"`` or ``"all"``."""
    nu: float = 0.1
    """SVDD: share of the training pages that may lie outside the sphere; C = 1 / (nu · p)."""
    C: float | None = None
    """SVDD: price of a page outside, instead of ``nu``; from 1/p, where the centre is the mean, to 1, a hard sphere."""
    train_size: int | None = None
    """SVDD and ``"hits-top"``: p, the pages at the top of the search that are trusted; half of the root set."""
    text_weight: float = 0.5
    """SVDD: weight μ of the text kernel; co-citation weighs 1 − μ."""
    accept: str = "plain"
    """SVDD: ``"cross-fit"`` judges each training page by a sphere trained without it."""
    neighbours: str = "judge"
    """SVDD on the base set: ``"judge"`` the root set's neighbours by the sphere too, or ``"take"`` those of accepted
    pages as they are."""
    quantile: float | None = None
    """SVDD: set the radius at this quantile of the held-out distances of the training pages."""
    threshold: str = "median"
    """Bharat–Henzinger: relevance below which pages are pruned: ``"median"``, ``"root-median"`` or ``"max/10"``."""
    fraction: float | None = None
    """Bharat–Henzinger: with the threshold ``"max/10"`` this part of the largest relevance, instead of a tenth."""
    k: int = 10
    """Authorities and hubs to list."""
    random_state: RandomState = None
    """Random seed of the sample of in-links; one that was drawn is kept, so that a result can be repeated."""

    def __post_init__(self) -> None:
        check_choice("candidates", self.candidates, CANDIDATES)
        check_choice("accept", self.accept, ACCEPT)
        check_choice("neighbours", self.neighbours, NEIGHBOURS)
        check_choice("threshold", self.threshold, THRESHOLDS)
        check_fraction(self.fraction, self.threshold)
        for name in ("root_size", "train_size", "k"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name), whole=True)
        check_positive("nu", self.nu)
        if not 0.0 <= self.text_weight <= 1.0:
            raise DataError(parameter="text_weight", expected="from 0 to 1", got=self.text_weight)
        if self.in_links is not None and self.in_links < 0:
            raise DataError(parameter="in_links", expected="0 or more", got=self.in_links)
        object.__setattr__(self, "random_state", random_seed(self.random_state))
        self.site_rule  # noqa: B018 - checks site and edges

    @property
    def site_rule(self) -> SiteRule:
        """What a site is, and which links count."""
        return SiteRule(self.site, self.edges)
