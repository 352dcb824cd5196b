"""What the systems of a study were measured on, in words for the report."""

from dataclasses import dataclass

from glassrank.metrics.comparison import Comparison


@dataclass(frozen=True)
class MeasuredWords:
    """What was measured, what it means, and what was resampled."""

    evaluation: str
    """What the systems were measured on, in one phrase that follows a number."""
    held_out: str = "held-out queries"
    folds: str = ""
    """What the folds are, and what they can show."""
    n_units: int | None = None
    """Number of measured documents or pairs of one query; None if queries are measured."""
    slope_from: str = "pairs of other queries"
    """What the slopes of the probabilities are fitted to."""
    mean_over: str = ""
    """What a value of one query is the mean of; empty if it is the value of the whole query."""
    ranked_by_seen: bool = False
    """Whether the lists of queries in the report are ranked by the final model, which has seen them."""
    warning: str = ""
    """What a reader must know before any number; empty if there is nothing."""

    def number(self, comparison: Comparison) -> str:
        """Return what the systems were measured on, with its number."""
        n_measured = comparison.n_queries if self.n_units is None else self.n_units
        return f"{n_measured:,} {self.evaluation}"

    def resampled(self, comparison: Comparison) -> str:
        """Return what was resampled for the intervals."""
        return "queries" if comparison.n_documents is None else "the documents of the query"
