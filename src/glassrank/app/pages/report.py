"""The report of a study, as the study wrote it, and the other files of its folder for download."""

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import FileResponse, Response

from glassrank.app.page_frame import workspace_of
from glassrank.app.security import REPORT_POLICY

router = APIRouter()
FILES = {
    "model.json": "The model, for glassrank rank, explain and nomogram, and for gr.load_scorer in Python.",
    "model.npz": "The large arrays of the model; keep it beside model.json.",
    "report.html": "The report: one page that works without network and without glassrank.",
    "effects.json": "The curve of every feature, as values, effects in log-odds and standard errors.",
    "selection.csv": "One row per feature: whether it is kept, and when it was dropped.",
    "result.json": "All numbers of the report.",
    "times.csv": "Processor seconds of each step.",
}
"""Files that a study may have and that can be downloaded, with what they are for."""


@router.get("/s/{name}/report", include_in_schema=False)
def report(request: Request, name: str) -> Response:
    """Show the report; it runs in a sandbox, where it cannot reach the app."""
    return _file(request, name, "report.html", inline=True)


@router.get("/s/{name}/report-data/{part}", include_in_schema=False)
def report_data(request: Request, name: str, part: str) -> Response:
    """Return the data of a large report, which lie beside it."""
    folder = workspace_of(request).path(name) / "report-data"
    if not folder.is_dir() or part not in {one.name for one in folder.iterdir()}:
        raise HTTPException(404, "There is no such part of the report.")
    return FileResponse(folder / part, headers={"Cross-Origin-Resource-Policy": "cross-origin"})


@router.get("/s/{name}/files/{file}", include_in_schema=False)
def download(request: Request, name: str, file: str) -> Response:
    """Download a file of the study."""
    return _file(request, name, file, inline=False)


def _file(request: Request, name: str, file: str, *, inline: bool) -> Response:
    path = workspace_of(request).path(name) / file
    if file not in FILES or not path.is_file():
        raise HTTPException(404, f"There is no file {file!r} in this study. It is written when the study ends.")
    if inline:
        return FileResponse(path, headers={"Content-Security-Policy": REPORT_POLICY})
    return FileResponse(path, filename=f"{name}-{file}", content_disposition_type="attachment")
