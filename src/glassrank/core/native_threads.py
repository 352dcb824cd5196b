"""One thread for linear algebra while the package's own threads work; afterwards the limits are what they were.

The number of BLAS threads belongs to the whole process. If two fits in different threads each lowered and restored it,
the second would remember the limit of the first, and restore that. So the first to come lowers it and the last to leave
restores it. All products of a fit then see one thread, whatever runs beside it, and have the same bits as in a fit on
its own.
"""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  # its own BLAS must be loaded before the hold looks for libraries
from threadpoolctl import ThreadpoolController, threadpool_limits


class _BlasHold:
    """Who holds BLAS at one thread, by thread of Python, and how to restore the limits."""

    def __init__(self) -> None:
        # Without OpenMP, whose limit belongs to each thread: restoring it in another thread would change that one's.
        self._libraries = ThreadpoolController().select(user_api="blas")
        self._lock = threading.Lock()
        self._holders: Counter[int] = Counter()
        self._limits: Any = None
        os.register_at_fork(after_in_child=self._after_fork)

    def take(self, thread: int) -> None:
        with self._lock:
            if not self._holders:
                self._free_control()
                self._limits = self._libraries.limit(limits=1)
            self._holders[thread] += 1

    def leave(self, thread: int) -> None:
        with self._lock:
            self._holders[thread] -= 1
            self._restore_if_last()

    def _restore_if_last(self) -> None:
        self._holders = +self._holders
        if not self._holders:
            self._free_control()
            self._limits.restore_original_limits()
            self._free_control()

    def _free_control(self) -> None:
        """Let any thread set the limits: since threadpoolctl 3.8, others than the first that did are ignored."""
        for library in self._libraries.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)

    def _after_fork(self) -> None:
        """Only the thread that forked lives on in the child: what the others held, no one would leave."""
        self._lock = threading.Lock()
        if self._holders:
            this = threading.get_ident()
            self._holders = Counter({this: self._holders[this]})
            self._restore_if_last()


@cache
def _hold() -> _BlasHold:
    """Made when first needed: looking for the loaded libraries takes longer than a small fit."""
    return _BlasHold()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold the libraries of linear algebra at one thread."""
    hold, thread = _hold(), threading.get_ident()
    hold.take(thread)
    try:
        yield
    finally:
        hold.leave(thread)


@contextmanager
def one_native_thread() -> Iterator[None]:
    """Hold linear algebra at one thread, and OpenMP in this thread of Python: for one worker among several."""
    with one_blas_thread(), threadpool_limits(limits=1, user_api="openmp"):
        yield
