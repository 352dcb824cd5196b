"""Curves against their formulas, written out."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from glassrank.core.additive.curves import (
    Affine,
    CategoryCurve,
    ComposedCurve,
    GaussianCurve,
    NormalRatioCurve,
    StepCurve,
    SumCurve,
    add_curves,
    is_linear,
    scale_curve,
)
from glassrank.core.additive.effects import LinearCurve
from glassrank.core.additive.scoring import map_scores
from glassrank.core.checks import DataError
from tests.core.additive.gaussian_maps import gaussian_map

PLACES = np.linspace(-3, 3, 25)


def test_a_gaussian_curve_is_the_sum_of_its_gaussians():
    nodes, weights = [0.0, 1.5, -2.0], [1.0, -0.5, 3.0]
    expected = [sum(w * math.exp(-0.7 * (x - t) ** 2) for t, w in zip(nodes, weights, strict=True)) for x in PLACES]
    curve = GaussianCurve(0.7, np.array(nodes), np.array(weights))
    np.testing.assert_allclose(curve(PLACES), expected, rtol=1e-13)
    assert curve(PLACES.reshape(5, 5)).shape == (5, 5)
    assert curve(np.array(0.0)).shape == ()


def test_curves_of_lrbf_columns_add_up_to_the_scores():
    X = np.random.default_rng(0).normal(size=(30, 3))
    columns = gaussian_map([0.5, 0.0, 2.0], X)
    coef = np.random.default_rng(1).normal(size=columns.n_columns)
    curves = columns.curves(coef)
    total = sum(curve(X[:, k]) for k, curve in enumerate(curves))
    np.testing.assert_allclose(total, columns(X) @ coef, atol=1e-9)
    np.testing.assert_allclose(total, map_scores(X, columns, coef), atol=1e-12)
    assert is_linear(curves[1])


def test_a_value_at_a_threshold_is_before_the_step():
    curve = StepCurve(np.array([0.0, 1.0]), np.array([5.0, 6.0, 7.0]), missing=9.0)
    assert curve(np.array([-1.0, 0.0, 1e-300, 1.0, 1.1, np.nan])).tolist() == [5.0, 5.0, 6.0, 6.0, 7.0, 9.0]


def test_single_precision_compares_rounded_values():
    threshold = np.array([float(np.float32(0.1))])
    above = threshold[0] * (1 + 1e-10)
    assert StepCurve(threshold, np.array([0.0, 1.0]))(np.array([above])).tolist() == [1.0]
    assert StepCurve(threshold, np.array([0.0, 1.0]), single_precision=True)(np.array([above])).tolist() == [0.0]


@pytest.mark.parametrize("code", [3.0, -1.0, 0.5])
def test_a_code_without_a_category_is_rejected(code):
    with pytest.raises(DataError, match=r"from 0 to 2: got.*encode"):
        CategoryCurve(np.array([1.0, 2.0, 3.0]))(np.array([0.0, code]))


def test_a_missing_category_has_no_effect_of_its_own():
    assert np.isnan(CategoryCurve(np.array([1.0, 2.0]), unseen=0.5)(np.array(np.nan)))


def test_the_normal_ratio_is_the_difference_of_log_densities():
    curve = NormalRatioCurve((1.0, -0.5), (0.3, 2.0))
    expected = norm.logpdf(PLACES, -0.5, np.sqrt(2.0)) - norm.logpdf(PLACES, 1.0, np.sqrt(0.3))
    np.testing.assert_allclose(curve(PLACES), expected, rtol=1e-12, atol=1e-12)
    assert not curve.linear
    assert NormalRatioCurve((1.0, -0.5), (2.0, 2.0)).linear


def test_sums_and_multiples_of_lines_are_lines():
    assert add_curves([LinearCurve(1.0), LinearCurve(-3.0)]) == LinearCurve(-2.0)
    assert scale_curve(LinearCurve(2.0), 4.0) == LinearCurve(8.0)
    assert add_curves([]) == LinearCurve(0.0)


def test_sums_multiples_and_compositions_by_hand():
    composed = ComposedCurve(np.log1p, LinearCurve(2.0))
    together = add_curves([LinearCurve(1.0), scale_curve(composed, -3.0), LinearCurve(0.5)])
    values = np.array([0.0, 1.0, 9.0])
    np.testing.assert_allclose(together(values), 1.5 * values - 6.0 * np.log1p(values), rtol=1e-13)
    assert together(np.array(1.0)).shape == ()


def test_a_composition_with_a_straight_map_of_a_line_is_linear():
    assert is_linear(ComposedCurve(Affine(2.0, 1.0), LinearCurve(1.0)))
    assert not is_linear(ComposedCurve(np.log1p, LinearCurve(1.0)))
    assert is_linear(SumCurve((LinearCurve(1.0), scale_curve(ComposedCurve(Affine(1.0), LinearCurve(1.0)), 2.0))))
