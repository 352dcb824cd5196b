"""distill(): the best authorities and hubs of a collection for a broad query."""

from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.data.collection import Collection
from glassrank.distillation.candidates import Candidates, gather_candidates
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.methods import METHODS, Scored
from glassrank.distillation.options import Options
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.stopwatch import Stopwatch


def distill(collection: Collection, query: str, method: str = "svdd", **options: Any) -> Distilled:
    """Find authorities (sources) and hubs (link lists) for a query, and say why each stands where it does.

    Methods: ``"svdd"`` (a sphere around the top of the search prunes pages off the topic, then HITS),
    ``"bharat-henzinger"``, ``"hits"``, ``"hits-top"`` (HITS on the top of the search, no sphere), ``"pagerank"``,
    ``"in-degree"`` and ``"bm25"`` (the search itself).

    Options, with their defaults:

    - pages that compete: ``candidates="root"`` or ``"base"``; ``root_size`` and ``in_links`` (200 and 50, in a
      collection of less than 10,000 pages 50 and 10); ``root`` (addresses, best first, instead of a search; the first
      ``root_size`` of them, or all);
    - links that count: ``edges="inter-site"`` or ``"all"``; ``site="host"``, ``"domain"``, ``"directory"``,
      ``"page"`` or ``"column"``;
    - SVDD: ``nu=0.1`` or ``C``, ``train_size`` (half of the root set), ``text_weight=0.5``, ``accept="plain"`` or
      ``"cross-fit"``, ``quantile``, ``neighbours="judge"`` or ``"take"``;
    - Bharat–Henzinger: ``threshold="median"``, ``"root-median"`` or ``"max/10"``, of which ``fraction`` replaces the
      tenth;
    - ``k=10`` pages to list; ``random_state``.

    >>> from glassrank.data.collection import Links, Pages
    >>> urls = [f"http://{name}.org/" for name in ("zen", "temple", "list", "guide")]
    >>> pages = Pages(url=urls, title=["Zen", "Temple", "Zen links", "Zen guide"], text=["zen"] * 4)
    >>> links = Links(source=[urls[2], urls[2], urls[3]], target=[urls[0], urls[1], urls[0]], anchor=["zen"] * 3)
    >>> found = distill(Collection(pages, links), "zen", method="hits")
    >>> [page.title for page in found.authorities], [page.title for page in found.hubs]
    (['Zen', 'Temple'], ['Zen links', 'Zen guide'])
    """
    chosen = Options.of(**options)
    check_choice("method", method, METHODS)
    return run_method(gather_candidates(prepare(collection), checked_query(query), chosen), method, chosen)


def run_method(candidates: Candidates, method: str, options: Options) -> Distilled:
    """Run one method on candidates that were gathered already."""
    watch = Stopwatch()
    scored = METHODS[method](candidates, options, watch)
    notes = (*candidates.notes, *_radius_notes(scored))
    return Distilled(method, options, candidates, scored, {**candidates.timings, **watch.seconds}, notes)


def _radius_notes(scored: Scored) -> tuple[str, ...]:
    judgement = scored.judgement
    if judgement is None or judgement.quantile is not None or judgement.sphere.radius_is_certain:
        return ()
    low, high = judgement.radius_interval
    return (
        f"No page lies on the sphere: any radius from {low:.4g} to {high:.4g} is optimal, and the middle is taken.",
    )


def checked_query(query: str) -> str:
    """Return a query without outer blanks; one without words is refused."""
    if not isinstance(query, str) or not query.strip():
        raise DataError(f"query must hold words: got {query!r}.", parameter="query", got=query)
    return query.strip()
