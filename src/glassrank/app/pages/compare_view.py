"""The Compare page: the model of a study beside another model, query by query and document by document."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from html import escape
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from glassrank.app.background import Background, waiting_part
from glassrank.app.compare_page.moved_lists import moved_lists
from glassrank.app.compare_page.query_dots import QueryDots
from glassrank.app.compare_page.why_moved import why_moved
from glassrank.app.page_frame import Frame, app_page, study_link, workspace_of
from glassrank.app.workspace import FINISHED, ListedStudy, Workspace
from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.nomograms.model_comparison.compared_scores import QueryChange, signed
from glassrank.studies.page_parts import verdict_in_words
from glassrank.studies.study_record import StudyRecord
from glassrank.studies.views.contenders import SEEN, offered, size_label
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.study_comparison import FIRST, StudyComparison, compare_with

router = APIRouter()
STUDY = "study:"
TRAINED = "The other model is being trained and compared."
HURT, HELPED, MOST_ROWS = 5, 3, 500

Text = Annotated[str | None, Query(max_length=1000)]
Number = Annotated[float | None, Query(allow_inf_nan=False)]
WithModel = Annotated[str, Query(alias="with", max_length=1000)]


class ComparisonState(BaseModel):
    """The paired test of two models; empty while one of them is trained."""

    ready: bool
    measure: str | None = None
    difference: float | None = None
    """Mean of the measure by model 2 minus that by model 1."""
    interval: tuple[float, float] | None = None
    level: float | None = None
    """Level of the test that rejects the differences outside the interval."""
    p_value: float | None = None
    verdict: str | None = None
    sentence: str | None = None
    """The verdict with its numbers, as in the report."""


@dataclass(frozen=True)
class CompareAddress:
    """What the address chooses."""

    name: str
    key: str
    query: str | None = None
    a: str | None = None
    b: str | None = None
    low: float | None = None
    high: float | None = None
    every: bool = False

    def link(self, **changed: str) -> str:
        """Return the address with other choices; a new query forgets the pair."""
        own = {"with": self.key, "q": self.query, "a": self.a, "b": self.b, "all": "1" if self.every else None}
        own |= {"low": None if self.low is None else f"{self.low:g}"}
        own |= {"high": None if self.high is None else f"{self.high:g}"}
        own |= {"a": None, "b": None} if "q" in changed else {}
        return study_link(self.name, "compare", **{key: one for key, one in (own | changed).items() if one})


@router.get("/s/{name}/compare", include_in_schema=False)
def compare_page(
    request: Request,
    name: str,
    with_: Annotated[str | None, Query(alias="with", max_length=1000)] = None,
    q: Text = None,
    a: Text = None,
    b: Text = None,
    low: Number = None,
    high: Number = None,
    every: Annotated[bool, Query(alias="all")] = False,
) -> Response:
    """Compare the model of a study with another size, another system or the model of another study."""
    workspace = workspace_of(request)
    listed, study = workspace.find(name), workspace.study(name)
    choices = offered(study) | _studies(workspace, listed)
    frame = Frame(f"Compare · {listed.title}", listed, "compare", ("compare.js",), ("compare.css",))
    key = with_ or _first_choice(study, choices)
    if key is None:
        text = "<h1>Nothing to compare with</h1><p>This study has one feature, no other system, and the folder has no"
        return app_page(request, frame, f"{text} other study of the same documents. Run another study of them.</p>")
    shown = CompareAddress(name, key, q, a, b, low, high, every)
    head = f'<h1 class="vh">Compare models</h1>{_choice(shown, study, choices)}'
    background: Background = request.app.state.background
    try:
        found = background.result(*_computation(workspace, study, key))
    except DataError as error:
        if str(error).startswith("There is no "):
            raise
        return app_page(request, frame, f'{head}<p class="verdict error" role="alert">{escape(str(error))}</p>', 422)
    if found is None:
        waiting = waiting_part(f"/api/studies/{quote(name, safe='')}/compare?with={quote(key, safe='')}", TRAINED)
        return app_page(request, frame, f"{head}{waiting}")
    query = found.shown_query(shown.query)
    pair = _pair(shown, found, query)
    kept = {"q": query.query} | ({} if pair is None else {"a": pair[0], "b": pair[1]})
    return app_page(request, replace(frame, kept=kept), head + _content(shown, found, query, pair))


@router.get("/s/{name}/compare.csv", include_in_schema=False)
def compare_csv(request: Request, name: str, with_: WithModel) -> Response:
    """Download the measure of every query by both models."""
    workspace, background = workspace_of(request), request.app.state.background
    found: StudyComparison = background.whole(*_computation(workspace, workspace.study(name), with_))
    headers = {"Content-Disposition": 'attachment; filename="compared-queries.csv"'}
    return Response(found.to_csv(), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/api/studies/{name}/compare")
def comparison_state(request: Request, name: str, with_: WithModel) -> ComparisonState:
    """Compare the model of a study with another one; training starts if the other one is not trained."""
    workspace, background = workspace_of(request), request.app.state.background
    found: StudyComparison | None = background.result(*_computation(workspace, workspace.study(name), with_))
    if found is None:
        return ComparisonState(ready=False)
    measured, second = found.measured, found.measured.second
    return ComparisonState(
        ready=True,
        measure=measured.comparison.measure,
        difference=second.difference,
        interval=second.difference_interval,
        level=second.level,
        p_value=second.p_value,
        verdict=second.verdict,
        sentence=measured.comparison.sentence(second.name),
    )


def _computation(workspace: Workspace, study: SavedStudy, key: str) -> tuple[Hashable, Callable[[], StudyComparison]]:
    """Return how the model of a study is compared with another one, and a key of this: it may take training."""
    other = None
    if key not in offered(study):
        if key.isdigit():
            text = f"There is no other model with {key} features in this study."
            raise DataError(text, remedy="Choose one of the list.")
        other = workspace.study(key.removeprefix(STUDY))
    return (study, key, other), lambda: compare_with(study, key, other)


def _studies(workspace: Workspace, own: ListedStudy) -> dict[str, str]:
    """Return the studies of the folder that may have the same documents, by their keys."""
    others = [one for one in workspace.studies() if one.state == FINISHED and one.name != own.name]
    return {_study_key(one.name): f"Study {one.title}" for one in others if _counts(one.record) == _counts(own.record)}


def _study_key(name: str) -> str:
    """Return the key of a study: its name, unless that could be read as a size or a system."""
    return f"{STUDY}{name}" if name.isdigit() or ":" in name else name


def _counts(record: StudyRecord | None) -> tuple[str, int | None, int | None] | None:
    return None if record is None else (record.kind, record.n_queries, record.n_documents)


def _first_choice(study: SavedStudy, choices: dict[str, str]) -> str | None:
    """Return the next smaller model, or else the first choice."""
    smaller = [str(n) for n in study.sizes if n < study.elimination.n_kept]
    return next(iter([*smaller, *choices]), None)


def _choice(shown: CompareAddress, study: SavedStudy, choices: dict[str, str]) -> str:
    known = choices if shown.key in choices else {shown.key: shown.key} | choices
    options = "".join(
        f'<option value="{escape(key)}"{" selected" if key == shown.key else ""}>{escape(label)}</option>'
        for key, label in known.items()
    )
    own = escape(size_label(study, study.elimination.n_kept))
    query = "" if shown.query is None else f'<input type="hidden" name="q" value="{escape(shown.query)}">'
    csv = escape(study_link(shown.name, "compare.csv", **{"with": shown.key}))
    return (
        f'<form class="models" id="models" method="get">{query}<div><span class="field-name">Model 1</span>'
        f'<output class="model">{own}</output></div><div><label for="with">Model 2</label>'
        f'<select id="with" name="with">{options}</select></div><noscript><button>Compare</button></noscript>'
        f'<span class="room"></span><a class="button" href="{csv}" download>Download as CSV</a></form>'
    )


def _content(shown: CompareAddress, found: StudyComparison, query: QueryChange, pair: tuple[str, str] | None) -> str:
    dots = QueryDots(found, lambda one: shown.link(q=one), query.query)
    shared = "One dot is one query" if dots.per_dot == 1 else f"One dot is up to {dots.per_dot} queries"
    return (
        f"{verdict_part(found)}<section class=columns><div><h2>Which queries change</h2>"
        f'<p class="note">{shared}: {escape(found.measured.comparison.measure.upper())} by model 2 minus model 1. '
        "Hollow loses, solid gains. Click a dot to open the query below; drag across dots to list them.</p>"
        f"{dots.svg()}</div><div>{_queries(shown, found, query)}</div></section>"
        f'<section class="columns" id="query">{_moved(shown, found, query, pair)}</section>'
    )


def verdict_part(found: StudyComparison) -> str:
    """Return what the paired test shows, and for how many queries which model is better."""
    measured, second = found.measured, found.measured.second
    comparison = measured.comparison
    held_out = "" if found.contenders[0].measured == SEEN else "held-out "
    sentence = escape(comparison.sentence(second.name)).replace(escape(second.verdict), verdict_in_words(second), 1)
    left_out = (
        f" {counted(comparison.left_out, 'query is', 'queries are')} left out, because the measure is undefined there."
        if comparison.left_out
        else ""
    )
    where = f"Both models rank the same {comparison.n_queries:,} {held_out}queries"
    if comparison.n_documents is not None:
        where = (
            f"Both rank the {comparison.n_documents:,} {held_out}documents of the only query that has different labels"
        )
    return (
        f'<p class="verdict">{where}. {sentence}<br>'
        f"It loses on {counted(measured.n_lose, 'query', 'queries')}, gains on "
        f"{measured.n_gain:,} and leaves {measured.n_unchanged:,} as they were.</p>"
        f'<p class="note">{escape(found.how_measured)}{escape(left_out)} '
        f"{escape(' '.join((*comparison.how_tested, *comparison.notes)))}</p>"
    )


def _queries(shown: CompareAddress, found: StudyComparison, query: QueryChange) -> str:
    counted_queries = found.measured.counted
    most = max((abs(one.change) for one in counted_queries), default=0.0) or 1.0
    if shown.low is not None or shown.high is not None or shown.every:
        listed = found.between(shown.low, shown.high)
        rows = "".join(_query_row(shown, one, query, most) for one in listed[:MOST_ROWS])
        rest = "" if len(listed) <= MOST_ROWS else f" The first {MOST_ROWS} are shown; the CSV file has all."
        heading = "All queries" if len(listed) == len(counted_queries) else "Chosen queries"
        fewer = escape(study_link(shown.name, "compare", **{"with": shown.key, "q": query.query}))
        after = f'<p class="note">{len(listed):,} of {len(counted_queries):,} queries, the most hurt first.{rest}</p>'
        after += f'<p><a href="{fewer}">Hurt and helped most</a></p>'
        return f'<h2>{heading}</h2><div class="all" tabindex="0">{_table(rows)}</div>{after}'
    hurt, helped = found.measured.hurt[:HURT], found.measured.helped[-HELPED:][::-1]
    between = len(counted_queries) - len(hurt) - len(helped)
    middle = f'<tr><td colspan="5" class="between">{counted(between, "query", "queries")} between</td></tr>'
    above, below = ("".join(_query_row(shown, one, query, most) for one in part) for part in (hurt, helped))
    link = f'<p><a href="{escape(shown.link(all="1"))}">All {len(counted_queries):,} queries</a></p>'
    return f"<h2>Hurt and helped most</h2>{_table(above + (middle if between else '') + below)}{link}"


def _table(rows: str) -> str:
    return (
        '<table class="queries"><thead><tr><th scope="col">Query</th><th scope="col" class="number">Model 1</th>'
        '<th scope="col" class="number">Model 2</th><td class="head-cell"></td>'
        '<th scope="col" class="number">Change</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _query_row(shown: CompareAddress, one: QueryChange, chosen: QueryChange, most: float) -> str:
    is_chosen = one.query == chosen.query
    width = 36 * abs(one.change) / most
    x, look = (40.0, "gain") if one.change > 0 else (40.0 - width, "lose")
    bar = f'<rect class="{look}" x="{x:.1f}" y="4" width="{width:.1f}" height="8"/>' if width else ""
    return (
        f'<tr{" class=chosen" if is_chosen else ""}><td><a href="{escape(shown.link(q=one.query))}#query"'
        f"{' aria-current=true' if is_chosen else ''}><bdi>{escape(one.query)}</bdi></a></td>"
        f'<td class="number">{one.value_1:.3f}</td><td class="number">{one.value_2:.3f}</td>'
        f'<td><svg class="bar-cell" viewBox="0 0 80 16" width="80" height="16" aria-hidden="true">'
        f'<path d="M40 0v16"/>{bar}</svg></td><td class="number">{signed(one.change, sign=True)}</td></tr>'
    )


def _moved(shown: CompareAddress, found: StudyComparison, query: QueryChange, pair: tuple[str, str] | None) -> str:
    a, b = pair or (None, None)
    shown = replace(shown, query=query.query, a=a, b=b)
    total = len(found.lists.rows(query.query))
    seen = ""
    if found.lists_are_seen:
        seen = (
            " The lists are ranked by the final models, which were trained on this query, too. Measured without it: "
            f"{query.value_1:.3f} and {query.value_2:.3f}."
        )
    lists = moved_lists(found, query, pair, lambda letter, one: f"{shown.link(**_chosen(pair, letter, one))}#query")
    left = (
        f"<div><h2><bdi>{escape(query.query)}</bdi>: what moved</h2><p class=note>The first {min(FIRST, total)} of "
        f"{counted(total, 'document')} by each model. Little bars: judged label. Choose A on the left and B on the "
        f"right.{escape(seen)}</p>{lists}{_neighbours(shown, found, query)}</div>"
    )
    return f"{left}<div>{_why(shown, found, query, pair)}</div>"


def _chosen(pair: tuple[str, str] | None, letter: str, name: str) -> dict[str, str]:
    """Return the parameters that make a document A or B; if it is the other one, they swap."""
    if pair is not None and name == pair["ba".index(letter)]:
        return {"a": pair[1], "b": pair[0]}
    return {letter: name}


def _pair(shown: CompareAddress, found: StudyComparison, query: QueryChange) -> tuple[str, str] | None:
    """Return the chosen pair; what is not chosen comes from the pair that tells most."""
    names = found.lists.names(query.query)
    for one in (shown.a, shown.b):
        if one is not None and one not in names:
            raise DataError(f"There is no document {one!r} in the query {query.query!r}.")
    if len(names) < 2:
        return None
    told = found.telling_pair(query.query) or tuple(names[:2])
    a = shown.a or next(one for one in told if one != shown.b)
    b = shown.b or next(one for one in told if one != a)
    return a, b


def _why(shown: CompareAddress, found: StudyComparison, query: QueryChange, pair: tuple[str, str] | None) -> str:
    if pair is None:
        return "<h2>Why</h2><p>Choose a query with two documents: this one has a single one.</p>"
    if not found.is_explained:
        label = escape(found.contenders[1].label)
        return (
            f"<h2>Why</h2><p>{label} is known by its scores only: it cannot say why it ranks one document above "
            "another. Choose another size or another study to compare the contributions of features.</p>"
        )
    told = found.explain(query.query, *pair)
    ranking = study_link(shown.name, "ranking", q=query.query, a=pair[0], b=pair[1])
    if told is None:
        return "<h2>Why</h2><p>Only one of the models has probabilities: the contributions have no common unit.</p>"
    return why_moved(told, ranking)


def _neighbours(shown: CompareAddress, found: StudyComparison, query: QueryChange) -> str:
    """Return links to the queries before and after this one, from the most hurt to the most helped."""
    names = [one.query for one in found.between(shown.low, shown.high)]
    if query.query not in names:
        return ""
    place = names.index(query.query)
    links = []
    if place > 0:
        links.append(f'<a rel="prev" href="{escape(shown.link(q=names[place - 1]))}#query">Previous query</a>')
    if place + 1 < len(names):
        links.append(f'<a rel="next" href="{escape(shown.link(q=names[place + 1]))}#query">Next query</a>')
    return f'<p class="row" title="From the most hurt query to the most helped.">{"".join(links)}</p>'
