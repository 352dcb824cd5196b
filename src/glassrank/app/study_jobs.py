"""Studies that the app starts: a process for each, which outlives the server, with its form and its log on disk.

A folder of studies may come from a stranger. So a job on disk is a form and never a command, and the app starts by
itself only what it has signed.
"""

import hmac
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import dropwhile
from pathlib import Path
from threading import Thread
from typing import IO, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from glassrank.app.own_jobs import sign_job
from glassrank.app.study_form import StudyForm
from glassrank.app.uploads import find_file
from glassrank.core.checks import DataError
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.json_files import read_json
from glassrank.files.locks import is_locked, take_lock
from glassrank.files.unfollowed_links import FOLDER_OF_STRANGERS, open_file
from glassrank.studies.study_record import read_record
from glassrank.studies.views.repeat_study import repeat_arguments

JOB, LOG, LOCK = "job.json", "log.txt", "job.lock"
STEP = re.compile(r"(\d[\d,]*) of (\d[\d,]*): (.*?) ?…?$")
RUN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d glassrank [a-z]+")
ERROR = "Error: "
LOG_LINES, LOG_BYTES = 400, 1 << 20


class Job(BaseModel):
    """What the app was asked to run: the demo, the fields of a form, or an earlier study again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    kind: Literal["demo", "form", "repeat"]
    form: dict[str, str] = {}
    """The fields of the form, which can also be edited and run again."""
    options: tuple[str, ...] = ()
    """Options of a study that is repeated, as ``--name=value``; its documents are in its folder."""
    started: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    process: int | None = None
    cancelled: bool = False
    signature: str = ""

    def arguments(self, folder: Path) -> tuple[str, ...]:
        """Return the arguments of ``glassrank`` without ``--folder``, built like those of a form that was just sent."""
        if self.kind == "demo":
            return ("demo",)
        if self.kind == "repeat":
            return repeat_arguments(folder, self.options)
        form = StudyForm.of(self.form)
        for name in (form.file, *filter(None, [form.test_file])):
            find_file(folder.parent, name)
        return tuple(form.arguments())


@dataclass(frozen=True)
class JobProgress:
    """How far a running study is, from its log."""

    done: int
    total: int | None
    what: str
    """The step that runs now."""


@dataclass(frozen=True)
class JobFiles:
    """The files of a job in the folder of its study."""

    folder: Path

    def read(self) -> Job | None:
        """Return the job; None if the study was not started by the app."""
        path = self.folder / JOB
        if not path.is_file():
            return None
        try:
            content = read_json(path)
            return Job.model_validate(content)
        except ValidationError as error:
            is_old = isinstance(content, dict) and "command" in content
            fault = "contains a command, which is not run" if is_old else "does not describe a job of the app"
            raise DataError(f"{path} {fault}.", remedy="Delete the file, and start a new study.") from error

    def is_ours(self, job: Job) -> bool:
        """Return whether the app of this user wrote the job in this folder."""
        return hmac.compare_digest(job.signature.encode(), self._signed(job).signature.encode())

    def start(self, job: Job) -> None:
        """Run a job in the background; its log is kept.

        The process inherits a lock, which is released when it ends, however it ends.
        """
        make_folder(self.folder)
        arguments = job.arguments(self.folder)
        try:
            lock = open_file(self.folder / LOCK, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise DataError(f"{self.folder / LOCK}: cannot be written: {error.strerror}.") from error
        try:
            if not take_lock(lock):
                raise DataError("This study is already running.", remedy="Wait until it has ended, or cancel it.")
            job = job.model_copy(update={"started": datetime.now(UTC), "process": None, "cancelled": False})
            # Before the process starts: whoever cancels now must not find the process of an earlier run.
            self.write(job)
            with open(self.folder / LOG, "ab", buffering=0, opener=open_file) as log:
                log.write(f"{job.started.astimezone():%Y-%m-%d %H:%M:%S} glassrank {arguments[0]}\n".encode())
                process = self._run(arguments, log, lock)
            self.write(job.model_copy(update={"process": process.pid}))
            # Only a waiting parent lets the system forget a process that has ended.
            Thread(target=process.wait, daemon=True).start()
        finally:
            os.close(lock)

    def _run(self, arguments: tuple[str, ...], log: IO[bytes], lock: int) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                # With -P, Python imports nothing from the current folder.
                [sys.executable, "-P", "-m", "glassrank", *arguments, "--folder", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=self.folder.parent,
                env=os.environ | {FOLDER_OF_STRANGERS: str(self.folder.parent)},
                pass_fds=(lock,),
                start_new_session=True,
            )
        except OSError as error:
            log.write(f"{ERROR}The study cannot be started: {error.strerror}.\n".encode())
            raise DataError(f"The study cannot be started: {error.strerror}.") from error

    def resume(self) -> None:
        """Run the job again; finished steps are reused."""
        job = self.read()
        if job is None:
            raise DataError("This study was not started by the app.", remedy="Run its command again.")
        self.start(job)

    def cancel(self) -> None:
        """Stop the process; what it finished is kept, so that it can be resumed."""
        job = self.read()
        if job is None or job.process is None or not self.is_running():
            return
        if not self.is_ours(job):
            raise DataError("This study was not started by the app on this computer.", remedy="Stop it where it runs.")
        self.write(job.model_copy(update={"cancelled": True}))
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.killpg(job.process, signal.SIGTERM)

    def was_interrupted(self) -> bool:
        """Return whether the process ended before its time, and nobody cancelled it."""
        job = self.read()
        if job is None or job.cancelled or self.is_running() or self.error():
            return False
        return self.newer_run() or (record := read_record(self.folder)) is None or record.finished is None

    def newer_run(self) -> bool:
        """Return whether the job was started after the last run that finished."""
        job, record = self.read(), read_record(self.folder)
        if job is None or record is None or record.finished is None:
            return False
        return record.finished < job.started

    def is_running(self) -> bool:
        """Return whether a process holds the lock of the job."""
        return is_locked(self.folder / LOCK)

    def log(self) -> list[str]:
        """Return the last lines of the log."""
        try:
            with open(self.folder / LOG, "rb", opener=open_file) as log:
                log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_BYTES))
                return log.read(LOG_BYTES).decode(errors="replace").splitlines()[-LOG_LINES:]
        except OSError:
            return []

    def last_run(self) -> list[str]:
        """Return the lines that the last run has written."""
        lines = self.log()
        starts = [place for place, line in enumerate(lines) if RUN.fullmatch(line)]
        return lines[starts[-1] + 1 :] if starts else lines

    def error(self) -> str:
        """Return the message with which the last run failed; empty if it did not."""
        # An error may have several lines, and ends the log.
        return " ".join(dropwhile(lambda line: not line.startswith(ERROR), self.last_run())).removeprefix(ERROR)

    def progress(self) -> JobProgress:
        """Return how far the last run is."""
        lines = self.last_run()
        for line in reversed(lines):
            step = STEP.fullmatch(line)
            if step is not None:
                done, total = (int(number.replace(",", "")) for number in step.groups()[:2])
                return JobProgress(done, total, step[3])
        return JobProgress(0, None, lines[-1].removesuffix(" …") if lines else "Starting")

    def write(self, job: Job) -> None:
        """Store a job, signed."""
        write_atomically(self.folder / JOB, self._signed(job).model_dump_json(indent=1).encode())

    def _signed(self, job: Job) -> Job:
        content = job.model_dump_json(exclude={"signature"})
        return job.model_copy(update={"signature": sign_job(self.folder, content)})
