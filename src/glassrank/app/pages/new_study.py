"""A new study: choose a file, say what its columns are, choose options, and run it."""

import shlex
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from glassrank.app.page_frame import Frame, app_page, token_field, workspace_of
from glassrank.app.security import sent_form, text_fields
from glassrank.app.study_form import COLUMNS, LISTS, ROLE_FIELD, ROLES, StudyForm
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.app.uploads import SUFFIXES, find_file, listed_files, store_upload
from glassrank.core.checks import DataError
from glassrank.studies.study_options import MEASURES, STUDY_OPTIONS, StudyOption
from glassrank.studies.views.table_preview import CATEGORY, FEATURE, LABEL, PreviewedColumn, TablePreview, preview_file

router = APIRouter()
FORMATS = {"letor": "LETOR text", "lightgbm": "LightGBM text", "csv": "CSV", "tsv": "TSV", "parquet": "Parquet"}
MEASURED_ON = (
    "Held-out queries, with the same columns. Without it, five folds: every query is judged by a model that did not "
    "see it."
)


@router.get("/new", include_in_schema=False)
def new_study(request: Request, file: str = "") -> Response:
    """Show the choice of a file or, for ``file``, the form of a study of it."""
    if not file:
        return _choose(request)
    return _form(request, StudyForm(file))


@router.get("/s/{name}/edit", include_in_schema=False)
def edit(request: Request, name: str) -> Response:
    """Show the form of an earlier study, to change it and run it again as a new one."""
    job = JobFiles(workspace_of(request).path(name)).read()
    if job is None or "file" not in job.form:
        raise DataError("There is no form of this study.", remedy="Start a new study.")
    return _form(request, StudyForm.of(job.form))


@router.post("/new/file", include_in_schema=False)
def upload(request: Request, form: Annotated[FormData, Depends(sent_form)]) -> Response:
    """Store an uploaded file, and show the form of a study of it."""
    sent = form.get("upload")
    workspace = workspace_of(request)
    if not isinstance(sent, UploadFile) or not sent.filename:
        return _choose(request, "Choose a file first.", 422)
    try:
        path = store_upload(workspace.folder, sent)
    except DataError as error:
        return _choose(request, str(error), 413 if "unpack" in str(error) else 422)
    return RedirectResponse(f"/new?file={quote(str(path.relative_to(workspace.folder)))}", 303)


@router.post("/new", include_in_schema=False)
def start(request: Request, sent: Annotated[FormData, Depends(sent_form)]) -> Response:
    """Run a study with these options, or show what is wrong with them."""
    fields = text_fields(sent)
    workspace, form = workspace_of(request), StudyForm.of(fields)
    try:
        path = find_file(workspace.folder, form.file)
        texts = [one.name for one in preview_file(path).columns if one.is_text]
        form = StudyForm.of(fields, texts)
        if form.test_file:
            find_file(workspace.folder, form.test_file)
        form.arguments()
    except DataError as error:
        return _form(request, form, str(error))
    title = form.title or Path(form.file).stem
    job = Job(title=title, kind="form", form=form.fields, text_columns=tuple(form.text_columns))
    JobFiles(workspace.new_folder(title)).start(job)
    return RedirectResponse("/", 303)


def _choose(request: Request, error: str = "", status: int = 200) -> Response:
    files = listed_files(workspace_of(request).folder)
    listed = "".join(f'<li><a href="/new?file={quote(name)}">{escape(name)}</a></li>' for name in files)
    inside = f"<h2>Files in this folder</h2><ul>{listed}</ul>" if files else ""
    content = (
        "<h1>New study</h1><p>From judged queries: one row per query and document, with a label and features. The "
        f"file stays on the computer that runs the app.</p>{_error(error)}"
        '<form method="post" action="/new/file" enctype="multipart/form-data" class="drop" id="drop">'
        f'{token_field(request)}<p><label for="upload">Upload a file</label><br>'
        f'<input type="file" id="upload" name="upload" accept="{",".join((*SUFFIXES, ".gz", ".xz"))}" required></p>'
        '<button class="primary">Read the file</button> <span class="hint">CSV, TSV, Parquet, LETOR and LightGBM text, '
        "also packed as .gz or .xz, up to 1 GB.</span></form>"
        '<form method="get" action="/new" class="row"><div><label for="file">Or the path of a file in this folder'
        '</label><br><input id="file" name="file" size="48" required placeholder="data/shop.csv"></div>'
        f"<button>Use it</button></form>{inside}"
    )
    return app_page(request, Frame("New study", scripts=("new-study.js",)), content, status)


def _form(request: Request, form: StudyForm, error: str = "") -> Response:
    folder = workspace_of(request).folder
    try:
        preview = preview_file(find_file(folder, form.file))
    except DataError as problem:
        return _choose(request, str(problem), 422)
    texts = [one.name for one in preview.columns if one.is_text]
    roles = form.roles or {one.name: one.role for one in preview.columns}
    shown = StudyForm(form.file, form.test_file, form.title, roles, form.options, texts)
    rows = "" if preview.n_rows is None else f" · {preview.n_rows:,} rows, {len(preview.columns):,} columns"
    size = (folder / form.file).stat().st_size
    content = (
        f'<h1>New study</h1><p class="file"><strong>{escape(form.file)}</strong><span class="hint"> '
        f"{FORMATS[preview.format]} · {_bytes(size)}{rows}</span> "
        f'<a class="button" href="/new">Other file</a></p>{_error(error)}'
        f'<form method="post" action="/new" id="study-form" class="study-form">{token_field(request)}'
        f'<input type="hidden" name="file" value="{escape(form.file)}">{_columns(preview, roles)}'
        f"{_text('title', 'Title', form.title, 'Shown in the list of studies and on the report.')}"
        f"{_files(folder, shown)}{''.join(_field(name, shown.options) for name, one in _options(True))}"
        f"<details{' open' if _has_rare(shown.options) else ''}><summary>More options</summary>"
        f"{''.join(_field(name, shown.options) for name, one in _options(False))}</details>"
        '<p><button class="primary">Start study</button></p><p class="hint">The same on the command line</p>'
        f'<pre id="command">{escape(_command(shown))}</pre></form>'
    )
    data = {"columns": COLUMNS, "lists": LISTS, "texts": texts, "category": CATEGORY, "field": ROLE_FIELD}
    data |= {"defaults": {name: one.default for name, one in STUDY_OPTIONS.items()}}
    data |= {"repeated": [name for name, one in STUDY_OPTIONS.items() if one.is_list]}
    return app_page(request, Frame("New study", scripts=("new-study.js",), data=data), content, 422 if error else 200)


def _options(common: bool) -> list[tuple[str, StudyOption]]:
    return [(name, one) for name, one in STUDY_OPTIONS.items() if one.is_common == common]


def _has_rare(options: Mapping[str, str]) -> bool:
    return any(not STUDY_OPTIONS[name].is_common for name in options)


def _command(form: StudyForm) -> str:
    try:
        return f"glassrank {shlex.join(form.arguments())}"
    except DataError as error:
        return str(error)


def _error(message: str) -> str:
    if not message:
        return ""
    return f'<p class="error" role="alert" tabindex="-1" id="problem"><strong>×</strong> {escape(message)}</p>'


def _columns(preview: TablePreview, roles: Mapping[str, str]) -> str:
    """Return the table of the columns: those with a role of their own first, then what is left."""
    if not preview.columns:
        return "<p>Features, labels and queries of this format are known: nothing to choose.</p>"
    ordered = sorted(preview.columns, key=lambda one: roles.get(one.name, FEATURE) in (FEATURE, CATEGORY))
    rows = "".join(_column(one, roles.get(one.name, FEATURE)) for one in ordered)
    absent = LABEL not in roles.values()
    said = '<p class="error">No column is named like a label: choose it below.</p>' if absent else ""
    return (
        f'{said}<div class="scroll columns-table" tabindex="0" role="group" aria-label="Columns"><table><thead><tr>'
        '<th scope="col">Column</th><th scope="col">is the</th><th scope="col" class="number">looks like</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _column(one: PreviewedColumn, chosen: str) -> str:
    options = "".join(
        f'<option value="{role}"{" selected" if role == chosen else ""}>{role.capitalize()}</option>' for role in ROLES
    )
    name = escape(one.name)
    return (
        f'<tr><td><code>{name}</code></td><td><select name="{ROLE_FIELD}{name}" aria-label="{name} is the" '
        f'data-column="{name}">{options}</select></td><td class="number hint">{escape(one.looks_like)}</td></tr>'
    )


def _files(folder: Path, form: StudyForm) -> str:
    others = "".join(f'<option value="{escape(name)}">' for name in listed_files(folder) if name != form.file)
    field = _text("test_file", "Test file", form.test_file, MEASURED_ON, 'list="files"')
    return f'{field}<datalist id="files">{others}</datalist>'


def _field(name: str, chosen: Mapping[str, str]) -> str:
    option = STUDY_OPTIONS[name]
    value = chosen.get(name, option.default)
    if option.choices:
        choices = option.choices if option.default else ("", *option.choices)
        options = "".join(
            f'<option value="{one}"{" selected" if one == value else ""}>{one or "default"}</option>' for one in choices
        )
        control = f'<select id="{name}" name="{name}" aria-describedby="{name}-hint">{options}</select>'
    elif option.is_list:
        control = (
            f'<textarea id="{name}" name="{name}" rows="2" cols="40" aria-describedby="{name}-hint" '
            f'placeholder="one per line">{escape(value)}</textarea>'
        )
    else:
        known = "".join(f'<option value="{one}">' for one in MEASURES) if name == "measure" else ""
        return _text(name, option.label, value, option.meaning, f'list="known-{name}"' if known else "") + (
            f'<datalist id="known-{name}">{known}</datalist>' if known else ""
        )
    return _labelled(name, option.label, control, option.meaning)


def _text(name: str, label: str, value: str, meaning: str, more: str = "") -> str:
    control = (
        f'<input id="{name}" name="{name}" value="{escape(value)}" size="36" aria-describedby="{name}-hint" {more}>'
    )
    return _labelled(name, label, control, meaning)


def _labelled(name: str, label: str, control: str, meaning: str) -> str:
    return (
        f'<div class="field"><label for="{name}">{escape(label)}</label><div>{control}'
        f'<p class="hint" id="{name}-hint">{escape(meaning)}</p></div></div>'
    )


def _bytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"
