"""What a study read: sizes, labels, queries, and each feature with what deserves a look."""

from html import escape
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from glassrank.app.background import waiting_part
from glassrank.app.page_frame import Frame, app_page, study_link, token_field, workspace_of
from glassrank.app.security import sent_form
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.core.checks import DataError, check_choice
from glassrank.core.column_transforms import NONE, STANDARD
from glassrank.core.wording import counted
from glassrank.drawing.histograms import count_columns, small_histogram
from glassrank.drawing.numbers import MINUS
from glassrank.ranking.feature_transformer import TRANSFORMS
from glassrank.studies.ranking.recipe import UTILITY
from glassrank.studies.views.count_bins import CountBin, limits_of
from glassrank.studies.views.data_overview import DataOverview, FeatureOverview, data_overview
from glassrank.studies.views.repeat_study import repeat_study
from glassrank.studies.views.saved_study import SavedStudy

router = APIRouter()
MOST_LABELS = 12
COLUMNS = ("Feature", "Values", "Range", "Missing", "Distinct", "Constant within query", "Transform", "Worth a look")
NUMERIC = COLUMNS[2:6]
SAMPLE = (
    "The study read more documents than it stored: this page describes a random sample of the queries, and a rerun "
    "studies that sample."
)
NOTE = (
    "Constant within query: share of the queries in which all documents have the same value, so that the feature "
    "cannot order them. All other numbers are over all documents."
)


class DataState(BaseModel):
    """The sizes of what a study read, when they have been counted."""

    ready: bool
    n_queries: int | None = None
    n_documents: int | None = None
    n_features: int | None = None
    n_pairs: int | None = None
    worth_a_look: int | None = None
    """Number of features with a warning."""


@router.get("/s/{name}/data", include_in_schema=False)
def data(
    request: Request,
    name: str,
    warnings: bool = False,
    find: str = "",
    transform: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """Show what the study read; ``transform`` are noted changes, ``NAME=METHOD``."""
    workspace = workspace_of(request)
    listed, saved = workspace.find(name), workspace.study(name)
    overview = _overview(request, name, saved)
    if overview is None:
        waiting = waiting_part(f"/api/studies/{quote(name, safe='')}/data", "The documents are being counted.")
        frame = Frame(f"Data of {listed.title}", listed, "data")
        return app_page(request, frame, f"<h1>Data</h1>{waiting}")
    changes = _changes(saved, transform or [])
    shown = [
        one
        for one in overview.features
        if find.strip().casefold() in one.name.casefold() and (bool(one.warnings) or not warnings)
    ]
    kept = {name: method for name, method in changes.items() if name not in {one.name for one in shown}}
    content = (
        f"{_head(overview, len(changes))}{_facts(overview)}{_distributions(overview)}"
        f'<section><div class="row"><h2>Features</h2><span class="room"></span>'
        f"{_filter(overview, warnings, find, changes)}</div>"
        f'<form method="post" id="rerun" action="{escape(study_link(name, "rerun"))}">{token_field(request)}'
        f"{_hidden(kept)}{_table(saved, shown, changes, find)}</form>"
        f'<p class="note">{NOTE}</p></section>'
    )
    return app_page(request, Frame(f"Data of {listed.title}", listed, "data", ("data.js",), ("data.css",)), content)


@router.get("/api/studies/{name}/data")
def data_state(request: Request, name: str) -> DataState:
    """Return the sizes of what the study read; counting starts if nothing has been counted."""
    workspace = workspace_of(request)
    found = _overview(request, name, workspace.study(name))
    if found is None:
        return DataState(ready=False)
    said = found.description
    sizes = {"n_queries": said.n_queries, "n_documents": said.n_rows, "n_features": said.n_features}
    return DataState(ready=True, **sizes, n_pairs=said.n_pairs, worth_a_look=found.n_warned)


@router.post("/s/{name}/rerun", include_in_schema=False)
def rerun(request: Request, name: str, sent: Annotated[FormData, Depends(sent_form)]) -> Response:
    """Start a new study of the same documents with other transforms."""
    workspace = workspace_of(request)
    listed, saved = workspace.find(name), workspace.study(name)
    changes = _changes(saved, [one for one in sent.getlist("transform") if isinstance(one, str)])
    if not changes:
        raise DataError(
            "No transform was changed.", remedy="Choose another one for a feature, then run the study again."
        )
    title = f"{listed.title}, other transforms"
    folder = workspace.new_folder(title)
    options = repeat_study(saved, folder, title, transforms=changes)
    JobFiles(folder).start(Job(title=title, kind="repeat", options=options))
    return RedirectResponse("/", 303)


def _overview(request: Request, name: str, saved: SavedStudy) -> DataOverview | None:
    """Return what the study read; None while it is counted."""
    found: DataOverview | None = request.app.state.background.result((saved, "data"), lambda: data_overview(saved))
    return found


def _changes(saved: SavedStudy, given: list[str]) -> dict[str, str]:
    """Return the given transforms that are not those of the study, by feature."""
    own = {one.name: one.transform for one in data_overview(saved).features}
    found = {}
    for one in given:
        feature, _, method = one.rpartition("=")
        if own.get(feature) is None:
            raise DataError(f"There is no feature {feature!r} with a transform in this study.")
        check_choice("transform", method, TRANSFORMS)
        if own[feature] != method:
            found[feature] = method
    return found


def _head(overview: DataOverview, n_changes: int) -> str:
    described = overview.description
    look = "deserves a look" if overview.n_warned == 1 else "deserve a look"
    said = f"What the study read, before any model. {overview.n_warned} of {described.n_features} features {look}."
    said += "" if not overview.is_sample else f" {SAMPLE}"
    said += "" if overview.scaled is None else f" Features are shown as scaled within each query ({overview.scaled})."
    said += "" if overview.searched else " Features that move together are not searched among so many."
    changed = counted(n_changes, "transform") + " changed" if n_changes else "Change a transform below first"
    return (
        f'<div class="head"><div><h1>Data</h1><p>{escape(said)}</p></div><div class="rerun">'
        f'<button form="rerun" id="rerun-button">Rerun with these changes</button>'
        f'<p class="hint" id="rerun-hint" aria-live="polite">{changed}.</p></div></div>'
    )


def _facts(overview: DataOverview) -> str:
    described, test = overview.description, overview.test
    none = described.queries_without_pairs
    facts = {
        "Queries": f"{described.n_queries:,}",
        "Documents": f"{described.n_rows:,}",
        "Features": f"{described.n_features:,}",
        "Pairs with different labels": f"{described.n_pairs:,}",
        "Queries with one label only": f"{none:,}" + (", cannot teach" if none else ""),
    }
    if test is not None:
        facts["Test data, not described here"] = f"{test.n_queries:,} queries, {test.n_rows:,} documents"
    if described.weight_range is not None:
        low, high = described.weight_range
        facts["Row weights"] = f"{low:g} to {high:g}, {described.rows_of_weight_zero:,} of weight 0"
    rows = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in facts.items())
    return f'<dl class="facts">{rows}</dl>'


def _distributions(overview: DataOverview) -> str:
    described = overview.description
    fewest, median, most = described.documents_per_query
    return (
        f'<section class="thirds"><div><h2>Labels</h2>{_labels(described.label_counts, described.n_rows)}</div>'
        f"<div><h2>Documents per query</h2>"
        f'<p class="hint">median {median:,g}, from {fewest:,} to {most:,}</p>'
        f"{_columns(overview.documents, 'documents')}</div><div><h2>Pairs per query</h2>"
        f'<p class="hint">median {overview.median_pairs:,g}; pairs of documents with different labels</p>'
        f"{_columns(overview.pairs, 'pairs')}</div></section>"
    )


def _labels(counts: dict[float, int], n_rows: int) -> str:
    if len(counts) > MOST_LABELS:
        low, high = min(counts), max(counts)
        return f"<p>{len(counts):,} different values from {_number(low)} to {_number(high)}.</p>"
    most = max(counts.values())
    rows = "".join(
        f'<tr><th scope="row">{_number(label)}</th><td class="bar"><span style="width:{count / most:.1%}">'
        f'</span></td><td class="number">{count:,}</td><td class="number">{count / n_rows:.1%}</td></tr>'
        for label, count in sorted(counts.items(), reverse=True)
    )
    heads = '<th scope="col">Label</th><td></td><th scope="col" class="number">Documents</th>'
    return (
        f'<table class="labels"><thead><tr>{heads}<th scope="col" class="number">Share</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _columns(bins: tuple[CountBin, ...], what: str) -> str:
    says = "; ".join(f"{one.label} {what}: {counted(one.n_queries, 'query', 'queries')}" for one in bins)
    single = all(one.low == one.high for one in bins)
    limits = [one.label for one in bins] if single else [f"{limit:,}" for limit in limits_of(bins)]
    return count_columns([one.n_queries for one in bins], limits, says)


def _filter(overview: DataOverview, warnings: bool, find: str, changes: dict[str, str]) -> str:
    """Return the field that filters by name, and the links to all features and to those with warnings."""
    named = [("find", find.strip())] if find.strip() else []
    noted = [("transform", f"{name}={method}") for name, method in changes.items()]
    links = "".join(
        f'<a href="?{escape(urlencode([*chosen, *named, *noted]))}"{" aria-current=true" if current else ""}>'
        f"{label}</a>"
        for chosen, label, current in (
            ([], f"All {len(overview.features)}", not warnings),
            ([("warnings", "1")], f"With warnings {overview.n_warned}", warnings),
        )
    )
    own = '<input type="hidden" name="warnings" value="1">' if warnings else ""
    return (
        f'<form class="row" role="search" id="filter">{own}{_hidden(changes)}<input type="search" name="find" '
        f'value="{escape(find)}" aria-label="Filter features" placeholder="Filter features"><button>Filter</button>'
        f'</form><nav class="segments" aria-label="Which features">{links}</nav>'
    )


def _hidden(changes: dict[str, str]) -> str:
    return "".join(
        f'<input type="hidden" name="transform" value="{escape(f"{name}={method}")}">'
        for name, method in changes.items()
    )


def _table(saved: SavedStudy, shown: list[FeatureOverview], changes: dict[str, str], find: str) -> str:
    if not shown:
        words = f"No feature contains “{find.strip()}”" if find.strip() else "No feature has a warning"
        return f'<p>{escape(words)}. <a href="?">Show all features</a></p>'
    # Differences of documents can be computed before these transforms only.
    methods = TRANSFORMS if saved.recipe.mode == UTILITY else (NONE, STANDARD)
    heads = "".join(
        f'<th scope="col"{" class=number" if name in NUMERIC else ""}>{escape(name)}</th>' for name in COLUMNS
    )
    rows = "".join(_row(one, methods, changes.get(one.name)) for one in shown)
    return (
        f'<div class="scroll"><table class="list features"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
    )


def _row(one: FeatureOverview, methods: tuple[str, ...], changed: str | None) -> str:
    found, name = one.statistics, escape(one.name)
    labels, counts = [value.label for value in one.values], [value.count for value in one.values]
    says = f"Values of {one.name}" if found.most_frequent is None else f"{one.name}: {found.level_in_words()}"
    picture = small_histogram(labels, counts, says) if counts else "–"
    warnings = "".join(f'<li><span aria-hidden="true">⚠</span> {escape(words)}</li>' for words in one.warnings)
    return (
        f'<tr><th scope="row">{name}</th><td>{picture}</td><td class="number">{escape(_range(one))}</td>'
        f'<td class="number">{_share(found.missing_share)}</td><td class="number">{found.n_distinct:,}</td>'
        f'<td class="number">{_share(found.constant_share)}</td><td>{_select(one, methods, changed)}</td>'
        f"<td>{f'<ul>{warnings}</ul>' if warnings else ''}</td></tr>"
    )


def _select(one: FeatureOverview, methods: tuple[str, ...], changed: str | None) -> str:
    if one.transform is None:
        return '<span class="hint">category</span>'
    now = changed or one.transform
    options = "".join(
        f'<option value="{escape(f"{one.name}={method}")}"{" selected" if method == now else ""}>'
        f"{_method(one, method)}</option>"
        for method in methods
    )
    own = escape(f"{one.name}={one.transform}")
    return f'<select name="transform" data-own="{own}" aria-label="Transform of {escape(one.name)}">{options}</select>'


def _method(one: FeatureOverview, method: str) -> str:
    """Return the name of a transform; of the one in use, also what was made of it."""
    return method if method != one.transform or one.used == method else f"{method} ({one.used})"


def _range(one: FeatureOverview) -> str:
    found = one.statistics
    if found.minimum is None or found.maximum is None:
        return "–" if found.most_frequent is None else found.level_in_words()
    return f"{_number(found.minimum)} – {_number(found.maximum)}"


def _share(share: float) -> str:
    """Return a share with a bar; nothing but 0 if there is none."""
    if share == 0.0:
        return '<span class="hint">0</span>'
    words = f"{share:.0%}" if share >= 0.1 else f"{share:.1%}" if share >= 0.001 else "<0.1%"
    return f'{escape(words)} <span class="share"><span style="width:{share:.1%}"></span></span>'


def _number(value: float) -> str:
    return (f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:.4g}").replace("-", MINUS)
