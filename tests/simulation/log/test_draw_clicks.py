"""The click model follows its formulas: examination, attraction, and the stop at the first satisfying click."""

import numpy as np
import pytest

from glassrank.simulation.log.draw_clicks import draw_clicks
from glassrank.simulation.log.taste import Taste

N = 60_000
# Attraction of the results of one list, for informational and navigational users.
CLICK = np.array([[[0.5, 0.3, 0.8, 0.2, 0.6]], [[0.1, 0.9, 0.05, 0.05, 0.05]]])


def draw(satisfaction, bias, wants=0, active=None, seed=0):
    taste = Taste(CLICK, np.full(CLICK.shape, satisfaction))
    query, minds = np.zeros(N, dtype=np.int64), np.full(N, wants)
    active = np.ones(N, dtype=bool) if active is None else active
    return draw_clicks(np.random.default_rng(seed), taste, query, minds, active, bias)


def rates(clicked):
    return np.bincount(clicked.rank, minlength=6)[1:] / N


@pytest.mark.parametrize("bias", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("wants", [0, 1])
def test_a_user_who_is_never_satisfied_clicks_by_examination_times_attraction(bias, wants):
    expected = [rank**-bias * CLICK[wants, 0, rank - 1] for rank in range(1, 6)]
    assert rates(draw(0.0, bias, wants)) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("satisfaction", [0.4, 1.0])
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_nothing_is_clicked_after_a_satisfying_click(satisfaction, bias):
    still, expected = 1.0, []
    for rank in range(1, 6):
        click = rank**-bias * CLICK[0, 0, rank - 1]
        expected.append(still * click)
        still *= 1 - click * satisfaction
    clicked = draw(satisfaction, bias)
    assert rates(clicked) == pytest.approx(expected, abs=0.01)
    last = np.append(clicked.search[1:] != clicked.search[:-1], True)
    assert not clicked.satisfied[~last].any()


def test_clicks_are_sorted_by_search_and_rank():
    clicked = draw(0.2, 0.5)
    assert (np.diff(clicked.search * 10 + clicked.rank) > 0).all()


def test_inactive_sessions_do_not_change_the_clicks_of_active_ones():
    active = np.arange(N) % 3 == 0
    everyone, some = draw(0.3, 1.0), draw(0.3, 1.0, active=active)
    kept = active[everyone.search]
    assert np.array_equal(everyone.search[kept], some.search)
    assert np.array_equal(everyone.rank[kept], some.rank)


def test_a_stronger_bias_only_removes_clicks_of_users_who_never_stop():
    weak, strong = draw(0.0, 0.5), draw(0.0, 1.5)
    pairs = [set(zip(each.search.tolist(), each.rank.tolist(), strict=True)) for each in (weak, strong)]
    assert pairs[1] < pairs[0]
