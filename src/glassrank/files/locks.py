"""Locks between processes. A lock is released when its process ends, even if the process is killed."""

import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import sleep

from glassrank.core.checks import DataError
from glassrank.files.unfollowed_links import open_file

# Errors on file systems without locks, where work continues without protection from other processes.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)

AnyPath = str | os.PathLike[str]


class LockedError(Exception):
    """Another process holds the lock; ``holder`` names it."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


@contextmanager
def lock_file(path: AnyPath, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a path during the block. If another process holds it, wait or raise :class:`LockedError`.

    The file at the path names the process that holds the lock, and is removed at the end. If the process is killed, the
    file stays behind, and the next process takes it over.

    >>> from pathlib import Path
    >>> with lock_file("work.lock"):
    ...     print(Path("work.lock").read_text() == f"process {os.getpid()} on {socket.gethostname()}")
    True
    >>> os.path.exists("work.lock")
    False
    """
    while True:
        with _opened(path) as descriptor:
            if not take_lock(descriptor, wait=wait):
                raise LockedError(os.read(descriptor, 200).decode(errors="replace") or "another process")
            if not is_at(descriptor, path):
                continue  # the process that held the lock before has removed the file
            try:
                # On a full disk the lock still works. Whatever the block writes will report that the disk is full.
                with suppress(OSError):
                    os.truncate(descriptor, 0)
                    os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
                yield
            finally:
                # Removed before the lock is released, so that nobody can lock a file that is about to disappear.
                with suppress(OSError):
                    os.unlink(path)
            return


def take_lock(descriptor: int, *, wait: bool = False, without_locks: bool = True) -> bool:
    """Lock an open file exclusively; return False if another process holds the lock and this one does not wait.

    ``without_locks`` is the return value on a file system that has no locks.
    """
    try:
        if wait:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        while not wait and not _took(descriptor, fcntl.LOCK_EX):
            if not _took(descriptor, fcntl.LOCK_SH):
                return False
            # Nobody holds the lock: other processes look whether somebody does, and are done in a moment.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            sleep(0.001)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return without_locks
    return True


def is_locked(path: AnyPath) -> bool:
    """Return whether a process holds the lock of a path; to look disturbs neither that process nor others that look.

    >>> with lock_file("work.lock"):
    ...     is_locked("work.lock")
    True
    >>> is_locked("work.lock")
    False
    """
    try:
        descriptor = open_file(path, os.O_RDONLY | os.O_NOFOLLOW)
    except (OSError, DataError):
        return False
    try:
        return not _took(descriptor, fcntl.LOCK_SH)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    finally:
        os.close(descriptor)


def _took(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(descriptor: int, path: AnyPath) -> bool:
    """Return whether an open file is still the one at a path, not removed or replaced."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


@contextmanager
def _opened(path: AnyPath) -> Iterator[int]:
    try:
        descriptor = open_file(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)
