"""Size and period of a log, on which counts depend: those of training and of prediction should be alike."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.navigational.features.log_source import LogFacts

SIZE_FACTOR = 2.0
"""Logs whose numbers of events differ by a larger factor are reported."""


@dataclass(frozen=True)
class LogExtent:
    """Numbers of events and of distinct queries of a log, and its first and last time if known (seconds since 1970).

    >>> print(LogExtent(5000, 70, 1141171200.0, 1149033599.0))
    5,000 events of 70 queries, 2006-03-01 to 2006-05-30
    """

    n_events: int
    n_queries: int
    first_time: float | None = None
    last_time: float | None = None

    @classmethod
    def of(cls, facts: "LogFacts") -> "LogExtent":
        """Take the size and the period from the facts of a log."""
        return cls(facts.n_events, facts.n_queries, facts.first_time, facts.last_time)

    @property
    def days(self) -> tuple[str, str] | None:
        """First and last day (UTC); None if times are unknown."""
        if self.first_time is None or self.last_time is None:
            return None
        return _day(self.first_time), _day(self.last_time)

    def __str__(self) -> str:
        size = f"{counted(self.n_events, 'event')} of {counted(self.n_queries, 'query', 'queries')}"
        return size if self.days is None else f"{size}, {self.days[0]} to {self.days[1]}"

    def differences(self, other: "LogExtent") -> list[str]:
        """Name the ways in which another log is unlike this one: its size by more than a factor of 2, or its period.

        >>> LogExtent(5000, 70).differences(LogExtent(10_000, 80)), LogExtent(5000, 70).differences(LogExtent(2499, 70))
        ([], ['its size differs by a factor of more than 2'])
        """
        small, large = sorted((self.n_events, other.n_events))
        found = [f"its size differs by a factor of more than {SIZE_FACTOR:g}"] if large > SIZE_FACTOR * small else []
        return found + (["its period is another one"] if self.days != other.days else [])

    def warning(self, other: "LogExtent") -> str | None:
        """Say how the log for prediction differs from this one, with which a model was trained; None if it does not."""
        found = self.differences(other)
        if not found:
            return None
        return (
            f"Warning: the model was trained with a log of {self}, but this one has {other}: {' and '.join(found)}. "
            "Counts of clicks depend on both. Use a log of the same size and period, or train the model again with "
            "this one."
        )


def _day(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
