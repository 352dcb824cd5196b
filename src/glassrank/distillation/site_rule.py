"""Which site a page belongs to, and which links count between sites."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, check_choice
from glassrank.core.setting import setting
from glassrank.data.collection import Pages
from glassrank.data.hosts import domain_of


def _directory_of(url: str) -> str:
    return url.rpartition("/")[0]


def _site_column(pages: Pages) -> Any:
    if pages.site is None:
        raise DataError(
            f"{setting('site', 'column')} needs a column 'site' in the pages: there is none.",
            remedy=f"Add the column, or choose another {setting('site')}: 'host', 'domain', 'directory' or 'page'.",
        )
    return pages.site


# Definition of a site -> the site of each page.
SITES: dict[str, Callable[[Pages], Any]] = {
    "host": lambda pages: pages.hosts,
    "domain": lambda pages: [domain_of(url) for url in pages.url],
    "directory": lambda pages: [_directory_of(url) for url in pages.url],
    "page": lambda pages: pages.url,
    "column": _site_column,
}
EDGES = ("inter-site", "all")


@dataclass(frozen=True)
class SiteRule:
    """What a site is, and whether links inside a site count."""

    site: str = "host"
    edges: str = "inter-site"

    def __post_init__(self) -> None:
        check_choice("site", self.site, SITES)
        check_choice("edges", self.edges, EDGES)


def apply_site_rule(pages: Pages, links: Any, rule: SiteRule) -> tuple[Any, Any, tuple[str, ...]]:
    """Return the number of each page's site, the links that count, and notes about them.

    Kleinberg drops links inside a site, because they rarely confer authority. If all pages are on one site, that would
    drop every link; then each page counts as a site.
    """
    numbers = _numbers(SITES[rule.site](pages))
    if rule.edges == "all":
        return numbers, links, ()
    if rule.site in ("host", "domain") and numbers.max(initial=0) == 0:
        note = f"All pages are on one {rule.site}: each page counts as a site of its own, and every link is kept."
        return _numbers(pages.url), links, (note,)
    sources, targets = links.nonzero()
    between = numbers[sources] != numbers[targets]
    kept = sparse.csr_matrix((links.data[between], (sources[between], targets[between])), shape=links.shape)
    return numbers, kept, ()


def _numbers(keys: Any) -> Any:
    return np.unique(np.asarray(keys, dtype=np.str_), return_inverse=True)[1]
