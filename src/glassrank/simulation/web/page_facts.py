"""Properties of the pages' HTML, such as images, forms and link counts."""

from typing import Any

import numpy as np

from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import ENGLISH
from glassrank.simulation.web.page_blocks import LinkBlock, PageBlock
from glassrank.simulation.web.sites import STATED_LANGUAGES, Site

# Time at which the pages were crawled: the first second of 2026.
READ_AT = 1_767_225_600.0
DAY = 86_400.0
UNDECLARED_LANGUAGE, GIVES_SITE_NAME, HAS_DESCRIPTION, UNKNOWN_AGE = 0.15, 0.6, 0.6, 0.25


def draw_facts(rng: Rng, block: PageBlock) -> dict[str, Any]:
    """Draw the properties that do not follow from texts and links."""
    hosts, pages = rng.spawn(2)
    n_hosts, count = len(block.sites), len(block)
    declares, names = hosts.random(n_hosts) >= UNDECLARED_LANGUAGE, hosts.random(n_hosts) < GIVES_SITE_NAME
    language = [_stated_language(site) if said else "" for site, said in zip(block.sites, declares, strict=True)]
    named = [site.name if said else "" for site, said in zip(block.sites, names, strict=True)]
    described = pages.random(count) < HAS_DESCRIPTION
    age = np.round(DAY * np.minimum(pages.exponential(400.0, count), 5000.0))
    modified = np.where(pages.random(count) < UNKNOWN_AGE, np.nan, READ_AT - age)
    images = pages.poisson(np.where(block.is_home, 8.0, 3.0) * pages.gamma(1.0, 1.0, count))
    has_form = pages.random(count) < np.where(block.is_home, 0.5, 0.08)
    is_spam = np.isin(block.role, ("spam", "spam target"))
    hidden = np.where(is_spam, np.round(0.2 + 0.5 * pages.random(count), 3), 0.0)
    return {
        "description": [_opening(text) if said else "" for text, said in zip(block.text, described, strict=True)],
        "site_name": [named[host] for host in block.host.tolist()],
        "language": [language[host] for host in block.host.tolist()],
        "modified": modified,
        "images": images,
        "has_form": has_form,
        "hidden_share": hidden,
    }


def _stated_language(site: Site) -> str:
    suffix = site.domain.split(".", 1)[1]
    return STATED_LANGUAGES.get(suffix, ENGLISH) if site.language == ENGLISH else site.language


def _opening(text: str) -> str:
    """Return the first words of a text, for the description of a page."""
    return text[:150].rsplit(" ", 1)[0]


def count_links(pages: PageBlock, links: LinkBlock) -> dict[str, Any]:
    """Count each page's links, their words, and the hosts they lead to."""
    count = len(pages)
    host_of_target = pages.host[links.target]
    outward = pages.host[links.source] != host_of_target
    linked_hosts = np.unique(links.source[outward] * len(pages.sites) + host_of_target[outward]) // len(pages.sites)
    n_words = np.array([anchor.count(" ") + 1 for anchor in links.anchor], dtype=np.float64)
    return {
        "link_words": np.bincount(links.source, n_words, count),
        "internal_links": np.bincount(links.source, ~outward, count),
        "external_links": np.bincount(links.source, outward, count),
        "external_hosts": np.bincount(linked_hosts, np.ones(len(linked_hosts)), count),
    }
