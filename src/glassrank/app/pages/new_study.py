"""A new study: choose a file, say what its columns are, choose options, and run it."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from glassrank.app.page_frame import Frame, app_page, token_field, workspace_of
from glassrank.app.security import sent_form, text_fields
from glassrank.app.study_form import COLUMNS, LISTS, ONE_LIST, ONE_QUERY, ROLE_FIELD, ROLES, StudyForm
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.app.uploads import SUFFIXES, find_file, listed_files, store_upload
from glassrank.core.checks import DataError
from glassrank.core.setting import Setting
from glassrank.core.table_faults import TableFault
from glassrank.core.wording import listed
from glassrank.data.load_data import load_data
from glassrank.data.read_features import MOST_WORDS
from glassrank.studies.study_options import MEASURES, STUDY_OPTIONS, StudyOption
from glassrank.studies.views.table_preview import (
    CATEGORY,
    FEATURE,
    LEFT_OUT,
    PreviewedColumn,
    TablePreview,
    preview_file,
)

router = APIRouter()
MOST_UNSCROLLED = 39
"""Columns of a table that are shown without scrolling inside the page."""
TREAT_AS_MISSING = "treat_as_missing"
# Setting of the library -> the same in the form
IN_FORM = {
    "exclude": f"the role “{LEFT_OUT.capitalize()}”",
    "categorical": f"the role “{CATEGORY.capitalize()}”",
    "missing_values": "“Treat as missing”",
    "label_column": "the role “Label”",
    "one_query": f"“{ONE_LIST}”",
}
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
    if TREAT_AS_MISSING in fields:
        missing = "\n".join((form.options.get("missing", ""), fields[TREAT_AS_MISSING])).strip()
        return _form(request, replace(form, options={**form.options, "missing": missing}))
    try:
        preview = _preview(workspace.folder, form)
        if preview.faults:
            return _form(request, form, "The study cannot start yet.", preview)
        form.arguments()
    except DataError as error:
        return _form(request, form, str(error))
    title = form.title or Path(form.file).stem
    job = Job(title=title, kind="form", form=form.fields)
    JobFiles(workspace.new_folder(title)).start(job)
    return RedirectResponse("/", 303)


def _preview(folder: Path, form: StudyForm) -> TablePreview:
    """Read the file of a form, and check it with the roles that were chosen or else seem right."""
    path = find_file(folder, form.file)
    test = find_file(folder, form.test_file) if form.test_file else None

    def check(source: Any, guessed: Mapping[str, str]) -> list[TableFault]:
        chosen = replace(form, roles=form.roles or guessed)
        return chosen.faults(source, None if test is None else partial(load_data, test))

    return preview_file(path, check)


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


def _form(request: Request, form: StudyForm, error: str = "", preview: TablePreview | None = None) -> Response:
    folder = workspace_of(request).folder
    try:
        preview = preview or _preview(folder, form)
    except DataError as problem:
        return _choose(request, str(problem), 422)
    shown = replace(form, roles=form.roles or preview.roles)
    rows = "" if preview.n_rows is None else f" · {preview.n_rows:,} rows, {len(preview.columns):,} columns"
    size = (folder / form.file).stat().st_size
    content = (
        f'<h1>New study</h1><p class="file"><strong>{escape(form.file)}</strong><span class="hint"> '
        f"{FORMATS[preview.format]} · {_bytes(size)}{rows}</span> "
        f'<a class="button" href="/new">Other file</a></p>{_error(error, _open_faults(preview, folder / form.file))}'
        # The Enter key presses the first button of a form, which must not be one of the table of columns.
        f'<form method="post" action="/new" id="study-form" class="study-form">{token_field(request)}<button hidden>'
        f'</button><input type="hidden" name="file" value="{escape(form.file)}">'
        f"{_columns(preview, shown, folder / form.file)}"
        f"{_text('title', 'Title', form.title, 'Shown in the list of studies and on the report.')}"
        f"{_files(folder, shown)}{''.join(_field(name, shown.options) for name, one in _options(True))}"
        f"<details{' open' if _has_rare(shown.options) else ''}><summary>More options</summary>"
        f"{''.join(_field(name, shown.options) for name, one in _options(False))}</details>"
        '<p><button class="primary">Start study</button></p><p class="hint">The same on the command line</p>'
        f'<pre id="command">{escape(_command(shown))}</pre></form>'
    )
    data: dict[str, Any] = {"columns": COLUMNS, "lists": LISTS}
    data |= {"defaults": {name: one.default for name, one in STUDY_OPTIONS.items()}}
    data |= {"repeated": [name for name, one in STUDY_OPTIONS.items() if one.is_list]}
    return app_page(request, Frame("New study", scripts=("new-study.js",), data=data), content, 422 if error else 200)


def _options(common: bool) -> list[tuple[str, StudyOption]]:
    return [(name, one) for name, one in STUDY_OPTIONS.items() if one.is_common == common]


def _has_rare(options: Mapping[str, str]) -> bool:
    rare = {name: text for name, text in options.items() if not STUDY_OPTIONS[name].is_common}
    return any(text != STUDY_OPTIONS[name].default for name, text in rare.items())


def _command(form: StudyForm) -> str:
    try:
        return f"glassrank {shlex.join(form.arguments())}"
    except DataError as error:
        return str(error)


def _error(message: str, faults: Sequence[str] = ()) -> str:
    """Return what is wrong as a whole; if it is an answer to a click, a screen reader says it and it gets the focus."""
    if not message and not faults:
        return ""
    answer = ' role="alert" tabindex="-1" id="problem"' if message else ""
    lines = "".join(f"<br>{escape(one)}" for one in faults)
    return f'<p class="error"{answer}><strong>×</strong> {escape(message or "Before the study can start:")}{lines}</p>'


def _open_faults(preview: TablePreview, path: Path) -> list[str]:
    """Return the faults that are not of one column, and where to find the others."""
    names = {one.name for one in preview.columns}
    said = [_in_form(one, path) for one in preview.faults if one.column not in names]
    marked = list(dict.fromkeys(one.column for one in preview.faults if one.column in names))
    if marked:
        said.append(f"See below what is wrong with {listed(map(repr, marked))}.")
    return said


def _in_form(fault: TableFault, path: Path) -> str:
    """Return the message of a fault in the words of the form: lines without the file, and roles for options."""

    def words(setting: Setting) -> str | None:
        name, _, value = setting.key.partition("=")
        if name == "missing_values" and not _missing(fault):
            return None
        option = STUDY_OPTIONS.get(name)
        return IN_FORM.get(name) or (option and f"{option.label} {value}".strip()) or None

    text = fault.error.worded(words)
    return text.removeprefix(f"{path}: ").replace(f"{path}:", "Line ").replace(f"{path.parent}/", "")


def _missing(fault: TableFault) -> str:
    """Return the texts among numbers that can be treated as missing, one per line; empty if a field cannot say them."""
    texts = fault.error.got if fault.error.parameter == "missing_values" else ()
    possible = all(len(text.splitlines()) == 1 and text == text.strip() for text in texts)
    return "\n".join(texts) if possible and len(texts) <= MOST_WORDS else ""


def _columns(preview: TablePreview, form: StudyForm, path: Path) -> str:
    """Return the table of the columns: those with a role of their own first, those at fault, then what is left."""
    if not preview.columns:
        return "<p>Features, labels and queries of this format are known: nothing to choose.</p>"
    faulty = {one.column for one in preview.faults}
    ordered = sorted(
        preview.columns, key=lambda one: (form.roles.get(one.name, FEATURE) not in COLUMNS, one.name not in faulty)
    )
    rows = "".join(_column(one, form.roles.get(one.name, FEATURE), preview, path) for one in ordered)
    scrolls = ' tabindex="0"' if len(ordered) > MOST_UNSCROLLED else ""
    ticked = " checked" if form.one_query else ""
    return (
        f'<div class="columns-table" role="group" aria-label="Columns"{scrolls}><table><thead><tr>'
        '<th scope="col">Column</th><th scope="col">is the</th><th scope="col" class="number">looks like</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
        f'<p><label><input type="checkbox" name="{ONE_QUERY}" value="1"{ticked}> {ONE_LIST}: there is no query '
        "column.</label></p>"
    )


def _column(one: PreviewedColumn, chosen: str, preview: TablePreview, path: Path) -> str:
    options = "".join(
        f'<option value="{role}"{" selected" if role == chosen else ""}>{role.capitalize()}</option>' for role in ROLES
    )
    name, faults = escape(one.name), [fault for fault in preview.faults if fault.column == one.name]
    said = ""
    for fault in faults:
        button = ""
        if texts := _missing(fault):
            button = f'<br><button name="{TREAT_AS_MISSING}" value="{escape(texts)}">Treat as missing: '
            button += f"{escape(listed(map(repr, texts.splitlines())))}</button>"
        said += f'<p class="error">{escape(_in_form(fault, path))}{button}</p>'
    guess = "<br>guessed from its values" if one.is_guess and chosen == one.role else ""
    return (
        f'<tr><td><code>{name}</code>{said}</td><td><select name="{ROLE_FIELD}{name}" aria-label="{name} is the" '
        f'data-column="{name}">{options}</select></td>'
        f'<td class="number hint">{escape(one.looks_like)}{guess}</td></tr>'
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
