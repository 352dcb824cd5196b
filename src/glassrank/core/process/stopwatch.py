"""CPU time of the steps of a job."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up the CPU seconds of named steps, in the order in which they first ran.

    All threads of this process count, also those of compiled libraries. Other processes, such as Spark executors and
    joblib's workers, do not count: they outlive the steps, and the system reports their time only when they end.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the CPU time of the block to a step."""
        start = time.process_time()
        try:
            yield
        finally:
            self.add(name, time.process_time() - start)

    def add(self, name: str, seconds: float) -> None:
        """Add the seconds of a step that were measured elsewhere.

        >>> watch = Stopwatch()
        >>> watch.add("training", 2.0)
        >>> watch.add("training", 0.5)
        >>> watch.seconds
        {'training': 2.5}
        """
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
