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
TOGETHER = "features that move together in training (|r| ≥ 0.8) are one row, with what they add together"
Row = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class DecisionContribution:
    """What a feature's value adds to the log-odds, compared with the median of the training rows."""

    feature: str
    value: float | None
    """None if it is missing."""
    usual: float
    contribution: float


@dataclass(frozen=True)
class DecisionGroup:
    """Features that move together in the training rows, and what they add to the log-odds together."""

    features: tuple[str, ...]
    contribution: float


@dataclass(frozen=True, repr=False)
class DecisionExplanation:
    """The contributions of features to a prediction, the strongest first; converts to a data frame and JSON."""

    called: str
    outcome: str
    """The class that a positive contribution supports."""
    probability: float
    threshold: float
    above: bool
    """Whether the probability is above the threshold."""
    usual_log_odds: float
    """Log-odds of a row in which every feature has its median."""
    contributions: tuple[DecisionContribution, ...]
    exact: bool
    """Whether usual_log_odds + Σ contributions equals the log-odds of the row."""
    groups: tuple[DecisionGroup, ...] = ()
    """Features that move together: the sign of one of them alone means little."""
    against_others: float | None = None
    """With more than two classes, P(outcome) before the probabilities are divided by their sum; the threshold is for
    it, and the log-odds are its own."""

    def __str__(self) -> str:
        more = len(self._parts()) - MAX_SHOWN
        return "\n".join(
            [
                f"predicted {self.called}: P({self.outcome}) = {self.probability:.3f}, {self._beside_threshold()}",
                align(self._table()),
                *([f"and {more} more"] if more > 0 and not self.exact else []),
                f"compared with each feature's median in training; {EXACT if self.exact else BY_REPLACEMENT}",
                *([TOGETHER] if self.groups else []),
            ]
        )

    def _beside_threshold(self) -> str:
        side = "above" if self.above else "not above"
        if self.against_others is None:
            return f"{side} {self.threshold:.3f}"
        return f"{self.against_others:.3f} against all others, {side} its threshold {self.threshold:.3f}"

    def _table(self) -> list[tuple[str, ...]]:
        """The rows with column titles; codes of features appear only beside their labels."""
        rows = [("log-odds", "feature", "value", "usual", "code"), *(self._sum() if self.exact else self.strongest())]
        labelled = any(feature_label(one.feature) != one.feature for one in self.contributions)
        return list(rows) if labelled else [row[:-1] for row in rows]

    def _parts(self) -> "list[DecisionContribution | DecisionGroup]":
        """Groups, and the features that are in none, the strongest first."""
        grouped = {feature for group in self.groups for feature in group.features}
        single = [one for one in self.contributions if one.feature not in grouped]
        return sorted([*self.groups, *single], key=lambda one: -abs(one.contribution))

    def strongest(self, most: int = MAX_SHOWN) -> list[Row]:
        """Return log-odds, label, value, usual value and code of the strongest features or groups, as texts."""
        return [_group_row(one) if isinstance(one, DecisionGroup) else _row(one) for one in self._parts()[:most]]

    def _sum(self) -> list[Row]:
        """The rows as a sum that a reader can check: usual query, shown features, the rest and the total."""
        rest = [one.contribution for one in self._parts()[MAX_SHOWN:]]
        total = self.usual_log_odds + sum(one.contribution for one in self.contributions)
        against = "" if self.against_others is None else " against all others"
        return [
            (f"{self.usual_log_odds:+.3f}", "usual query", "", "", ""),
            *self.strongest(),
            *([(f"{sum(rest):+.3f}", f"{len(rest)} more", "", "", "")] if rest else []),
            (f"{total:+.3f}", f"total = ln(P/(1-P)){against}", "", "", ""),
        ]

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature."""
        names = ("feature", "value", "usual", "contribution")
        return make_frame({name: [getattr(one, name) for one in self.contributions] for name in names}, backend)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(asdict(self))


def _row(one: DecisionContribution) -> Row:
    value = "missing" if one.value is None else f"{one.value:.4g}"
    return f"{one.contribution:+.3f}", feature_label(one.feature), value, f"{one.usual:.4g}", one.feature


def _group_row(group: DecisionGroup) -> Row:
    first, others = group.features[0], len(group.features) - 1
    label = f"{feature_label(first)}, with {others} more that {'moves' if others == 1 else 'move'} together with it"
    return f"{group.contribution:+.3f}", label, "", "", f"{first} + {others} more"
