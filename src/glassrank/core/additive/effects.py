"""AdditiveEffects: a model as one curve per feature, from which nomograms are drawn."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from glassrank.core.additive.categories import LISTED, NAMED, NUMBERED, UNUSED, category_codes
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import DataError, FloatArray, Matrix, as_matrix, check_choice
from glassrank.core.feature_kinds import (
    BOOLEAN,
    CATEGORY,
    UNSEEN,
    FeatureKind,
    FeatureTable,
    codes_without_levels,
    in_levels_of,
)
from glassrank.core.groups import Groups, group_rows
from glassrank.core.sigmoid import Sigmoid

UNITS = ("score", "log-odds")
SUBJECTS = ("utility", "difference", "class")
LENGTHS = ("query", "global", "pair-difference", "central")
CENTRAL_QUANTILES = (0.005, 0.995)
VALUES_AT_ONCE = 2**20  # more would not be faster, and the effects of all rows take as much memory as the data


class Curve(Protocol):
    """Effect of one feature as a function of its value.

    A straight line can declare itself with a property ``linear``.
    """

    def __call__(self, values: FloatArray) -> FloatArray: ...


class PairEffect(Protocol):
    """What two features add together, as a function of rows of all features."""

    @property
    def features(self) -> tuple[int, int]: ...

    def along(self, k: int, values: FloatArray) -> Curve: ...

    def __call__(self, X: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class LinearCurve:
    """effect(x) = slope · x."""

    slope: float

    @property
    def linear(self) -> bool:
        return True

    def __call__(self, values: FloatArray) -> FloatArray:
        # A feature with slope 0 has no effect even if its value is missing, whereas 0 · NaN is NaN.
        return self.slope * values if self.slope != 0.0 else np.zeros(np.shape(values))


@dataclass(frozen=True)
class FeatureEffect:
    """The curve of one feature over its observed values, shifted so that the effect at ``centre`` is 0.

    >>> effect = FeatureEffect("age", LinearCurve(-0.5), low=0.0, high=90.0, centre=10.0, unit="days")
    >>> effect(np.array([10.0, 30.0])).tolist(), effect.linear
    ([0.0, -10.0], True)
    """

    name: str
    curve: Curve
    low: float
    high: float
    centre: float | None
    """Value whose effect is 0; None if the curve itself has mean 0."""
    unit: str = ""
    """Unit of the feature's values, such as "days"."""
    categories: tuple[str, ...] = ()
    """Names of the values 0, 1, 2 … of a categorical feature; empty for numeric features."""
    missing_share: float | None = None
    """Share of missing values (NaN), which then have an effect of their own; None if there are none."""
    coding: str = NAMED
    """How categories are found: ``"named"``, ``"listed"`` (numbers are categories, not codes), ``"open"`` (also −1 for
    unknown ones) or ``"numbered"`` (the values are codes, named by their numbers). ``"unused"``: the model drops the
    feature, which may be text."""
    whole: bool = False
    """Whether all known values are whole numbers."""
    direction: int = 0
    """1 or −1 if the model was told that the effect only rises or only falls with the value; 0 if not."""

    @property
    def rare(self) -> tuple[int, ...]:
        """Codes of categories that the model hardly knows: they share one effect, and are never proposed."""
        curve: Any = self.curve
        while curve is not None and not hasattr(curve, "rare"):
            curve = getattr(curve, "curve", None)
        return () if curve is None else tuple(curve.rare)

    @property
    def base(self) -> float:
        """What is subtracted from the curve: its value at the centre."""
        return 0.0 if self.centre is None else float(self.curve(np.array(self.centre)))

    @property
    def missing_effect(self) -> float | None:
        """Effect of a missing value; None if there are none."""
        return None if self.missing_share is None else float(self(np.array(np.nan)))

    @property
    def linear(self) -> bool:
        """Whether the curve is known to be a straight line."""
        return bool(getattr(self.curve, "linear", False))

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.curve(values) - self.base)


@dataclass(frozen=True)
class AdditiveEffects:
    """f(x) = intercept + Σ_k effect_k(x_k) + Σ_jk interaction_jk(x_j, x_k), in the given unit.

    ``unit`` is ``"score"`` for a model without probabilities, or ``"log-odds"``, with P = 1/(1 + exp(−f)). ``subject``
    is what f describes: the ``"utility"`` of one document, of which only differences within a query have a meaning;
    the ``"difference"`` of two documents, with curves of x_A − x_B, which are odd if f is ``antisymmetric``; or a
    ``"class"``, named by ``outcome``.

    >>> effects = AdditiveEffects((FeatureEffect("bm25", LinearCurve(2.0), 0.0, 5.0, 1.0),), 3.0, "score")
    >>> effects.contributions(np.array([[4.0]])).tolist(), effects.total(np.array([[4.0]])).tolist()
    ([[6.0]], [9.0])
    """

    features: tuple[FeatureEffect, ...]
    intercept: float
    unit: str
    subject: str = "utility"
    outcome: str = ""
    """Name of the class that a positive f supports; empty for rankers."""
    interactions: tuple[PairEffect, ...] = ()
    """What two features add together, beyond the effects of each; only boosted trees of two features have any."""
    antisymmetric: bool = True
    """Whether f(B, A) = −f(A, B) for two documents, so that P(A above B) and P(B above A) add up to 1."""

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)
        check_choice("subject", self.subject, SUBJECTS)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @property
    def interaction_names(self) -> tuple[str, ...]:
        """Names of both features, such as ``"price × rating"``."""
        return tuple(" × ".join(self.names[k] for k in both.features) for both in self.interactions)

    def contributions(self, X: Matrix) -> FloatArray:
        """Return the effect of each value of X; rows are documents or, for ``"difference"``, differences x_A − x_B.

        The columns are the features, followed by the interactions.
        """
        return self._values(X, centred=True)

    def differences(self, A: Matrix, B: Matrix) -> FloatArray:
        """Return the effect of each value of A minus that of B, independent of the centres, even in rounding.

        For ``"difference"``, return the effect of each value of A − B, which is 0 where A and B are equal. The columns
        are those of ``contributions``.
        """
        if self.subject == "difference":
            return self.contributions(self._dense(A) - self._dense(B))
        return np.asarray(self._values(A, centred=False) - self._values(B, centred=False))

    @property
    def pair_offset(self) -> float:
        """Output for two equal documents: 0, except in a model of differences that is not antisymmetric."""
        return self.intercept if self.subject == "difference" else 0.0

    def pair_totals(self, A: Matrix, B: Matrix) -> FloatArray:
        """Return the model's output for each pair: the offset plus the sum of the differences."""
        return np.asarray(self.pair_offset + self.differences(A, B).sum(axis=1))

    def total(self, X: Matrix) -> FloatArray:
        """Return the model's output for each row: the intercept plus the sum of its contributions."""
        return np.asarray(self.intercept + self.contributions(X).sum(axis=1))

    def probability(self, total: FloatArray) -> FloatArray:
        """P = 1/(1 + exp(−total)) of a total in log-odds; P(total) + P(−total) is exactly 1.

        >>> AdditiveEffects((), 0.0, "log-odds").probability(np.array([0.0, np.log(3.0)])).tolist()
        [0.5, 0.75]
        """
        if self.unit != "log-odds":
            raise DataError(
                f"A probability needs effects in log-odds: got the unit {self.unit!r}.",
                remedy="Wrap a ranker in PairCalibrator, or a classifier in CalibratedClassifierCV, and fit that.",
            )
        return Sigmoid(-1.0)(np.asarray(total, dtype=np.float64))

    def encode(self, table: Any) -> Matrix:
        """Return a numeric matrix in which categorical features are replaced by their codes 0, 1, 2 …

        Columns of a data frame are found by name or, if the names differ, by position.

        >>> spread = FeatureEffect("kind", LinearCurve(1.0), 0.0, 1.0, 0.0, categories=("news", "shop"))
        >>> AdditiveEffects((spread,), 0.0, "score").encode([["shop"], ["news"]]).tolist()
        [[1.0], [0.0]]
        """
        if isinstance(table, FeatureTable):
            self._check_width(table)
            return self._encode_table(table)
        if not any(feature.categories for feature in self.features) and not hasattr(table, "columns"):
            return as_matrix(table)
        if getattr(getattr(table, "dtype", None), "kind", "O") in "biuf":
            self._refuse_codes(range(len(self.features)))
        columns = list(self._columns_of(table))
        encoded = [_encoded(feature, column) for feature, column in zip(self.features, columns, strict=True)]
        return np.stack(encoded, axis=1)

    def _refuse_codes(self, places: Iterable[int]) -> None:
        """Raise an error if the feature at one of these places has levels of a table, and numbers are given instead."""
        for k in places:
            feature = self.features[k]
            if feature.categories and getattr(feature.curve, "centred", False):
                raise codes_without_levels(feature.name)

    def _encode_table(self, table: FeatureTable) -> Matrix:
        self._refuse_codes(k for k, kind in enumerate(table.kinds) if not kind.is_category)
        kinds = [_kind(feature, own) for feature, own in zip(self.features, table.kinds, strict=True)]
        rows = in_levels_of(table, kinds, self.names)
        for k, (feature, own) in enumerate(zip(self.features, table.kinds, strict=True)):
            if not feature.categories or feature.coding == NAMED:
                continue
            by_name = own.is_category and feature.coding != NUMBERED
            # Levels have been matched by name. Those of no category are known by their codes in the table.
            if by_name and not (feature.coding == LISTED and (rows[:, k] == UNSEEN).any()):
                continue
            as_values = by_name or (own.name == BOOLEAN and feature.coding != NUMBERED)
            cells = _cells(table.values[:, k], own, feature) if as_values else rows[:, k]
            codes = category_codes(feature.name, cells, feature.categories, feature.coding)
            if not np.array_equal(codes, rows[:, k], equal_nan=True):
                rows = np.array(rows)
                rows[:, k] = codes
        return rows

    def lengths(self, X: Matrix, groups: Groups | None = None, kind: str | None = None) -> FloatArray:
        """Return the length of each feature's line.

        - ``"query"``, the default for rankers: mean over queries of the largest minus the smallest effect;
          0 only if the effect is constant within every query.
        - ``"global"``, the default for classes: range of the effects of all rows.
        - ``"central"``: range between the 0.5 % and 99.5 % quantiles of the effects.
        - ``"pair-difference"``: range of e_k(a) − e_k(b) over all pairs of documents of one query.

        With interactions, the lines of the interactions follow those of the features.

        For the subject ``"difference"``, effects are always those of pairs of one query. Without ``groups``, all rows
        are one query.
        """
        kind = kind or ("global" if self.subject == "class" else "query")
        check_choice("kind", kind, LENGTHS)
        groups = group_rows(None, X.shape[0]) if groups is None else groups
        if self.subject == "difference":
            dense = self._dense(X)
            columns = zip(self.features, dense.T, strict=True)
            return np.array([_length_of_differences(feature, values, groups, kind) for feature, values in columns])
        if kind == "central":
            low, high = np.quantile(self.contributions(X), CENTRAL_QUANTILES, axis=0)
            return np.asarray(high - low)
        lowest, highest = self._ends_by_query(X, groups)
        if kind == "global":
            return np.asarray(highest.max(axis=0) - lowest.min(axis=0))
        spread = highest - lowest
        # Both orders of a pair count, so the differences of a query range from −spread to +spread.
        return np.asarray(spread.mean(axis=0) if kind == "query" else 2.0 * spread.max(axis=0))

    def _ends_by_query(self, X: Matrix, groups: Groups) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest effect of each feature in each query, evaluating few rows at a time."""
        lowest, highest = [], []
        for first, end in blocks_of_queries(groups.starts, max(1, VALUES_AT_ONCE // max(1, len(self.features)))):
            starts = groups.starts[first : end + 1]
            found = self.contributions(X[groups.order[starts[0] : starts[-1]]])
            lowest.append(np.minimum.reduceat(found, starts[:-1] - starts[0]))
            highest.append(np.maximum.reduceat(found, starts[:-1] - starts[0]))
        return np.concatenate(lowest), np.concatenate(highest)

    def _values(self, X: Matrix, *, centred: bool) -> FloatArray:
        """Return the effect of each value, less the effect at the feature's centre if ``centred``."""
        dense = self._dense(X)
        if self._lines is not None:
            slopes, bases = self._lines
            found = dense * slopes
            return found - bases if centred else found
        effects = [feature if centred else feature.curve for feature in self.features]
        columns = [effect(dense[:, k]) for k, effect in enumerate(effects)]
        columns += [both(dense) for both in self.interactions]
        return np.stack(columns, axis=1) if columns else np.zeros(dense.shape)

    @cached_property
    def _lines(self) -> tuple[FloatArray, FloatArray] | None:
        """Slopes, and effects at the centres, if the model consists of straight lines; one product evaluates them."""
        curves = [feature.curve for feature in self.features]
        # A slope of 0 is not multiplied, because 0 · NaN is NaN.
        if self.interactions or not all(isinstance(one, LinearCurve) and one.slope != 0.0 for one in curves):
            return None
        slopes = np.array([one.slope for one in curves if isinstance(one, LinearCurve)])
        return slopes, np.array([feature.base for feature in self.features])

    def _check_width(self, X: Any) -> None:
        if X.shape[1] != len(self.features):
            raise DataError(
                f"X must have one column per effect: expected {len(self.features)}, got {X.shape[1]}.",
                parameter="X",
                expected=len(self.features),
                got=X.shape[1],
            )

    def _dense(self, X: Matrix) -> FloatArray:
        self._check_width(X)
        return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)

    def _columns_of(self, table: Any) -> Iterator[Any]:
        """Return the columns of a data frame in the order of the features, or those of an array unchanged."""
        known = list(getattr(table, "column_names", getattr(table, "columns", ())))
        if known and set(self.names) <= set(known):
            return (table[name] for name in self.names)
        cells = table.toarray() if sparse.issparse(table) else np.asarray(table, dtype=object)
        if cells.ndim != 2 or cells.shape[1] != len(self.features):
            expected = ", ".join(self.names)
            raise DataError(f"The table must have the columns {expected}: got shape {cells.shape}.")
        return iter(cells.T)


def _kind(feature: FeatureEffect, given: FeatureKind) -> FeatureKind:
    """Return the kind of a feature in a model; numbers, yes/no values and codes need no other codes."""
    by_name = feature.categories and given.is_category and feature.coding != NUMBERED
    return FeatureKind(CATEGORY, feature.categories) if by_name else given


def _encoded(feature: FeatureEffect, column: Any) -> FloatArray:
    if feature.categories:
        return category_codes(feature.name, column, feature.categories, feature.coding)
    cells = np.asarray(column)
    if feature.coding == UNUSED and cells.dtype.kind not in "biuf":
        return np.zeros(len(cells))
    return np.asarray(as_matrix(cells.reshape(-1, 1), f"column {feature.name!r}")).ravel()


def _cells(values: FloatArray, own: FeatureKind, feature: FeatureEffect) -> Any:
    """Return the categories that the codes of a table mean: its levels, or Booleans if the model knows these."""
    known = own.levels if own.is_category else (False, True) if set(feature.categories) <= {"False", "True"} else (0, 1)
    return np.array([*known, None], dtype=object)[np.where(np.isnan(values), len(known), values).astype(np.int64)]


def linear_effects(names: tuple[str, ...], slopes: FloatArray, observed: ObservedValues, unit: str) -> AdditiveEffects:
    """Return the effects of f(x) = slopes · x, each centred at the feature's mean."""
    columns = zip(names, slopes, observed.low, observed.high, observed.mean, strict=True)
    features = tuple(
        FeatureEffect(name, LinearCurve(float(slope)), float(low), float(high), float(mean))
        for name, slope, low, high, mean in columns
    )
    return AdditiveEffects(features, float(slopes @ observed.mean), unit)


def _length_of_differences(feature: FeatureEffect, values: FloatArray, groups: Groups, kind: str) -> float:
    """Return the length of the line of differences, from the effects of a − b for all pairs of documents of a query."""
    own = [values[groups.rows(query)] for query in range(groups.n_queries)]
    if kind == "central":
        pairs = [(some[:, None] - some)[~np.eye(len(some), dtype=bool)] for some in own]
        low, high = np.quantile(feature.curve(np.concatenate(pairs)), CENTRAL_QUANTILES)
        return float(high - low)
    # The range depends only on distinct values.
    distinct = [np.unique(some) for some in own]
    effects = [feature.curve((some[:, None] - some).ravel()) for some in distinct]
    if kind == "query":
        return float(np.mean([np.ptp(some) for some in effects]))
    return float(np.ptp(np.concatenate(effects)))
