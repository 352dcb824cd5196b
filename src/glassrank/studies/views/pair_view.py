"""Why one document of a ranked list is above another: the strongest features, their lines, and the probability."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from glassrank.core.additive.categories import MISSING, level_name
from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.checks import DataError, FloatArray
from glassrank.nomograms.compared_pair import ComparedDocument, ComparedPair
from glassrank.nomograms.explanation import FeatureContribution, explain_feature
from glassrank.nomograms.figure.lines import Line, line_of
from glassrank.nomograms.figure.rows import level_counts, value_notation
from glassrank.studies.views.ranked_list import ListState, RankedList

MOST_ROWS = 6
LINE_ERROR, LINE_ERROR_SHARE = 0.001, 0.001  # log-odds, and share of a line's range, between its samples


@dataclass(frozen=True, eq=False)
class PairRow:
    """One feature of a compared pair."""

    k: int
    effect: FeatureEffect
    found: FeatureContribution
    recorded: tuple[float, float]
    """The recorded values of A and B."""
    line: Line | None
    """The curve as straight pieces; None for a model of differences, whose curve has no place for a document."""
    level_counts: FloatArray
    """Number of measured documents with each level of a category; empty for numbers."""

    def said(self, value: float | None) -> str:
        """Return a value of the feature as text; a dash for none."""
        return "–" if value is None else value_text(self.effect, value)

    @property
    def changed(self) -> tuple[bool, bool]:
        """Whether the values of A and B differ from the recorded ones."""
        now = self.found.value_a, self.found.value_b
        return (not _same(now[0], self.recorded[0]), not _same(now[1], self.recorded[1]))


@dataclass(frozen=True, eq=False)
class PairView:
    """Documents A and B of a ranked list, compared: rows and rest add up to the total."""

    a: int
    b: int
    rows: tuple[PairRow, ...]
    n_rest: int
    rest: float
    offset: float
    total: float
    recorded_total: float
    interval: tuple[float, float] | None
    """95 % interval of the total; None without resampled models."""
    unit: str
    """Unit of the contributions: ``"log-odds"``, or ``"score"`` for a model without probabilities."""

    @property
    def probability(self) -> float | None:
        """P(A above B), given that the two differ in relevance; None without probabilities."""
        return self._probability(self.total)

    @property
    def probability_interval(self) -> tuple[float, float] | None:
        ends = [self._probability(end) for end in self.interval or ()]
        return (ends[0], ends[1]) if ends and ends[0] is not None and ends[1] is not None else None

    def _probability(self, total: float) -> float | None:
        return float(expit(total)) if self.unit == "log-odds" else None


def pair_view(ranked: RankedList, a: str, b: str, most_rows: int = MOST_ROWS) -> PairView:
    """Compare two documents of a list by name: the strongest features and the changed ones; the others are summed."""
    places = ranked.place_of(a), ranked.place_of(b)
    if places[0] == places[1]:
        raise DataError(f"A and B must be two documents: both are {a!r}.", remedy="Choose another B.")
    effects = ranked.view.effects
    pair = _compared(ranked, ranked.now, places)
    by_size = np.argsort(-np.abs(pair.contributions[: len(effects.features)]), kind="stable").tolist()
    changed = {k for document, k in ranked.changed if document in places}
    shown = [k for place, k in enumerate(by_size) if place < most_rows or k in changed]
    samples = ranked.view.samples
    A, B = pair.a.values[None], pair.b.values[None]
    ends = None if samples is None else samples.interval(A, B)
    return PairView(
        *places,
        rows=tuple(_row(ranked, pair, places, k) for k in shown),
        n_rest=len(pair.contributions) - len(shown),
        rest=float(np.delete(pair.contributions, shown).sum()),
        offset=pair.offset,
        total=pair.difference,
        recorded_total=_compared(ranked, ranked.recorded, places).difference,
        interval=None if ends is None else (float(ends[0][0]), float(ends[1][0])),
        unit=effects.unit,
    )


def value_text(effect: FeatureEffect, value: float) -> str:
    """Return a value as a page shows it: to a hundredth of the feature's range, and categories by name."""
    if np.isnan(value):
        return MISSING
    if effect.categories:
        return level_name(effect.categories, value)
    ends = np.array([min(effect.low, value), max(effect.high, value)])
    return value_notation(Line(effect, ends, ends, 0.0, "", ()), whole=effect.whole and value == round(value))(value)


def _row(ranked: RankedList, pair: ComparedPair, places: tuple[int, int], k: int) -> PairRow:
    effects = ranked.view.effects
    effect, recorded = effects.features[k], ranked.recorded.values[list(places), k]
    shown = np.array([pair.a.values[k], pair.b.values[k], *recorded])
    line = line_of(effect, shown, LINE_ERROR, LINE_ERROR_SHARE, "folded") if effects.subject == "utility" else None
    counts = np.zeros(0) if line is None or not effect.categories else level_counts(line, ranked.view.column(k))
    found = explain_feature(effects, pair, k)
    return PairRow(k, effect, found, (float(recorded[0]), float(recorded[1])), line, counts)


def _compared(ranked: RankedList, state: ListState, places: tuple[int, int]) -> ComparedPair:
    effects = ranked.view.effects
    a, b = (_document(ranked, state, place) for place in places)
    contributions = effects.differences(a.values[None], b.values[None])[0]
    return ComparedPair(ranked.query, a, b, contributions, effects.pair_offset)


def _document(ranked: RankedList, state: ListState, place: int) -> ComparedDocument:
    return ComparedDocument(
        ranked.names[place],
        int(state.ranks[place]),
        len(ranked.names),
        float(state.scores[place]),
        float(ranked.labels[place]),
        np.asarray(state.values[place]),
    )


def _same(first: float | None, second: float) -> bool:
    return first == second or (first is not None and np.isnan(first) and np.isnan(second))
