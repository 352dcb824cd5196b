"""Limits linear algebra to one thread while the package's own threads work, and restores the limits afterwards.

The number of BLAS threads is a setting of the whole process. If two fits in different threads each lowered and restored
it, the second would save the limit of the first and restore that. So the first fit to start lowers the limit, and the
last to end restores it. All matrix products of a fit then use one thread, no matter what runs beside it, and have the
same bits as in a fit that runs alone.
"""

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

import scipy.linalg  # noqa: F401  # its own BLAS must be loaded before _BlasHold looks for libraries
from threadpoolctl import ThreadpoolController


class _BlasHold:
    """The Python threads that need BLAS limited to one thread, and the limits to restore."""

    def __init__(self) -> None:
        # Without OpenMP, whose limit is per thread: restoring it in another thread would change the wrong limit.
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
        """Let any thread set the limits: threadpoolctl 3.8 and later ignores all threads but the first that did."""
        for library in self._libraries.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)

    def _after_fork(self) -> None:
        """Forget the other threads: only the thread that forked exists in the child."""
        self._lock = threading.Lock()
        if self._holders:
            this = threading.get_ident()
            self._holders = Counter({this: self._holders[this]})
            self._restore_if_last()


@cache
def _hold() -> _BlasHold:
    """Create the hold when it is first needed, because looking for loaded libraries takes longer than a small fit."""
    return _BlasHold()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit linear algebra libraries to one thread during the block."""
    hold, thread = _hold(), threading.get_ident()
    hold.take(thread)
    try:
        yield
    finally:
        hold.leave(thread)


@contextmanager
def one_native_thread() -> Iterator[None]:
    """Limit linear algebra, and OpenMP in this Python thread, to one thread: for one worker among several."""
    with one_blas_thread(), _openmp_libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _openmp_libraries(n_modules: int) -> ThreadpoolController:
    """Look for OpenMP again only after an import, which may have loaded another library, because it takes a while."""
    return ThreadpoolController().select(user_api="openmp")
