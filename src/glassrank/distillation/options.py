"""The options of a distillation, checked once."""

from collections.abc import Sequence
from dataclasses import dataclass

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.input_types import RandomState
from glassrank.core.randomness import random_seed
from glassrank.core.setting import setting
from glassrank.distillation.relevance import THRESHOLDS, check_fraction
from glassrank.distillation.similarity_kernels import KERNELS, TEXT_ROWS
from glassrank.distillation.site_rule import SiteRule
from glassrank.distillation.sphere_prune import ACCEPT
from glassrank.text.analysis import LANGUAGES

CANDIDATES = ("root", "base")
NEIGHBOURS = ("judge", "take")
_SPHERE = ("svdd",)
OF_METHODS = {
    **dict.fromkeys(("nu", "C", "kernel", "text_rows", "text_weight", "accept", "neighbours", "quantile"), _SPHERE),
    "train_size": ("svdd", "hits-top"),
    **dict.fromkeys(("threshold", "fraction"), ("bharat-henzinger",)),
}
"""Option → the methods that use it; other options are for all methods."""
TRUSTED_SHARE = 0.5  # the share at the top of the root set, unless train_size is set


@dataclass(frozen=True, kw_only=True)
class Options:
    """How pages are gathered, linked, pruned and ranked."""

    candidates: str = "root"
    """Pages to rank: the ``"root"`` set of the search, or the ``"base"`` set, which adds their neighbours."""
    root_size: int | None = None
    """Number of search results in the root set. Default: 200; in a collection of fewer than 10,000 pages, 50. If
    ``root`` is given, its first ``root_size`` addresses, by default all."""
    in_links: int | None = None
    """Maximum number of pages linking to a root page that join the base set. Default: 50; in a small collection, 10."""
    root: Sequence[str] | None = None
    """Addresses of the root set, best first, instead of a search."""
    site: str = "host"
    """Which pages form one site: ``"host"``, ``"domain"``, ``"directory"``, ``"page"``, or ``"column"``."""
    edges: str = "inter-site"
    """Links that count: ``"inter-site"`` or ``"all"``."""
    language: str | None = None
    """Language of the pages, such as ``"english"`` or ``"japanese"``; None for words as they are."""
    nu: float = 0.1
    """SVDD: share of the training pages that may lie outside the sphere; C = 1 / (nu · p)."""
    C: float | None = None
    """SVDD: cost of a page outside, instead of ``nu``; from 1/p (the centre is the mean) to 1 (a hard sphere)."""
    train_size: int | None = None
    """SVDD and ``"hits-top"``: p, the number of trusted pages at the top of the search. Default: half of the root
    set."""
    kernel: str = "unit"
    """SVDD: ``"unit"`` scales the text and the co-citation kernel to a diagonal of ones each; ``"raw"`` does not."""
    text_rows: str = "unit"
    """SVDD: tf-idf rows of ``"unit"`` length or, with the raw kernel, ``"raw"`` rows, which are longer for longer
    pages."""
    text_weight: float = 0.5
    """SVDD: weight μ of the text kernel; co-citation has the weight 1 − μ."""
    accept: str = "plain"
    """SVDD: ``"cross-fit"`` judges each training page by a sphere trained without it."""
    neighbours: str = "judge"
    """SVDD on the base set: ``"judge"`` the root set's neighbours by the sphere too, or ``"take"`` all neighbours of
    accepted pages."""
    quantile: float | None = None
    """SVDD: set the radius at this quantile of the held-out distances of the training pages."""
    threshold: str = "root-median"
    """Bharat–Henzinger: relevance below which pages are pruned: ``"root-median"``, ``"median"`` or ``"max/10"``."""
    fraction: float | None = None
    """Bharat–Henzinger: with the threshold ``"max/10"``, this share of the largest relevance instead of a tenth."""
    k: int = 10
    """Number of authorities and hubs to list."""
    widen: bool = True
    """Whether to add neighbours and links, step by step, if there are no links between the pages to rank."""
    random_state: RandomState = None
    """Random seed of the sample of in-links; None is replaced by a drawn seed, so that a result can be reproduced."""

    def __post_init__(self) -> None:
        if self.language is not None:
            check_choice("language", self.language, LANGUAGES)
        check_choice("candidates", self.candidates, CANDIDATES)
        check_choice("kernel", self.kernel, KERNELS)
        check_text_rows(self.text_rows, self.kernel)
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
    def unit_text_rows(self) -> bool:
        """Whether tf-idf rows are scaled to length 1 before they are multiplied."""
        return self.text_rows == "unit"

    @property
    def site_rule(self) -> SiteRule:
        """What a site is, and which links count."""
        return SiteRule(self.site, self.edges)


def check_text_rows(text_rows: str, kernel: str) -> None:
    """Raise an error if text rows are unknown, or raw in a kernel of unit diagonal, which they would not change.

    >>> check_text_rows("raw", "unit")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: text_rows='raw' is only for the kernel 'raw': a kernel of unit diagonal is the \
same for raw rows. Pass kernel='raw', or omit text_rows.
    """
    check_choice("text_rows", text_rows, TEXT_ROWS)
    if kernel == "unit" and text_rows == "raw":
        raise DataError(
            f"{setting('text_rows', 'raw')} is only for the kernel 'raw': a kernel of unit diagonal is the same for "
            "raw rows.",
            parameter="text_rows",
            remedy=(f"Pass {setting('kernel', 'raw')}", f"omit {setting('text_rows')}"),
        )


def check_used(options: Options, method: str) -> None:
    """Raise an error if an option is set that the method does not use.

    >>> check_used(Options(nu=0.2), "bharat-henzinger")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: nu is only for the method svdd: got it with the method bharat-henzinger. Pass \
method='svdd', or omit nu.
    """
    for name, methods in OF_METHODS.items():
        if method not in methods and getattr(options, name) != getattr(Options, name):
            raise DataError(
                f"{setting(name)} is only for the {'method' if len(methods) == 1 else 'methods'} "
                f"{' and '.join(methods)}: got it with the method {method}.",
                parameter=name,
                remedy=(f"Pass {setting('method', methods[0])}", f"omit {setting(name)}"),
            )
