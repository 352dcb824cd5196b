"""Random hidden nodes: their formulas, the distributions of their parameters, and their curves."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.nodes.hidden_nodes import ACTIVATIONS, FullNodes, OneFeatureNodes, draw_nodes
from glassrank.core.randomness import random_generator
from tests.reference.least_squares import hidden_layer

X = np.random.default_rng(5).normal(size=(40, 6))


def draw(kind, activation, n_nodes=30, seed=0, **ranges):
    return draw_nodes(kind, 6, n_nodes, activation, random_generator(seed), **ranges)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_full_nodes_follow_their_formula(activation):
    nodes = draw("full", activation)
    expected = hidden_layer(activation, X, nodes.inputs, nodes.biases)
    np.testing.assert_allclose(nodes(X), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_one_feature_nodes_follow_their_formula(activation):
    nodes = draw("additive", activation)
    for k in range(30):
        column = X[:, [nodes.feature[k]]]
        expected = hidden_layer(activation, column, nodes.inputs[None, [k]], nodes.biases[[k]])
        np.testing.assert_allclose(nodes(X)[:, [k]], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", ["full", "additive"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_sparse_rows_give_the_same_outputs(kind, activation):
    thin = np.where(np.abs(X) > 1, X, 0.0)
    nodes = draw(kind, activation)
    np.testing.assert_allclose(nodes(sparse.csr_matrix(thin)), nodes(thin), rtol=1e-12, atol=1e-14)


def test_a_sigmoid_of_a_huge_argument_is_exactly_0_or_1():
    nodes = FullNodes("sigmoid", np.array([[1.0]]), np.array([0.0]))
    np.testing.assert_array_equal(nodes(np.array([[-1e300], [0.0], [1e300]])), [[0.0], [0.5], [1.0]])


def test_a_gaussian_node_is_1_at_its_centre_at_any_distance():
    nodes = FullNodes("gaussian", np.array([[1e8], [-3e7]]), np.array([1e-3]))
    assert nodes(np.array([[1e8, -3e7]]))[0, 0] == 1.0


def test_weights_are_uniform_within_2_over_the_root_of_the_features_and_biases_within_1():
    nodes = draw("full", "sigmoid", n_nodes=5000)
    generator = np.random.default_rng(0)
    np.testing.assert_allclose(nodes.inputs, generator.uniform(-1, 1, (6, 5000)) * 2 / np.sqrt(6), rtol=1e-15)
    np.testing.assert_array_equal(nodes.biases, generator.uniform(-1, 1, 5000))


def test_a_node_of_one_feature_has_the_range_of_one_feature():
    nodes = draw("additive", "sigmoid", n_nodes=5000)
    assert 1.99 < np.abs(nodes.inputs).max() <= 2.0
    assert 0.99 < np.abs(nodes.biases).max() <= 1.0


def test_gaussian_centres_lie_within_2_and_precisions_between_0_and_1_over_the_features():
    nodes = draw("full", "gaussian", n_nodes=5000)
    assert 1.99 < np.abs(nodes.inputs).max() <= 2.0
    assert 0.0 <= nodes.biases.min() < 0.01
    assert 0.16 < nodes.biases.max() <= 1 / 6


def test_ranges_can_be_chosen():
    nodes = draw("full", "tanh", n_nodes=5000, input_range=0.5, bias_range=3.0)
    assert 0.49 < np.abs(nodes.inputs).max() <= 0.5
    assert 2.9 < np.abs(nodes.biases).max() <= 3.0


def test_additive_nodes_are_distributed_evenly():
    assert np.bincount(draw("additive", "relu", n_nodes=15).feature).tolist() == [3, 3, 3, 2, 2, 2]


def test_fewer_additive_nodes_than_features_are_rejected():
    with pytest.raises(DataError, match="if every node uses one feature: expected 6, got 5"):
        draw("additive", "relu", n_nodes=5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_curves_of_one_feature_nodes_add_up_to_their_weighted_sum(activation):
    nodes = draw("additive", activation)
    coef = np.random.default_rng(1).normal(size=30)
    curves = [nodes.curve(feature, coef) for feature in range(6)]
    total = sum(curve(X[:, feature]) for feature, curve in enumerate(curves))
    np.testing.assert_allclose(total, nodes(X) @ coef, rtol=1e-12, atol=1e-12)
    assert curves[2](np.array(0.3)) == pytest.approx(float(curves[2](np.array([0.3]))[0]), rel=1e-15)


@pytest.mark.parametrize("kind", ["full", "additive"])
def test_single_precision_nodes_are_the_same_nodes_rounded(kind):
    single, double = draw(kind, "sigmoid", dtype="float32"), draw(kind, "sigmoid")
    assert single(X).dtype == np.float32
    np.testing.assert_allclose(single(X), double(X), atol=1e-6)


@pytest.mark.parametrize("state", [7, np.int64(7), np.random.default_rng(7)])
def test_a_seed_and_its_generator_draw_the_same_nodes(state):
    expected = np.random.default_rng(7).uniform(-1, 1, (6, 30)) * 2 / np.sqrt(6)
    np.testing.assert_allclose(draw("full", "sigmoid", seed=state).inputs, expected, rtol=1e-15)


def test_a_legacy_random_state_is_accepted_and_reproducible():
    first, second = (draw("full", "sigmoid", seed=np.random.RandomState(3)).inputs for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("state", [-1, "zero", 1.5])
def test_an_invalid_seed_is_rejected(state):
    with pytest.raises(DataError, match="random_state must be"):
        random_generator(state)


def test_nodes_of_one_feature_ignore_all_others():
    nodes = OneFeatureNodes("sigmoid", np.array([1.0]), np.array([0.0]), np.array([4]))
    other = X.copy()
    other[:, [0, 1, 2, 3, 5]] += 100.0
    np.testing.assert_array_equal(nodes(X), nodes(other))
