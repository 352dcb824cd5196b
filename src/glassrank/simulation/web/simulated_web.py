"""The result of simulating a web: pages, links and the truth about them."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, read_only
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.data.collection import Collection
from glassrank.simulation.web.archive import write_archive
from glassrank.simulation.web.languages import language_numbers
from glassrank.simulation.web.lexicon import SimulatedTopic
from glassrank.simulation.web.page_blocks import ROLES
from glassrank.simulation.web.page_html import WRITTEN, Writer
from glassrank.simulation.web.sites import Site


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedWeb:
    """Simulated pages and links, and the truth behind them; most arrays have one entry per page.

    >>> from glassrank.simulation.web.simulate_web import simulate_web
    >>> web = simulate_web(4, 40, 400, random_state=0)
    >>> print(web)
    Simulated web (seed 0), not measured on the web
    493 pages on 111 hosts, 3,400 links, 4 topics
    39 home, 20 navigation, 19 authority, 19 hub, 303 page, 56 drift, 24 mirror, 12 spam, 1 spam target
    drift 1, mirrors 1, spam 1, navigation 1
    >>> web.topics[0].query
    'dugetren faigirk'
    >>> np.bincount(web.judgements(web.topics[0]))
    array([329, 148,  16])
    """

    collection: Collection
    topics: tuple[SimulatedTopic, ...]
    sites: tuple[Site, ...]
    """The hosts, with the names that people search for."""
    site_of_page: IntArray
    """Index of each page's site in ``sites``."""
    homes: IntArray
    """Row of the home page of each site."""
    page_topics: IntArray
    """Number of the topic that a page is about, −1 for none."""
    aims: IntArray
    """Number of the topic that a page of a drifting community, a mirror or a spam farm disturbs, −1 for none."""
    roles: Any
    """Role of each page, one of ``ROLES``."""
    quality: FloatArray
    """Latent quality of each page, which determines how often it is cited; 0 for spam."""
    hub_quality: FloatArray
    """Expected share of a hub's links that lead to authorities; 0 for pages that are not hubs."""
    dials: dict[str, float]
    """Strength of each dial: drift, mirrors, spam, navigation."""
    seed: int | None
    """The seed, if it was a whole number."""

    def __str__(self) -> str:
        seed = "no seed" if self.seed is None else f"seed {self.seed}"
        pages, links = counted(len(self.collection.pages), "page"), counted(len(self.collection.links), "link")
        counts = ", ".join(f"{count:,} {role}" for role in ROLES if (count := int((self.roles == role).sum())))
        dials = ", ".join(f"{name} {strength:g}" for name, strength in self.dials.items())
        hosts, topics = counted(len(self.sites), "host"), counted(len(self.topics), "topic")
        spoken = f" in {len(self.languages)} languages" if len(self.languages) > 1 else ""
        size = f"{pages} on {hosts}, {links}, {topics}{spoken}"
        return f"Simulated web ({seed}), not measured on the web\n{size}\n{counts}\n{dials}"

    def __repr__(self) -> str:
        pages, links = counted(len(self.collection.pages), "page"), counted(len(self.collection.links), "link")
        return f"SimulatedWeb({pages}, {links}, {counted(len(self.topics), 'topic')}, seed {self.seed})"

    def judgements(self, topic: int | str | SimulatedTopic) -> IntArray:
        """Return each page's grade for a topic: 2 for its authorities and hubs, 1 for its other pages, 0 for the rest.

        ``topic`` is a number, a name or a topic object. Spam and drifting pages are judged 0 regardless of their words;
        the copies of a mirror are pages of the topic, but not among the best.
        """
        on_topic = self.page_topics == self.topic_number(topic)
        best = on_topic & ((self.roles == "authority") | (self.roles == "hub"))
        return read_only(on_topic.astype(np.int64) + best)

    def topic_number(self, topic: int | str | SimulatedTopic) -> int:
        """Return the number of a topic given as a number, a name or a topic object."""
        names = [known.name for known in self.topics]
        name = topic.name if isinstance(topic, SimulatedTopic) else topic
        if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < len(names):
            return int(name)
        if name not in names:
            raise DataError(
                parameter="topic",
                expected=f"a number from 0 to {len(names) - 1} or a name such as {names[0]!r}",
                got=topic,
            )
        return names.index(name)

    def html_of(self, page: int) -> str:
        """Return the HTML of the page in this row."""
        count = len(self.roles)
        if not 0 <= page < count:
            raise DataError(parameter="page", expected=f"a row from 0 to {count - 1}", got=page)
        return self._writer.page(page)

    def write_warc(self, path: str | os.PathLike[str]) -> None:
        """Write all pages to a web archive, whose name must end in ``.warc`` or ``.warc.gz``."""
        pages = self.collection.pages
        write_archive(path, pages.url, pages.modified, self._writer.pages())

    @cached_property
    def _writer(self) -> Writer:
        pages, (source, target) = self.collection.pages, self.collection.link_ends.T
        columns = {name: getattr(pages, name) for name in WRITTEN}
        queries = [*(topic.query for topic in self.topics), ""]
        inside = self.site_of_page[source] == self.site_of_page[target]
        aimed = [queries[aim] for aim in self.aims]
        return Writer(columns, aimed, source, target, self.collection.links.anchor, inside)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages of the topics."""
        return tuple(dict.fromkeys(topic.language for topic in self.topics))

    @cached_property
    def page_languages(self) -> IntArray:
        """Number of each page's language, in the order of ``languages``."""
        return read_only(language_numbers([site.language for site in self.sites])[self.site_of_page])

    @cached_property
    def is_home(self) -> Any:
        """Whether each page is the home page of its site."""
        mask = np.zeros(len(self.roles), dtype=bool)
        mask[self.homes] = True
        return read_only(mask)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return the truth as a data frame with one row per page."""
        names = [*(topic.name for topic in self.topics), ""]
        return make_frame(
            {
                "url": self.collection.pages.url.tolist(),
                "site": [self.sites[site].name for site in self.site_of_page],
                "topic": [names[topic] for topic in self.page_topics],
                "disturbs": [names[topic] for topic in self.aims],
                "role": self.roles.tolist(),
                "quality": self.quality,
                "hub_quality": self.hub_quality,
                "language": [self.sites[site].language for site in self.site_of_page],
            },
            backend,
        )
