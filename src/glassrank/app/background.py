"""Computations that take longer than a page should: they continue after the answer, for a later request."""

import weakref
from collections.abc import Callable, Hashable
from html import escape
from multiprocessing.pool import AsyncResult, ThreadPool
from threading import Lock
from typing import Any, TypeVar

PATIENCE = 3.0  # seconds that a request waits: most studies are small, and their pages then come whole
WORKERS = 2
WAIT = "This takes a while for large studies and continues in the background. The result appears when it is ready."
WAITING = 'data-waiting="'
"""Marks a page that waits; text from data never contains it, since its quotes are escaped."""

Result = TypeVar("Result")


class Background:
    """Runs computations by key, each only once at a time; the end of the app does not wait for them."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._lock, self._running = Lock(), dict[Hashable, AsyncResult[Any]]()
        # The threads of this kind of pool end with the app, whatever they are doing.
        self._threads = ThreadPool(WORKERS)
        weakref.finalize(self, self._threads.terminate)

    def result(self, key: Hashable, compute: Callable[[], Result]) -> Result | None:
        """Return the result of a computation, or None if it is still under way; an error is raised here, once.

        >>> Background().result("sum", lambda: 1 + 1)
        2
        """
        computed = self._computed(key, compute)
        computed.wait(self.patience)
        return self._taken(key, computed) if computed.ready() else None

    def whole(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of a computation, however long it takes: for files, which cannot show a page meanwhile."""
        computed = self._computed(key, compute)
        computed.wait()
        return self._taken(key, computed)

    def _computed(self, key: Hashable, compute: Callable[[], Result]) -> "AsyncResult[Result]":
        with self._lock:
            known = self._running.get(key)
            if known is None:
                known = self._running[key] = self._threads.apply_async(compute)
            return known

    def _taken(self, key: Hashable, computed: "AsyncResult[Result]") -> Result:
        with self._lock:
            if self._running.get(key) is computed:
                del self._running[key]
        return computed.get()


def waiting_part(address: str, words: str) -> str:
    """Return what a page shows in place of a result; the page is loaded again when the address has it."""
    return f'<p {WAITING}{escape(address)}" role="status">{escape(words)} {WAIT}</p>'
