"""Allows one study at a time in a folder, because a second one would read and replace the steps of the first."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.files.atomic_files import folder_in_use
from glassrank.files.locks import LockedError, is_locked, lock_file
from glassrank.files.unfollowed_links import without_links

LOCK = "study.lock"
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def alone_in_folder(study: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let a study run only if no other one runs in its ``folder``.

    >>> @alone_in_folder
    ... def outer(folder="out"):
    ...     return study_within(folder)
    >>> study_within = alone_in_folder(lambda folder: "never")
    >>> outer()
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: out: another study is running in this folder: process ...
    """
    signature = inspect.signature(study)

    @wraps(study)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        with _alone_in(Path(given.arguments["folder"])):
            return study(*args, **kwargs)

    return run


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
