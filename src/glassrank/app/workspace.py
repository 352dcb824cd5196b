"""The folder that the app shows: its studies, each in a folder of its own, and their states."""

import re
import shlex
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Lock

from glassrank.app.folder_parts import FolderParts, sub_folders
from glassrank.app.study_jobs import Job, JobFiles
from glassrank.core.checks import DataError
from glassrank.files.atomic_files import make_folder
from glassrank.studies.study_record import RANKING, RECORD, StudyRecord, is_running, read_record
from glassrank.studies.views.saved_study import SavedStudy

RUNNING, FINISHED, STOPPED, FAILED = "running", "finished", "stopped", "failed"
MOST_OPEN = 4  # studies whose documents stay in memory


@dataclass(frozen=True)
class ListedStudy:
    """A study of the folder, as the list of studies shows it."""

    name: str
    """The name of its folder, by which links refer to it."""
    title: str
    state: str
    record: StudyRecord | None
    job: Job | None
    reason: str = ""
    """Why a study failed, in one line."""
    foreign: str = ""
    """The command of a study that the app of another computer or folder started; it is not resumed unasked."""

    @property
    def can_resume(self) -> bool:
        """Whether the app started the study, so that it can start it again."""
        return self.job is not None and self.state in (STOPPED, FAILED)


class Workspace:
    """A folder with studies. Names from a client are only looked up in the list of its folders."""

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder).resolve()
        self.opened = folder.name if self._listed(folder) is not None else None
        """The study to open first, if the folder is itself a study; its neighbours are listed too."""
        self.folder = folder.parent if self.opened else folder
        self._lock, self._open = Lock(), OrderedDict[str, tuple[float, SavedStudy]]()
        self.parts = FolderParts(self.folder)

    @property
    def short_folder(self) -> str:
        """The folder as a person writes it."""
        home = Path.home()
        return f"~/{self.folder.relative_to(home)}" if self.folder.is_relative_to(home) else str(self.folder)

    def studies(self) -> list[ListedStudy]:
        """Return the studies of the folder: running ones first, then the latest."""
        found = [one for path in self._folders().values() if (one := self._listed(path)) is not None]
        return sorted(found, key=lambda one: (one.state != RUNNING, -_started(one), one.name))

    def find(self, name: str) -> ListedStudy:
        """Return one study by the name of its folder."""
        path = self._folders().get(name)
        found = None if path is None else self._listed(path)
        if found is None:
            raise DataError(
                f"There is no study {name!r} in {self.folder}.", remedy="Choose one of the list, or run a new study."
            )
        return found

    def path(self, name: str) -> Path:
        """Return the folder of a study."""
        return self.folder / self.find(name).name

    def study(self, name: str) -> SavedStudy:
        """Return a finished study; the last few stay in memory."""
        path = self.path(name)
        stamp = (path / RECORD).stat().st_mtime if (path / RECORD).is_file() else 0.0
        with self._lock:
            known = self._open.get(name)
            if known is None or known[0] != stamp:
                self._open[name] = known = stamp, SavedStudy.open(path)
            self._open.move_to_end(name)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return known[1]

    def resume_interrupted(self) -> list[str]:
        """Run this app's studies again whose process ended with the computer or by force; return their names."""
        names = []
        for name, path in self._folders().items():
            # A study that cannot be read or started is listed with the reason; another server may have resumed it.
            with suppress(DataError):
                files = JobFiles(path)
                job = files.read()
                if job is not None and files.is_ours(job) and files.was_interrupted():
                    files.resume()
                    names.append(name)
        return names

    def new_folder(self, title: str) -> Path:
        """Create a folder named after a title in safe characters; two requests never get the same one."""
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "study"
        path = make_folder(self.folder) / stem
        numbers = count(2)
        while True:
            try:
                path.mkdir()
            except FileExistsError:
                path = self.folder / f"{stem}-{next(numbers)}"
            except OSError as error:
                raise DataError(f"{path}: the folder cannot be created: {error.strerror}.") from error
            else:
                return path

    def _folders(self) -> dict[str, Path]:
        return {path.name: path for path in sub_folders(self.folder)}

    def _listed(self, path: Path) -> ListedStudy | None:
        files = JobFiles(path)
        try:
            record, job, error = read_record(path), files.read(), files.error()
        except DataError as fault:
            return ListedStudy(path.name, path.name, FAILED, None, None, str(fault))
        if (record is None and job is None) or (record is not None and record.kind != RANKING):
            return None
        # The report of a study without a title has a general one, which would be the same for all of them in a list.
        title = job.title if job is not None else record.title if record is not None else ""
        if files.is_running() or is_running(path):
            return ListedStudy(path.name, title, RUNNING, record, job)
        reason = (record.error if record is not None else None) or error
        if record is not None and record.finished is not None and record.error is None and not files.newer_run():
            return ListedStudy(path.name, title, FINISHED, record, job)
        listed = ListedStudy(path.name, title, FAILED if reason else STOPPED, record, job, reason or "")
        if job is None or files.is_ours(job):
            return listed
        try:
            return replace(listed, foreign=shlex.join(["glassrank", *job.arguments(path)]))
        except DataError as fault:
            return replace(listed, state=FAILED, reason=str(fault))


def _started(one: ListedStudy) -> float:
    if one.job is not None:
        return one.job.started.timestamp()
    return one.record.started.timestamp() if one.record is not None else 0.0
