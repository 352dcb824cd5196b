"""Folders that a stranger may have made: inside them, files are opened without following links and without waiting."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from glassrank.core.checks import DataError

# Such a folder, for a process that the app starts.
FOLDER_OF_STRANGERS = "GLASSRANK_WITHOUT_LINKS"
_folders: list[str] = []

Path = str | os.PathLike[str]


@contextmanager
def without_links(folder: Path) -> Iterator[None]:
    """Follow no link inside a folder during the block; the folder itself may be reached by links.

    >>> os.makedirs("shop")
    >>> os.symlink("/etc/hostname", "shop/job.json")
    >>> with without_links("shop"):
    ...     check_unlinked("shop/job.json")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: .../shop/job.json is a link, and links inside this folder are not followed. \
Replace it with a copy of what it leads to.
    """
    names = {os.path.abspath(folder), os.path.realpath(folder)}
    _folders.extend(names)
    try:
        yield
    finally:
        for name in names:
            _folders.remove(name)


def check_unlinked(path: Path) -> None:
    """Raise an error if a path leads through a link inside such a folder."""
    root = _root(path)
    place = root or ""
    for part in os.path.relpath(path, root).split(os.sep) if root else ():
        place = os.path.join(place, part)
        if os.path.islink(place):
            raise DataError(
                f"{place} is a link, and links inside this folder are not followed.",
                remedy="Replace it with a copy of what it leads to.",
            )


def open_file(path: Path, flags: int) -> int:
    """Open a regular file, as the ``opener`` of :func:`open`; a pipe is an error, not a wait.

    A file that is written must not have a second name (a hard link), which may be outside the folder.
    """
    check_unlinked(path)
    # The absolute path is the one that was checked: it has no "..", which would follow a link before it.
    place, unfollowed = (os.path.abspath(path), os.O_NOFOLLOW) if _root(path) else (path, 0)
    descriptor = os.open(place, flags | os.O_NONBLOCK | unfollowed, 0o666)
    found = os.fstat(descriptor)
    try:
        check_mode(path, found.st_mode)
        if flags & (os.O_WRONLY | os.O_RDWR) and found.st_nlink > 1:
            raise DataError(
                f"{path}: the file has a second name (a hard link) and is not written to.", remedy="Delete this one."
            )
    except DataError:
        os.close(descriptor)
        raise
    return descriptor


def check_mode(path: Path, mode: int) -> None:
    """Raise an error unless the mode of a path is that of a regular file."""
    if stat.S_ISDIR(mode):
        raise DataError(f"{path}: expected a file, got a folder.", remedy="Name a file inside it.")
    if not stat.S_ISREG(mode):
        raise DataError(
            f"{path}: expected a regular file, got a pipe, a socket or a device.",
            remedy="Save its content to a file first.",
        )


def _root(path: Path) -> str | None:
    """Return the outermost folder of strangers that contains a path."""
    place = os.path.abspath(path)
    known = [*_folders, os.environ.get(FOLDER_OF_STRANGERS)]
    around = [one for one in known if one and place.startswith(os.path.join(one, ""))]
    return min(around, key=len, default=None)
