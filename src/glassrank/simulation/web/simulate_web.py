"""Simulates a web of hosts, pages and links with a known truth."""

from typing import Any

import numpy as np

from glassrank.core.checks import DataError, check_choice, read_only
from glassrank.core.input_types import RandomState
from glassrank.data.collection import Collection, Links, Pages
from glassrank.simulation.simulator_inputs import Rng, check_counts, checked_dials, seed_of, spawn_streams
from glassrank.simulation.web.anchors import draw_anchors
from glassrank.simulation.web.drift import draw_drift
from glassrank.simulation.web.languages import LANGUAGES
from glassrank.simulation.web.lexicon import Lexicon, make_lexicon
from glassrank.simulation.web.mirrors import draw_mirrors
from glassrank.simulation.web.navigation import link_navigation, link_tree
from glassrank.simulation.web.page_blocks import LinkBlock, PageBlock, join_blocks, join_links
from glassrank.simulation.web.page_facts import count_links, draw_facts
from glassrank.simulation.web.page_html import Writer, weigh_html
from glassrank.simulation.web.page_links import draw_links
from glassrank.simulation.web.pages import Outline, draw_outline, write_pages
from glassrank.simulation.web.running_text import TopicVocabulary, plain_vocabulary
from glassrank.simulation.web.simulated_web import SimulatedWeb
from glassrank.simulation.web.sites import draw_sites
from glassrank.simulation.web.spam import draw_spam

MIN_HOSTS_PER_TOPIC, MIN_PAGES_PER_TOPIC = 2, 20


def simulate_web(
    n_topics: int = 20,
    n_hosts: int = 300,
    n_pages: int = 5000,
    *,
    drift: float = 1.0,
    mirrors: float = 1.0,
    spam: float = 1.0,
    navigation: float = 1.0,
    languages: int = 1,
    random_state: RandomState = None,
) -> SimulatedWeb:
    """Simulate a web with topics, authorities and hubs, and with structures that mislead link analysis.

    A page of topic t cites page j of its topic with probability proportional to quality_j^1.5. The pages with the
    highest quality are the topic's authorities. A hub lists pages of its topic, and each link of hub i leads to an
    authority with probability hub_quality_i. Four dials, from 0 (none) to 10, add misleading structures:

    - ``drift``: for each topic, a tightly knit community about something else that uses the words of the query;
    - ``mirrors``: hosts that copy a poor hub, so that many pages of one host cite the same pages;
    - ``spam``: farms of hosts full of the query's words, which all link to one page;
    - ``navigation``: links from each page to its home page and the sections of its host.

    The plain web has ``n_pages`` pages on ``n_hosts`` hosts and comes first; the dials add pages and links to it. Each
    dial has its own random stream, so that changing one does not affect the other pages and links.

    With several ``languages``, up to 5, the topics have them in turn: invented words in the letters of English, Russian
    (Cyrillic), French (diacritics), Greek and Hindi (Devanagari). Sites, texts, titles, anchors and addresses are in
    the language of their topic.

    >>> web = simulate_web(n_topics=4, n_hosts=40, n_pages=400, random_state=0)
    >>> web.collection
    Collection(493 pages, 3,400 links, 3,400 of them between these pages)
    >>> calm = simulate_web(4, 40, 400, drift=0, mirrors=0, spam=0, random_state=0)
    >>> calm.collection
    Collection(400 pages, 2,610 links, 2,610 of them between these pages)
    >>> [topic.query for topic in simulate_web(4, 40, 400, languages=4, random_state=0).topics]
    ['cropeafeast grizund', 'вустеал', 'tigûsôst çraibrûgrôrk haitil', 'μπρασταιμπας μέβαναιρκ']
    """
    check_counts(n_topics=n_topics, n_hosts=n_hosts, n_pages=n_pages)
    check_choice("languages", languages, range(1, len(LANGUAGES) + 1))
    _check_room(n_topics, n_hosts, n_pages, languages)
    dials = checked_dials("none", "strongest", drift=drift, mirrors=mirrors, spam=spam, navigation=navigation)
    words, facts, *streams = spawn_streams(random_state, 9)
    lexicon = make_lexicon(words, n_topics, languages)
    blocks, links = _grow(streams, lexicon, n_hosts, n_pages, dials)
    whole = join_blocks(blocks)
    collection = Collection(_pages(facts, lexicon, blocks, whole, links), _links(whole, links), outside="refuse")
    return SimulatedWeb(
        collection,
        lexicon.topics,
        tuple(whole.sites),
        site_of_page=read_only(whole.host),
        homes=read_only(np.flatnonzero(whole.is_home)),
        page_topics=read_only(whole.topic),
        aims=read_only(whole.aim),
        roles=read_only(whole.role),
        quality=read_only(whole.quality),
        hub_quality=read_only(whole.hub_quality),
        dials=dials,
        seed=seed_of(random_state),
    )


def _grow(
    streams: list[Rng], lexicon: Lexicon, n_hosts: int, n_pages: int, dials: dict[str, float]
) -> tuple[list[PageBlock], LinkBlock]:
    """Build the plain web, then the additions of each dial."""
    hosts, outlines, texts, links, drifts, copies, farms = streams
    vocabulary, n_topics = plain_vocabulary(lexicon), len(lexicon.topics)
    sites = draw_sites(hosts, n_hosts, lexicon.topics)
    outline = draw_outline(outlines, sites, n_pages, lexicon)
    plain = write_pages(texts, vocabulary, sites, outline, lexicon)
    between = _plain_links(links, vocabulary, outline, plain, n_topics)
    within = [link_tree(outline, plain.h1), link_navigation(outline, plain.h1, dials["navigation"])]
    drifting, drift_links = draw_drift(drifts, lexicon, outline, plain, dials["drift"])
    start = len(plain) + len(drifting)
    mirroring, mirror_links = draw_mirrors(copies, plain, between, n_topics, dials["mirrors"], start)
    spamming, spam_links = draw_spam(farms, lexicon, plain, dials["spam"], start + len(mirroring))
    all_links = join_links([between, *within, drift_links, mirror_links, spam_links])
    return [plain, drifting, mirroring, spamming], all_links


def _plain_links(rng: Rng, vocabulary: TopicVocabulary, outline: Outline, plain: PageBlock, n_topics: int) -> LinkBlock:
    source, target = draw_links(rng, outline, n_topics)
    anchor = draw_anchors(
        rng, vocabulary, target, site=plain.site_of_page, title=plain.title, topic=plain.topic, is_home=plain.is_home
    )
    return LinkBlock(source, target, anchor)


def _check_room(n_topics: int, n_hosts: int, n_pages: int, n_languages: int) -> None:
    if n_topics < n_languages:
        raise DataError(
            f"languages must be at most the number of topics: expected {n_topics} or fewer, got {n_languages}.",
            parameter="languages",
            expected=n_topics,
            got=n_languages,
        )
    if n_hosts < MIN_HOSTS_PER_TOPIC * n_topics:
        raise DataError(
            f"n_hosts must be at least {MIN_HOSTS_PER_TOPIC} for each topic: expected "
            f"{MIN_HOSTS_PER_TOPIC * n_topics} or more for {n_topics} topics, got {n_hosts}.",
            parameter="n_hosts",
        )
    min_pages = max(n_hosts, MIN_PAGES_PER_TOPIC * n_topics)
    if n_pages < min_pages:
        raise DataError(
            f"n_pages must be at least {MIN_PAGES_PER_TOPIC} for each topic and 1 for each host: expected {min_pages} "
            f"or more for {n_topics} topics and {n_hosts} hosts, got {n_pages}.",
            parameter="n_pages",
        )


def _pages(rng: Rng, lexicon: Lexicon, blocks: list[PageBlock], whole: PageBlock, links: LinkBlock) -> Pages:
    drawn = [draw_facts(stream, block) for stream, block in zip(rng.spawn(len(blocks)), blocks, strict=True)]
    columns: dict[str, Any] = {name: getattr(whole, name) for name in ("url", "title", "text", "h1", "headings")}
    for name in drawn[0]:
        columns[name] = np.concatenate([np.asarray(facts[name], dtype=_kind(name)) for facts in drawn])
    queries = [*(topic.query for topic in lexicon.topics), ""]
    inside = whole.host[links.source] == whole.host[links.target]
    writer = Writer(columns, [queries[aim] for aim in whole.aim], links.source, links.target, links.anchor, inside)
    return Pages(**columns, **count_links(whole, links), **weigh_html(writer))


def _kind(name: str) -> Any:
    return object if name in ("description", "site_name", "language") else np.float64


def _links(whole: PageBlock, links: LinkBlock) -> Links:
    url = np.array(whole.url, dtype=object)
    return Links(source=url[links.source], target=url[links.target], anchor=links.anchor)
