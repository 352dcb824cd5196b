"""ExportModel: a fitted model as plain tables, the one form from which every export format is written."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import NUMBER, UNSEEN, FeatureKind, in_levels_of

REACH = 10.0  # curves are tabulated this many widths of the training range beyond both of its ends


@dataclass(frozen=True)
class ExportFeature:
    """A feature that the model takes: its name in the engine, and the range of its values in training."""

    name: str
    kind: FeatureKind = FeatureKind()  # noqa: RUF009 - frozen
    low: float = 0.0
    high: float = 1.0
    source: str = ""
    """Name of the feature in the model, if it was renamed."""
    reach: float = REACH
    """How many widths of the training range the valid range extends beyond both of its ends."""

    @property
    def valid(self) -> tuple[float, float]:
        """Range over which errors are stated: far beyond the training values, but not across 0 if these are not."""
        if self.kind.name != NUMBER:
            return 0.0, float(len(self.kind.levels) - 1)
        beyond = self.reach * (self.high - self.low)
        low, high = self.low - beyond, self.high + beyond
        return max(low, 0.0) if self.low >= 0.0 else low, min(high, 0.0) if self.high <= 0.0 else high


@dataclass(frozen=True, eq=False)
class Term(ABC):
    """Effect of one feature on the score; calling it with values, NaN if missing, returns effects."""

    feature: int
    missing: float | None
    """Effect of a missing value; None if the model does not accept one."""

    def __call__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        known = ~np.isnan(values)
        effects = np.full(values.shape, np.nan if self.missing is None else self.missing)
        effects[known] = self.of_known(values[known])
        return effects

    @abstractmethod
    def of_known(self, values: FloatArray) -> FloatArray:
        """Return the effects of values that are not missing."""

    @property
    def error(self) -> float:
        """Largest difference from the model over the valid range."""
        return 0.0

    def scaled(self, factor: float) -> "Term":
        """Return the term times a factor."""
        return replace(self, missing=None if self.missing is None else factor * self.missing, **self._scaled(factor))

    @abstractmethod
    def _scaled(self, factor: float) -> dict[str, Any]:
        """Return the fields of the term times a factor."""


@dataclass(frozen=True, eq=False)
class LineTerm(Term):
    """weight · (x − mean)/scale: exact.

    >>> LineTerm(0, None, weight=2.0, mean=1.0, scale=4.0)(np.array([1.0, 3.0])).tolist()
    [0.0, 1.0]
    """

    weight: float
    mean: float = 0.0
    scale: float = 1.0

    def of_known(self, values: FloatArray) -> FloatArray:
        return self.weight * ((values - self.mean) / self.scale)

    def _scaled(self, factor: float) -> dict[str, Any]:
        return {"weight": factor * self.weight}


@dataclass(frozen=True, eq=False)
class CurveTerm(Term):
    """Straight lines through (knots_j, values_j); beyond the ends, lines with slopes of their own.

    >>> curve = CurveTerm(0, -1.0, np.array([0.0, 2.0]), np.array([1.0, 5.0]), right_slope=1.0)
    >>> curve(np.array([-3.0, 1.0, 4.0, np.nan])).tolist()
    [1.0, 3.0, 7.0, -1.0]
    """

    knots: FloatArray
    values: FloatArray
    left_slope: float = 0.0
    right_slope: float = 0.0
    deviation: float = 0.0
    """Largest difference from the model's own curve over the valid range."""

    @property
    def error(self) -> float:
        return self.deviation

    def within(self, ends: tuple[float, float]) -> "CurveTerm":
        """Return the part of the curve between two values."""
        inside = self.knots[(self.knots > ends[0]) & (self.knots < ends[1])]
        knots = np.unique(np.concatenate([inside, ends]))
        return replace(self, knots=knots, values=self.of_known(knots))

    @cached_property
    def slopes(self) -> FloatArray:
        """Slopes left of the first knot, between the knots, and right of the last one."""
        inner = np.diff(self.values) / np.diff(self.knots)
        return np.concatenate([[self.left_slope], inner, [self.right_slope]])

    def of_known(self, values: FloatArray) -> FloatArray:
        segment = np.searchsorted(self.knots, values, side="right")
        start = np.maximum(segment - 1, 0)
        return np.asarray(self.values[start] + self.slopes[segment] * (values - self.knots[start]))

    def _scaled(self, factor: float) -> dict[str, Any]:
        changed = {name: factor * getattr(self, name) for name in ("values", "left_slope", "right_slope")}
        return {**changed, "deviation": abs(factor) * self.deviation}


@dataclass(frozen=True, eq=False)
class StepTerm(Term):
    """levels_j for thresholds_{j−1} < x ≤ thresholds_j; a curve of trees is exactly that.

    >>> StepTerm(0, None, np.array([0.5, 2.0]), np.array([-1.0, 0.0, 3.0]))(np.array([0.5, 0.6, 9.0])).tolist()
    [-1.0, 0.0, 3.0]
    """

    thresholds: FloatArray
    levels: FloatArray
    deviation: float = 0.0
    """Largest difference from the model's own curve over the valid range; 0 if the model itself has steps."""

    @property
    def error(self) -> float:
        return self.deviation

    def of_known(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.levels[np.searchsorted(self.thresholds, values, side="left")])

    def _scaled(self, factor: float) -> dict[str, Any]:
        return {"levels": factor * self.levels, "deviation": abs(factor) * self.deviation}


@dataclass(frozen=True, eq=False)
class LevelTerm(Term):
    """One effect per level of a category, given by its code 0, 1, 2 …; −1 is a level that training did not have.

    >>> LevelTerm(0, 0.5, np.array([1.0, 2.0]), unseen=-1.0)(np.array([1.0, -1.0, np.nan])).tolist()
    [2.0, -1.0, 0.5]
    """

    effects: FloatArray
    unseen: float | None = None
    """Effect of a level that training did not have; None if the model does not accept one."""

    def of_known(self, values: FloatArray) -> FloatArray:
        table = np.append(self.effects, np.nan if self.unseen is None else self.unseen)
        return np.asarray(table[np.where(values == UNSEEN, len(self.effects), values).astype(np.int64)])

    def _scaled(self, factor: float) -> dict[str, Any]:
        unseen = None if self.unseen is None else factor * self.unseen
        return {"effects": factor * self.effects, "unseen": unseen}


ACTIVATIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "sigmoid": lambda z: 0.5 + 0.5 * np.tanh(0.5 * z),
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
    "linear": lambda z: z,
    "gaussian": np.exp,
}


@dataclass(frozen=True, eq=False)
class HiddenLayer:
    """Nodes that each use all features: Σ_j weights_j φ(a_j·z + b_j), with z = scale · x + shift.

    A Gaussian node is φ = exp(−b_j ‖z − a_j‖²), where the column a_j of ``inputs`` is its centre.
    """

    activation: str
    inputs: FloatArray
    """One row per feature, one column per node."""
    biases: FloatArray
    weights: FloatArray
    scale: FloatArray
    shift: FloatArray
    fill: FloatArray | None = None
    """Value of x that replaces a missing one; None if the model does not accept missing values."""

    @property
    def is_radial(self) -> bool:
        return self.activation == "gaussian"

    def folded(self) -> tuple[FloatArray, FloatArray]:
        """Return inputs and biases that take x itself: a_j·z + b_j = inputs_j·x + biases_j; not for Gaussian nodes."""
        return self.scale[:, None] * self.inputs, self.biases + self.shift @ self.inputs

    def __call__(self, X: FloatArray) -> FloatArray:
        if self.fill is not None:
            X = np.where(np.isnan(X), self.fill, X)
        Z = X * self.scale + self.shift
        if self.is_radial:
            squares = ((Z[:, :, None] - self.inputs) ** 2).sum(axis=1)
            return np.asarray(np.exp(-self.biases * squares) @ self.weights)
        return np.asarray(ACTIVATIONS[self.activation](Z @ self.inputs + self.biases) @ self.weights)


@dataclass(frozen=True, eq=False)
class ExportModel:
    """score(x) = constant + Σ_k term_k(x_k), or constant + layer(x); higher scores rank first."""

    features: tuple[ExportFeature, ...]
    terms: tuple[Term, ...]
    """One for each feature that changes the score; a feature without one can be left out."""
    constant: float
    slope: float | None = None
    """P(A above B) = 1/(1 + exp(−slope · (score_A − score_B))); None if the model has no probabilities."""
    layer: HiddenLayer | None = None
    factor: float = 1.0
    """Scores are those of the model times this."""
    tolerance: float = np.inf
    """Largest difference from the model's scores that an export may have."""

    @property
    def used(self) -> tuple[int, ...]:
        """Features that an engine has to supply, in the model's order."""
        if self.layer is not None:
            return tuple(range(len(self.features)))
        return tuple(term.feature for term in self.terms)

    @property
    def error(self) -> float:
        """Largest difference of the tables' scores from the model's over the valid ranges, before any rounding."""
        return float(sum(term.error for term in self.terms))

    def name_of(self, term: Term) -> str:
        """Return the name of a term's feature."""
        return self.features[term.feature].name

    def rows(self, data: Any) -> FloatArray:
        """Return the values of a table or of RankingData, with the codes of the model's own levels."""
        table = data.table if hasattr(data, "table") else data
        kinds = [feature.kind for feature in self.features]
        values: Any = in_levels_of(table, kinds, [feature.name for feature in self.features])
        return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)

    def score(self, X: FloatArray) -> FloatArray:
        """Score rows of values in double precision; categories are codes, −1 if unknown, and NaN is missing."""
        total = np.full(len(X), self.constant)
        for term in self.terms:
            total += term(X[:, term.feature])
        return total if self.layer is None else total + self.layer(np.asarray(X, dtype=np.float64))

    @cached_property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits of a hash of the content; a changed model has another name."""
        return hashlib.sha256(json.dumps(_plain(self), sort_keys=True).encode()).hexdigest()[:8]


def _plain(value: Any) -> Any:
    """Return nested dataclasses and arrays as lists and texts, exactly."""
    if hasattr(value, "__dataclass_fields__"):
        return [type(value).__name__, {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}]
    if isinstance(value, np.ndarray):
        return [one.hex() for one in value.ravel().astype(np.float64).tolist()]
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value.hex() if isinstance(value, float) else value
