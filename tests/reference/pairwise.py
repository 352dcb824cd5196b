"""Slow twin of the pairwise transform, and the data of its published experiment."""

import itertools
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from tests.reference.pairs import published_points


def pairwise_transform(X, y, qid=None):
    """Loop over all combinations of rows, keep the comparable ones, and make every second kept pair negative."""
    query = [0] * len(y) if qid is None else list(qid)
    differences, signs = [], []
    for i, j in itertools.combinations(range(len(y)), 2):
        if query[i] != query[j] or y[i] == y[j]:
            continue
        difference, sign = np.asarray(X[i]) - np.asarray(X[j]), 1 if y[i] > y[j] else -1
        wanted = 1 if len(signs) % 2 == 0 else -1
        if sign != wanted:
            difference, sign = -difference, -sign
        differences.append(difference)
        signs.append(sign)
    return np.array(differences).reshape(len(signs), np.shape(X)[1]), np.array(signs, dtype=int)


@dataclass(frozen=True)
class Half:
    """One half of the published points: features, labels and blocks (the queries)."""

    X: np.ndarray
    y: np.ndarray
    blocks: np.ndarray


def published_halves():
    """Split the published points into training and test half, by the same generator that drew them."""
    X, y, blocks, generator = published_points()
    split = StratifiedShuffleSplit(n_splits=10, test_size=0.5, random_state=generator).split(X, y)
    return tuple(Half(X[rows], y[rows], blocks[rows]) for rows in next(split))


def tau_by_formula(y, scores):
    """(P − Q)/(P + Q) over concordant and discordant pairs; ties in label or score are ignored."""
    concordant = discordant = 0
    for i, j in itertools.combinations(range(len(y)), 2):
        product = (y[i] - y[j]) * (scores[i] - scores[j])
        concordant += product > 0
        discordant += product < 0
    return (concordant - discordant) / (concordant + discordant)
