"""Positions of pages: reproducible, inside the frame, without overlap, and by their scores."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from glassrank.distillation.figure.neighbourhood import Neighbourhood
from glassrank.distillation.figure.page_places import BOTH_ROOM, CELL, MARGIN, WIDTH, column_x, place_pages
from tests.distillation.figure.neighbourhoods import NEIGHBOURHOODS, simulated, small


@pytest.fixture(params=NEIGHBOURHOODS)
def pages(request):
    return NEIGHBOURHOODS[request.param]().strongest()


def test_the_same_pages_always_have_the_same_positions(pages):
    one, other = place_pages(pages), place_pages(pages)
    np.testing.assert_array_equal(one.x, other.x)
    np.testing.assert_array_equal(one.y, other.y)


def test_every_page_is_inside_the_frame(pages):
    placing = place_pages(pages)
    assert ((placing.x >= MARGIN) & (placing.x <= WIDTH - MARGIN)).all()
    assert ((placing.y >= 120) & (placing.y <= placing.height - 30)).all()


def test_no_two_pages_overlap(pages):
    placing = place_pages(pages)
    points = np.column_stack([placing.x, placing.y])
    assert pdist(points).min(initial=np.inf) >= 12.5


def test_pages_of_the_field_do_not_overlap_the_columns_and_their_labels(pages):
    placing = place_pages(pages)
    free = ~placing.in_column & ~pages.pruned
    for role, members in placing.columns.items():
        if len(members):
            right = BOTH_ROOM if role == "both" else 20
            inside = (placing.x > column_x(role) - 20) & (placing.x < column_x(role) + right)
            assert not (inside & free).any()


def test_columns_are_ordered_from_left_to_right_and_by_score_from_the_top():
    placing = place_pages(small())
    assert placing.x[1] == placing.x[3] < placing.x[4] < placing.x[0] == placing.x[2]
    assert placing.y[1] < placing.y[3]
    assert placing.y[0] < placing.y[2]


def test_equal_scores_keep_the_given_order():
    pages = small(authority=[0.5, 0, 0.5, 0, 0.3, 0, 0.2, 0, 0], hub=[0, 0.6, 0, 0.6, 0.3, 0.2, 0.05, 0, 0])
    placing = place_pages(pages)
    assert placing.columns["authority"].tolist() == [0, 2]
    assert placing.columns["hub"].tolist() == [1, 3]


def test_a_page_with_more_authority_than_hub_is_further_right():
    authority, hub = [1.0, 0.0, 0.1, 0.3, 0.5], [0.0, 1.0, 0.5, 0.3, 0.1]
    roles = ["authority", "hub", "page", "page", "page"]
    placing = place_pages(Neighbourhood(list("abcde"), [""] * 5, roles, authority, hub, [(1, 0)]))
    assert placing.x[1] < placing.x[2] < placing.x[3] < placing.x[4] < placing.x[0]


def test_a_stronger_page_is_higher():
    authority, hub = [1.0, 0.0, 0.1, 0.3, 0.5], [0.0, 1.0, 0.0, 0.0, 0.0]
    roles = ["authority", "hub", "page", "page", "page"]
    placing = place_pages(Neighbourhood(list("abcde"), [""] * 5, roles, authority, hub, [(1, 0)]))
    assert placing.y[4] < placing.y[3] < placing.y[2]


def test_a_column_has_the_best_twelve_and_the_field_the_others():
    pages = simulated(200, k=25, per_page=10.0)
    placing = place_pages(pages)
    hubs = [page for page, role in enumerate(pages.roles) if role == "hub"]
    assert len(hubs) > 12
    assert placing.columns["hub"].tolist() == sorted(hubs, key=lambda page: (-pages.hub[page], page))[:12]


def test_pruned_pages_lie_below_the_others_by_their_distance():
    pages = simulated(60)
    placing = place_pages(pages)
    pruned = np.flatnonzero(pages.pruned)
    assert placing.y[pruned].min() > placing.y[~pages.pruned].max()
    low, high = min(1.0, pages.distances[pruned].min()), pages.distances[pruned].max()
    expected = MARGIN + CELL + (WIDTH - 2 * (MARGIN + CELL)) * (pages.distances[pruned] - low) / (high - low)
    assert np.abs(placing.x[pruned] - expected).max() <= CELL


def test_only_links_within_a_column_bend():
    pages = small(links=[(1, 3), (1, 0), (0, 2), (7, 8)])
    ends = [tuple(link) for link in pages.links.tolist()]
    bends = dict(zip(ends, place_pages(pages).bends(pages.links), strict=True))
    assert bends[1, 3] > 0 > bends[0, 2]
    assert bends[1, 0] == bends[7, 8] == 0
