"""Sums in doubled precision, against exact arithmetic over listed pairs: about 30 digits agree."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.doubled_sums import add_logistic, add_rows, add_slack, multiply_rows
from glassrank.core.pairs.pair_weights import weigh_pairs
from tests.reference.exact_slack import exact_products, exact_slack
from tests.reference.pairs import random_problem

DIGITS = Fraction(1, 10**28)


def exact(doubled):
    return [Fraction(float(high)) + Fraction(float(low)) for high, low in doubled]


def assert_agree(found, expected, scale):
    assert all(abs(a - b) <= DIGITS * Fraction(float(scale)) for a, b in zip(found, expected, strict=True))


def problem(seed, kind):
    """Rows query by query, with scores that are almost a margin apart."""
    made = random_problem(seed)
    y, groups = made.y - made.y.min(), group_rows(made.qid, len(made.y))
    rows = np.random.default_rng(seed).random(len(y)) if kind != "uniform" else None
    data = ComparedRows.of(made.X, y, groups, weigh_pairs(kind, y, groups, rows))
    ones = np.ones((len(y), 1))
    own, partner = data.weights.own, data.weights.partner
    return made.w, data, ones if own is None else own, ones if partner is None else partner


def test_scores_have_thirty_digits_where_large_terms_cancel():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(20, 6)) * 1e8, rng.normal(size=6)
    X[:, 5] = -(X[:, :5] @ w[:5]) / w[5]
    scores = np.empty((20, 2))
    multiply_rows(X, w, scores)
    assert_agree(exact(scores), exact_products(X, w), 1e9)


def test_sums_of_rows_have_thirty_digits():
    rng = np.random.default_rng(1)
    X, factors = rng.normal(size=(50, 4)), rng.normal(size=(50, 2)) * [1.0, 1e-17]
    total = np.zeros((4, 2))
    add_rows(X, factors, total)
    numbers = exact(factors)
    columns = [[Fraction(float(value)) for value in column] for column in X.T]
    expected = [sum(a * b for a, b in zip(column, numbers, strict=True)) for column in columns]
    assert_agree(exact(total), expected, 100)


@pytest.mark.parametrize("kind", ["uniform", "query", "label-gap", "ndcg"])
@pytest.mark.parametrize("margin", [1.0, 1.0 - 2.0**-30, -1.0])
def test_slack_sums_are_those_over_listed_pairs(kind, margin):
    for seed in range(4):
        w, data, own, partner = problem(seed, kind)
        scores = np.empty((len(data.level), 2))
        multiply_rows(data.X, w, scores)
        query = np.repeat(np.arange(len(data.n_levels)), np.diff(data.starts))
        ranking = np.lexsort((scores[:, 1], scores[:, 0], query))
        slope, sums = np.zeros((len(data.level), 2)), np.zeros((2, 2))
        shared = (data.starts, data.level, data.n_levels, own, partner)
        add_slack(*shared, margin, 1.0, scores, ranking, slope, sums)
        expected = exact_slack(exact(scores), data.level, data.starts, own, partner, margin)
        scale = (1 + np.abs(scores).max()) ** 2 * (1 + data.weights.magnitudes.sum())
        assert_agree([*exact(slope), *exact(sums)], [*expected[0], *expected[1:]], scale)
        add_slack(*shared, margin, -1.0, scores, ranking, slope, sums)
        assert_agree(exact(slope), [0] * len(slope), scale)


def test_scores_that_differ_in_their_last_digits_only_have_the_slack_between_them():
    """z_j = z_i + 1 − 1e-20, which no float can tell from z_i + 1."""
    scores = np.array([[3.0, 0.0], [4.0, -1e-20]])
    slope, sums = np.zeros((2, 2)), np.zeros((2, 2))
    starts, level, ones = np.array([0, 2]), np.array([0, 1]), np.ones((2, 1))
    add_slack(starts, level, np.array([2]), ones, ones, 1.0, 1.0, scores, np.array([0, 1]), slope, sums)
    assert_agree(exact(sums), [Fraction(1e-20), Fraction(1e-20) ** 2], 1)
    assert_agree(exact(slope), [Fraction(1e-20), -Fraction(1e-20)], 1)


def test_logistic_sums_are_those_over_listed_pairs():
    for seed in range(4):
        w, data, own, partner = problem(seed, "label-gap")
        scores, slope, sums = np.empty((len(data.level), 2)), np.zeros((len(data.level), 2)), np.zeros((2, 2))
        multiply_rows(data.X, w, scores)
        add_logistic(data.starts, data.level, own, partner, scores, slope, sums)
        expected, loss = np.zeros(len(data.level)), 0.0
        for first, end in pairwise(data.starts):
            for i, j in ((i, j) for i in range(first, end) for j in range(first, end) if data.level[i] < data.level[j]):
                weight, margin = float(own[i] @ partner[j]), float(scores[j, 0] - scores[i, 0])
                loss += weight * np.logaddexp(0.0, -margin)
                expected[i] += weight / (1.0 + np.exp(margin))
                expected[j] -= weight / (1.0 + np.exp(margin))
        assert sums[0, 0] == pytest.approx(loss, rel=1e-12)
        np.testing.assert_allclose(slope.sum(axis=1), expected, rtol=1e-9, atol=1e-12 * loss)
