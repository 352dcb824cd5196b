"""``study.json`` in the folder of a study: its title, its data, when it ran, how it ended, and its main numbers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.files.atomic_files import folder_in_use, write_atomically
from glassrank.files.json_files import read_json
from glassrank.files.locks import LockedError, is_locked, lock_file
from glassrank.files.unfollowed_links import without_links

RECORD, LOCK, REPORT, MODEL = "study.json", "study.lock", "report.html", "model.json"
RANKING, DISTILLATION, INTENT = "ranking", "distillation", "intent"
FORMAT = 1


class Quality(BaseModel):
    """The study's measure of its model, with a 95 % interval."""

    model_config = ConfigDict(frozen=True)

    measure: str
    mean: float
    low: float
    high: float


class StudyRecord(BaseModel):
    """What a list of studies shows of one study."""

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    kind: str = RANKING
    title: str
    command: str = ""
    """The command that repeats the study; empty if it was started from Python."""
    data: str = ""
    """Digest of the data, without the options."""
    source: str = ""
    """Name of the data; empty for data in memory."""
    started: AwareDatetime
    finished: AwareDatetime | None = None
    error: str | None = None
    """Why the study failed."""
    quality: Quality | None = None
    n_features: int | None = None
    n_kept: int | None = None
    n_queries: int | None = None
    n_documents: int | None = None
    options: dict[str, Any] = {}
    """How the model was trained, as plain values."""


def default_folder(source: str) -> Path:
    """Return the folder of a study without a given one, by the name of the file or folder of its data.

    >>> default_folder("train.csv.gz").name, default_folder("blocks").name, default_folder("").name
    ('train-study', 'blocks-study', 'study')
    """
    name = Path(source)
    stem = (name.with_suffix("") if name.suffix.lower() in (".gz", ".xz") else name).stem
    return Path(f"{stem}-study" if stem else "study")


def read_record(folder: str | Path) -> StudyRecord | None:
    """Return the record of a folder; None if it has none."""
    path = Path(folder, RECORD)
    if not path.is_file():
        return None
    try:
        return StudyRecord.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(
            f"{path}: {where}: {first['msg']}.", remedy=f"Run the study again with {setting('overwrite', True)}."
        ) from error


@contextmanager
def recorded(
    folder: str | Path,
    *,
    title: str | None,
    command: str = "",
    kind: str = RANKING,
    data: str = "",
    source: str = "",
    overwrite: bool = False,
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Record when a study in ``folder`` starts, and that it finished or failed; an interrupted study stays open.

    Only one study at a time runs in a folder, because a second one would read and replace the steps of the first. A
    finished study of other data is replaced only with ``overwrite``. Yields a function that takes the fields to store
    at the end. A study that is refused before it has stored anything leaves no record behind.

    >>> with recorded("shop", title="Shop search") as finish:
    ...     finish({"n_queries": 120})
    >>> found = read_record("shop")
    >>> found.title, found.n_queries, found.finished is not None
    ('Shop search', 120, True)
    """
    folder = Path(folder)
    own: dict[str, Any] = {"command": command, "kind": kind, "data": data, "source": source}
    with _alone_in(folder):
        record = StudyRecord(title=title or folder.resolve().name, started=_now(), **own)
        has_results = not overwrite and any((folder / name).is_file() for name in (REPORT, MODEL))
        before = _same_data(folder, record) if has_results else None
        _write(folder, record)
        at_end: dict[str, Any] = {}
        try:
            yield at_end.update
        except DataError as error:
            if before is not None and before.finished is not None and before.error is None:
                _write(folder, before)  # its files are still there, because they are written at the end
            elif {one.name for one in folder.iterdir()} <= {RECORD, LOCK}:
                (folder / RECORD).unlink()
            else:
                _write(folder, record.model_copy(update={"error": str(error), "finished": _now()}))
            raise
        _write(folder, record.model_copy(update=at_end | {"finished": _now()}))


def is_running(folder: str | Path) -> bool:
    """Return whether a study is running in a folder.

    >>> is_running("empty")
    False
    """
    return is_locked(Path(folder, LOCK))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(folder_in_use(folder))
        stack.enter_context(without_links(folder))
        try:
            stack.enter_context(lock_file(folder / LOCK))
        except LockedError as error:
            raise DataError(
                f"{folder}: another study is running in this folder: {error.holder}.",
                parameter="folder",
                remedy=("Wait until it has ended", f"choose another {setting('folder')}"),
            ) from error
        yield


def _same_data(folder: Path, record: StudyRecord) -> StudyRecord:
    """Return the record of the study whose results are in the folder; raise an error if it is of other data."""
    known = read_record(folder)
    if known is not None and (known.kind, known.data) == (record.kind, record.data):
        return known
    what = "a report or a model of unknown data"
    if known is not None:
        date = (known.finished or known.started).astimezone()
        of = f" of {known.source}" if known.source else ""
        what = f"a finished study{of} of {date.day} {date:%b %Y %H:%M}"
        if known.source and known.source == record.source:
            what += ", which had other rows or columns"
    raise DataError(
        f"{folder} holds {what}.",
        parameter="folder",
        remedy=(f"Choose another {setting('folder')}", f"replace it with {setting('overwrite', True)}"),
    )


def _now() -> datetime:
    return datetime.now(UTC)


def _write(folder: Path, record: StudyRecord) -> None:
    write_atomically(folder / RECORD, record.model_dump_json(indent=1).encode())
