"""Why a query is called navigational: what each feature adds, against its usual value."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from glassrank.core.frames import make_frame
from glassrank.metrics.tables import align

MOST_SHOWN = 10
EXACT = "they add up to the log-odds exactly"
BY_REPLACEMENT = "each by itself: features act together in this classifier, and these do not add up"


@dataclass(frozen=True)
class FeatureContribution:
    """What a feature's value adds to the log-odds, compared with the median of the training rows."""

    feature: str
    value: float | None
    """None where it is missing."""
    usual: float
    contribution: float


@dataclass(frozen=True, repr=False)
class DecisionExplanation:
    """The features that decided, the strongest first; prints itself, gives a table and JSON."""

    called: str
    outcome: str
    """The class that a positive contribution speaks for."""
    probability: float
    threshold: float
    usual_log_odds: float
    """Log-odds of a row in which every feature has its median."""
    contributions: tuple[FeatureContribution, ...]
    exact: bool
    """Whether usual_log_odds + Σ contributions are the log-odds of the row."""

    def __str__(self) -> str:
        side = "above" if self.called == self.outcome else "not above"
        rows = [("log-odds", "feature", "value", "usual")]
        for one in self.contributions[:MOST_SHOWN]:
            value = "missing" if one.value is None else f"{one.value:.4g}"
            rows.append((f"{one.contribution:+.3f}", one.feature, value, f"{one.usual:.4g}"))
        more = len(self.contributions) - MOST_SHOWN
        return "\n".join(
            [
                f"called {self.called}: P({self.outcome}) = {self.probability:.3f}, {side} {self.threshold:.3f}",
                align(rows),
                *([f"and {more} more"] if more > 0 else []),
                f"against each feature's median in training; {EXACT if self.exact else BY_REPLACEMENT}",
            ]
        )

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per feature."""
        names = ("feature", "value", "usual", "contribution")
        return make_frame({name: [getattr(one, name) for one in self.contributions] for name in names}, backend)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(asdict(self))
