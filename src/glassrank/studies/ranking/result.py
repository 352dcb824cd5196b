"""The result of a ranking study: plain values, ready for the report."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassrank.core.checks import FloatArray
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.comparison import Comparison
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.nomograms.figure.nomogram import Nomogram
from glassrank.ranking.reliability import Reliability
from glassrank.studies.measured_words import MeasuredWords
from glassrank.studies.ranking.choice import LARGE_GAP, Choice
from glassrank.studies.ranking.picker_queries import PickerQueries

REVERSED = "the larger a difference of scores, the less often the order is right"


@dataclass(frozen=True)
class WrongDocument:
    """A document of a pair in the wrong order."""

    name: str
    label: float
    rank: int
    """Rank by the held-out scores, from 1."""


@dataclass(frozen=True)
class WrongPair:
    """The pair of a query in the wrong order whose swap would raise the study's measure most."""

    above: WrongDocument
    below: WrongDocument
    """The document with the higher label."""
    gain: float
    """By how much the swap would raise the measure of the query."""
    total: float
    """Score of ``above`` minus that of ``below`` by the explained model, which may order the two correctly."""
    pushes: tuple[tuple[str, float], ...]
    """The features that raise ``above`` most over ``below``, at most five, with their contributions to ``total``."""
    attribution: str = ""
    """How a model that is not additive splits the total between the features; empty for additive models."""


@dataclass(frozen=True)
class HardQuery:
    """A query that a system ranks badly."""

    query: str
    n_documents: int
    judged: tuple[tuple[float, int], ...]
    """(Label, number of documents), the highest label first."""
    value: float
    labels: tuple[float, ...]
    """Labels of the first documents in ranked order."""
    first_best: int
    """Rank of the first document with the query's highest label."""
    pair: WrongPair | None
    """The pair that hurts most; None if no swap would raise the measure."""


@dataclass(frozen=True)
class Failures:
    """The queries that one system ranks worst."""

    label: str
    unit: str
    """Unit of the contributions: ``"score"`` or ``"log-odds"``."""
    queries: tuple[HardQuery, ...]
    n_short: int
    """Number of queries left out because their list is shorter than the measure's cutoff, for which they get 0."""


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult:
    """A whole study: facts, comparison with baselines, probabilities, nomogram, elimination, hardest queries."""

    title: str
    facts: dict[str, str]
    model: str
    """Key of the study's model among the compared systems."""
    measured: MeasuredWords
    """What the systems were measured on."""
    comparisons: tuple[Comparison, ...]
    """One per measure, with the study's model as the baseline; the first one is the study's own measure. The systems
    that the user gave come first, and then the others, the best first."""
    choice: Choice
    """C and γ, and all values that were tried."""
    reliabilities: dict[str, Reliability]
    """Of the probabilities of every system, on the same pairs of the measured queries; without those whose pairs would
    reverse the order."""
    nomogram: Nomogram
    picker_queries: PickerQueries
    elimination: EliminationResult
    failures: tuple[Failures, ...]
    """One per system that can be explained; the first one is the study's model."""
    commands: tuple[str, ...]
    versions: dict[str, str]
    folder: Path | None = None
    scores: dict[str, FloatArray] = field(default_factory=dict)
    """Scores of the measured documents by every system, from models that have not seen their queries if possible."""
    explained: dict[str, Any] = field(default_factory=dict)
    """Models for ``gr.explain_pair``, with probabilities if possible: the study's own, and the given ones."""
    shown: dict[str, RankingData] = field(default_factory=dict)
    """The measured documents with the features of each explained model."""
    notes: tuple[str, ...] = ()
    """How the given systems and LightGBM were measured, one sentence or two for each."""
    settings: tuple[dict[str, Any], ...] = ()
    """Setting of LightGBM in each fold."""
    n_kept: tuple[int, ...] = ()
    """Number of features kept in each fold, or by the model that is measured on test data."""
    times: dict[str, float] = field(default_factory=dict)
    """CPU seconds of each step before the report was written; those of a reused step are from the run that computed
    it."""
    no_probabilities: str = ""
    """Why the study's model has no probabilities; empty if it has them."""

    @property
    def evaluation(self) -> str:
        """What the systems were measured on, in one phrase that follows a number."""
        return self.measured.evaluation

    @property
    def reliability(self) -> Reliability | None:
        """Reliability of the probabilities of the study's model; None if it has none, or if they reverse the order."""
        return None if self.no_probabilities else self.reliabilities.get(self.model)

    @property
    def main(self) -> Comparison:
        """The comparison by the study's own measure."""
        return self.comparisons[0]

    @property
    def hardest(self) -> tuple[HardQuery, ...]:
        """The queries that the study's model ranks worst."""
        return self.failures[0].queries

    def opening(self) -> str:
        """Say how good the study's model is."""
        return (
            f"On {self.measured.number(self.main)}, the model with {self.elimination.n_kept} of "
            f"{self.elimination.rounds[0].n_features} features reaches {self.main.measure.upper()} "
            f"{self.main[self.model].mean:.3f}. {self.measured.warning}"
        ).strip()

    def lead(self) -> str:
        """Summarise the result in a few sentences; verdicts come from the paired tests only."""
        before = [self.calibration_in_words()] if self.no_probabilities else []
        verdicts = [self.main.sentence(one.name) for one in self.main.others]
        after = [self.elimination.guard, "" if before else self.calibration_in_words()]
        return " ".join(one for one in [*before, self.opening(), *verdicts, *after] if one)

    def calibration_in_words(self) -> str:
        """Say that the probabilities of the study's model are missing or wrong; empty if they are right."""
        if self.no_probabilities:
            return f"The model has no probabilities. {self.no_probabilities}"
        if self.reliability is None:
            return f"Do not trust its probabilities: on these queries, {REVERSED}."
        gap = self.reliability.calibration_gap
        return f"Its probabilities are off by {gap:.2f} on average over held-out pairs." if gap > LARGE_GAP else ""

    def __str__(self) -> str:
        where = f"\nReport: {self.folder / 'report.html'}" if self.folder else ""
        kept = ", ".join(line.feature for line in self.elimination.kept)
        return f"{self.title}\n{self.lead()}\n{self.main}\nKept: {kept}{where}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The main numbers as plain values, for JSON."""
        return {
            "title": self.title,
            "facts": self.facts,
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "choice": self.choice.to_dict(),
            "reliability": None if self.reliability is None else self.reliability.to_dict(),
            "no_probabilities": self.no_probabilities,
            "reliabilities": {key: one.to_dict() for key, one in self.reliabilities.items()},
            "elimination": self.elimination.to_dict(),
            "commands": self.commands,
            "versions": self.versions,
            "features_kept_by_fold": list(self.n_kept),
            "lightgbm_settings": list(self.settings),
            "notes": list(self.notes),
            "times": self.times,
            "folder": None if self.folder is None else str(self.folder),
        }

    def to_json(self) -> str:
        """Return the main numbers as JSON."""
        return json.dumps(self.to_dict())
