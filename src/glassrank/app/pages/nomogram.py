"""The Nomogram page: the live nomogram of the two documents that the Ranking page compares."""

from html import escape

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import Response

from glassrank.app.page_frame import Frame, app_page, workspace_of
from glassrank.app.pages.ranking import Parameters, shown_pair
from glassrank.app.ranking_page.head_part import head_part
from glassrank.app.ranking_page.pair_part import picker
from glassrank.app.ranking_page.ranking_address import Shown
from glassrank.core.wording import counted
from glassrank.nomograms.figure.nomogram import CAPTION, Nomogram, nomogram

router = APIRouter()


@router.get("/s/{name}/nomogram", include_in_schema=False)
def nomogram_page(request: Request, name: str, given: Parameters) -> Response:
    """Show the pair of an address as a nomogram; values that the address changes are moved when it is live."""
    found = shown_pair(request, name, given)
    if isinstance(found, Response):
        return found
    now, _ = found
    if now.b is None:
        drawn = "<p>This query has one document: there is none to compare it with.</p>"
    else:
        drawn = f'{_picture(now, now.b).html()}<p class="note">{escape(CAPTION)}</p>'
    content = (
        f'{head_part(now, "nomogram")}<div class="row pickers">{picker(now, "a")}{picker(now, "b")}</div>'
        f"{drawn}{_foot(now)}"
    )
    frame = Frame(
        f"Nomogram of {now.ranked.query}",
        workspace_of(request).find(name),
        "ranking",
        scripts=("vega.js", "nomogram_page.js", "nomogram.js"),
        styles=("ranking.css",),
        data={"changes": _changes(now)},
        kept=now.kept,
    )
    return app_page(request, frame, content)


def _picture(now: Shown, b: int) -> Nomogram:
    """Draw the documents as recorded, by their positions: names may be repeated in the data."""
    view = now.view
    return nomogram(
        view.model,
        view.study.measured.pick_features(view.study.features_with(view.n_features)),
        query=now.ranked.query,
        document=now.a,
        against=b,
        samples=view.samples,
        title=f"Query {now.ranked.query}",
    )


def _changes(now: Shown) -> list[tuple[str, int, float | None]]:
    """Return the changed values of A and B: letter, number of the feature, and value, None if missing."""
    letters = {now.a: "A", now.b: "B"}
    changed = [(place, k, float(now.ranked.now.values[place, k])) for place, k in now.ranked.changed]
    return [(letters[place], k, None if np.isnan(value) else value) for place, k, value in changed if place in letters]


def _foot(now: Shown) -> str:
    elsewhere = sum(1 for place, _ in now.ranked.changed if place not in (now.a, now.b))
    note = ""
    if elsewhere:
        verb = "does" if elsewhere == 1 else "do"
        note = f'<p class="note">{counted(elsewhere, "change")} of other documents {verb} not concern this pair.</p>'
    return f'{note}<p><a href="{now.href()}">Back to the ranked list</a></p>'
