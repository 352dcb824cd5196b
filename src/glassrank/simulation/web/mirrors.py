"""Mirrors: hosts that copy a poor link list many times, so that many of their pages cite the same pages."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import write_in
from glassrank.simulation.web.page_blocks import LinkBlock, PageBlock, scaled
from glassrank.simulation.web.sites import Site, draw_names

# At strength 1: share of the topics that have a mirror, and copies per mirror.
MIRRORED_SHARE = 0.5
COPIES = 12


def draw_mirrors(
    rng: Rng, plain: PageBlock, links: LinkBlock, n_topics: int, strength: float, start: int
) -> tuple[PageBlock, LinkBlock]:
    """Copy the poorest hub of some topics; ``links`` are those between plain hosts, ``start`` the first copy's row."""
    # The order does not depend on the dials, so that a stronger dial only adds mirrors.
    mirrored = rng.permutation(n_topics)[: scaled(MIRRORED_SHARE * n_topics, strength, minimum=1)]
    copied = np.array([row for topic in mirrored if (row := _poorest_hub(plain, topic)) >= 0], dtype=np.int64)
    n_copies = scaled(COPIES, strength, minimum=2)
    block = _copy(rng, plain, copied, n_copies)
    sources, targets, anchors = [], [], []
    for number, original in enumerate(copied.tolist()):
        listed = np.flatnonzero(links.source == original)
        rows = start + number * n_copies + np.arange(n_copies)
        sources.append(np.repeat(rows, len(listed)))
        targets.append(np.tile(links.target[listed], n_copies))
        anchors.append(np.tile(links.anchor[listed], n_copies))
    none = np.zeros(0, dtype=np.int64)
    return block, LinkBlock(
        np.concatenate([none, *sources]),
        np.concatenate([none, *targets]),
        np.concatenate([np.zeros(0, dtype=object), *anchors]),
    )


def _poorest_hub(plain: PageBlock, topic: int) -> int:
    hubs = np.flatnonzero((plain.topic == topic) & (plain.role == "hub"))
    return int(hubs[np.argmin(plain.hub_quality[hubs])]) if len(hubs) else -1


def _copy(rng: Rng, plain: PageBlock, copied: IntArray, n_copies: int) -> PageBlock:
    languages = [plain.sites[host].language for host in plain.host[copied].tolist()]
    named = draw_names(rng, languages, "mirror")
    sites = [
        Site(f"{name} {write_in('mirror', code).title()}", f"mirror.{domain}", domain, int(topic), "mirror", code)
        for name, domain, topic, code in zip(named.names, named.domains, plain.topic[copied], languages, strict=True)
    ]
    rows = np.repeat(copied, n_copies)
    host, number = np.divmod(np.arange(len(rows)), max(n_copies, 1))
    places = [f"copy-{k}/" if k else "" for k in number.tolist()]
    url = [f"https://{sites[h].host}/{place}" for h, place in zip(host.tolist(), places, strict=True)]
    title, h1, headings, text = (
        [column[row] for row in rows.tolist()] for column in (plain.title, plain.h1, plain.headings, plain.text)
    )
    return PageBlock(
        sites, host, url, title, h1, headings, text, plain.topic[rows], plain.topic[rows],
        np.full(len(rows), "mirror", dtype=object), plain.quality[rows], plain.hub_quality[rows],
    )  # fmt: skip
