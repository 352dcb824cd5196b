"""A topic of a collection by several methods: their lists side by side, and the reasons of one of them."""

import re
from dataclasses import dataclass

from glassrank.core.checks import FloatArray, check_choice
from glassrank.data.collection import Collection
from glassrank.distillation.compare_distillers import ComparedDistillers, compare_distillers
from glassrank.distillation.distilled import Distilled, RankedPage
from glassrank.distillation.figure.list_text import heading_text, pruned_by, pruned_text, votes_text

METHODS = ("svdd", "bharat-henzinger", "hits", "in-degree", "bm25")
"""The compared methods, in the order of the columns."""
MOST_PRUNED = 50
IN_SEARCH_ORDER, NO_LINKS = "in search order", "no links that count"
SNIPPET, BEFORE = 220, 50  # characters of a snippet, and of them before the first word of the query


@dataclass(frozen=True)
class ListedPage:
    """A page of a list, with its text around the query and the reason for its place."""

    rank: int
    page: int
    """Its row in the collection."""
    title: str
    """Its title, or its address if it has none."""
    url: str
    score: str
    """Its score; of a pruned page, what it was pruned by; of a page without links that count, that it has none."""
    snippet: str
    reason: str


@dataclass(frozen=True, eq=False)
class TopicView:
    """The lists of one method for a query, with reasons."""

    heading: str
    """What was ranked, and by which rule pages were pruned."""
    authorities: tuple[ListedPage, ...]
    hubs: tuple[ListedPage, ...]
    """Empty if the method has no hub scores."""
    pruned: tuple[ListedPage, ...]
    """The first of the pruned pages, those farthest from the topic first."""
    n_pruned: int
    pruned_by: str
    """What the scores of pruned pages are."""
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MethodsView:
    """The best pages of every method that gave a ranking, and how far the methods agree."""

    tops: dict[str, tuple[ListedPage, ...]]
    """Method → its authorities, without snippets and reasons."""
    failed: dict[str, str]
    """Method → why it gave no ranking."""
    overlap: FloatArray
    """Share of the best pages that two methods have in common, in the order of ``tops``."""
    tau: FloatArray
    """Kendall's τ_b between the rankings of all candidates; NaN if it is undefined."""
    k: int


def compare_topic(collection: Collection, query: str, candidates: str = "root") -> ComparedDistillers:
    """Rank the same pages by every method of ``METHODS``, with the seed of the command line."""
    return compare_distillers(collection, query, METHODS, candidates=candidates, random_state=0)


def methods_view(compared: ComparedDistillers) -> MethodsView:
    """Return the lists side by side.

    >>> from glassrank.data.collection import Links, Pages
    >>> urls = [f"http://{name}.org/" for name in ("zen", "temple", "list", "guide")]
    >>> pages = Pages(url=urls, title=["Zen", "Temple", "Zen links", "Zen guide"], text=["zen", "zen rite", "zen", ""])
    >>> links = Links(source=[urls[2], urls[2], urls[3]], target=[urls[0], urls[1], urls[0]], anchor=["zen"] * 3)
    >>> found = methods_view(compare_topic(Collection(pages, links), "zen"))
    >>> [page.title for page in found.tops["in-degree"][:2]]
    ['Zen', 'Temple']
    """
    return MethodsView(
        tops={method: tuple(map(_listed, found.authorities)) for method, found in compared.results.items()},
        failed=compared.failed,
        overlap=compared.overlap(),
        tau=compared.tau(),
        k=compared.k,
    )


def topic_view(compared: ComparedDistillers, method: str) -> TopicView:
    """Return the lists of one method with snippets and reasons; the method must be in the results."""
    check_choice("method", method, tuple(compared.results))
    found = compared.results[method]
    return TopicView(
        heading=heading_text(found).replace("\n", " · "),
        authorities=tuple(
            _explained(found, page, NO_LINKS if page.filled else votes_text(page.votes, "linked from"))
            for page in found.authorities
        ),
        hubs=tuple(_explained(found, page, votes_text(page.votes, "links to")) for page in found.hubs),
        pruned=tuple(
            _explained(found, page, pruned_text(page), pruned_by(page)) for page in found.first_pruned(MOST_PRUNED)
        ),
        n_pruned=int(found.pruned.sum()),
        pruned_by=_measure(found),
        notes=(*compared.widened, *found.notes),
    )


def snippet(text: str, query: str) -> str:
    """Return the part of a text around the first word of a query; its beginning if it contains none.

    >>> snippet("A temple of the Zen school. " * 2, "zen buddhism")
    'A temple of the Zen school. A temple of the Zen school.'
    >>> snippet("far away " * 30 + "stands a zen temple", "zen")
    '… far away far away far away far away stands a zen temple'
    """
    flat = " ".join(text.split())
    places = [place for word in query.replace('"', " ").split() if (place := _first(flat, word)) >= 0]
    start = max(0, min(places, default=0) - BEFORE)
    if start:  # at the beginning of a word, if the text has blanks
        start = flat.find(" ", start, start + BEFORE) + 1 or start
    part = flat[start : start + SNIPPET]
    if start + SNIPPET < len(flat):  # at the end of a word
        part = f"{part[: part.rfind(' ', SNIPPET - BEFORE)] if ' ' in part[-BEFORE:] else part} …"
    return f"{'… ' if start else ''}{part}"


def _first(text: str, word: str) -> int:
    """Return where a word, or at least its letters, first occurs in a text; −1 if it does not."""
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found is not None else text.lower().find(word.lower())


def _measure(found: Distilled) -> str:
    if found.judgement is not None:
        return "Distance in radii"
    return "Relevance" if found.relevance is not None else "Search score"


def _listed(page: RankedPage, score: str = "", text: str = "", reason: str = "") -> ListedPage:
    title = " ".join(page.title.split()) or page.url
    shown = score or (IN_SEARCH_ORDER if page.filled else f"{page.score:.3f}")
    return ListedPage(page.rank, page.page, title, page.url, shown, text, reason)


def _explained(found: Distilled, page: RankedPage, reason: str, score: str = "") -> ListedPage:
    text = found.candidates.prepared.collection.pages.text[page.page]
    return _listed(page, score, snippet(text, found.query), reason)
