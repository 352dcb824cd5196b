"""Statistics over the documents of one query by resampling: a query alone says nothing about other queries."""

from collections.abc import Iterator

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.metrics.measures import MeasureName
from glassrank.metrics.ranked import rank_documents
from glassrank.metrics.resampling import ShiftTest

# Resamples are measured in blocks of about this many rows.
MAX_BLOCK_ROWS = 2**18


def draw_documents(n_documents: int, n_resamples: int, rng: np.random.Generator) -> IntArray:
    """Return how often each document is in each bootstrap sample (samples × documents)."""
    return rng.multinomial(n_documents, np.full(n_documents, 1.0 / n_documents), size=n_resamples)


def resampled_pair_means(counts: IntArray, first: IntArray, second: IntArray, values: FloatArray) -> FloatArray:
    """Return the mean of ``values`` (pairs × columns) in each sample of documents, column by column.

    A pair of documents drawn c and d times counts c · d times; copies of one document form no pair. A sample without a
    pair is NaN.

    >>> pairs = np.array([0, 0]), np.array([1, 2])
    >>> resampled_pair_means(np.array([[1, 1, 1], [2, 0, 1], [0, 3, 0]]), *pairs, np.array([[1.0], [0.0]])).ravel()
    array([0.5, 0. , nan])
    """
    found = np.full((len(counts), values.shape[1]), np.nan)
    for begin, end in _blocks(len(counts), len(first)):
        weights = (counts[begin:end, first] * counts[begin:end, second]).astype(np.float64)
        total = weights.sum(axis=1)
        some = total > 0
        found[begin:end][some] = (weights @ values)[some] / total[some, None]
    return found


def resampled_list_means(
    measure: MeasureName,
    convention: str,
    y: FloatArray,
    scores: FloatArray,
    groups: Groups,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the mean of a measure over lists whose documents are drawn with replacement (samples × systems).

    Each list keeps its length, and all systems get the same samples. Lists for which the measure is undefined are left
    out of a sample's mean, which is NaN if there are none.
    """
    found = np.empty((n_resamples, scores.shape[1]))
    for begin, end in _blocks(n_resamples, len(y)):
        n_samples = end - begin
        drawn = [rng.choice(rows, size=(n_samples, len(rows))) for rows in map(groups.rows, range(groups.n_queries))]
        rows = np.concatenate(drawn, axis=1)
        # Every list of every sample is a query of its own.
        number = np.arange(n_samples)[:, None] * groups.n_queries + groups.of_row[rows]
        for column in range(scores.shape[1]):
            lists = rank_documents(
                y[rows].ravel(), scores[:, column][rows].ravel(), qid=number.ravel(), convention=convention
            )
            values = measure.per_query(lists)[np.argsort(lists.groups.ids)].reshape(n_samples, -1)
            found[begin:end, column] = _mean_of_defined(values)
    return found


def bootstrap_test(differences: FloatArray) -> ShiftTest:
    """Test shifts of a difference by its bootstrap samples (samples × systems).

    p(δ) is twice the share of samples on the other side of δ, where the observation counts as one more sample.

    >>> bootstrap_test(np.array([[0.1, 0.2], [0.2, -0.1], [0.1, 0.1]])).p_values().tolist()
    [0.5, 1.0]
    """
    end = np.full((1, differences.shape[1]), np.inf)
    drawn = np.sort(differences, axis=0)
    return ShiftTest(np.vstack([-end, drawn]), np.vstack([drawn, end]), (len(drawn) + 1.0) / 2.0)


def _mean_of_defined(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0))


def _blocks(n_samples: int, n_rows: int) -> Iterator[tuple[int, int]]:
    height = max(MAX_BLOCK_ROWS // max(n_rows, 1), 1)
    for begin in range(0, n_samples, height):
        yield begin, min(begin + height, n_samples)
