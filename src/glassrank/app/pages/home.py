"""The first page: the studies of the folder, those that run with their progress, and the way to a new one."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response, StreamingResponse

from glassrank.app.page_frame import Frame, app_page, study_link, token_field, workspace_of
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.app.workspace import FAILED, FINISHED, RUNNING, ListedStudy, Workspace
from glassrank.core.wording import counted
from glassrank.drawing.small_marks import WhiskerScale, whisker
from glassrank.studies.study_record import Quality

router = APIRouter()
MARKS = {FINISHED: "✓", "stopped": "‖", FAILED: "×", RUNNING: "…"}
EVERY = 0.5  # seconds between two looks at the logs


class StudyProgress(BaseModel):
    """A study of the folder, and how far it is if it runs."""

    name: str
    title: str
    state: str
    quality: Quality | None
    done: int | None = None
    total: int | None = None
    what: str | None = None
    log: list[str] = []


@router.get("/", include_in_schema=False)
def home(request: Request) -> Response:
    """List the studies; a folder that is itself a study opens it once."""
    workspace = workspace_of(request)
    if workspace.opened is not None:
        name, workspace.opened = workspace.opened, None
        return RedirectResponse(study_link(name, "ranking"), 303)
    studies = workspace.studies()
    running = [one for one in studies if one.state == RUNNING]
    content = _head(request, studies, running) + "".join(_running(request, workspace, one) for one in running)
    content += _table(request, [one for one in studies if one.state != RUNNING]) if studies else ""
    return app_page(request, Frame("Studies", scripts=("home.js",)), content)


@router.get("/api/studies")
def studies(request: Request) -> list[StudyProgress]:
    """Return the studies of the folder."""
    workspace = workspace_of(request)
    return [_progress(workspace, one) for one in workspace.studies()]


@router.get("/api/studies/{name}/log")
def log(request: Request, name: str) -> list[str]:
    """Return the log of a study that the app started."""
    return JobFiles(workspace_of(request).path(name)).log()


@router.get("/events", include_in_schema=False)
def events(request: Request) -> Response:
    """Send the studies whenever something changes: the progress of one, or the end of one."""
    return StreamingResponse(_events(request), media_type="text/event-stream")


@router.get("/s/{name}/log", include_in_schema=False)
def log_page(request: Request, name: str) -> Response:
    """Show the last lines of the log of a study."""
    one = workspace_of(request).find(name)
    lines = "\n".join(JobFiles(workspace_of(request).path(name)).log()) or "The app did not start this study: no log."
    content = f'<h1>Log of {escape(one.title)}</h1><p>{one.state}</p><pre tabindex="0">{escape(lines)}</pre>'
    return app_page(request, Frame(f"Log of {one.title}"), f'{content}<p><a href="/">All studies</a></p>')


@router.post("/demo", include_in_schema=False)
def demo(request: Request) -> Response:
    """Run the demo in a new folder."""
    workspace = workspace_of(request)
    JobFiles(workspace.new_folder("demo")).start(Job(title="Demo: a simulated search engine", kind="demo"))
    return RedirectResponse("/", 303)


@router.post("/s/{name}/cancel", include_in_schema=False)
def cancel(request: Request, name: str) -> Response:
    """Stop a study; it can be resumed."""
    JobFiles(workspace_of(request).path(name)).cancel()
    return RedirectResponse("/", 303)


@router.post("/s/{name}/resume", include_in_schema=False)
def resume(request: Request, name: str) -> Response:
    """Run a stopped study again; finished steps are reused."""
    JobFiles(workspace_of(request).path(name)).resume()
    return RedirectResponse("/", 303)


async def _events(request: Request) -> AsyncIterator[str]:
    workspace, sent = workspace_of(request), ""
    while not request.app.state.is_ending() and not await request.is_disconnected():
        found = await asyncio.to_thread(lambda: [_progress(workspace, one) for one in workspace.studies()])
        text = json.dumps([one.model_dump() for one in found])
        if text != sent:
            yield f"data: {text}\n\n"
            sent = text
        await asyncio.sleep(EVERY)


def _progress(workspace: Workspace, one: ListedStudy) -> StudyProgress:
    quality = one.record.quality if one.record is not None and one.state == FINISHED else None
    known: dict[str, Any] = {"name": one.name, "title": one.title, "state": one.state, "quality": quality}
    if one.state != RUNNING:
        return StudyProgress(**known)
    files = JobFiles(workspace.folder / one.name)
    now = files.progress()
    return StudyProgress(**known, done=now.done, total=now.total, what=now.what, log=files.last_run()[-2:])


def _head(request: Request, studies: list[ListedStudy], running: list[ListedStudy]) -> str:
    if not studies:
        return (
            "<h1>No studies yet</h1><p>A study learns from judged queries how to rank, drops the features that do not "
            "help, and shows why each document is where it is. The demo takes about half a minute and needs no file."
            f'</p><form method="post" action="/demo" class="row">{token_field(request)}'
            '<button class="primary">Try the demo</button><a class="button" href="/new">Choose a file</a>'
            '<span class="hint">One row per query and document, with a label and features.</span></form>'
            '<p class="hint">Collections of pages and intent models in this folder get pages of their own, Topics and '
            "Queries: see <code>glassrank distill build</code> and <code>glassrank intent train</code>.</p>"
        )
    said = f"{counted(len(studies), 'study', 'studies')} in this folder, {len(running)} running."
    return (
        f'<div class="head"><div><h1>Studies</h1><p>{said}</p></div><form method="post" action="/demo" class="row">'
        f'{token_field(request)}<button>Run the demo</button><a class="button primary" href="/new">New study</a></form>'
        "</div>"
    )


def _running(request: Request, workspace: Workspace, one: ListedStudy) -> str:
    now = _progress(workspace, one)
    cancel = "" if one.job is None else _action(request, one, "cancel", "Cancel")
    lines = "\n".join(now.log)
    return (
        f'<section class="running" data-study="{escape(one.name)}" aria-label="{escape(one.title)}">'
        f'<div class="row"><h2>{escape(one.title)}</h2><span class="hint">started {escape(_date(one))}</span>'
        f'<span class="hint" data-part="state">running</span>'
        f'<span class="room"></span><a href="{escape(study_link(one.name, "log"))}">Log</a>{cancel}</div>'
        f'<progress value="{now.done or 0}"{"" if now.total is None else f" max={now.total}"} '
        f'aria-label="Steps done"></progress><p data-part="what" aria-live="polite">{escape(_step(now))}</p>'
        f'<pre data-part="log">{escape(lines)}</pre><p class="hint">You can close this page or stop the app: finished '
        "steps are kept, and the study resumes from there.</p></section>"
    )


def _step(now: StudyProgress) -> str:
    return f"{now.what}" if now.total is None else f"Step {(now.done or 0) + 1} of {now.total}: {now.what}"


def _table(request: Request, studies: list[ListedStudy]) -> str:
    shown = [one.record.quality for one in studies if one.record is not None and one.state == FINISHED]
    scale = WhiskerScale.of([end for one in shown if one is not None for end in (one.low, one.high)] or [0.0, 1.0])
    rows = "".join(_row(request, one, scale) for one in studies)
    foot = f"<tfoot><tr><td colspan=3></td><td>{scale.axis()}</td><td colspan=2></td></tr></tfoot>" if shown else ""
    return (
        '<table class="list"><thead><tr><th scope="col">Study</th><th scope="col">State</th>'
        '<th scope="col" colspan="2">Quality</th><th scope="col">Date</th><th scope="col" class="number">Took</th></tr>'
        f'</thead><tbody>{rows}</tbody>{foot}</table><p class="note">Dot and line: mean over held-out queries and 95 % '
        "interval. Studies of different data cannot be compared.</p>"
    )


def _row(request: Request, one: ListedStudy, scale: WhiskerScale) -> str:
    record = one.record
    quality, below = "<td>–</td><td></td>", one.reason
    if record is not None and one.state == FINISHED and record.quality is not None:
        found = record.quality
        drawn = whisker(scale, found.mean, (found.low, found.high))
        quality = f"<td>{escape(found.measure.upper())} <strong>{found.mean:.3f}</strong></td><td>{drawn}</td>"
        below = (
            f"{record.n_features} features, {record.n_kept} kept · {counted(record.n_queries or 0, 'query', 'queries')}"
        )
        below += f", {counted(record.n_documents or 0, 'document')}"
    if one.foreign:
        below = f"{below} Started on another computer, or in another folder. To resume it is to run: {one.foreign}"
    title = escape(one.title)
    if one.state == FINISHED:
        title = f'<a href="{escape(study_link(one.name, "ranking"))}">{title}</a>'
    return (
        f"<tr><td><strong>{title}</strong><small>{escape(below)}</small></td>"
        f'<td><span aria-hidden="true">{MARKS[one.state]}</span> {one.state}</td>{quality}'
        f'<td>{escape(_date(one))}</td><td class="number">{_last(request, one)}</td></tr>'
    )


def _date(one: ListedStudy) -> str:
    started = one.job.started if one.job is not None else None if one.record is None else one.record.started
    if started is None:
        return ""
    local, today = started.astimezone(), datetime.now().astimezone()
    return f"today, {local:%H:%M}" if local.date() == today.date() else f"{local.day} {local:%b %Y}"


def _last(request: Request, one: ListedStudy) -> str:
    """Return how long a study took, or what can be done about it."""
    if one.state == FINISHED and one.record is not None and one.record.finished is not None:
        seconds = (one.record.finished - one.record.started).total_seconds()
        return f"{int(seconds // 60)} min {int(seconds % 60)} s" if seconds >= 60 else f"{seconds:.0f} s"
    if not one.can_resume:
        return '<span class="hint">run its command again</span>'
    edit = f'<a href="{escape(study_link(one.name, "edit"))}">Edit and rerun</a> ' if one.job and one.job.form else ""
    return edit + _action(request, one, "resume", "Resume" if one.state != FAILED else "Try again")


def _action(request: Request, one: ListedStudy, action: str, label: str) -> str:
    return (
        f'<form method="post" action="{escape(study_link(one.name, action))}">{token_field(request)}'
        f'<button class="small">{label}</button></form>'
    )
