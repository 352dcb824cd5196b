"""The report of a study, as the study wrote it, and the other files of its folder for download."""

from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from glassrank.app.page_frame import study_link, workspace_of
from glassrank.app.security import REPORT_POLICY, Access
from glassrank.app.served_file import served_file

router = APIRouter()
FILES = {
    "model.json": "The model, for glassrank rank, explain and nomogram, and for gr.load_scorer in Python.",
    "model.npz": "The large arrays of the model; keep it beside model.json.",
    "report.html": "The report: one page that works without network and without glassrank.",
    "effects.json": "The curve of every feature, as values, effects and standard errors.",
    "selection.csv": "One row per feature: whether it is kept, and when it was dropped.",
    "result.json": "All numbers of the report.",
    "times.csv": "Processor seconds of each step.",
}
"""Files that a study may have and that can be downloaded, with what they are for."""


@router.get("/s/{name}/report", include_in_schema=False)
def report(request: Request, name: str) -> Response:
    """Go to the report at its address of this run."""
    workspace_of(request).find(name)
    return RedirectResponse(study_link(name, f"report/{_access(request).key(name)}/"), 303)


@router.get("/s/{name}/report/{key}/", include_in_schema=False)
def report_page(request: Request, name: str, key: str) -> Response:
    """Show the report; it runs in a sandbox, where it cannot reach the app."""
    _check_key(request, name, key)
    return _file(request, name, "report.html", inline=True)


@router.get("/s/{name}/report/{key}/report-data/{part}", include_in_schema=False)
def report_data(request: Request, name: str, key: str, part: str) -> Response:
    """Return the data of a large report, which lie beside it as scripts.

    In its sandbox, the report is like a page of another site to the browser. So these scripts can be loaded from
    anywhere, and only the key in their address keeps other sites from reading them.
    """
    _check_key(request, name, key)
    folder = workspace_of(request).path(name) / "report-data"
    missing = "There is no such part of the report."
    if part not in {one.name for one in folder.glob("*.js")}:
        raise HTTPException(404, missing)
    headers = {"Cross-Origin-Resource-Policy": "cross-origin", "Content-Security-Policy": REPORT_POLICY}
    return served_file(folder / part, missing, headers)


@router.get("/s/{name}/files/{file}", include_in_schema=False)
def download(request: Request, name: str, file: str) -> Response:
    """Download a file of the study."""
    return _file(request, name, file, inline=False)


def _file(request: Request, name: str, file: str, *, inline: bool) -> Response:
    folder = workspace_of(request).path(name)
    missing = f"There is no file {file!r} in this study. It is written when the study ends: run the study again."
    if file not in FILES:
        raise HTTPException(404, missing)
    attached = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(f'{name}-{file}', safe='')}"}
    return served_file(folder / file, missing, {"Content-Security-Policy": REPORT_POLICY} if inline else attached)


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _check_key(request: Request, name: str, key: str) -> None:
    if not _access(request).opens(name, key):
        raise HTTPException(404, "There is no report at this address: the app was started again. Open it from the app.")
