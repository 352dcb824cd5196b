"""The numbers of the data page, against counting by hand."""

import numpy as np
import pytest
from scipy.stats import skew

from glassrank.core.feature_kinds import PLAIN
from glassrank.studies.views.count_bins import bin_counts
from glassrank.studies.views.data_overview import data_overview, value_bins
from tests.dirty_study import CONSTANT, MISSING, NAMES, PER_QUERY, SITE, TAIL, TWIN, dirty_data


@pytest.fixture(scope="module")
def features(saved):
    return {one.name: one for one in data_overview(saved).features}


def test_queries_are_counted_by_their_documents_and_pairs(saved):
    data, found = dirty_data(), data_overview(saved)
    sizes = {query: np.flatnonzero(data.qid == query) for query in range(20)}
    pairs = [sum(data.y[i] > data.y[j] for i in rows for j in rows) for rows in sizes.values()]
    for bins, counts in ((found.documents, [len(rows) for rows in sizes.values()]), (found.pairs, pairs)):
        assert [one.n_queries for one in bins] == [
            sum(one.low <= count <= one.high for count in counts) for one in bins
        ]
        assert sum(one.n_queries for one in bins) == 20
    assert found.median_pairs == np.median(pairs)
    assert found.description.queries_without_pairs == pairs.count(0) > 0
    assert (found.test, found.is_sample, found.scaled) == (None, False, None)


def test_features_worth_a_look_are_named_with_the_reason(features):
    data = dirty_data()
    n_missing = int(np.isnan(data.X[:, 4]).sum())
    assert features[CONSTANT].warnings == ("One value only: it cannot order documents.",)
    assert features[PER_QUERY].warnings == ("Constant within every query: it cannot order documents.",)
    assert features[MISSING].warnings == (
        f"{n_missing / data.n_rows:.0%} missing: {n_missing} documents have the effect of a missing value.",
    )
    assert features["clicks"].warnings == features[SITE].warnings == ()


def test_features_that_move_together_name_each_other(features):
    data = dirty_data()
    rows = data.weights > 0
    means = np.array([data.X[rows & (data.qid == query)][:, [0, 6]].mean(axis=0) for query in range(20)])
    centred = data.X[rows][:, [0, 6]] - means[data.qid[rows]]
    expected = np.corrcoef(centred.T)[0, 1]
    (said,) = features["bm25"].warnings
    assert said == f"Moves with {TWIN} (correlation {expected:.2f} within queries): one of them may suffice."
    assert "Moves with bm25" in features[TWIN].warnings[0]


def test_a_heavy_tail_is_no_warning_if_the_transform_tames_it(features):
    tail = dirty_data().X[:, 5]
    assert abs(skew(tail)) > 2
    assert np.ptp(tail) > 100 * np.subtract(*np.quantile(tail, [0.75, 0.25]))
    assert (features[TAIL].transform, features[TAIL].used, features[TAIL].warnings) == ("auto", "log", ())
    assert (features["bm25"].transform, features[SITE].transform) == ("standard", None)


def test_histograms_count_every_known_value_once(features):
    data = dirty_data()
    for k, name in enumerate(NAMES):
        known = data.X[:, k][~np.isnan(data.X[:, k])]
        assert sum(one.count for one in features[name].values) == len(known)
    by_level = {one.label: one.count for one in features[SITE].values}
    assert by_level == {level: int((data.X[:, 7] == code).sum()) for code, level in enumerate(data.kinds[7].levels)}


def test_a_range_that_overflows_has_a_histogram():
    found = value_bins(np.array([-1.7e308, 0.0, 1.7e308]), PLAIN)
    assert [one.count for one in found if one.count] == [1, 1, 1]
    assert value_bins(np.array([np.nan]), PLAIN) == ()


@pytest.mark.parametrize(
    ("counts", "labels"),
    [
        ([1, 2, 3], ["1", "2", "3"]),
        ([10, 25, 68], ["10–19", "20–29", "30–39", "40–49", "50–59", "60–69"]),
        ([0, 0, 5, 30, 7000], ["0", "1–9", "10–99", "100–999", "1,000–9,999"]),
        ([1] * 9 + [15], ["1", "2–4", "5–9", "10–19"]),
        ([7], ["7"]),
        ([], []),
    ],
)
def test_bins_have_round_limits(counts, labels):
    assert [one.label for one in bin_counts(np.array(counts, dtype=int))] == labels
