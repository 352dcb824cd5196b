"""CouplingResult: what a coupling study has found, in the paper's four tables and its figure 3."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glassrank.core.frames import make_frame
from glassrank.metrics.classification import PrecisionRecall
from glassrank.navigational.coupling_chart import CouplingChart
from glassrank.navigational.coupling_text import coupling_text

Shares = Mapping[str, Mapping[str, float]]
"""Selector -> group -> share of the selected columns, mean over folds."""


@dataclass(frozen=True)
class Coupled:
    """A classifier on the columns that a selector has selected, measured on the rows held out of each fold."""

    selector: str | None
    """None: all columns."""
    classifier: str
    n_features: float
    """Number of columns; their mean over folds where all are taken."""
    folds: tuple[PrecisionRecall, ...]

    @property
    def f1(self) -> float:
        """Mean over folds, as in the paper; a fold's F1 is 0 where no navigational query is found."""
        return float(np.mean([fold.f1 or 0.0 for fold in self.folds]))

    @property
    def f1_std(self) -> float:
        """Standard deviation of F1 over folds."""
        return float(np.std([fold.f1 or 0.0 for fold in self.folds]))

    @property
    def recall(self) -> float:
        """Mean over folds."""
        return float(np.mean([fold.recall or 0.0 for fold in self.folds]))

    @property
    def precision(self) -> float | None:
        """Mean over the folds in which a query is called navigational; None where there is no such fold."""
        defined = [fold.precision for fold in self.folds if fold.precision is not None]
        return float(np.mean(defined)) if defined else None

    @property
    def pooled(self) -> PrecisionRecall:
        """The counts of all folds together."""
        names = ("true_positives", "false_positives", "false_negatives")
        return PrecisionRecall(**{name: sum(getattr(fold, name) for fold in self.folds) for name in names})

    def plain(self) -> dict[str, Any]:
        """All of it in plain values."""
        return {
            "selector": self.selector,
            "classifier": self.classifier,
            "n_features": self.n_features,
            "recall": self.recall,
            "precision": self.precision,
            "f1": self.f1,
            "f1_std": self.f1_std,
            "f1_pooled": self.pooled.f1,
        }


@dataclass(frozen=True, eq=False, repr=False)
class CouplingResult:
    """Every selector coupled with every classifier; prints the paper's tables, gives a table, JSON and a picture."""

    outcome: str
    """The class that is looked for."""
    n_rows: int
    n_positive: int
    n_features: int
    """Columns that each selector selects."""
    n_columns: tuple[int, ...]
    """Columns of each fold: features that change, and marks of missing values."""
    n_constant: tuple[int, ...]
    """Features that do not change in the training rows of each fold, and are left out."""
    selectors: Mapping[str, str]
    """Selectors, and who computes each."""
    classifiers: Mapping[str, str]
    """Classifiers, and who computes each."""
    coupled: tuple[Coupled, ...]
    """Every selector × classifier, and every classifier on all columns."""
    curve: tuple[Coupled, ...]
    """F1 against the number of columns, of one classifier: figure 3."""
    by_category: Shares | None
    """Table 1; None where categories are not known."""
    by_operator: Shares | None
    """Table 2; None where names do not tell operators."""
    kept: Mapping[str, Mapping[str, int]]
    """Selector -> column -> in how many folds it is selected, the most often selected first."""

    @property
    def best(self) -> Coupled:
        """The coupling with the highest F1, the first of equals; chosen among many, its F1 is optimistic."""
        return max(self.coupled, key=lambda one: one.f1)

    def __getitem__(self, of: tuple[str | None, str]) -> Coupled:
        selector, classifier = of
        for one in self.coupled:
            if (one.selector, one.classifier) == (selector, classifier):
                return one
        raise KeyError(
            f"{of!r} is no coupling: expected a selector of {', '.join(self.selectors)}, or None for all features, and "
            f"a classifier of {', '.join(self.classifiers)}"
        )

    def __str__(self) -> str:
        return coupling_text(self)

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """Every coupling and every point of the curve in plain values."""
        tables = {"coupled": self.coupled, "curve": self.curve}
        return [{"table": table, **one.plain()} for table, cells in tables.items() for one in cells]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per coupling and point of the curve."""
        rows = self.rows()
        return make_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(
            {
                "outcome": self.outcome,
                "n_rows": self.n_rows,
                "n_positive": self.n_positive,
                "n_features": self.n_features,
                "n_columns": self.n_columns,
                "n_constant": self.n_constant,
                "selectors": dict(self.selectors),
                "classifiers": dict(self.classifiers),
                "coupled": [_with_folds(one) for one in self.coupled],
                "curve": [_with_folds(one) for one in self.curve],
                "by_category": self.by_category,
                "by_operator": self.by_operator,
                "kept": self.kept,
            }
        )

    def chart(self) -> CouplingChart:
        """Draw figure 3: F1 against the number of features."""
        lines: dict[str, list[tuple[float, float, float]]] = {name: [] for name in self.selectors}
        for one in self.curve:
            for name in self.selectors if one.selector is None else [one.selector]:
                lines[name].append((one.n_features, one.f1, one.f1_std))
        ordered = tuple((name, tuple(sorted(points))) for name, points in lines.items())
        return CouplingChart(self.curve[0].classifier, ordered, len(self.n_columns), self.n_features)


def _with_folds(one: Coupled) -> dict[str, Any]:
    return {**one.plain(), "folds": [asdict(fold) for fold in one.folds]}
