"""How long work reports what it does: one kind of callback everywhere."""

from collections.abc import Callable

Progress = Callable[[int, int | None, str], None]
"""Called with how much is done, of how much (None where nobody knows), and what is being done."""


def silent(done: int, total: int | None, what: str) -> None:
    """Report nothing: for work whose progress nobody watches.

    >>> silent(1, 3, "training")
    """


def counted_steps(progress: Progress | None, total: int | None = None) -> Callable[[str], None]:
    """Return a function to call with the name of each step before it starts; it counts the steps before.

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
