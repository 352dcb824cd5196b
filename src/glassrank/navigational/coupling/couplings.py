"""Fitted couplings: the selected columns, and the decision that a classifier learned from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice, check_positive
from glassrank.core.native_threads import one_native_thread
from glassrank.navigational.coupling.classifiers import BOOSTING, CLASSIFIERS
from glassrank.navigational.coupling.fold_work import best_columns
from glassrank.navigational.coupling.selectors import SELECTORS, places_by_each
from glassrank.navigational.coupling.tuning import fit_tuned
from glassrank.navigational.decisions import Decision
from glassrank.navigational.preparation import Preparation, prepare
from glassrank.selection.selector_names import DEFAULT_SELECTORS


class Coupling(NamedTuple):
    """A selector, a classifier, and the maximum number of columns; without a selector, all columns."""

    selector: str | None
    classifier: str
    n_features: int | None = 50

    def __str__(self) -> str:
        if self.selector is None:
            return f"{self.classifier} on all features"
        return f"{self.selector} with {self.classifier}, {self.n_features} features"


# Simple couplings come first, because the first of equally good ones is chosen.
GRID = (
    Coupling(None, "maximum entropy", None),
    Coupling("SVM weights", "maximum entropy"),
    Coupling("boosting influence", "maximum entropy"),
    Coupling("SVM weights", "SVM linear"),
    Coupling("boosting influence", "SVM linear"),
    Coupling("SVM weights", "SVM RBF"),
    Coupling("SVM weights", "boosting trees"),
    Coupling("boosting influence", "boosting trees"),
)
EVERY = "every"
# All couplings that a study ranks, on all features first.
STUDIED = tuple(
    Coupling(selector, classifier, None if selector is None else 50)
    for selector in (None, *DEFAULT_SELECTORS)
    for classifier in ("maximum entropy", "SVM linear", "naive Bayes", "SVM RBF", BOOSTING)
)


def as_couplings(asked: Any) -> list[Coupling]:
    """Return one or several couplings given as (selector, classifier, number of features); None is the small grid.

    >>> as_couplings(("SVM weights", "boosting trees", 20))
    [Coupling(selector='SVM weights', classifier='boosting trees', n_features=20)]
    >>> len(as_couplings(None)), len(as_couplings("every"))
    (8, 30)
    """
    if asked is None or (isinstance(asked, str) and asked == EVERY):
        return list(GRID if asked is None else STUDIED)
    several = list(asked) if isinstance(asked, (list, tuple)) else [asked]
    if len(several) in (2, 3) and not isinstance(several[0], (list, tuple)):
        several = [tuple(several)]
    couplings = []
    for one in several:
        if not isinstance(one, (list, tuple)) or len(one) not in (2, 3):
            raise DataError(
                parameter="coupling",
                expected=f"None, {EVERY!r}, (selector, classifier, number of features), or a list of these",
                got=asked,
            )
        couplings.append(_checked(Coupling(*one)))
    if not couplings:
        raise DataError("coupling must contain at least one coupling: got an empty list.", parameter="coupling")
    return couplings


def _checked(one: Coupling) -> Coupling:
    check_choice("classifier", one.classifier, CLASSIFIERS)
    if one.selector is None:
        return one._replace(n_features=None)
    check_choice("selector", one.selector, SELECTORS)
    check_positive("n_features", one.n_features, whole=True)
    return one


def resolved(couplings: Sequence[Coupling], n_columns: int) -> list[Coupling]:
    """Return the distinct couplings; a selector that would keep every column is dropped."""
    everything = [
        one if one.n_features is not None and one.n_features < n_columns else Coupling(None, one.classifier, None)
        for one in couplings
    ]
    return list(dict.fromkeys(everything))


@dataclass(frozen=True, eq=False)
class FittedCoupling:
    """The preparation of columns from features, and the decision over these columns."""

    preparation: Preparation
    decision: Decision
    tuned: Mapping[str, float] = field(default_factory=dict)
    """C and γ, if they were tuned."""

    def __call__(self, X: FloatArray) -> FloatArray:
        return self.decision(self.preparation(X))


def fit_couplings(
    X: FloatArray,
    positive: IntArray,
    names: tuple[str, ...],
    couplings: Sequence[Coupling],
    seed: int,
    tune: bool = False,
    groups: Any = None,
) -> list[FittedCoupling]:
    """Fit each coupling to all rows; each selector is fitted once. ``tune`` chooses C and γ on folds of ``groups``."""
    whole = prepare(X)
    columns, column_names = whole(X), whole.names(names)
    asked = dict.fromkeys(one.selector for one in couplings if one.selector is not None)
    places = places_by_each(asked, columns, positive, column_names, seed)
    found = []
    for one in couplings:
        preparation = whole
        if one.selector is not None and one.n_features is not None:
            preparation = whole.pick(best_columns(places[one.selector], one.n_features))
        kind = CLASSIFIERS[one.classifier]
        if tune:
            model, settings = fit_tuned(kind, preparation(X), positive, seed, groups)
        else:
            model, settings = kind.make(seed).fit(preparation(X), positive), {}
        found.append(FittedCoupling(preparation, kind.read(model), settings))
    return found


def held_out_outputs(
    X: FloatArray,
    positive: IntArray,
    names: tuple[str, ...],
    couplings: Sequence[Coupling],
    seed: int,
    tune: bool,
    groups: Any,
    train: IntArray,
    held_out: IntArray,
) -> list[FloatArray]:
    """Return the outputs of each coupling for held-out rows, in one thread because folds run in parallel."""
    with one_native_thread():
        own = None if groups is None else groups[train]
        fitted = fit_couplings(X[train], positive[train], names, couplings, seed, tune, own)
        return [one(X[held_out]) for one in fitted]
