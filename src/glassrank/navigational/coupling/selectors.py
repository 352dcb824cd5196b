"""The selectors of a coupling study by name, and selection by the length of a nomogram's lines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix, check_choice
from glassrank.core.groups import Groups
from glassrank.navigational.coupling.classifiers import CloneFactory
from glassrank.selection.boosting_engines import ENGINES, fastest_engine
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import merge_rankings
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.linear_columns import contributions
from glassrank.selection.selector import places_by_score
from glassrank.selection.selector_names import (
    BOOSTING_INFLUENCE,
    COMBINED,
    COMBINED_SELECTORS,
    DEFAULT_SELECTORS,
    HINGE_WEIGHTS,
    INFORMATION_GAIN,
    NOMOGRAM,
    PRESENCE_GAIN,
    SVM_WEIGHTS,
)
from glassrank.selection.svm_weight import HINGE, LinearMachineSelector, SVMWeightSelector


class NomogramLengthSelector(LinearMachineSelector):
    """Keep the features with the longest lines in the nomogram of a linear SVM.

    The length of a line is max e_k − min e_k over the rows, where e_k(x) = w_k x is the effect of the standardised
    feature k in a linear SVM. |w| is the effect of a typical difference, the length of the largest one.
    The line of a category, or of a feature with missing values, spans the effects of its levels and of "missing".

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    C : float
        Weight of the loss per row.
    loss : {"squared_hinge", "hinge"}
        max(0, 1 − m)² of the margin m, as in scikit-learn's ``LinearSVC``, or max(0, 1 − m), as in ``SVC``.

    Attributes
    ----------
    scores_ : length of each feature's line.
    ranking_ : rank of each feature, from 1. Ties are broken by name.
    support_ : mask of the kept features.

    Examples
    --------
    >>> from glassrank.navigational.coupling.selectors import NomogramLengthSelector
    >>> X, y = [[0.0, 1.0], [1.0, 5.0], [2.0, 1.0], [7.0, 5.0], [8.0, 1.0], [9.0, 5.0]], [0, 0, 0, 1, 1, 1]
    >>> NomogramLengthSelector(n_features_to_select=1).fit(X, y).ranking_.tolist()
    [1, 2]
    """

    def _feature_scores(self, X: Matrix, labels: Any, groups: Groups | None, weights: FloatArray | None) -> FloatArray:
        self._check_settings()
        if groups is not None or len(np.unique(labels)) != 2:
            raise DataError(
                "NomogramLengthSelector is for two classes: leave out qid and pass y with two classes. For rankings "
                "use NomogramRFE."
            )
        scaled, (w,), made = self._fit_classes(X.toarray() if sparse.issparse(X) else X, labels, weights)
        if made is None:
            return np.asarray(np.abs(w) * np.ptp(scaled, axis=0))
        return np.asarray(np.ptp(contributions(made.curves(w), scaled), axis=0))


@dataclass(frozen=True)
class SelectorKind:
    """How a selector of the study is created, and its engine."""

    engine: str
    make: Callable[[int], Any]
    """Creates the selector from a seed."""


@dataclass(frozen=True)
class InTurn:
    """A selection that merges the rankings of other selectors in turn, like ``CombinedSelector``, without a new fit."""

    selectors: tuple[str, ...]

    @property
    def engine(self) -> str:
        return f"{' and '.join(self.selectors)} in turn"


Selector = SelectorKind | InTurn


def _information_gain(seed: int) -> Any:
    return InformationGainSelector()


def _presence_gain(seed: int) -> Any:
    return InformationGainSelector(discretisation="presence")


def _svm_weights(seed: int) -> Any:
    return SVMWeightSelector()


def _hinge_weights(seed: int) -> Any:
    return SVMWeightSelector(loss=HINGE)


def _boosting(engine: str, seed: int) -> Any:
    return BoostingInfluenceSelector(engine=engine, random_state=seed)


def _nomogram_length(seed: int) -> Any:
    return NomogramLengthSelector()


def boosting_selector(engine: str) -> SelectorKind:
    """Selection by influence in the boosted trees of either engine."""
    return SelectorKind(ENGINES[engine], partial(_boosting, engine))


SELECTORS: dict[str, Selector] = {
    INFORMATION_GAIN: SelectorKind("Fayyad and Irani's intervals", _information_gain),
    SVM_WEIGHTS: SelectorKind("LIBLINEAR", _svm_weights),
    BOOSTING_INFLUENCE: boosting_selector(fastest_engine()),
    COMBINED: InTurn(COMBINED_SELECTORS),
    NOMOGRAM: SelectorKind("LIBLINEAR", _nomogram_length),
    PRESENCE_GAIN: SelectorKind("whether f ≠ 0", _presence_gain),
    HINGE_WEIGHTS: SelectorKind("LIBSVM, linear kernel", _hinge_weights),
}


def chosen_selectors(asked: Sequence[str] | Mapping[str, Any] | None) -> dict[str, Selector]:
    """Return the usual five selectors, the named ones, or your own from a mapping of names to selectors.

    >>> list(chosen_selectors(["combined"]))
    ['combined']
    """
    if isinstance(asked, Mapping):
        chosen: dict[str, Selector] = {str(name): _own(name, estimator) for name, estimator in asked.items()}
    else:
        names = list(DEFAULT_SELECTORS) if asked is None else list(dict.fromkeys(asked))
        for name in names:
            check_choice("selectors", name, SELECTORS)
        chosen = {name: SELECTORS[name] for name in names}
    if not chosen:
        raise DataError(
            f"selectors must contain at least one of {', '.join(SELECTORS)}: got none.", parameter="selectors"
        )
    return chosen


def fitted_selectors(
    chosen: Mapping[str, Selector], known: Mapping[str, Selector] = SELECTORS
) -> dict[str, SelectorKind]:
    """Return the selectors to fit, including those that others merge."""
    asked = [name for one in chosen.values() if isinstance(one, InTurn) for name in one.selectors]
    needed = {**chosen, **{name: known[name] for name in asked if name not in chosen}}
    return {name: kind for name, kind in needed.items() if isinstance(kind, SelectorKind)}


def places_by(selector: Any, X: FloatArray, y: IntArray, names: tuple[str, ...]) -> IntArray:
    """Fit a selector and return the rank of each column, from 1; ties are broken by name."""
    fitted = selector.fit(X, y)
    if hasattr(fitted, "scores_"):
        return places_by_score(np.asarray(fitted.scores_, dtype=np.float64), names)
    return places_by_score(-np.asarray(fitted.ranking_, dtype=np.float64), names)


def places_of(chosen: Mapping[str, Selector], fitted: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return the ranks by every chosen selector, given those of the fitted ones."""
    return {
        name: merge_rankings([fitted[one] for one in kind.selectors]) if isinstance(kind, InTurn) else fitted[name]
        for name, kind in chosen.items()
    }


def places_by_each(
    asked: Iterable[str],
    X: FloatArray,
    y: IntArray,
    names: tuple[str, ...],
    seed: int,
    known: Mapping[str, Selector] = SELECTORS,
) -> dict[str, IntArray]:
    """Return the ranks by every requested selector; each is fitted once."""
    chosen = {name: known[name] for name in asked}
    fitted = {name: places_by(kind.make(seed), X, y, names) for name, kind in fitted_selectors(chosen, known).items()}
    return places_of(chosen, fitted)


def _own(name: Any, estimator: Any) -> Selector:
    if isinstance(estimator, type) or not hasattr(estimator, "get_support"):
        raise DataError(
            f"selectors must be selectors such as SVMWeightSelector(): {name!r} is {estimator!r}.",
            parameter="selectors",
        )
    return SelectorKind(type(estimator).__name__, CloneFactory(estimator))
