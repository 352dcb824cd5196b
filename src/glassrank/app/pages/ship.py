"""The Ship page: files of a study, its model in every export format, and the check of a running engine."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel
from starlette.datastructures import FormData
from starlette.responses import Response

from glassrank.app.page_frame import Frame, app_page, study_link, workspace_of
from glassrank.app.pages.report import FILES
from glassrank.app.security import sent_form, text_fields
from glassrank.app.ship_page.engine_check import Checked, check_section, run_check
from glassrank.app.ship_page.export_options import address, in_fields, options_form, read_choice
from glassrank.core.checks import DataError
from glassrank.export.export_model import ExportedModel
from glassrank.export.formats.format_table import FORMATS
from glassrank.export.live_requests import REQUESTS
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.study_exports import (
    ExportChoice,
    engine_names,
    export_or_reason,
    export_study,
    possible_swaps,
    zipped,
)

router = APIRouter()


class ExportState(BaseModel):
    """Whether the model of a study can be exported to a format, with default options."""

    format: str
    possible: bool
    reason: str | None = None
    """Why not."""
    kind: str | None = None
    bytes: int | None = None
    bound: float | None = None
    """Largest difference of a score from the model's."""
    notes: list[str] = []


@router.get("/s/{name}/ship", include_in_schema=False)
def ship(request: Request, name: str) -> Response:
    """Show the files of a study, and its model in a format."""
    return _page(request, name, read_choice(request.query_params), Checked())


@router.post("/s/{name}/ship/check", include_in_schema=False)
def check(request: Request, name: str, sent: Annotated[FormData, Depends(sent_form)]) -> Response:
    """Compare a running engine with the model, and show the result in the page."""
    form = text_fields(sent)
    choice = read_choice(form)
    if choice.format not in REQUESTS:
        raise DataError(f"{FORMATS[choice.format].title} is no search engine, so that nothing can be asked.")
    return _page(request, name, choice, run_check(workspace_of(request).study(name), choice, form))


@router.get("/s/{name}/export/{format_name}.zip", include_in_schema=False)
def download(request: Request, name: str, format_name: str) -> Response:
    """Download the files of an export."""
    if format_name not in FORMATS:
        raise DataError(f"There is no format {format_name!r}.", remedy=f"Choose one of {', '.join(FORMATS)}.")
    choice = read_choice({**request.query_params, "format": format_name})
    exported = export_study(workspace_of(request).study(name), choice)
    headers = {"Content-Disposition": f'attachment; filename="{exported.name}-{format_name}.zip"'}
    return Response(zipped(exported.files), media_type="application/zip", headers=headers)


@router.get("/api/studies/{name}/exports/{format_name}")
def export_state(
    request: Request, name: str, format_name: Annotated[str, Path(description="One of the formats of export_model.")]
) -> ExportState:
    """Return whether the model of a study can be exported to a format, how exactly, or why not."""
    if format_name not in FORMATS:
        raise DataError(f"There is no format {format_name!r}.", remedy=f"Choose one of {', '.join(FORMATS)}.")
    found = export_or_reason(workspace_of(request).study(name), ExportChoice(format_name))
    if isinstance(found, DataError):
        return ExportState(format=format_name, possible=False, reason=in_fields(found))
    return ExportState(
        format=format_name,
        possible=True,
        kind=found.written.kind or None,
        bytes=sum(map(len, found.files.values())),
        bound=found.bound,
        notes=list(found.written.notes),
    )


def _page(request: Request, name: str, choice: ExportChoice, checked: Checked) -> Response:
    workspace = workspace_of(request)
    listed, study = workspace.find(name), workspace.study(name)
    found = export_or_reason(study, choice)
    options = options_form(choice, engine_names(study), study_link(name, "ship"))
    content = (
        '<h1>Ship</h1><section class="columns"><div>'
        f"<h2>Formats</h2>{_formats(name, choice)}</div><div>{_files(study, name)}</div></section>"
        f'<section id="chosen"><h2>{escape(FORMATS[choice.format].title)}</h2>'
        f"<p>{escape(FORMATS[choice.format].purpose)}</p>"
        f'<div class="columns"><div>{_export(study, name, choice, found)}</div>'
        f"<div><h3>Options</h3>{options}</div></div></section>"
        f"{check_section(request, name, choice, checked) if isinstance(found, ExportedModel) else ''}"
    )
    status = 422 if isinstance(checked.result, DataError) else 200
    frame = Frame(f"Ship · {listed.title}", listed, "ship", ("ship.js",), ("ship.css",), {"study": listed.name})
    return app_page(request, frame, content, status)


def _files(study: SavedStudy, name: str) -> str:
    rows = "".join(
        f'<tr><td><a href="{escape(study_link(name, f"files/{file}"))}" download>{file}</a></td>'
        f'<td>{purpose}</td><td class="number">{_size((study.folder / file).stat().st_size)}</td></tr>'
        for file, purpose in FILES.items()
        if (study.folder / file).is_file()
    )
    return (
        '<h2>Files of the study</h2><table class="files"><thead><tr><th scope="col">File</th><th scope="col">For</th>'
        f'<th scope="col" class="number">Size</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _formats(name: str, choice: ExportChoice) -> str:
    rows = "".join(
        f'<tr data-format="{key}"{" class=chosen" if key == choice.format else ""}>'
        f'<td><a href="{escape(address(ExportChoice(key), study_link(name, "ship")))}#chosen"'
        f"{' aria-current=true' if key == choice.format else ''}>{escape(one.title)}</a></td>"
        f'<td>{escape(one.purpose)} <span class="state"></span></td></tr>'
        for key, one in FORMATS.items()
    )
    return (
        '<table class="formats"><thead><tr><th scope="col">Format</th><th scope="col">For</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _export(study: SavedStudy, name: str, choice: ExportChoice, found: ExportedModel | DataError) -> str:
    if isinstance(found, DataError):
        why = escape(in_fields(found))
        return f'<h3>This model cannot be exported like this</h3><p class="error" role="alert">{why}</p>'
    archive = address(choice, study_link(name, f"export/{choice.format}.zip"))
    notes = "".join(f"<li>{escape(note)}</li>" for note in found.summary().splitlines()[1:])
    renamed = [f"{old} → {new}" for old, new in engine_names(study).items() if old != new]
    names = f"<li>Names of features: {escape(', '.join(renamed))}.</li>" if renamed else ""
    rows = "".join(f"<li><code>{escape(file)}</code>, {_size(len(own))}</li>" for file, own in found.files.items())
    return (
        f'<p><a class="button primary" href="{escape(archive)}" download>Download {escape(found.name)}</a></p>'
        f'<ul class="notes">{notes}<li>{escape(possible_swaps(study, found))}</li>{names}</ul>'
        f'<details><summary>Files in the archive</summary><ul class="notes">{rows}</ul></details>'
        f'<h3>Upload and use</h3><pre tabindex="0">{escape(found.usage)}</pre>'
        f'<h3>The same on the command line</h3><pre tabindex="0">{escape(choice.command())}</pre>'
    )


def _size(n_bytes: int) -> str:
    return f"{n_bytes:,} B" if n_bytes < 10_000 else f"{n_bytes / 1000:,.0f} kB"
