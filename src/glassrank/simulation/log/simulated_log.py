"""The result of simulating a log: result lists, events, and the truth behind them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from glassrank.core.checks import IntArray, check_positive
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.data.judgements.url_judgements import UrlJudgements
from glassrank.data.query_log import QueryLog
from glassrank.data.search_results import SearchResults
from glassrank.simulation.log.queries import QueryTruth
from glassrank.simulation.web.simulated_web import SimulatedWeb

PERFECT, EXCELLENT, GOOD, FAIR, BAD = 4, 3, 2, 1, 0


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedLog:
    """Simulated result lists and events of a search engine, and the true intents of its users.

    >>> from glassrank.simulation.log.simulate_log import simulate_log
    >>> from glassrank.simulation.web.simulate_web import simulate_web
    >>> web = simulate_web(4, 40, 400, random_state=0)
    >>> simulated = simulate_log(web, 50, 20, sessions_per_query=10, random_state=0)
    >>> print(simulated)
    Simulated search log (seed 0), not measured on any search engine
    50 queries: 9 navigational, 41 informational; 1,000 results
    697 searches, 7,204 impressions, 513 clicks; 2 bots
    position bias 1, ambiguity 1, spam clicks 0.05, sessions per query 10
    """

    web: SimulatedWeb
    results: SearchResults
    """The list of each query, one per engine if there are several."""
    log: QueryLog
    """Searches, impressions and clicks of the users of the first engine."""
    truth: QueryTruth
    bots: frozenset[str]
    """Users in the log who are bots."""
    dials: dict[str, float]
    """Strength of each dial: position_bias, ambiguity, spam_clicks, sessions_per_query."""
    seed: int | None
    """The seed, if it was a whole number."""

    def __str__(self) -> str:
        seed = "no seed" if self.seed is None else f"seed {self.seed}"
        n_queries, n_navigational = len(self.truth), int(self.intents.sum())
        searches, shown, clicks = self.log.counts().values()
        dials = ", ".join(f"{name.replace('_', ' ')} {strength:g}" for name, strength in self.dials.items())
        return (
            f"Simulated search log ({seed}), not measured on any search engine\n"
            f"{counted(n_queries, 'query', 'queries')}: {n_navigational:,} navigational, "
            f"{n_queries - n_navigational:,} informational; {counted(len(self.results), 'result')}\n"
            f"{counted(searches, 'search', 'searches')}, {counted(shown, 'impression')}, {counted(clicks, 'click')}; "
            f"{counted(len(self.bots), 'bot')}\n{dials}"
        )

    def __repr__(self) -> str:
        queries, events = counted(len(self.truth), "query", "queries"), counted(len(self.log), "event")
        return f"SimulatedLog({queries}, {counted(len(self.results), 'result')}, {events}, seed {self.seed})"

    @property
    def queries(self) -> tuple[str, ...]:
        """Text of each query, in the order of the truth."""
        return self.truth.queries

    @property
    def intents(self) -> IntArray:
        """1 for each navigational query, 0 for each informational one."""
        return self.truth.intents

    @cached_property
    def wanted(self) -> dict[str, tuple[str, ...]]:
        """Query → addresses of the pages that most of its users want: one home page, or the best about a topic."""
        urls = self.web.collection.pages.url
        return {query: tuple(urls[rows]) for query, rows in zip(self.queries, self.truth.wanted, strict=True)}

    @property
    def language(self) -> str:
        """The language of the queries; of several, the first."""
        return self.web.languages[0]

    def judgements(self, top: int = 5) -> UrlJudgements:
        """Return what editors would say about the first ``top`` results of each engine, without mistakes.

        For a navigational query, the home page that its users want is perfect (4), and other pages of its site are fair
        (1). For an informational query, the topic's authorities and hubs are excellent (3), and its other pages are
        good (2). Everything else is bad (0). A page has the same grade whichever engine returns it.

        >>> from glassrank.data.judgements.url_judgements import intents_from_judgements
        >>> from glassrank.simulation.log.simulate_log import simulate_log
        >>> from glassrank.simulation.web.simulate_web import simulate_web
        >>> web = simulate_web(4, 40, 400, random_state=0)
        >>> simulated = simulate_log(web, 50, 20, engines=4, sessions_per_query=10, random_state=0)
        >>> found = intents_from_judgements(simulated.judgements(), perfect=PERFECT)
        >>> sum(found.intents.values()), int(simulated.intents.sum())
        (9, 9)
        """
        check_positive("top", top, whole=True)
        shown = self.results.pick_rows(self.results.rank <= top)
        row_of = {url: row for row, url in enumerate(self.web.collection.pages.url)}
        number_of = {query_id: number for number, query_id in enumerate(self.truth.ids)}
        pages = np.array([row_of[url] for url in shown.url], dtype=np.int64)
        queries = np.array([number_of[query_id] for query_id in shown.query_id], dtype=np.int64)
        grades = self._grades(queries, pages)
        return UrlJudgements(shown.query_id, shown.url, grades, engine=shown.engine, rank=shown.rank)

    def _grades(self, queries: IntArray, pages: IntArray) -> IntArray:
        """The grade of each page for its query."""
        wanted = [set(rows.tolist()) for rows in self.truth.wanted]
        is_wanted = np.array([page in wanted[query] for query, page in zip(queries, pages, strict=True)], dtype=bool)
        navigational = self.intents[queries] == 1
        same_site = self.web.site_of_page[pages] == self.truth.sites[queries]
        topics = self.truth.topics[queries]
        about = (topics >= 0) & (self.web.page_topics[pages] == topics)
        of_site = np.select([is_wanted, same_site], [PERFECT, FAIR], BAD)
        of_topic = np.select([is_wanted, about], [EXCELLENT, GOOD], BAD)
        return np.where(navigational, of_site, of_topic)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return the truth as a data frame with one row per query."""
        topics = [*(topic.name for topic in self.web.topics), ""]
        return make_frame(
            {
                "query_id": list(self.truth.ids),
                "query": list(self.queries),
                "navigational": self.intents,
                "navigational_share": self.truth.navigational_share,
                "spelling": list(self.truth.spellings),
                "site": [self.web.sites[site].name for site in self.truth.sites],
                "topic": [topics[topic] for topic in self.truth.topics],
                "wanted_pages": np.array([len(rows) for rows in self.truth.wanted]),
                "language": list(self.truth.languages),
            },
            backend,
        )
