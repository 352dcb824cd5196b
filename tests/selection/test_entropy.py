"""Information gain: checked by hand, and against slow twins, scikit-learn and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import mutual_info_score

from glassrank.core.groups import group_rows
from glassrank.selection.entropy import class_information, cut_points, entropy, order_information
from tests.reference import information as slow

VALUES = st.lists(st.tuples(st.integers(-8, 8), st.integers(0, 2)), min_size=2, max_size=60)


def columns(rows):
    values, labels = zip(*rows, strict=True)
    return np.array(values, dtype=float), np.array(labels)


def test_the_gain_of_the_weather_by_hand():
    """Tennis is played on 9 of 14 days, and the outlook splits them 2:3, 4:0 and 3:2 (Quinlan 1986): 0.247 bits."""
    outlook = np.repeat([0, 1, 2], [5, 4, 5])
    plays = np.array([1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    assert float(entropy(np.array([9.0, 5.0]))) == pytest.approx(0.940286, abs=1e-6)
    assert class_information(outlook, plays) == pytest.approx(0.246750, abs=1e-6)


@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any))
def test_entropy_equals_scipy(counts):
    assert float(entropy(np.array(counts, dtype=float))) == pytest.approx(scipy_entropy(counts, base=2), abs=1e-12)


@given(rows=VALUES)
def test_the_gain_equals_scikit_learns_mutual_information(rows):
    parts, classes = columns(rows)
    parts = (parts + 8).astype(int)
    expected = mutual_info_score(parts, classes) / np.log(2)
    assert class_information(parts, classes) == pytest.approx(expected, abs=1e-12)
    assert class_information(parts, classes) == pytest.approx(slow.gain(parts.tolist(), classes.tolist()), abs=1e-12)


def test_a_cut_must_gain_more_than_its_cost_by_hand():
    """Two against two: the gain is 1 bit and a cut costs (log₂ 3 + log₂ 7 − 2)/4 = 0.598. One of each: 1 bit against
    (log₂ 1 + log₂ 7 − 2)/2 = 0.404."""
    assert cut_points(np.array([1.0, 2.0, 4.0, 5.0]), np.array([0, 0, 1, 1])).tolist() == [3.0]
    # 1 0 1 0 gains 0.311 bits at best, and the cost is (log₂ 3 + log₂ 7 − (2 · 1 − 1 · 0 − 2 · 0.918))/4 = 1.057.
    assert cut_points(np.array([1.0, 2.0, 4.0, 5.0]), np.array([1, 0, 1, 0])).tolist() == []


@given(rows=VALUES)
def test_cuts_equal_the_recursive_twin(rows):
    values, classes = columns(rows)
    assert cut_points(values, classes).tolist() == slow.fayyad_irani(values.tolist(), classes.tolist())


def test_a_class_in_the_middle_gets_two_cuts():
    values = np.arange(60.0)
    classes = ((values >= 20) & (values < 40)).astype(int)
    assert cut_points(values, classes).tolist() == [19.5, 39.5]


def test_neither_a_constant_nor_noise_is_cut():
    rng = np.random.default_rng(0)
    assert len(cut_points(np.ones(50), rng.integers(0, 2, 50))) == 0
    assert len(cut_points(rng.normal(size=200), rng.integers(0, 2, 200))) == 0


def test_huge_values_are_cut_without_overflow():
    values = np.array([1.0, 1.0, 1.6, 1.7] * 5) * 1e308
    assert np.isfinite(cut_points(values, np.array([0, 0, 1, 1] * 5))).all()


def test_order_information_by_hand():
    """Five pairs differ in label: one ties, three of the other four are concordant: 4/5 · (1 − h(3/4)) = 0.151 bits."""
    values, y = np.array([3.0, 1.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0, 0.0])
    h = -0.75 * np.log2(0.75) - 0.25 * np.log2(0.25)
    assert order_information(values, y, group_rows(None, 4)) == pytest.approx(0.8 * (1 - h), rel=1e-12)


@given(rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_order_information_equals_that_of_listed_pairs(rows):
    values, labels, queries = map(list, zip(*rows, strict=True))
    found = order_information(np.array(values, float), np.array(labels, float), group_rows(queries, len(rows)))
    differ = any(q == r and y != z for _, y, q in rows for _, z, r in rows)
    expected = slow.order_gain(values, labels, queries) if differ else 0.0
    assert found == pytest.approx(expected, abs=1e-12)


def test_order_information_ignores_direction_and_scale():
    rng = np.random.default_rng(0)
    values, y, groups = rng.normal(size=90), rng.integers(0, 3, 90).astype(float), group_rows(np.arange(90) // 9, 90)
    plain = order_information(values, y, groups)
    assert order_information(-values, y, groups) == pytest.approx(plain, rel=1e-12)
    assert order_information(np.exp(values), y, groups) == pytest.approx(plain, rel=1e-12)
    shift = 100.0 * groups.of_row
    assert order_information(values + shift, y, groups) == pytest.approx(plain, rel=1e-12)
