"""Scores equal the definition, term by term."""

import math

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.additive.curve_sum import BLOCK_ROWS
from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.additive.scoring import linear_scores, map_scores, single_feature_scores
from tests.core.additive.gaussian_maps import gaussian_map


def slow_lrbf_scores(X, feature_map, coef):
    """Σ over features, columns and nodes, in the order of the definition u(x) = w·φ(x)."""
    scores = []
    for row in X:
        terms, column = [], 0
        for value, block in zip(row, feature_map.blocks, strict=True):
            for mixing in [] if block is None else block.mixing.T:
                gaussians = [math.exp(-block.gamma * (value - node) ** 2) for node in block.nodes]
                terms.append(coef[column] * math.fsum(g * m for g, m in zip(gaussians, mixing, strict=True)))
                column += 1
        scores.append(math.fsum(terms))
    return scores


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) * [1.0, 100.0, 0.01, 1.0]
    feature_map = gaussian_map([0.5, 1e-4, 2e4, 0.0], X)
    assert feature_map.blocks[3] is None
    return X, feature_map, rng.normal(size=feature_map.n_columns)


def test_curves_are_summed_as_defined(case):
    X, feature_map, coef = case
    beyond = np.vstack([X, 1.5 * X])
    assert map_scores(beyond, feature_map, coef) == pytest.approx(
        slow_lrbf_scores(beyond, feature_map, coef), rel=1e-9, abs=1e-9
    )


def test_scores_do_not_depend_on_the_block_size(case):
    X, feature_map, coef = case
    many = np.resize(X, (2 * BLOCK_ROWS + 17, 4))
    once = map_scores(X, feature_map, coef)
    assert map_scores(many, feature_map, coef) == pytest.approx(np.resize(once, len(many)), rel=1e-9, abs=1e-9)


def test_sparse_rows_are_scored_as_dense_ones(case):
    X, feature_map, coef = case
    holes = np.where(X > 0, X, 0.0)
    dense = map_scores(holes, feature_map, coef)
    assert map_scores(sparse.csr_matrix(holes), feature_map, coef).tolist() == dense.tolist()


def test_a_map_without_columns_scores_everything_zero():
    assert map_scores(np.ones((3, 2)), FeatureMap((None, None)), np.zeros(0)).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix], ids=["dense", "sparse"])
def test_linear_and_single_feature_scores_match_hand_computation(make):
    X = make([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])
    assert linear_scores(X, np.array([2.0, 1.0, -0.5])).tolist() == [1.0, 3.5]
    assert single_feature_scores(X, 2, 1).tolist() == [2.0, -1.0]
    assert single_feature_scores(X, 2, -1).tolist() == [-2.0, 1.0]
