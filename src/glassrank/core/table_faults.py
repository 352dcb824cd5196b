"""Everything that is wrong with a table, found in one pass: each fault with its column, and all as one error."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from glassrank.core.checks import DataError
from glassrank.core.setting import Setting


class TableFault(NamedTuple):
    """A fault of a table: its error says what is wrong, in which line, and the remedy."""

    column: str | None
    """None if the fault is not of one column."""
    error: DataError


class TableError(DataError):
    """Several faults of a table; the message has a line for each.

    >>> faults = [TableFault(name, DataError(f"Column {name!r} is empty.")) for name in ("price", "size")]
    >>> print(TableError(faults))
    Column 'price' is empty.
    Column 'size' is empty.
    """

    def __init__(self, faults: Sequence[TableFault]) -> None:
        self.faults = tuple(faults)
        super().__init__()

    def __reduce__(self) -> tuple[Any, ...]:
        return TableError, (self.faults,)

    def locate(self, place: object) -> None:
        """Prefix every line of the message with a place, unless it already starts with it."""
        for one in self.faults:
            one.error.locate(place)
        self._word_in_python()

    def _problem_text(self, words: Callable[[Setting], str | None]) -> str:
        return "\n".join(dict.fromkeys(one.error.worded(words) for one in self.faults))


class FaultFinder:
    """Collects the errors of several checks, so that a user learns of all of them at once.

    >>> finder = FaultFinder()
    >>> with finder.checking("price"):
    ...     raise DataError("Column 'price' is empty.")
    >>> finder.columns
    {'price'}
    """

    def __init__(self) -> None:
        self.found: list[TableFault] = []

    @property
    def columns(self) -> set[str | None]:
        """The columns at fault."""
        return {one.column for one in self.found}

    @contextmanager
    def checking(self, column: str | None = None) -> Iterator[None]:
        """Note a DataError of the block as a fault of this column."""
        try:
            yield
        except DataError as error:
            self.found.append(TableFault(column, error))


def raise_faults(faults: Sequence[TableFault]) -> None:
    """Raise the faults, if there are any: one as it is, and several as one error."""
    if faults:
        raise faults[0].error if len(faults) == 1 else TableError(faults)
