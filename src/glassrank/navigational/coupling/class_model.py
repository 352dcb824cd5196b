"""ClassModel: one class against the others, by a coupling that is chosen and calibrated on held-out rows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit

from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.native_threads import one_native_thread
from glassrank.core.sigmoid import Sigmoid, fit_sigmoid
from glassrank.navigational.coupling.couplings import Coupling, fit_couplings, held_out_outputs
from glassrank.navigational.coupling.fold_work import Folds
from glassrank.navigational.decisions import ADDITIVE, Decision
from glassrank.navigational.explain_decision import features_that_move_together
from glassrank.navigational.preparation import Preparation
from glassrank.navigational.thresholds import AtPrecision, Rule, Threshold


class PrecisionOutOfReachError(DataError):
    """No coupling reaches the required precision on held-out rows."""


@dataclass(frozen=True, eq=False)
class ClassModel:
    """The coupling that was chosen for a class against the others, its probabilities and its threshold."""

    coupling: Coupling
    preparation: Preparation
    decision: Decision
    slope: float
    offset: float
    """P = 1/(1 + exp(slope · f + offset)) for the output f of the decision."""
    cut: float
    """Log-odds of the threshold. A threshold near 1 would round to 1, which no probability exceeds."""
    selected_features: tuple[str, ...]
    feature_groups: tuple[FeatureGroup, ...]
    cv_results: dict[str, Any]
    """``coupling``, ``value`` and ``threshold`` of each candidate."""
    tuned: Mapping[str, float] | None = None
    """C and γ; None if they were not tuned."""

    @property
    def sigmoid(self) -> Sigmoid:
        """The probabilities of outputs."""
        return Sigmoid(self.slope, self.offset)

    @property
    def threshold(self) -> float:
        """The probability above which the class is predicted."""
        return float(expit(self.cut))

    @property
    def used(self) -> IntArray:
        """The features that the columns are made from."""
        return np.unique(self.preparation.sources)

    @property
    def is_additive(self) -> bool:
        """Whether the log-odds are a sum of one curve per feature."""
        return isinstance(self.decision, ADDITIVE)

    def log_odds(self, X: FloatArray) -> FloatArray:
        """Return ln P/(1 − P) of each row."""
        return finite_scores(lambda: self.sigmoid.log_odds(self.decision(self.preparation(X))))

    def of_the_others(self) -> "ClassModel":
        """Return the model of all other classes together, whose log-odds have the opposite sign."""
        return replace(self, slope=-self.slope, offset=-self.offset, cut=-self.cut)


@dataclass(frozen=True, eq=False)
class ClassTrainer:
    """Fits class models to the same rows and folds, with the same candidates."""

    X: FloatArray
    names: tuple[str, ...]
    couplings: list[Coupling]
    folds: Folds
    groups: Any
    rule: Rule
    seed: int
    tune: bool
    n_jobs: int | None

    def fit(self, positive: IntArray) -> ClassModel:
        """Choose the coupling with the best threshold on held-out rows, and fit it to all rows."""
        outputs = self._held_out(positive)
        sigmoids = [fit_sigmoid(own, positive == 1) for own in outputs]
        best, cut, results = self._choose(sigmoids, outputs, positive)
        coupling = self.couplings[best]
        with one_native_thread():
            (fitted,) = fit_couplings(self.X, positive, self.names, [coupling], self.seed, self.tune, self.groups)
        used = np.unique(fitted.preparation.sources)
        return ClassModel(
            coupling,
            fitted.preparation,
            fitted.decision,
            sigmoids[best].slope,
            sigmoids[best].offset,
            cut,
            fitted.preparation.names(self.names),
            features_that_move_together(self.X, used, self.names),
            results,
            dict(fitted.tuned) if self.tune else None,
        )

    def _held_out(self, positive: IntArray) -> list[FloatArray]:
        """Held-out outputs of each coupling for every row."""
        shared = (self.X, positive, self.names, self.couplings, self.seed, self.tune, self.groups)
        found = Parallel(n_jobs=self.n_jobs)(delayed(held_out_outputs)(*shared, *fold) for fold in self.folds)
        outputs = [np.empty(len(self.X)) for _ in self.couplings]
        for (_, held_out), of_fold in zip(self.folds, found, strict=True):
            for own, piece in zip(outputs, of_fold, strict=True):
                own[held_out] = piece
        return outputs

    def _choose(
        self, sigmoids: list[Sigmoid], outputs: list[FloatArray], positive: IntArray
    ) -> tuple[int, float, dict[str, Any]]:
        """Return the coupling whose threshold is best on held-out rows, the first if tied, its cut, and all of them."""
        pairs = zip(sigmoids, outputs, strict=True)
        thresholds = [self.rule(sigmoid.log_odds(own), positive == 1) for sigmoid, own in pairs]
        nothing = Threshold(np.nan, np.nan)
        values = np.array([(one or nothing).value for one in thresholds])
        if np.isnan(values).all():
            wanted = self.rule.precision if isinstance(self.rule, AtPrecision) else ""
            raise PrecisionOutOfReachError(
                f"No threshold reaches a precision of {wanted} on held-out rows, for any of "
                f"{len(self.couplings)} couplings.",
                remedy="Lower the precision, or add more informative features.",
            )
        cuts = np.array([(one or nothing).cut for one in thresholds])
        best = int(np.nanargmax(values))
        return best, float(cuts[best]), {"coupling": self.couplings, "value": values, "threshold": expit(cuts)}


def of_only_model(name: str) -> property:
    """Return a property of the model of the second class, for classifiers of two classes."""

    def value(fitted: Any) -> Any:
        models: tuple[ClassModel, ...] = vars(fitted).get("class_models_", ())
        found = getattr(models[0], name) if len(models) == 1 else None
        if found is None:
            more = " With more than two classes, each of class_models_ has its own." if len(models) > 1 else ""
            raise AttributeError(f"NavigationalClassifier has no attribute '{name}_'.{more}")
        return found

    return property(value, doc=f"``{name}`` of the only class model.")


def mean_known(scores: FloatArray) -> float:
    """Return the mean of the known values, NaN if there are none.

    >>> mean_known(np.array([0.5, np.nan, 1.0])), mean_known(np.array([np.nan]))
    (0.75, nan)
    """
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else float("nan")
