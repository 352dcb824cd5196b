"""The features of the simulated search engine: the distributions of their values, and their effects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from glassrank.core.checks import FloatArray

Curve = Callable[[FloatArray], Any]  # Any, because numpy's type of round() is not precise


@dataclass(frozen=True)
class SignalFeature:
    """A feature with an effect: a standard normal z determines its value, and the value its effect on the utility."""

    name: str
    unit: str
    value: Curve
    effect: Curve
    match: float = 0.0
    """Share of z for how well the document matches the query."""
    authority: float = 0.0
    """Share of z for how trusted the site is."""
    query: float = 0.2
    """Share of z that all documents of a query have in common."""

    @property
    def own(self) -> float:
        """Share of z specific to this feature; the squares of the four shares add up to 1."""
        return float(np.sqrt(1.0 - self.match**2 - self.authority**2 - self.query**2))


@dataclass(frozen=True)
class RedundantFeature:
    """A noisy copy of another feature, which adds no information once the other is known."""

    name: str
    unit: str
    source: str
    value: Callable[[FloatArray, FloatArray], Any]
    """Function of the source's values and standard normal noise that gives this feature's values."""


def _bump(x: FloatArray, best: float, width: float) -> FloatArray:
    return np.exp(-0.5 * ((x - best) / width) ** 2)


SIGNAL_FEATURES = (
    SignalFeature(
        "Click ratio",
        "",
        value=lambda z: np.round(np.maximum(0.0, expit(1.1 * z - 2.0) - 0.05), 3),
        effect=lambda x: 2.2 * np.sqrt(x),
        match=0.4,
        authority=0.3,
    ),
    SignalFeature(
        "BM25 title",
        "",
        value=lambda z: np.round(np.maximum(0.0, 8.0 + 8.0 * z), 2),
        effect=lambda x: 0.1 * x,
        match=0.5,
        query=0.4,
    ),
    SignalFeature(
        "BM25 body",
        "",
        value=lambda z: np.round(np.maximum(0.0, 14.0 + 7.0 * z), 2),
        effect=lambda x: 0.08 * x,
        match=0.6,
        query=0.4,
    ),
    SignalFeature(
        "Freshness",
        "days",
        value=lambda z: np.floor(np.exp(4.0 + 1.0 * z)),
        effect=lambda x: 1.7 * _bump(np.log1p(x), np.log(46.0), 0.8),
        query=0.3,
    ),
    SignalFeature(
        "Spam score",
        "",
        value=lambda z: np.round(100.0 * expit(1.2 * z - 1.5)),
        effect=lambda x: -0.016 * x,
        authority=-0.4,
    ),
    SignalFeature(
        "PageRank",
        "log",
        value=lambda z: np.round(np.clip(4.0 + 1.7 * z, 0.0, 10.0), 2),
        effect=lambda x: 0.2 * x,
        authority=0.7,
    ),
    SignalFeature(
        "Document length",
        "words",
        value=lambda z: np.ceil(np.exp(7.0 + 0.7 * z)),
        effect=lambda x: 1.8 * _bump(np.log(x), np.log(1200.0), 0.5),
    ),
    SignalFeature(
        "Anchor-text match",
        "",
        value=lambda z: np.round(np.clip(0.2 + 0.4 * z, 0.0, 1.0), 2),
        effect=lambda x: 0.9 * x,
        match=0.4,
        authority=0.4,
    ),
    SignalFeature(
        "URL length",
        "characters",
        value=lambda z: 15.0 + np.round(np.exp(3.7 + 0.5 * z)),
        effect=lambda x: -0.009 * x,
    ),
    SignalFeature(
        "Title length",
        "characters",
        value=lambda z: 5.0 + np.round(np.exp(3.95 + 0.45 * z)),
        effect=lambda x: 1.3 * _bump(x, 60.0, 18.0),
    ),
    SignalFeature(
        "Dwell time",
        "s",
        value=lambda z: np.round(np.exp(4.2 + 0.9 * z)),
        effect=lambda x: 0.3 * np.log1p(x / 30.0),
        match=0.3,
    ),
    SignalFeature(
        "Domain age",
        "years",
        value=lambda z: np.round(25.0 * expit(1.2 * z - 0.4), 1),
        effect=lambda x: 0.02 * x,
        authority=0.5,
    ),
)

REDUNDANT_FEATURES = (
    RedundantFeature(
        "Language-model score",
        "log",
        source="BM25 body",
        value=lambda body, e: np.round(0.3 * body - 12.0 + 0.6 * e, 2),
    ),
    RedundantFeature(
        "Inlinks",
        "links",
        source="PageRank",
        value=lambda rank, e: np.floor(np.exp(0.9 * rank + 0.6 * e)),
    ),
    RedundantFeature(
        "URL depth",
        "folders",
        source="URL length",
        value=lambda length, e: np.round(np.maximum(0.0, length / 25.0 - 1.0 + 0.5 * e)),
    ),
)

# Distributions of the noise features, in turn: bounded, normal, heavy-tailed.
NOISE_SHAPES: tuple[Curve, ...] = (
    lambda z: np.round(expit(1.7 * z), 3),
    lambda z: np.round(z, 2) + 0.0,  # no negative zeros
    lambda z: np.round(np.exp(z), 2),
)
