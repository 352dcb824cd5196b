"""LinkScores: order, table and text."""

import pickle

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.distillation.hits import hits
from glassrank.distillation.in_degree import in_degree
from glassrank.distillation.link_scores import LinkScores
from glassrank.distillation.pagerank import pagerank

ROWS = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])


def test_links_are_counted_by_weight():
    scores = in_degree([[0, 2, 0.5], [0, 0, 1], [0, 0, 0]])
    assert scores.authority_scores.tolist() == [0.0, 2.0, 1.5]
    assert scores.hub_scores is None
    assert scores.converged
    assert np.isnan(scores.gap)


def test_the_best_pages_come_first_without_pages_of_score_0():
    scores = hits(ROWS)
    assert scores.top(10).tolist() == [2, 1]
    assert scores.top(1).tolist() == [2]
    assert scores.top(10, by="hub").tolist() == [0, 1]
    assert scores.order().tolist() == [2, 1, 0]


def test_scores_that_differ_by_rounding_keep_the_pages_own_order():
    third = np.array([1 / 3, 1 / 3 + 1e-16, 1 / 3 + 2e-16, 0.5])
    scores = LinkScores("made", third, None, 0, 0, 0.0, True)
    assert scores.order().tolist() == [3, 0, 1, 2]


def test_scores_tie_to_nine_digits_of_the_largest():
    scores = LinkScores("made", np.array([1.0 - 4e-10, 1.0, 0.5, 0.5 + 4e-9]), None, 0, 0, 0.0, True)
    assert scores.order().tolist() == [0, 1, 3, 2]


def test_a_table_has_a_row_per_page():
    frame = hits(ROWS).to_frame("pandas")
    assert list(frame.columns) == ["page", "authority", "hub"]
    assert frame["page"].tolist() == [0, 1, 2]
    assert list(in_degree(ROWS).to_frame("pandas").columns) == ["page", "authority"]


def test_scores_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        hits(ROWS).authority_scores[0] = 1.0


@pytest.mark.parametrize("score", [hits, pagerank, in_degree], ids=lambda score: score.__name__)
def test_scores_can_be_sent_to_another_process(score):
    scores = score(ROWS)
    copy = pickle.loads(pickle.dumps(scores))
    assert copy.authority_scores.tobytes() == scores.authority_scores.tobytes()
    np.testing.assert_equal(copy.gap, scores.gap)


def test_it_prints_its_main_results():
    assert str(in_degree(ROWS)) == "in-degree: 3 pages, 3 links\n  authorities  2 (2), 1 (1)"
    assert str(pagerank(np.zeros((0, 0)))) == "PageRank: 0 pages, 0 links\n  authorities  none"


def test_hubs_of_a_method_without_hubs_are_refused():
    with pytest.raises(DataError, match=r"PageRank has no hub scores. Pass by='authority', or use hits\(\)"):
        pagerank(ROWS).top(3, by="hub")
    with pytest.raises(DataError, match="by must be one of 'authority', 'hub': got 'size'"):
        hits(ROWS).order(by="size")
