"""Studies that the app starts: a process for each, which outlives the server, with its options and its log on disk."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import IO, Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, ValidationError

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.json_files import read_json
from glassrank.files.locks import is_locked, take_lock
from glassrank.studies.study_record import read_record

JOB, LOG, LOCK = "job.json", "log.txt", "job.lock"
STEP = re.compile(r"(\d[\d,]*) of (\d[\d,]*): (.*?) ?…?$")
RUN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d glassrank [a-z]+")
ERROR = "Error: "
LOG_LINES = 400


def _started_by_the_app(command: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse other commands: interrupted jobs are resumed without being asked for, also those of a copied folder."""
    if command[:1] not in (("study",), ("demo",)):
        raise ValueError("a job runs glassrank study or glassrank demo")
    return command


class Job(BaseModel):
    """What the app was asked to run."""

    model_config = ConfigDict(frozen=True)

    title: str
    command: Annotated[tuple[str, ...], AfterValidator(_started_by_the_app)]
    """Arguments of ``glassrank``, without ``--folder``."""
    started: AwareDatetime
    process: int | None = None
    cancelled: bool = False
    form: dict[str, str] = {}
    """The fields of the form, to edit and run again."""


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
            return Job.model_validate(read_json(path))
        except ValidationError as error:
            raise DataError(f"{path}: not the description of a job.", remedy="Delete the folder.") from error

    def start(self, title: str, command: tuple[str, ...], form: dict[str, str] | None = None) -> None:
        """Run ``glassrank`` with these arguments in the background; its log is kept.

        The process inherits a lock, which is released when it ends, however it ends.
        """
        make_folder(self.folder)
        try:
            lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise DataError(f"{self.folder / LOCK}: cannot be written: {error.strerror}.") from error
        try:
            if not take_lock(lock):
                raise DataError("This study is already running.", remedy="Wait until it has ended, or cancel it.")
            job = Job(title=title, command=command, started=datetime.now(UTC), form=form or {})
            # Before the process starts: whoever cancels now must not find the process of an earlier run.
            self._write(job)
            with (self.folder / LOG).open("ab", buffering=0) as log:
                log.write(f"{job.started.astimezone():%Y-%m-%d %H:%M:%S} glassrank {command[0]}\n".encode())
                process = self._run(command, log, lock)
            self._write(job.model_copy(update={"process": process.pid}))
            # Only a waiting parent lets the system forget a process that has ended.
            Thread(target=process.wait, daemon=True).start()
        finally:
            os.close(lock)

    def _run(self, command: tuple[str, ...], log: IO[bytes], lock: int) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                [sys.executable, "-m", "glassrank", *command, "--folder", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=self.folder.parent,
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
        self.start(job.title, job.command, job.form)

    def cancel(self) -> None:
        """Stop the process; what it finished is kept, so that it can be resumed."""
        job = self.read()
        if job is None or job.process is None or not self.is_running():
            return
        self._write(job.model_copy(update={"cancelled": True}))
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
        path = self.folder / LOG
        if not path.is_file():
            return []
        return path.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]

    def last_run(self) -> list[str]:
        """Return the lines that the last run has written."""
        lines = self.log()
        starts = [place for place, line in enumerate(lines) if RUN.fullmatch(line)]
        return lines[starts[-1] + 1 :] if starts else lines

    def error(self) -> str:
        """Return the message with which the last run failed; empty if it did not."""
        lines = self.last_run()
        return lines[-1].removeprefix(ERROR) if lines and lines[-1].startswith(ERROR) else ""

    def progress(self) -> JobProgress:
        """Return how far the last run is."""
        lines = self.last_run()
        for line in reversed(lines):
            step = STEP.fullmatch(line)
            if step is not None:
                done, total = (int(number.replace(",", "")) for number in step.groups()[:2])
                return JobProgress(done, total, step[3])
        return JobProgress(0, None, lines[-1].removesuffix(" …") if lines else "Starting")

    def _write(self, job: Job) -> None:
        write_atomically(self.folder / JOB, job.model_dump_json(indent=1).encode())
