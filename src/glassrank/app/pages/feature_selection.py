"""Which features can be dropped: the elimination curve, the model of each of its points, and other selectors."""

from collections.abc import Callable
from html import escape
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Path, Request
from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response

from glassrank.app.background import waiting_part
from glassrank.app.page_frame import Frame, app_page, study_link, token_field, workspace_of
from glassrank.app.pages.selectors_table import SORTS, selectors_table
from glassrank.app.size_training import is_trained, training_part
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.core.checks import DataError, check_choice
from glassrank.core.wording import counted
from glassrank.drawing.numbers import Notation
from glassrank.drawing.render import to_svg
from glassrank.drawing.self_contained_page import figure
from glassrank.drawing.theme import PAGE
from glassrank.metrics.verdict import difference_in_words
from glassrank.nomograms.figure.model_nomogram import CAPTION, ModelNomogram, model_nomogram
from glassrank.studies.views.model_sizes import ModelSize, model_size
from glassrank.studies.views.repeat_study import repeat_study
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.selector_places import SelectorPlaces, compute_places, read_places

router = APIRouter()
SAMPLED = "the documents that this study stored, a random sample of the queries,"


class SizeState(BaseModel):
    """A model of the elimination, and whether it is trained."""

    n_features: int
    features: list[str]
    ready: bool


class SelectorsState(BaseModel):
    """The places that the selectors give the features; None while they are computed."""

    ready: bool
    places: SelectorPlaces | None


@router.get("/s/{name}/features", include_in_schema=False)
def features(request: Request, name: str, n: int | None = None, sort: str = "nomogram") -> Response:
    """Show the elimination curve, the model with ``n`` features, and what other selectors say."""
    check_choice("sort", sort, SORTS)
    workspace = workspace_of(request)
    listed, saved = workspace.find(name), workspace.study(name)
    size = model_size(saved, saved.elimination.n_kept if n is None else n)
    picture = _made(request, name, size.n_features, saved)

    def address(n_features: int) -> str:
        return "?" + urlencode({"n": n_features, "sort": sort})

    content = (
        f'<div class="head"><div><h1>Features</h1><p>{escape(saved.elimination.sentences()[0])} '
        "Choose a point of the curve to see its model.</p></div>"
        f'<a class="button" href="{escape(study_link(name, "files/selection.csv"))}">Download selection.csv</a></div>'
        f'<div class="columns"><section>{_curve(saved, size, address)}</section>'
        f"<section>{_model(request, name, saved, size, picture, address)}</section></div>"
        f"{_nomogram(name, size, picture)}{_selectors(request, name, saved, sort, size.n_features)}"
    )
    frame = Frame(f"Features of {listed.title}", listed, "features", ("features.js",), ("features.css",))
    return app_page(request, frame, content)


@router.post("/s/{name}/features", include_in_schema=False)
def use(request: Request, name: str, n: Annotated[int, Form()]) -> Response:
    """Start a new study with only these features."""
    workspace = workspace_of(request)
    listed, saved = workspace.find(name), workspace.study(name)
    title = f"{listed.title}, {counted(n, 'feature')}"
    kept = saved.features_with(n)
    folder = workspace.new_folder(title)
    options = repeat_study(saved, folder, title, features=kept)
    JobFiles(folder).start(Job(title=title, kind="repeat", options=options))
    return RedirectResponse("/", 303)


@router.get("/api/studies/{name}/sizes/{n}")
def size_state(request: Request, name: str, n: Annotated[int, Path(ge=1)]) -> SizeState:
    """Return the features of a model of the elimination; training starts if it is not trained."""
    saved = workspace_of(request).study(name)
    kept = saved.features_with(n)
    return SizeState(n_features=n, features=kept, ready=_made(request, name, n, saved) is not None)


@router.get("/api/studies/{name}/selectors")
def selectors_state(request: Request, name: str) -> SelectorsState:
    """Return the places that the selectors give the features; computing starts if they are not known."""
    found = _places(request, name, workspace_of(request).study(name))
    return SelectorsState(ready=found is not None, places=found)


def _made(request: Request, name: str, n_features: int, saved: SavedStudy) -> ModelNomogram | None:
    """Return the nomogram of a model of the elimination; None while the model is trained."""
    if not is_trained(request, saved, n_features):
        return None

    def draw() -> ModelNomogram:
        # As in selection.csv, lines are as long as they are in the training documents.
        data = saved.training.counted().pick_features(saved.features_with(n_features))
        title = f"Nomogram of the model with {counted(n_features, 'feature')}"
        return model_nomogram(saved.model_with(n_features), data, title=title)

    key = f"nomogram {n_features}"
    made: ModelNomogram | None = request.app.state.background.result((saved, key), lambda: saved.once(key, draw))
    return made


def _places(request: Request, name: str, saved: SavedStudy) -> SelectorPlaces | None:
    known = read_places(saved)
    if known is not None:
        return known
    found: SelectorPlaces | None = request.app.state.background.result((saved, "places"), lambda: compute_places(saved))
    return found


def _curve(saved: SavedStudy, size: ModelSize, address: Callable[[int], str]) -> str:
    links = {n_features: address(n_features) for n_features in saved.sizes}
    chart = saved.elimination.chart(size.n_features, links)
    return f"<h2>What can be dropped</h2>{chart.figure(' '.join(chart.text.notes))}"


def _model(
    request: Request,
    name: str,
    saved: SavedStudy,
    size: ModelSize,
    picture: ModelNomogram | None,
    address: Callable[[int], str],
) -> str:
    """Return the numbers of the model that is shown, its features, and what can be done with it."""
    steps = "".join(
        f'<a class="button" href="{escape(address(to))}" rel="{rel}" aria-label="{words}">{sign}</a>'
        if to is not None
        else f'<span class="button off" aria-hidden="true">{sign}</span>'
        for to, rel, words, sign in (
            (size.fewer, "prev", "One point to the left: fewer features", "←"),
            (size.more, "next", "One point to the right: more features", "→"),
        )
    )
    n_features = str(size.n_features)
    links = f'<a href="{escape(study_link(name, "nomogram", model=n_features))}">Full nomogram</a>'
    if size.difference is not None:
        compare = study_link(name, "compare", **{"with": n_features})
        links += f'<a href="{escape(compare)}">Compare with chosen</a>'
    return (
        f'<div class="row"><h2>The model with {counted(size.n_features, "feature")}</h2><span class="room"></span>'
        f"{steps}</div>{_facts(saved, size, picture)}{_lines(picture)}"
        f'<form method="post" action="{escape(study_link(name, "features"))}" class="row">{token_field(request)}'
        f'<input type="hidden" name="n" value="{size.n_features}"><button>Use these {size.n_features}</button>{links}'
        f'</form><p class="hint">Use these: a new study of {SAMPLED if saved.is_sample else "the same documents"} with '
        "these features only. Systems that were added to this study are not compared again.</p>"
    )


def _facts(saved: SavedStudy, size: ModelSize, picture: ModelNomogram | None) -> str:
    number, elimination = Notation(3), saved.elimination
    facts = {elimination.scoring: number(size.score)}
    if size.difference is None:
        facts["Chosen"] = "this is the study’s model"
        below = "The score is optimistic: the subset was chosen by it."
    else:
        found = size.difference
        mean, interval = difference_in_words(found.mean, found.interval)
        facts[f"Against the chosen {elimination.n_kept}"] = f"{mean}, {found.verdict}"
        below = "Too few folds for an interval."
        if interval:
            below = f"95 % interval of the difference {interval}, paired over {size.n_folds} folds."
    measured = None if picture is None else getattr(saved.model_with(size.n_features), "calibration_", None)
    if measured is not None:
        facts["Pairs in order"] = f"{measured.accuracy:.1%}"
        below += f" Pairs in order: of {measured.n_pairs:,} held-out pairs."
    below += f" Dropped next: {', '.join(size.leaves)}." if size.leaves else ""
    rows = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in facts.items())
    return f'<dl class="facts">{rows}</dl><p class="hint">{escape(below)}</p>'


def _lines(picture: ModelNomogram | None) -> str:
    """Return the features of the model with the lengths of their lines, the longest first."""
    if picture is None:
        return ""
    largest = max(picture.lengths, default=0.0) or 1.0
    amount = picture.layout.amounts
    rows = "".join(
        f'<tr><th scope="row">{escape(picture.effects.features[k].name)}</th><td class="bar">'
        f'<span style="width:{picture.lengths[k] / largest:.1%}"></span></td>'
        f'<td class="number">{amount(picture.lengths[k])}</td></tr>'
        for k in picture.by_length
    )
    return (
        '<div class="lines" tabindex="0" role="group" aria-label="Features of this model"><table class="bars"><thead>'
        '<tr><th scope="col">Feature</th><td></td><th scope="col" class="number">Length of its line</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _nomogram(name: str, size: ModelSize, picture: ModelNomogram | None) -> str:
    opening = '<section aria-label="Nomogram of this model">'
    if picture is None:
        return f"{opening}{training_part(name, size.n_features)}</section>"
    drawn = figure(to_svg(picture.specification(PAGE)), CAPTION).replace("<figure", '<figure class="wide"', 1)
    return f"{opening}{drawn}</section>"


def _selectors(request: Request, name: str, saved: SavedStudy, sort: str, n_features: int) -> str:
    heading = '<h2 id="selectors">Do other selectors agree?</h2>'
    try:
        found = _places(request, name, saved)
    except DataError as error:
        return f'<section>{heading}<p class="error">{escape(str(error))}</p></section>'
    if found is None:
        address = f"/api/studies/{quote(name, safe='')}/selectors"
        waiting = waiting_part(address, "The features are being ranked by four other methods.")
        return f"<section>{heading}{waiting}</section>"
    return f"<section>{heading}{selectors_table(found, sort, n_features)}</section>"
