"""distill(): the best authorities and hubs of a collection for a broad query."""

from collections.abc import Sequence

from glassrank.core.checks import DataError, check_choice
from glassrank.core.input_types import RandomState
from glassrank.data.collection import Collection
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.methods import DEFAULT_METHOD, METHODS
from glassrank.distillation.options import Options, check_used
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.widening import distill_widely


def distill(
    collection: Collection,
    query: str,
    method: str = DEFAULT_METHOD,
    *,
    candidates: str = "root",
    root_size: int | None = None,
    in_links: int | None = None,
    root: Sequence[str] | None = None,
    site: str = "host",
    edges: str = "inter-site",
    language: str | None = None,
    nu: float = 0.1,
    C: float | None = None,
    train_size: int | None = None,
    kernel: str = "unit",
    text_rows: str = "unit",
    text_weight: float = 0.5,
    accept: str = "plain",
    neighbours: str = "judge",
    quantile: float | None = None,
    threshold: str = "root-median",
    fraction: float | None = None,
    k: int = 10,
    widen: bool = True,
    random_state: RandomState = None,
) -> Distilled:
    """Find authorities (sources) and hubs (link lists) for a query, with the reasons for each rank.

    Methods: ``"bharat-henzinger"`` (prunes pages of low relevance, then HITS with weighted links), ``"svdd"`` (a sphere
    around the top of the search prunes off-topic pages, then HITS), ``"hits"``, ``"hits-top"`` (HITS on the top of the
    search, no sphere), ``"pagerank"``, ``"in-degree"`` and ``"bm25"`` (the search itself).

    Parameters
    ----------
    collection, query, method
        The pages to search, the query, and how to rank pages.
    candidates : {"root", "base"}
        Pages to rank: the root set of the search, or the base set, which adds their neighbours.
    root_size, in_links : int or None
        Number of search results, and of pages linking to each of them that join the base set. Default: 200 and 50; in a
        collection of fewer than 10,000 pages, 50 and 10.
    root : list of addresses or None
        Root set, best first, instead of a search: the first ``root_size`` of them, or all.
    site : {"host", "domain", "directory", "page", "column"}
        Which pages form one site.
    edges : {"inter-site", "all"}
        Links that count.
    language : str or None
        Language of the pages, such as "english": stop words are left out, and words with the same stem are equal. Needs
        ``pip install glassrank[languages]``. "chinese" and "japanese" texts are split into the words of a dictionary,
        and need ``glassrank[cjk]``. Without a language, words are used as they are, and runs of Chinese, Japanese and
        Korean characters are searched as pairs of characters. Quoted parts of a query are phrases.
    nu, C : float
        SVDD: share of the training pages that may lie outside the sphere; or C, the cost of a page outside, instead.
    train_size : int or None
        SVDD and "hits-top": number of trusted pages at the top of the search. Default: half of the root set.
    kernel : {"unit", "raw"}
        SVDD: how similar pages are by words (products of tf-idf rows) and by co-citation (number of pages that cite
        both). "raw" adds the two as they are, so that a page with many in-links is far from the centre; "unit" scales
        both to a diagonal of ones first.
    text_rows : {"unit", "raw"}
        SVDD: tf-idf rows of length 1 or, with the raw kernel, as they are, which are longer for longer pages.
    text_weight : float
        SVDD: weight of the words; co-citation has the remaining weight.
    accept : {"plain", "cross-fit"}
        SVDD: "cross-fit" judges each training page by a sphere trained without it.
    neighbours : {"judge", "take"}
        SVDD on the base set: judge the neighbours of the root set by the sphere too, or take those of accepted pages.
    quantile : float or None
        SVDD: set the radius at this quantile of the held-out distances.
    threshold : {"root-median", "median", "max/10"}
        Bharat–Henzinger: relevance below which pages are pruned.
    fraction : float or None
        With the threshold "max/10": this share of the largest relevance instead of a tenth.
    k : int
        Number of authorities and hubs to list. Pages without links that count fill the list in search order.
    widen : bool
        If there are no links between the pages to rank, add their neighbours, then count links inside sites, then keep
        all pages, and at last use the search order; ``widened`` of the result says so. Without it, raise an error.
    random_state : int, numpy generator or None
        Random seed of the sample of linking pages.

    Examples
    --------
    >>> from glassrank.data.collection import Links, Pages
    >>> urls = [f"http://{name}.org/" for name in ("zen", "temple", "list", "guide")]
    >>> pages = Pages(url=urls, title=["Zen", "Temple", "Zen links", "Zen guide"], text=["zen"] * 4)
    >>> links = Links(source=[urls[2], urls[2], urls[3]], target=[urls[0], urls[1], urls[0]], anchor=["zen"] * 3)
    >>> found = distill(Collection(pages, links), "zen", method="hits", k=2)
    >>> [page.title for page in found.authorities], [page.title for page in found.hubs]
    (['Zen', 'Temple'], ['Zen links', 'Zen guide'])
    """
    chosen = Options(
        candidates=candidates,
        root_size=root_size,
        in_links=in_links,
        root=root,
        site=site,
        edges=edges,
        language=language,
        nu=nu,
        C=C,
        train_size=train_size,
        kernel=kernel,
        text_rows=text_rows,
        text_weight=text_weight,
        accept=accept,
        neighbours=neighbours,
        quantile=quantile,
        threshold=threshold,
        fraction=fraction,
        k=k,
        widen=widen,
        random_state=random_state,
    )
    check_choice("method", method, METHODS)
    check_used(chosen, method)
    return distill_widely(prepare(collection, language), checked_query(query), method, chosen)


def checked_query(query: str) -> str:
    """Return a query without leading and trailing blanks; an empty query causes an error."""
    if not isinstance(query, str) or not query.strip():
        raise DataError(f"query must contain words: got {query!r}.", parameter="query", got=query)
    return query.strip()
