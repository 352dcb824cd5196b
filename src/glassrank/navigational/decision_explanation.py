"""Why a query is predicted navigational: what each feature adds, compared with its usual value."""

import json
from dataclasses import asdict, dataclass

from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.drawing.text_table import align
from glassrank.navigational.feature_labels import feature_label

MAX_SHOWN = 10
EXACT = "with the usual query, which has all medians, they add up to the log-odds exactly"
BY_REPLACEMENT = "each on its own: features interact in this classifier, so the contributions do not add up"
Row = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class DecisionContribution:
    """What a feature's value adds to the log-odds, compared with the median of the training rows."""

    feature: str
    value: float | None
    """None if it is missing."""
    usual: float
    contribution: float


@dataclass(frozen=True, repr=False)
class DecisionExplanation:
    """The contributions of features to a prediction, the strongest first; converts to a data frame and JSON."""

    called: str
    outcome: str
    """The class that a positive contribution supports."""
    probability: float
    threshold: float
    usual_log_odds: float
    """Log-odds of a row in which every feature has its median."""
    contributions: tuple[DecisionContribution, ...]
    exact: bool
    """Whether usual_log_odds + Σ contributions equals the log-odds of the row."""

    def __str__(self) -> str:
        side = "above" if self.called == self.outcome else "not above"
        more = len(self.contributions) - MAX_SHOWN
        return "\n".join(
            [
                f"predicted {self.called}: P({self.outcome}) = {self.probability:.3f}, {side} {self.threshold:.3f}",
                align(self._table()),
                *([f"and {more} more"] if more > 0 and not self.exact else []),
                f"compared with each feature's median in training; {EXACT if self.exact else BY_REPLACEMENT}",
            ]
        )

    def _table(self) -> list[tuple[str, ...]]:
        """The rows with column titles; codes of features appear only beside their labels."""
        rows = [("log-odds", "feature", "value", "usual", "code"), *(self._sum() if self.exact else self._strongest())]
        labelled = any(feature_label(one.feature) != one.feature for one in self.contributions)
        return list(rows) if labelled else [row[:-1] for row in rows]

    def _strongest(self) -> list[Row]:
        """One row per shown feature."""
        return [
            (
                f"{one.contribution:+.3f}",
                feature_label(one.feature),
                "missing" if one.value is None else f"{one.value:.4g}",
                f"{one.usual:.4g}",
                one.feature,
            )
            for one in self.contributions[:MAX_SHOWN]
        ]

    def _sum(self) -> list[Row]:
        """The rows as a sum that a reader can check: usual query, shown features, the rest and the total."""
        rest = [one.contribution for one in self.contributions[MAX_SHOWN:]]
        total = self.usual_log_odds + sum(one.contribution for one in self.contributions)
        return [
            (f"{self.usual_log_odds:+.3f}", "usual query", "", "", ""),
            *self._strongest(),
            *([(f"{sum(rest):+.3f}", f"{len(rest)} more", "", "", "")] if rest else []),
            (f"{total:+.3f}", "total = ln(P/(1-P))", "", "", ""),
        ]

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature."""
        names = ("feature", "value", "usual", "contribution")
        return make_frame({name: [getattr(one, name) for one in self.contributions] for name in names}, backend)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(asdict(self))
