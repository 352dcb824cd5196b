"""compare_distillers(): rank the same candidates by several methods, and measure how far they agree."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, check_choice
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame, RandomState
from glassrank.core.wording import counted
from glassrank.data.collection import Collection
from glassrank.distillation.candidates import Candidates, gather_candidates
from glassrank.distillation.distill import checked_query
from glassrank.distillation.distilled import Distilled
from glassrank.distillation.figure.comparison_chart import ComparisonChart
from glassrank.distillation.figure.list_text import shorten
from glassrank.distillation.methods import METHODS, NOT_PRUNED, NoLinksError, NoRankingError
from glassrank.distillation.options import Options
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.score_ties import score_steps
from glassrank.distillation.widening import Attempt, attempts, run_method
from glassrank.drawing.text_table import align


@dataclass(frozen=True, eq=False, repr=False)
class ComparedDistillers:
    """Rankings of one set of candidates by several methods."""

    results: dict[str, Distilled]
    failed: dict[str, str]
    """Methods that gave no ranking, mostly because no links are left, each with its message."""
    widened: tuple[str, ...] = ()
    """How the search for links was widened."""

    def __str__(self) -> str:
        return _text(self)

    __repr__ = __str__

    @property
    def k(self) -> int:
        """Length of the compared lists."""
        return next(iter(self.results.values())).options.k

    def top(self, method: str) -> list[int]:
        """Return the rows of a method's best pages, at most ``k``, without pruned pages and pages of score 0."""
        return top_rows(self.results[method])

    def overlap(self) -> FloatArray:
        """Return the share of the top ``k`` that each pair of methods has in common."""
        tops = [self.top(method) for method in self.results]
        return np.array([[shared_share(a, b, self.k) for b in tops] for a in tops])

    def tau(self) -> FloatArray:
        """Return Kendall's τ_b between the rankings of all candidates, with pruned pages tied at the end."""
        results = self.results.values()
        return np.array([[rank_tau(a, b) for b in results] for a in results])

    def columns(self) -> dict[str, list[Any]]:
        """Return every entry of every method's list, as columns."""
        rows = [(method, page) for method, found in self.results.items() for page in found.authorities]
        own = {name: [getattr(page, name) for _, page in rows] for name in ("rank", "url", "title", "score")}
        return {"method": [method for method, _ in rows], **own}

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row for each entry of each method's list."""
        return make_frame(self.columns(), backend)

    def chart(self) -> ComparisonChart:
        """Draw the lists side by side, with lines between equal pages."""
        found = next(iter(self.results.values()))
        lists = {
            method: tuple((page.page, page.title.strip() or page.url, page.filled) for page in one.authorities)
            for method, one in self.results.items()
        }
        candidates = f"The same {counted(len(found.pages), 'page')} of the {found.options.candidates} set"
        return ComparisonChart(found.query, candidates, lists)

    def to_json(self) -> str:
        """Return every method's result and their agreement as JSON."""
        return json.dumps(
            {
                "failed": self.failed,
                "widened": list(self.widened),
                "results": {method: found.summary() for method, found in self.results.items()},
                "overlap": self.overlap().tolist(),
                "tau": _finite(self.tau()),
            },
            ensure_ascii=False,
        )


def compare_distillers(
    collection: Collection,
    query: str,
    methods: Sequence[str] | None = None,
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
) -> ComparedDistillers:
    """Rank the same candidates by each method; the options are those of :func:`distill`.

    >>> from glassrank.data.collection import Links, Pages
    >>> urls = [f"http://{name}.org/" for name in ("zen", "temple", "list", "guide")]
    >>> pages = Pages(url=urls, title=["Zen", "Temple", "Zen links", "Zen guide"], text=["zen"] * 4)
    >>> links = Links(source=[urls[2], urls[2], urls[3]], target=[urls[0], urls[1], urls[0]], anchor=["zen"] * 3)
    >>> compared = compare_distillers(Collection(pages, links), "zen", ["hits", "in-degree"], k=2)
    >>> compared.overlap().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
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
    names = list(METHODS) if methods is None else list(methods)
    for name in names:
        check_choice("method", name, METHODS)
    failed: list[dict[str, str]] = []
    # The attempts of a method that does not prune, so that all methods rank the same pages.
    for attempt in attempts("hits", chosen):
        gathered = gather_candidates(prepare(collection, language), checked_query(query), attempt.options)
        found = _compare(gathered, names, attempt)
        failed.append(found.failed)
        if set(found.results) - {"bm25"} or not set(names) - {"bm25"}:
            break
    if not found.results:
        message = " ".join(f"{name}: {message}" for name, message in failed[0].items())
        raise NoLinksError(message, remedy=NOT_PRUNED)
    return found


def _compare(gathered: Candidates, names: Sequence[str], attempt: Attempt) -> ComparedDistillers:
    results: dict[str, Distilled] = {}
    failed: dict[str, str] = {}
    for name in names:
        try:
            results[name] = run_method(gathered, name, attempt.options)
        except NoRankingError as error:
            failed[name] = error.problem
    said = f"No method found links to rank by. Therefore {', then '.join(attempt.changes)}."
    return ComparedDistillers(results, failed, (said,) if attempt.changes else ())


def top_rows(found: Distilled) -> list[int]:
    """Return the rows of the best pages, at most ``k``, without pruned pages and pages of score 0."""
    return [int(row) for row in found.pages[found.best_linked]]


def shared_share(one: Sequence[int], other: Sequence[int], k: int) -> float:
    """Return the share of two lists of at most ``k`` pages that both contain, out of the longer list.

    >>> shared_share([1, 2, 3], [2, 3, 4], k=3)
    0.6666666666666666
    """
    return len(set(one) & set(other)) / max(1, min(k, max(len(one), len(other))))


def rank_tau(one: Distilled, other: Distilled) -> float:
    """Return Kendall's τ_b between two rankings of the same candidates, with pruned pages tied at the end."""
    from scipy.stats import kendalltau

    return float(kendalltau(_comparable(one), _comparable(other)).statistic)


def _comparable(found: Distilled) -> FloatArray:
    """Return rounded scores, so that scores that differ only by rounding errors tie; pruned pages tie at the end."""
    return np.where(found.pruned, -1.0, score_steps(found.authority_scores))


def _finite(values: FloatArray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in values]


def _text(compared: ComparedDistillers) -> str:
    found = next(iter(compared.results.values()))
    lines = [f"{found.query} · the same {counted(len(found.pages), 'page')} of the {found.options.candidates} set"]
    lists = {
        method: [page.title.strip() or page.url for page in result.authorities]
        for method, result in compared.results.items()
    }
    rows = [("", *lists)]
    for place in range(max(map(len, lists.values()), default=0)):
        cells = (titles[place] if place < len(titles) else "" for titles in lists.values())
        rows.append((str(place + 1), *(shorten(title, 22) for title in cells)))
    lines += ["", align(rows), "", f"Shared by the top {compared.k} (and Kendall's tau of all pages)"]
    names = list(compared.results)
    overlap, tau = compared.overlap(), compared.tau()
    rows = [("", *names)]
    rows += [
        (name, *(f"{overlap[i, j]:.0%} ({tau[i, j]:+.2f})" for j in range(len(names)))) for i, name in enumerate(names)
    ]
    lines.append(align(rows))
    lines += [f"\nNote: {note}" for note in (*compared.widened, *found.candidates.notes)]
    lines += [f"\n{method} gives no ranking. {message}" for method, message in compared.failed.items()]
    return "\n".join(lines)
