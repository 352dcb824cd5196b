"""Simulated search engines: a result list for each query."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.queries import QueryTruth
from glassrank.simulation.log.web_index import WebIndex
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.simulated_web import SimulatedWeb

# So many queries are answered at a time, so that a large log needs no large arrays.
PORTION = 128


@dataclass(frozen=True)
class EngineWeights:
    """What an engine goes by."""

    text: float
    host: float
    """For the likeness of query and host, squared."""
    popularity: float
    learnt: float
    """For the home page of a site whose name was typed: learnt, more or less, from earlier clicks."""
    noise: float


# A page that is no home page shares so much in the likeness of its host.
BELOW_HOME = 0.35
ENGINES = {
    "A": EngineWeights(text=1.0, host=1.0, popularity=0.5, learnt=1.0, noise=0.12),
    "B": EngineWeights(text=0.8, host=0.6, popularity=0.9, learnt=0.6, noise=0.15),
}


@dataclass(frozen=True, eq=False)
class ResultLists:
    """The best pages for each query, best first, with their scores: queries × results."""

    pages: IntArray
    scores: FloatArray


def search_web(
    rng: Rng, weights: EngineWeights, index: WebIndex, web: SimulatedWeb, truth: QueryTruth, n_results: int
) -> ResultLists:
    """Rank the pages for each query.

    score = text · BM25 / Σ idf + host · cosine² + popularity · ln(1 + in-links) + learnt · u + noise · z; the share
    u, uniform from 0 to 1, of what is learnt is one draw for each query that is a name.
    """
    learning, guessing = rng.spawn(2)
    learnt = weights.learnt * learning.random(len(truth)) * truth.is_name
    below = np.where(web.is_home, 1.0, BELOW_HOME)
    pages, scores = [], []
    for first in range(0, len(truth), PORTION):
        rows = slice(first, min(first + PORTION, len(truth)))
        score = weights.text * index.text_match(rows) + weights.popularity * index.popularity
        score += weights.host * (index.likeness[rows] ** 2)[:, web.site_of_page] * below
        score += weights.noise * guessing.standard_normal(score.shape)
        score[np.arange(len(score)), web.homes[truth.sites[rows]]] += learnt[rows]
        best = _best(score, n_results)
        pages.append(best)
        scores.append(np.take_along_axis(score, best, axis=1))
    return ResultLists(np.concatenate(pages), np.concatenate(scores))


def _best(score: FloatArray, count: int) -> Any:
    """Columns of the largest values of each row, the largest first."""
    some = np.argpartition(-score, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(score, some, axis=1), axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)
