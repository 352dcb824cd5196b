"""Simulated ranking data with known true effects."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray, as_matrix, as_vector, read_only
from glassrank.core.input_types import RandomState
from glassrank.data.ranking_data import RankingData
from glassrank.simulation.ranking_features import NOISE_SHAPES, REDUNDANT_FEATURES, SIGNAL_FEATURES
from glassrank.simulation.simulator_inputs import Rng, check_counts, number_between, seed_of, spawn_streams

# Standard deviation of the judges' strictness between queries, in units of the utility.
STRICTNESS = 0.5
GRID_POINTS = 201
_CURVES = {feature.name: feature.effect for feature in SIGNAL_FEATURES}


@dataclass(frozen=True, eq=False, repr=False)
class TrueEffect:
    """True effect of each value of one feature, centred at its mean over the simulated documents."""

    feature: str
    role: str
    """``"signal"``, ``"redundant"`` or ``"noise"``; only signals have an effect other than 0."""
    repeats: str | None
    """The signal that a redundant feature copies."""
    values: FloatArray
    """Observed values at evenly spaced quantiles, in increasing order."""
    effect: FloatArray
    """The effect of each of these values, in units of the utility."""
    centre: float

    def __repr__(self) -> str:
        return f"TrueEffect({self.feature!r}, {self.role}, range {np.ptp(self.effect):.2f})"

    def at(self, values: Any) -> FloatArray:
        """Return the centred effect of given values of this feature."""
        return _effect(self.feature, as_vector("values", values)) - self.centre


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedRanking:
    """Simulated documents with judgements, and the truth behind them.

    >>> simulated = simulate_ranking(20, 30, random_state=0)
    >>> print(simulated)
    Simulated ranking data (seed 0), not measured on any search engine
    632 rows, 20 queries, 18 features: 12 signal, 3 redundant, 3 noise
    judgements 0 to 4, noise 0.8
    >>> simulated.true_effects["Freshness"]
    TrueEffect('Freshness', signal, range 1.70)
    >>> simulated.units["Freshness"]
    'days'
    """

    data: RankingData
    noise: float
    """Standard deviation of the judgement noise, in units of the utility."""
    levels: int
    seed: int | None
    """The seed, if it was a whole number."""
    centres: tuple[float, ...]
    """Mean effect of each feature before centring."""

    def __str__(self) -> str:
        seed = "no seed" if self.seed is None else f"seed {self.seed}"
        signal, redundant = len(SIGNAL_FEATURES), len(REDUNDANT_FEATURES)
        n_noise = self.data.n_features - signal - redundant
        return (
            f"Simulated ranking data ({seed}), not measured on any search engine\n"
            f"{self.data.n_rows:,} rows, {self.data.n_queries:,} queries, {self.data.n_features:,} features: "
            f"{signal} signal, {redundant} redundant, {n_noise} noise\n"
            f"judgements 0 to {self.levels - 1}, noise {self.noise:g}"
        )

    def __repr__(self) -> str:
        return f"SimulatedRanking({self.data.n_rows:,} rows, {self.data.n_queries:,} queries, seed {self.seed})"

    @property
    def units(self) -> dict[str, str]:
        """Unit of each feature that has one, for axis labels."""
        return {feature.name: feature.unit for feature in (*SIGNAL_FEATURES, *REDUNDANT_FEATURES) if feature.unit}

    @cached_property
    def true_effects(self) -> dict[str, TrueEffect]:
        """The true curve of each feature, in the order of the columns; zero for redundant and noise features."""
        return {name: self._true_effect(column, name) for column, name in enumerate(self.data.feature_names)}

    def _true_effect(self, column: int, name: str) -> TrueEffect:
        repeated = {feature.name: feature.source for feature in REDUNDANT_FEATURES}.get(name)
        role = "signal" if name in _CURVES else "redundant" if repeated else "noise"
        steps = np.linspace(0.0, 1.0, GRID_POINTS)
        values = np.unique(np.quantile(self.data.X[:, column], steps, method="nearest"))
        centre = self.centres[column]
        return TrueEffect(name, role, repeated, read_only(values), read_only(_effect(name, values) - centre), centre)

    def true_utility(self, X: Any = None) -> FloatArray:
        """Return u(x) = Σₖ eₖ(xₖ), the sum of the centred true effects, for the rows of the data or of ``X``."""
        X = self.data.X if X is None else as_matrix(X)
        dense = X.toarray() if sparse.issparse(X) else X
        names = self.data.feature_names
        if X.shape[1] != len(names):
            raise DataError(
                f"X must have one column per simulated feature: expected {len(names)}, got {X.shape[1]}.",
                parameter="X",
                expected=len(names),
                got=X.shape[1],
            )
        utility = np.zeros(X.shape[0])
        for name, values, centre in zip(names, dense.T, self.centres, strict=True):
            utility += _effect(name, values) - centre
        return utility


def simulate_ranking(
    n_queries: int = 100,
    documents_per_query: int = 50,
    *,
    n_noise: int = 3,
    noise: float = 0.8,
    levels: int = 5,
    random_state: RandomState = None,
) -> SimulatedRanking:
    """Simulate the features and judgements of a search engine's documents.

    A document's utility is the sum of one known curve per feature, u(x) = Σₖ eₖ(xₖ), and its judgement is the number of
    thresholds that the utility exceeds:

        y = #{g : u(x) + ε − δ_q > τ_g},  ε ~ N(0, noise²),  δ_q ~ N(0, 0.5²),  g = 1, …, levels − 1

    where δ_q is the strictness of query q's judges and τ_g is such that about twice as many documents are judged g − 1
    as g. Lists are 0.5 to 1.5 times ``documents_per_query`` long. Twelve features have an effect, three are noisy
    copies of one of them, and ``n_noise`` are pure noise. The same seed gives the same documents for any ``n_noise``,
    ``noise`` and ``levels``.

    >>> simulated = simulate_ranking(n_queries=20, documents_per_query=30, random_state=0)
    >>> simulated.data
    RankingData(632 rows, 20 queries, 18 features)
    >>> simulated.data.feature_names[:3]
    ('Click ratio', 'BM25 title', 'BM25 body')
    """
    check_counts(n_queries=n_queries)
    check_counts(2, documents_per_query=documents_per_query, levels=levels)
    check_counts(0, n_noise=n_noise)
    noise = number_between("noise", noise, 0)
    lists, signals, copies, noises, judges = spawn_streams(random_state, 5)
    of_row = _lists(lists, n_queries, documents_per_query)
    names, X = _features(of_row, n_queries, n_noise, signals, copies, noises)
    utility, centres = _utility(names, X)
    strictness = STRICTNESS * judges.standard_normal(n_queries)
    opinion = utility - strictness[of_row] + noise * judges.standard_normal(len(of_row))
    data = RankingData(
        X,
        y=_grades(opinion, levels),
        qid=_numbered("q", n_queries, start=1)[of_row],
        doc_ids=_numbered("d", len(of_row), start=1),
        feature_names=names,
    )
    return SimulatedRanking(data, noise, levels, seed_of(random_state), centres)


def _lists(rng: Rng, n_queries: int, documents_per_query: int) -> IntArray:
    """Return the query number of each row; lists have 0.5 to 1.5 times the given length."""
    shortest, longest = (documents_per_query + 1) // 2, documents_per_query * 3 // 2
    lengths = rng.integers(shortest, longest, n_queries, endpoint=True)
    return np.repeat(np.arange(n_queries), lengths)


def _features(
    of_row: IntArray, n_queries: int, n_noise: int, signals: Rng, copies: Rng, noises: Rng
) -> tuple[list[str], FloatArray]:
    n_rows = len(of_row)
    names = [feature.name for feature in (*SIGNAL_FEATURES, *REDUNDANT_FEATURES)]
    names += [f"Noise {number}" for number in range(1, n_noise + 1)]
    X = np.empty((n_rows, len(names)))
    match, authority = signals.standard_normal((2, n_rows))
    for column, feature in enumerate(SIGNAL_FEATURES):
        z = feature.match * match + feature.authority * authority
        z += feature.query * signals.standard_normal(n_queries)[of_row]
        z += feature.own * signals.standard_normal(n_rows)
        X[:, column] = feature.value(z)
    for column, copy in enumerate(REDUNDANT_FEATURES, start=len(SIGNAL_FEATURES)):
        X[:, column] = copy.value(X[:, names.index(copy.source)], copies.standard_normal(n_rows))
    for number in range(n_noise):
        shape = NOISE_SHAPES[number % len(NOISE_SHAPES)]
        X[:, len(names) - n_noise + number] = shape(noises.standard_normal(n_rows))
    return names, X


def _effect(name: str, values: FloatArray) -> FloatArray:
    """Return the effect before centring, or raise an error outside the range in which the curve is defined."""
    if name not in _CURVES:
        return np.zeros(len(values))
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = _CURVES[name](values)
    if np.isnan(effect).any():
        raise DataError(f"{name} cannot be {values[np.isnan(effect)][0]:g}: its curve is not defined there.")
    return effect


def _utility(names: list[str], X: FloatArray) -> tuple[FloatArray, tuple[float, ...]]:
    """Return the sum of the centred effects, and the mean effect of each feature."""
    utility, centres = np.zeros(len(X)), []
    for name, values in zip(names, X.T, strict=True):
        effect = _effect(name, values)
        centres.append(float(effect.mean()))
        utility += effect - centres[-1]
    return utility, tuple(centres)


def _grades(opinion: FloatArray, levels: int) -> IntArray:
    """Turn opinions into grades, each about half as frequent as the one below."""
    shares = 0.5 ** np.arange(levels)
    thresholds = np.quantile(opinion, np.cumsum(shares / shares.sum())[:-1])
    return np.searchsorted(thresholds, opinion)


def _numbered(letter: str, count: int, start: int) -> Any:
    """Return identifiers of equal width, such as q001, q002, …"""
    numbers = np.arange(start, start + count).astype(np.str_)
    return np.strings.add(letter, np.strings.zfill(numbers, len(numbers[-1])))
