"""CouplingResult: the result of a coupling study, in the paper's four tables and its figure 3."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.drawing.line_panels import LinePanels
from glassrank.drawing.text_table import align
from glassrank.metrics.classification import PrecisionRecall
from glassrank.navigational.coupling import paper_figures as paper
from glassrank.navigational.coupling.coupling_chart import coupling_chart
from glassrank.navigational.feature_labels import feature_label

Shares = Mapping[str, Mapping[str, float]]
"""Selector -> group -> share of the selected columns, mean over folds."""


@dataclass(frozen=True)
class Coupled:
    """A classifier on the columns of a selector, measured on the held-out rows of each fold."""

    selector: str | None
    """None means all columns."""
    classifier: str
    n_features: float
    """Number of columns; for all columns, the mean over folds."""
    folds: tuple[PrecisionRecall, ...]

    @property
    def f1(self) -> float:
        """Mean over folds, as in the paper; F1 is 0 for a fold in which no navigational query is found."""
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
        """Mean over the folds in which a query is predicted navigational; None if there is no such fold."""
        defined = [fold.precision for fold in self.folds if fold.precision is not None]
        return float(np.mean(defined)) if defined else None

    @property
    def pooled(self) -> PrecisionRecall:
        """The counts of all folds together."""
        names = ("true_positives", "false_positives", "false_negatives")
        return PrecisionRecall(**{name: sum(getattr(fold, name) for fold in self.folds) for name in names})

    def plain(self) -> dict[str, Any]:
        """Everything as plain values."""
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
    """Every selector coupled with every classifier; prints the paper's tables, converts to a data frame and JSON."""

    outcome: str
    """The positive class."""
    n_rows: int
    n_positive: int
    n_features: int
    """Number of columns that each selector selects."""
    n_columns: tuple[int, ...]
    """Number of columns of each fold: features that vary, and indicators of missing values."""
    n_constant: tuple[int, ...]
    """Number of features that are constant in the training rows of each fold and are left out."""
    selectors: Mapping[str, str]
    """Selector → its engine."""
    classifiers: Mapping[str, str]
    """Classifier → its engine."""
    coupled: tuple[Coupled, ...]
    """All pairs of selector and classifier, and every classifier on all columns."""
    curve: tuple[Coupled, ...]
    """F1 of one classifier against the number of columns: figure 3."""
    by_category: Shares | None
    """Table 1; None if categories are unknown."""
    by_operator: Shares | None
    """Table 2; None if names contain no operators."""
    kept: Mapping[str, Mapping[str, int]]
    """Selector -> column -> number of folds that select it, in descending order."""
    n_copies: tuple[int, ...] = ()
    """Number of columns of each fold that were merged, because they are identical to another in the training rows."""
    n_asked: int | None = None
    """Number of columns that were to be selected; more than ``n_features`` if fewer columns are distinct."""
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Selected column → the columns that are identical to it in every fold that selects it."""

    @property
    def best(self) -> Coupled:
        """The coupling with the highest F1 (the first if tied); as the best of many, its F1 is optimistic."""
        return max(self.coupled, key=lambda one: one.f1)

    def __getitem__(self, of: tuple[str | None, str]) -> Coupled:
        selector, classifier = of
        for one in self.coupled:
            if (one.selector, one.classifier) == (selector, classifier):
                return one
        raise KeyError(
            f"{of!r} is not a coupling: expected a selector of {', '.join(self.selectors)}, or None for all features, "
            f"and a classifier of {', '.join(self.classifiers)}"
        )

    def __str__(self) -> str:
        return coupling_text(self)

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """Every coupling and every point of the curve in plain values."""
        tables = {"coupled": self.coupled, "curve": self.curve}
        return [{"table": table, **one.plain()} for table, cells in tables.items() for one in cells]

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per coupling and point of the curve."""
        rows = self.rows()
        return make_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
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
            "n_copies": self.n_copies,
            "n_asked": self.n_asked,
            "copies": {name: list(copies) for name, copies in self.copies.items()},
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())

    def chart(self) -> LinePanels:
        """Draw figure 3: F1 against the number of features."""
        lines: dict[str, list[tuple[float, float, float]]] = {name: [] for name in self.selectors}
        for one in self.curve:
            for name in self.selectors if one.selector is None else [one.selector]:
                lines[name].append((one.n_features, one.f1, one.f1_std))
        ordered = {name: tuple(sorted(points)) for name, points in lines.items()}
        return coupling_chart(self.curve[0].classifier, ordered, len(self.n_columns), self.n_features)


def _with_folds(one: Coupled) -> dict[str, Any]:
    return {**one.plain(), "folds": [asdict(fold) for fold in one.folds]}


NOTHING = "–"
MAX_COLUMNS_SHOWN = 5


def coupling_text(found: "CouplingResult") -> str:
    """All tables as text, with the paper's figures in brackets."""
    parts = [_head(found)]
    for number, what, table, shares in (
        (1, "category", paper.BY_CATEGORY, found.by_category),
        (2, "operators", paper.BY_OPERATOR, found.by_operator),
    ):
        if shares is not None:
            title = f"Table {number}: share of the {found.n_features} selected features by {what}, mean over folds"
            parts.append(f"{title} ({paper.SELECTED_LABEL})\n{_shares(shares, table, tuple(found.selectors))}")
    parts.append(f"Table 3: all features, mean over folds ({paper.LABEL})\n{_all_features(found)}")
    parts.append(
        f"Table 4: F1 with {found.n_features} features ± std over folds ({paper.SELECTED_LABEL})\n{_f1(found)}"
    )
    if found.curve:
        title = f"Figure 3: F1 of {found.curve[0].classifier} against the number of features"
        parts.append(f"{title}\n{_curve(found)}")
    parts.append(_best(found))
    return "\n\n".join(parts)


def _head(found: "CouplingResult") -> str:
    folds = len(found.n_columns)
    return (
        f"{found.n_rows:,} queries, {found.n_positive:,} of class {found.outcome!r}; {folds} folds, selection inside "
        f"each\ncolumns: {_range(found.n_columns)}; constant features left out: {_range(found.n_constant)}"
        f"{_merged(found)}\n"
        f"selectors: {engines(found.selectors)}\nclassifiers: {engines(found.classifiers)}"
    )


def _merged(found: "CouplingResult") -> str:
    """The number of merged copies, and a remark if they leave fewer columns than each selector should select."""
    copies = f"; identical columns merged: {_range(found.n_copies)}" if any(found.n_copies) else ""
    if found.n_asked is None or found.n_asked == found.n_features:
        return copies
    return (
        f"{copies}\neach selector selects {found.n_features} columns instead of {found.n_asked}: no more are distinct"
    )


def engines(who: Mapping[str, str]) -> str:
    """Return names with their engines.

    >>> engines({"SVM linear": "LIBSVM"})
    'SVM linear (LIBSVM)'
    """
    return ", ".join(f"{name} ({engine})" for name, engine in who.items())


def _range(numbers: tuple[int, ...]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _shares(shares: "Shares", table: dict[str, tuple[int, int, int]], selectors: tuple[str, ...]) -> str:
    rows = [("", *selectors)]
    for group in shares[selectors[0]]:
        cells = [
            _beside(f"{shares[name][group]:.0%}", paper.share(table, group, name), percent=True) for name in selectors
        ]
        rows.append((group, *cells))
    return align(rows)


def _beside(own: str, theirs: float | None, *, percent: bool = False) -> str:
    if theirs is None:
        return own
    return f"{own} ({theirs:.0%})" if percent else f"{own} ({theirs:.3f})"


def _all_features(found: "CouplingResult") -> str:
    rows: list[tuple[str, ...]] = [("", "recall", "precision", "F1")]
    for name in found.classifiers:
        one = found[None, name]
        theirs = paper.all_features(name)
        own = (one.recall, one.precision, one.f1)
        cells = [
            _beside(NOTHING if value is None else f"{value:.3f}", beside)
            for value, beside in zip(own, theirs, strict=True)
        ]
        rows.append((name, *cells))
    return align(rows)


def _f1(found: "CouplingResult") -> str:
    rows = [("", *found.selectors, "all features")]
    for classifier in found.classifiers:
        cells = [
            _beside(f"{one.f1:.3f} ± {one.f1_std:.3f}", paper.f1(classifier, one.selector))
            for one in (found[selector, classifier] for selector in (*found.selectors, None))
        ]
        rows.append((classifier, *cells))
    return align(rows)


def _curve(found: "CouplingResult") -> str:
    sizes = sorted({one.n_features for one in found.curve if one.selector is not None})
    everything = next((one for one in found.curve if one.selector is None), None)
    rows = [("", *(f"{size:g}" for size in sizes), *(["all"] if everything else []))]
    of = {(one.selector, one.n_features): one for one in found.curve}
    for selector in found.selectors:
        cells = [f"{of[selector, size].f1:.3f}" for size in sizes]
        rows.append((selector, *cells, *([f"{everything.f1:.3f}"] if everything else [])))
    return align(rows)


def _best(found: "CouplingResult") -> str:
    best = found.best
    lines = [f"highest F1: {coupling_name(best)}, {best.f1:.3f} (optimistic, as the best of {len(found.coupled)})"]
    if best.selector is not None:
        folds = len(best.folds)
        columns = list(found.kept[best.selector].items())[:MAX_COLUMNS_SHOWN]
        rows = [(f"{n} of {folds} folds", feature_label(name), code_of(name, found.copies)) for name, n in columns]
        lines += ["selected most often:", align(rows)]
    return "\n".join(lines)


def code_of(name: str, copies: Mapping[str, tuple[str, ...]]) -> str:
    """Return the code of a column, with the number of columns that are identical to it.

    >>> code_of("q_len|mean", {"q_len|mean": ("q_len|max",)}), code_of("urlmr|r5", {})
    ('q_len|mean (and 1 copy)', 'urlmr|r5')
    """
    return f"{name} (and {counted(len(copies[name]), 'copy', 'copies')})" if name in copies else name


def coupling_name(one: "Coupled") -> str:
    """Return the name of a coupling."""
    return f"{one.classifier} on all features" if one.selector is None else f"{one.selector} with {one.classifier}"
