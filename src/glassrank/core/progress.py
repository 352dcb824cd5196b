"""Progress callbacks of long-running work."""

from collections.abc import Callable

Progress = Callable[[int, int | None, str], None]
"""Called with the amount done, the total (None if unknown) and a description of the current work."""


def silent(done: int, total: int | None, what: str) -> None:
    """Report nothing.

    >>> silent(1, 3, "training")
    """


def counted_steps(progress: Progress | None, total: int | None = None) -> Callable[[str], None]:
    """Return a function to call with the name of each step before it starts; it reports the number of earlier steps.

    >>> start = counted_steps(lambda done, total, what: print(f"{done} of {total}: {what}"), total=2)
    >>> start("training")
    0 of 2: training
    >>> start("writing")
    1 of 2: writing
    """
    report, done = progress or silent, 0

    def start(what: str) -> None:
        nonlocal done
        report(done, total, what)
        done += 1

    return start
