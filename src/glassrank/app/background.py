"""Computations that take longer than a page should: they go on after the answer, for a later request."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from html import escape
from threading import Lock, Semaphore, Thread
from typing import Any, TypeVar

PATIENCE = 3.0  # seconds that a request waits: most studies are small, and their pages then come whole
WORKERS = 2
WAIT = "This takes a while for large studies and goes on in the background. The page shows it when it is there."
WAITING = 'data-waiting="'
"""Marks a page that waits; text from data never contains it, since its quotes are escaped."""

Result = TypeVar("Result")


class Background:
    """Runs computations by key, each only once at a time; the end of the app does not wait for them."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._lock, self._running = Lock(), dict[Hashable, Future[Any]]()
        self._workers = Semaphore(WORKERS)

    def result(self, key: Hashable, compute: Callable[[], Result]) -> Result | None:
        """Return the result of a computation, or None if it is still under way; an error is raised here, once.

        >>> Background().result("sum", lambda: 1 + 1)
        2
        """
        future = self._future(key, compute)
        wait([future], self.patience)
        return self._taken(key, future) if future.done() else None

    def whole(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of a computation, however long it takes: for files, which cannot show a page meanwhile."""
        future = self._future(key, compute)
        wait([future])
        return self._taken(key, future)

    def _future(self, key: Hashable, compute: Callable[[], Result]) -> Future[Result]:
        with self._lock:
            future = self._running.get(key)
            if future is None:
                future = self._running[key] = Future()
                Thread(target=self._run, args=(future, compute), daemon=True).start()
            return future

    def _run(self, future: Future[Result], compute: Callable[[], Result]) -> None:
        with self._workers:
            try:
                future.set_result(compute())
            except BaseException as error:
                future.set_exception(error)  # raised in the request that asks for the result

    def _taken(self, key: Hashable, future: Future[Result]) -> Result:
        with self._lock:
            if self._running.get(key) is future:
                del self._running[key]
        return future.result()


def waiting_part(address: str, words: str) -> str:
    """Return what a page shows in place of a result; the page is loaded again when the address has it."""
    return f'<p {WAITING}{escape(address)}" role="status">{escape(words)} {WAIT}</p>'
