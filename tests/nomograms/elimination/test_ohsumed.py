"""Elimination on OHSUMED, 25 features, against known facts about these data."""

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.data.letor.load_letor import load_letor
from glassrank.nomograms.elimination.fits import Refits, follow
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.nomograms.elimination.training_rows import Rows
from glassrank.ranking.rank_svm import RankSVM
from tests.reference.elimination import fit_pairs
from tests.reference.pairs import comparable_pairs_by_comparison

# Features that have one value in each query, numbered from 1 as in the data set's description.
CONSTANT_IN_QUERIES = [5, 6, 7, 15, 16, 17]


@pytest.fixture(scope="module")
def ohsumed(real_data):
    return load_letor([real_data / "ohsumed-letor2" / f"S{part}.txt.gz" for part in range(1, 6)])


@pytest.fixture(scope="module")
def rows(ohsumed):
    return Rows(np.asarray(ohsumed.X), ohsumed.y, group_rows(ohsumed.qid, len(ohsumed.y)).of_row)


@pytest.fixture(scope="module")
def linear(ohsumed):
    return NomogramRFE(RankSVM(C_unit="mean"), random_state=0).fit(ohsumed.X, ohsumed.y, qid=ohsumed.qid)


def test_features_that_are_constant_within_queries_have_length_zero_and_are_dropped_first(linear):
    assert (linear.elimination_order_[:6] + 1).tolist() == CONSTANT_IN_QUERIES
    first_seven = [one.leaves[0].length for one in linear.result_.rounds[:7]]
    assert first_seven[:6] == [0.0] * 6
    assert first_seven[6] > 0.0


def test_an_lrbf_ranker_drops_the_same_six_first(ohsumed):
    rfe = NomogramRFE(RankSVM(C_unit="mean", kernel="lrbf"), min_features_to_select=18, cv=2, random_state=0)
    rfe.fit(ohsumed.X, ohsumed.y, qid=ohsumed.qid)
    assert (rfe.elimination_order_[:6] + 1).tolist() == CONSTANT_IN_QUERIES
    assert rfe.result_.rounds[6].leaves[0].length > 0.0


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_the_followed_minimum_equals_new_fits_along_the_whole_order(rows, C):
    """Order, lengths and held-out accuracies: every subset is solved from w = 0 to a certified gap of 1e-14."""
    estimator = RankSVM(C, C_unit="mean", tol=1e-14)
    followed, refitted = follow(estimator, rows), Refits(estimator, rows)
    kept = np.arange(25)
    for _ in range(24):
        followed.keep(kept)
        refitted.keep(kept)
        expected = refitted.lengths("query")
        np.testing.assert_allclose(followed.lengths("query"), expected, rtol=0, atol=1e-6 * expected.max())
        assert np.argmin(followed.lengths("query")) == np.argmin(expected)
        kept = np.delete(kept, np.argmin(expected))


def test_weights_of_a_followed_subset_equal_those_of_liblinear_on_one_querys_pairs(rows):
    query = rows.pick(rows.groups.rows(0))
    followed = follow(RankSVM(0.01, C_unit="pair"), query)
    pairs = comparable_pairs_by_comparison(query.y)
    kept = np.setdiff1d(np.arange(25), np.array(CONSTANT_IN_QUERIES) - 1)
    for subset in (kept, kept[::2], kept[::4]):
        followed.keep(subset)
        expected = fit_pairs(query.X[:, subset], pairs, 0.01)
        widths = np.ptp(query.X[:, subset], axis=0)
        size = np.abs(expected * widths).max()
        np.testing.assert_allclose(followed.lengths("query"), np.abs(expected * widths), rtol=0, atol=1e-6 * size)


def test_folds_by_pair_of_single_queries_look_far_better_than_folds_by_document(rows):
    """The source's procedure: a query's pairs are split into folds, although they share documents."""
    by_pair, by_document = [], []
    for query in range(0, 106, 8):
        own = rows.pick(rows.groups.rows(query))
        for found, unit in ((by_pair, "pair"), (by_document, "query")):
            rfe = NomogramRFE(RankSVM(1.0, C_unit="mean"), fold_unit=unit, step=24, random_state=0).fit(own.X, own.y)
            found.append(rfe.cv_results_["mean_test_score"][-1])
    assert np.mean(by_pair) > np.mean(by_document) + 0.05
