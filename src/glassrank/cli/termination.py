"""End a command within a second of SIGTERM, and remove its temporary files."""

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Exit code that shells report for a program ended by SIGTERM: 128 + the signal's number.
TERMINATED = 143
# Seconds that the command has to end by itself. It cannot do so while a library computes, because Python only runs a
# signal handler between two steps of the main thread.
GRACE = 0.4


@contextmanager
def ending_when_told() -> Iterator[None]:
    """End the block on SIGTERM: normally if it can end soon, otherwise by force.

    All temporary files of the block are in one folder, which is removed in either case, so that no copy of a log stays
    behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    with _one_temporary_folder() as folder, _watched(folder):
        received = threading.Event()

        def end(number: int, frame: object) -> None:
            received.set()
            sys.exit(TERMINATED)

        before = signal.signal(signal.SIGTERM, end)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)
            # A library that calls Python code may have turned the exit into an error of its own.
            if received.is_set():
                sys.exit(TERMINATED)


@contextmanager
def _one_temporary_folder() -> Iterator[str | None]:
    before = tempfile.tempdir
    try:
        folder = tempfile.mkdtemp(prefix="glassrank-")
    except OSError:
        yield None  # most commands do not need one; the others report the error
        return
    tempfile.tempdir = folder
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _watched(folder: str | None) -> Iterator[None]:
    """Watch for signals in a thread, which runs while the main thread is inside a library."""
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    before = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    threading.Thread(target=_end_by_force, args=(receiver, folder), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(sender)


def _end_by_force(receiver: int, folder: str | None) -> None:
    """Wait for SIGTERM and force the exit after ``GRACE`` seconds; the pipe closes when the block ends."""
    while number := os.read(receiver, 1):
        if number[0] == signal.SIGTERM:
            time.sleep(GRACE)
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            os._exit(TERMINATED)
    os.close(receiver)
