"""The Ranking page: how a query is ranked, why A is above B, and what would happen if a value were different."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from glassrank.app.page_frame import Frame, app_page, workspace_of
from glassrank.app.ranking_page.head_part import head_part, what_if_part
from glassrank.app.ranking_page.list_part import HALF, ListPart
from glassrank.app.ranking_page.pair_part import pair_of, pair_part
from glassrank.app.ranking_page.ranking_address import Asked, Shown, asked, shown
from glassrank.app.size_training import is_trained, training_part
from glassrank.core.wording import counted
from glassrank.studies.views.pair_view import PairRow, PairView
from glassrank.studies.views.what_if import Change, takes_missing, text_of

router = APIRouter()
MOST_FOUND = 50
Parameters = Annotated[Asked, Depends(asked)]


class ListedDocument(BaseModel):
    """A document of a ranked list."""

    name: str
    label: float
    rank: int
    recorded_rank: int
    score: float
    """Relative to the average of the first ten as recorded; in log-odds if the model has probabilities."""


class RankingAnswer(BaseModel):
    """A ranked list with its changes, and the pair that is compared."""

    query: str
    measure: str
    recorded_value: float | None
    value: float | None
    documents: list[ListedDocument]
    """By rank."""
    a: str
    b: str | None
    total: float | None
    probability: float | None
    probability_interval: tuple[float, float] | None


class FoundQuery(BaseModel):
    """A query of the picker."""

    name: str
    number: int
    n_documents: int
    value: float | None


class FoundQueries(BaseModel):
    """Queries whose names contain a text, in the chosen order."""

    measure: str
    total: int
    """How many there are; at most 50 are listed."""
    queries: list[FoundQuery]


@router.get("/s/{name}/ranking", include_in_schema=False)
def ranking_page(request: Request, name: str, given: Parameters) -> Response:
    """Show a query as a model ranks it."""
    found = shown_pair(request, name, given)
    if isinstance(found, Response):
        return found
    now, dropped = found
    pair, listed = pair_of(now), ListPart(now)
    content = (
        f"{head_part(now)}{what_if_part(now, dropped)}"
        f'<div class="columns ranking">{listed.html()}{pair_part(now, pair)}</div>'
    )
    frame = Frame(
        f"Ranking of {now.ranked.query}",
        workspace_of(request).find(name),
        "ranking",
        scripts=("ranking.js",),
        styles=("ranking.css",),
        data=_page_data(now, pair, listed.largest),
        kept=now.kept,
    )
    return app_page(request, frame, content)


@router.get("/api/studies/{name}/ranking")
def ranked(request: Request, name: str, given: Parameters) -> RankingAnswer:
    """Return a ranked list, with changed values if some are set."""
    now = shown(workspace_of(request).study(name), name, given)
    found, pair = now.ranked, pair_of(now)
    return RankingAnswer(
        query=found.query,
        measure=now.view.study.recipe.measure,
        recorded_value=found.recorded.measure,
        value=found.now.measure,
        documents=[
            ListedDocument(
                name=found.names[place],
                label=float(found.labels[place]),
                rank=int(found.now.ranks[place]),
                recorded_rank=int(found.recorded.ranks[place]),
                score=float(found.now.scores[place]),
            )
            for place in found.now.order.tolist()
        ],
        a=found.names[now.a],
        b=None if now.b is None else found.names[now.b],
        total=None if pair is None else pair.total,
        probability=None if pair is None else pair.probability,
        probability_interval=None if pair is None else pair.probability_interval,
    )


@router.get("/api/studies/{name}/queries")
def queries(
    request: Request,
    name: str,
    given: Parameters,
    find: Annotated[str, Query(description="Text that the names contain, in any case.")] = "",
) -> FoundQueries:
    """Find queries by a part of their names."""
    view = given.view(workspace_of(request).study(name))
    wanted = find.strip().lower()
    order = view.query_order(given.order).tolist()
    found = [number for number in order if wanted in view.query_names[number].lower()]
    values, sizes = view.query_values, view.data.groups.sizes
    listed = [
        FoundQuery(
            name=view.query_names[number],
            number=number + 1,
            n_documents=int(sizes[number]),
            value=None if np.isnan(values[number]) else float(values[number]),
        )
        for number in found[:MOST_FOUND]
    ]
    return FoundQueries(measure=view.study.recipe.measure, total=len(found), queries=listed)


def shown_pair(request: Request, name: str, given: Asked) -> tuple[Shown, int] | Response:
    """Return what an address shows, and how many of its changes concern features that the model does not have.

    While the model is trained, return a page that waits for it.
    """
    workspace = workspace_of(request)
    study = workspace.study(name)
    view = given.view(study)
    if not is_trained(request, study, view.n_features):
        heading = f"<h1>Ranking by {counted(view.n_features, 'feature')}</h1>"
        frame = Frame("Ranking", workspace.find(name), "ranking")
        return app_page(request, frame, heading + training_part(name, view.n_features))
    kept = tuple(one for one in given.set if Change.parse(one).feature in view.effects.names)
    return shown(study, name, replace(given, set=kept)), len(given.set) - len(kept)


def _page_data(now: Shown, pair: PairView | None, largest: float) -> dict[str, Any]:
    """Return what the page's script needs: all documents, the features, and the curves of the panel."""
    found, effects = now.ranked, now.view.effects
    return {
        "study": now.study,
        "link": now.link(),
        "documents": [
            {
                "name": found.names[place],
                "score": float(found.now.scores[place]),
                "rank": int(found.now.ranks[place]),
                "recorded_rank": int(found.recorded.ranks[place]),
                "label": float(found.labels[place]),
            }
            for place in range(len(found.names))
        ],
        "a": now.a,
        "b": now.b,
        "scores": now.view.scores_documents,
        "quality": {"name": now.view.study.recipe.measure.upper(), "recorded": found.recorded.measure},
        "bars": {"half": HALF, "largest": largest},
        "total": None if pair is None else pair.total,
        "features": [
            {
                "name": one.name,
                "unit": one.unit,
                "low": one.low,
                "high": one.high,
                "whole": one.whole,
                "levels": list(one.categories),
                "missing": takes_missing(one),
            }
            for one in effects.features
        ],
        "rows": [] if pair is None else [_row_data(now, pair, row) for row in pair.rows if row.line is not None],
    }


def _row_data(now: Shown, pair: PairView, row: PairRow) -> dict[str, Any]:
    """Return the curve of a feature as straight pieces, with effects from the lowest one of the line."""
    line = row.line
    if line is None:
        return {}
    found = row.found
    return {
        "k": row.k,
        "values": line.values.tolist(),
        "effects": line.effects.tolist(),
        "runs": [list(run) for run in line.runs],
        "now": [None if np.isnan(value) else float(value) for value in _values(row)],
        "at": [float(row.effect(np.array([value]))[0] - line.lowest) for value in _values(row)],
        "ties": [None if value is None else text_of(row.effect, value) for value in (found.flip_a, found.flip_b)],
        "added": [float(now.ranked.now.contributions[place, row.k]) for place in (pair.a, pair.b)],
    }


def _values(row: PairRow) -> tuple[float, float]:
    a, b = row.found.value_a, row.found.value_b
    return (np.nan if a is None else a), (np.nan if b is None else b)
