"""``study.json`` in the folder of a study: its title, when it ran, how it ended, and its main numbers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.json_files import read_json
from glassrank.studies.study_folder import LOCK

RECORD = "study.json"
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
    kind: str = "ranking"
    title: str
    command: str = ""
    """The command that repeats the study; empty if it was started from Python."""
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
        raise DataError(f"{path}: {where}: {first['msg']}.", remedy="Run the study again.") from error


@contextmanager
def recorded(folder: str | Path, *, title: str | None, command: str = "") -> Iterator[Callable[[dict[str, Any]], None]]:
    """Record when a study in ``folder`` starts, and that it finished or failed; an interrupted study stays open.

    Yields a function that takes the fields to store at the end. A study that is refused before it has stored anything
    leaves no record behind.

    >>> with recorded("shop", title="Shop search") as finish:
    ...     finish({"n_queries": 120})
    >>> found = read_record("shop")
    >>> found.title, found.n_queries, found.finished is not None
    ('Shop search', 120, True)
    """
    path = make_folder(folder) / RECORD
    record = StudyRecord(title=title or Path(folder).resolve().name, command=command, started=_now())
    _write(path, record)
    at_end: dict[str, Any] = {}
    try:
        yield at_end.update
    except DataError as error:
        if {one.name for one in path.parent.iterdir()} <= {RECORD, LOCK}:
            path.unlink()
        else:
            _write(path, record.model_copy(update={"error": str(error), "finished": _now()}))
        raise
    _write(path, record.model_copy(update=at_end | {"finished": _now()}))


def _now() -> datetime:
    return datetime.now(UTC)


def _write(path: Path, record: StudyRecord) -> None:
    write_atomically(path, record.model_dump_json(indent=1).encode())
