"""Computations that take longer than a page should: they go on after the answer, for a later request."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from html import escape
from threading import Lock
from typing import Any, TypeVar

PATIENCE = 3.0  # seconds that a request waits: most studies are small, and their pages then come whole
WORKERS = 2
WAIT = "This takes a while for large studies and goes on in the background. The page shows it when it is there."

Result = TypeVar("Result")


class Background:
    """Runs computations by key, each only once at a time."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._lock, self._running = Lock(), dict[Hashable, Future[Any]]()
        self._threads = ThreadPoolExecutor(WORKERS)

    def result(self, key: Hashable, compute: Callable[[], Result]) -> Result | None:
        """Return the result of a computation, or None if it is still under way; an error is raised here, once.

        >>> Background().result("sum", lambda: 1 + 1)
        2
        """
        with self._lock:
            future = self._running.get(key)
            if future is None:
                future = self._running[key] = self._threads.submit(compute)
        wait([future], self.patience)
        if not future.done():
            return None
        with self._lock:
            self._running.pop(key, None)
        found: Result = future.result()
        return found


def waiting_part(address: str, words: str) -> str:
    """Return what a page shows in place of a result; ``waiting.js`` loads the page again when the address has it."""
    return f'<p data-waiting="{escape(address)}" role="status">{escape(words)} {WAIT}</p>'
