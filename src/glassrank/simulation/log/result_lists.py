"""Simulated search engines, which return a result list for each query."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.queries import QueryTruth
from glassrank.simulation.log.web_index import WebIndex
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import language_numbers
from glassrank.simulation.web.simulated_web import SimulatedWeb

# Number of queries that are processed at a time, so that a large log needs no large arrays.
BATCH_SIZE = 128


@dataclass(frozen=True)
class EngineWeights:
    """Weights of the terms in an engine's score."""

    text: float
    host: float
    """For the squared similarity of query and host."""
    popularity: float
    learnt: float
    """For the home page of a site whose name is the query, as if partly learnt from earlier clicks."""
    noise: float


# Factor for the host similarity of a page that is not a home page.
BELOW_HOME = 0.35
# What a page in another language than the query loses.
FOREIGN = 0.5
ENGINES = {
    "A": EngineWeights(text=1.0, host=1.0, popularity=0.5, learnt=1.0, noise=0.12),
    "B": EngineWeights(text=0.8, host=0.6, popularity=0.9, learnt=0.6, noise=0.15),
    "C": EngineWeights(text=1.2, host=0.8, popularity=0.3, learnt=0.8, noise=0.15),
    "D": EngineWeights(text=0.9, host=1.0, popularity=0.7, learnt=0.4, noise=0.2),
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

    score = text · BM25 / Σ idf + host · cosine² + popularity · ln(1 + in-links) + learnt · u + noise · z, where u is
    drawn uniformly from 0 to 1 once for each query that is a name, and applies to the home page. A page in another
    language than the query loses 0.5.
    """
    learning, guessing = rng.spawn(2)
    learnt = weights.learnt * learning.random(len(truth)) * truth.is_name
    below = np.where(web.is_home, 1.0, BELOW_HOME)
    language = language_numbers(list(truth.languages))
    pages, scores = [], []
    for first in range(0, len(truth), BATCH_SIZE):
        rows = slice(first, min(first + BATCH_SIZE, len(truth)))
        score = weights.text * index.text_match(rows) + weights.popularity * index.popularity
        score += weights.host * (index.similarity[rows] ** 2)[:, web.site_of_page] * below
        score -= FOREIGN * (language[rows, None] != web.page_languages)
        score += weights.noise * guessing.standard_normal(score.shape)
        score[np.arange(len(score)), web.homes[truth.sites[rows]]] += learnt[rows]
        best = _best(score, n_results)
        pages.append(best)
        scores.append(np.take_along_axis(score, best, axis=1))
    return ResultLists(np.concatenate(pages), np.concatenate(scores))


def _best(score: FloatArray, count: int) -> Any:
    """Return the columns of the largest values of each row, in decreasing order."""
    top = np.argpartition(-score, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(score, top, axis=1), axis=1, kind="stable")
    return np.take_along_axis(top, order, axis=1)
