"""Judging pages by a sphere: training pages and unseen pages, held-out distances, radius at a quantile."""

import json

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.distillation.similarity_kernels import cocitation_kernel, composite_kernel, text_kernel
from glassrank.distillation.sphere_prune import cost_of, judge_pages
from tests.reference.sphere import best_weights, composite, cosines, distances, radius_interval

TRAINED = np.arange(60)


def reference_judgement(K, trained, C):
    """Distances of all pages from the centre of the brute-force sphere, and its radius."""
    alpha, _ = best_weights(K[np.ix_(trained, trained)], C)
    weights = np.zeros(len(K))
    weights[trained] = alpha
    low, high = radius_interval(K[np.ix_(trained, trained)], alpha, C)
    return np.sqrt(distances(K, weights)), np.sqrt((low + high) / 2)


def test_pages_are_judged_by_their_distance_from_the_brute_force_sphere():
    K = composite(12, 5)
    trained = [0, 2, 3, 5, 7, 8]
    judged = judge_pages(K, trained, C=0.4)
    expected, radius = reference_judgement(K, trained, 0.4)
    np.testing.assert_allclose(judged.distances, expected, atol=1e-6)
    assert judged.radius == pytest.approx(radius, abs=1e-6)
    np.testing.assert_array_equal(judged.accepted, expected**2 <= radius**2 * (1 + 1e-4))


def test_cross_fit_judges_each_trained_page_by_a_sphere_without_it():
    K = composite(9, 6)
    trained = [0, 1, 3, 4, 6, 8]
    judged = judge_pages(K, trained, nu=0.5, accept="cross-fit")
    for page in trained:
        rest = [other for other in trained if other != page]
        expected, radius = reference_judgement(K, rest, 1 / (0.5 * 5))
        assert judged.distances[page] == pytest.approx(expected[page], abs=1e-6)
        assert judged.radii[page] == pytest.approx(radius, abs=1e-6)
    plain = judge_pages(K, trained, nu=0.5)
    unseen = [2, 5, 7]
    np.testing.assert_array_equal(judged.distances[unseen], plain.distances[unseen])
    np.testing.assert_array_equal(judged.accepted[unseen], plain.accepted[unseen])


def test_a_plain_sphere_favours_the_pages_it_was_trained_on_and_cross_fit_does_not():
    K = cosines(120, 0)
    plain = judge_pages(K, TRAINED, nu=0.1)
    fair = judge_pages(K, TRAINED, nu=0.1, accept="cross-fit")
    # All pages have the same distribution, so an unbiased sphere accepts as many training pages as unseen ones.
    assert plain.accepted_trained > 0.8
    assert plain.accepted_unseen < 0.3
    assert abs(fair.accepted_trained - fair.accepted_unseen) < 0.15


@pytest.mark.parametrize("quantile", [0.25, 0.9, 1.0])
def test_the_radius_at_a_quantile_contains_that_share_of_held_out_pages(quantile):
    K = composite(120, 3)
    judged = judge_pages(K, TRAINED, accept="cross-fit", quantile=quantile)
    held_out = np.sort(judged.distances[:60])
    assert judged.radius == held_out[int(np.ceil(quantile * 60)) - 1]
    assert (judged.radii == judged.radius).all()
    assert (judged.distances[:60] <= judged.radius).mean() == pytest.approx(quantile, abs=1 / 60)
    plain = judge_pages(K, TRAINED, quantile=quantile)
    assert plain.radius == judged.radius
    np.testing.assert_array_equal(plain.accepted[60:], judged.accepted[60:])


def test_folds_keep_nu_and_are_the_same_every_time():
    K = composite(100, 2)
    first, second = (judge_pages(K, TRAINED, C=0.05, accept="cross-fit") for _ in range(2))
    np.testing.assert_array_equal(first.distances, second.distances)
    by_nu = judge_pages(K, TRAINED, nu=1 / (0.05 * 60), accept="cross-fit")
    np.testing.assert_allclose(first.distances, by_nu.distances, rtol=1e-6)


def test_a_mask_means_the_same_as_positions_and_their_order_does_not_matter():
    K = composite(40, 1)
    mask = np.zeros(40, dtype=bool)
    mask[[3, 9, 12, 30]] = True
    by_mask, by_place = judge_pages(K, mask, C=0.5), judge_pages(K, [30, 3, 12, 9], C=0.5)
    np.testing.assert_array_equal(by_mask.accepted, by_place.accepted)
    np.testing.assert_allclose(by_mask.alpha, by_place.alpha, atol=1e-6)
    np.testing.assert_array_equal(by_place.trained, mask)
    assert by_place.alpha[~mask].tolist() == [0.0] * 36


@pytest.mark.parametrize("accept", ["plain", "cross-fit"])
def test_identical_pages_are_all_accepted(accept):
    judged = judge_pages(np.full((8, 8), 3.7), [0, 1, 2, 5], accept=accept)
    assert judged.accepted.all()
    assert judged.radius == pytest.approx(0.0, abs=1e-6)


def test_one_trained_page_accepts_itself_and_its_copies():
    x = np.array([1.0, 1.0, 2.0])
    judged = judge_pages(np.outer(x, x), [0])
    assert judged.accepted.tolist() == [True, True, False]
    with pytest.raises(DataError, match="Held-out distances need at least two training pages: got 1"):
        judge_pages(np.outer(x, x), [0], accept="cross-fit")


def test_pages_without_text_or_in_links_do_not_affect_the_others():
    words = sparse.csr_matrix([[1.0, 1.0], [1.0, 0.9], [0.8, 1.0], [0.0, 0.0]])
    links = np.array([[0, 1, 1, 0], [0, 1, 1, 0]])
    K = composite_kernel([text_kernel(words), cocitation_kernel(links)])
    judged = judge_pages(K, [1, 2])
    assert np.isfinite(judged.distances).all()
    assert judged.distances[3] > judged.distances[0] > judged.radius


def test_acceptance_is_reported_separately_for_training_and_unseen_pages():
    judged = judge_pages(composite(120, 0), TRAINED)
    assert judged.accepted_trained == judged.accepted[:60].mean()
    assert judged.accepted_unseen == judged.accepted[60:].mean()
    text = str(judged)
    assert f"trained on: {judged.accepted[:60].sum()} of 60 accepted" in text
    assert f"unseen: {judged.accepted[60:].sum()} of 60 accepted" in text


def test_if_all_pages_are_training_pages_there_is_no_share_of_unseen_ones():
    judged = judge_pages(composite(20, 0), np.arange(20))
    assert judged.accepted_unseen is None
    assert "unseen" not in str(judged)


def test_a_radius_without_a_page_on_the_sphere_is_reported_with_its_interval():
    x = np.array([-3.0, 3.0, -1.0, 0.5])
    judged = judge_pages(np.outer(x, x), np.arange(4), C=0.5)
    assert judged.radius_interval == (pytest.approx(1.0), pytest.approx(3.0))
    assert "No page lies on the sphere: any radius from 1 to 3 is optimal." in str(judged)


def test_the_table_and_json_contain_every_page():
    judged = judge_pages(composite(30, 0), np.arange(15), quantile=0.8)
    frame = judged.to_frame("pandas")
    assert list(frame.columns) == ["page", "accepted", "distance", "radius", "trained", "alpha"]
    assert frame["accepted"].tolist() == judged.accepted.tolist()
    content = json.loads(judged.to_json())
    assert content["pages"]["distance"] == judged.distances.tolist()
    assert content["quantile"] == 0.8
    assert "the 0.8 quantile of held-out distances" in str(judged)


def test_nu_is_converted_to_c():
    assert cost_of(0.25, 40) == 0.1
    judged = judge_pages(composite(30, 0), np.arange(20), nu=0.25)
    cost = judged.sphere.C
    assert cost == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trained": []}, "trained must be a mask of 6 pages or a list of different positions, at least one"),
        ({"trained": [0, 0]}, "some twice"),
        ({"trained": [0, 6]}, "trained must contain positions from 0 to 5: got 0 to 6"),
        ({"trained": [0.5]}, "trained must be a mask"),
        ({"trained": [True, False]}, "trained must be a mask"),
        ({"C": 0.1}, r"C must be at least 1/N = 0\.333333 for N = 3 pages: got 0\.1"),
        ({"nu": 1.5}, r"nu must be at most 1, .*: got 1\.5"),
        ({"nu": 0.0}, "nu must be a positive number"),
        ({"accept": "fair"}, "accept must be one of 'plain', 'cross-fit': got 'fair'"),
        ({"quantile": 1.2}, "quantile must lie between 0 and 1: got 1.2"),
        ({"quantile": 0}, "quantile must be a positive number"),
    ],
    ids=["none", "twice", "beyond", "fraction", "short-mask", "C", "nu", "zero-nu", "accept", "quantile", "zero"],
)
def test_invalid_input_is_refused(options, message):
    with pytest.raises(DataError, match=message):
        judge_pages(np.eye(6), **({"trained": [0, 1, 2]} | options))
