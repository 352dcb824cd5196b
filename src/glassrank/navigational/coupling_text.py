"""How a coupling study prints itself: the paper's tables 1 to 4, its own figures in brackets."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from glassrank.metrics.tables import align
from glassrank.navigational import coupling_paper as paper

if TYPE_CHECKING:
    from glassrank.navigational.coupling_result import Coupled, CouplingResult, Shares

NOTHING = "–"
MOST_KEPT = 5


def coupling_text(found: "CouplingResult") -> str:
    """The tables under one another; in brackets the paper's figures, where it has some."""
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
        f"each\ncolumns: {_range(found.n_columns)}; constant features left out: {_range(found.n_constant)}\n"
        f"selectors: {engines(found.selectors)}\nclassifiers: {engines(found.classifiers)}"
    )


def engines(who: Mapping[str, str]) -> str:
    """Names with who computes them.

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
        theirs = paper.ALL_FEATURES.get(name, (None, None, None))
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
    lines = [f"highest F1: {said(best)}, {best.f1:.3f}; chosen among {len(found.coupled)}, so it is optimistic"]
    if best.selector is not None:
        folds = len(best.folds)
        columns = list(found.kept[best.selector].items())[:MOST_KEPT]
        lines.append(f"selected most often: {', '.join(f'{name} ({n} of {folds})' for name, n in columns)}")
    return "\n".join(lines)


def said(one: "Coupled") -> str:
    """A coupling in words."""
    return f"{one.classifier} on all features" if one.selector is None else f"{one.selector} with {one.classifier}"
