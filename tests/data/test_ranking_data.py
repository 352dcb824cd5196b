"""RankingData is checked once, frozen, and can be split by rows, queries and features."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.letor.load_letor import load_letor
from glassrank.data.ranking_data import RankingData


@pytest.fixture
def small():
    """Five rows of three queries, not adjacent."""
    return RankingData(
        np.arange(10.0).reshape(5, 2),
        y=[2, 0, 1, 1, 0],
        qid=["b", "a", "b", "c", "a"],
        doc_ids=["d0", "d1", "d2", "d3", "d4"],
        feature_names=["bm25", "age"],
        weights=[1.0, 2.0, 0.5, 0.0, 1.0],
    )


@st.composite
def data_sets(draw):
    n_rows = draw(st.integers(2, 30))
    kind = draw(st.sampled_from([st.integers(0, 8), st.sampled_from(["a", "b", "bb", "c", "q10", "q9", "é"])]))
    qid = draw(st.lists(kind, min_size=n_rows, max_size=n_rows))
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    if draw(st.booleans()):
        X = sparse.csr_matrix(X)
    return RankingData(X, y=np.arange(n_rows) % 3, qid=qid, doc_ids=np.arange(n_rows))


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def test_counts(small):
    assert (small.n_rows, small.n_queries, small.n_features, len(small)) == (5, 3, 2, 5)
    assert repr(small) == "RankingData(5 rows, 3 queries, 2 features)"


def test_queries_are_in_order_of_first_appearance(small):
    assert small.groups.ids.tolist() == ["b", "a", "c"]
    assert small.groups.rows(1).tolist() == [1, 4]


def test_without_qid_all_rows_are_one_query():
    data = RankingData(np.eye(3), y=[0, 1, 2])
    assert data.n_queries == 1
    assert data.qid.tolist() == [0, 0, 0]


def test_features_get_numbers_from_1_as_names():
    assert RankingData(np.eye(2), y=[0, 1]).feature_names == ("feature 1", "feature 2")


@pytest.mark.parametrize("name", ["X", "y", "qid", "doc_ids", "weights"])
def test_the_arrays_cannot_be_written(small, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(small, name)[0] = getattr(small, name)[1]


def test_the_stored_values_of_a_sparse_matrix_cannot_be_written():
    data = RankingData(sparse.csr_matrix(np.eye(3)), y=[0, 1, 2])
    with pytest.raises(ValueError, match="read-only"):
        data.X.data[0] = 9.0


def test_fields_cannot_be_replaced_in_place(small):
    with pytest.raises(dataclasses.FrozenInstanceError):
        small.y = [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"y": [1, 0]}, "y must have one entry per row of X: expected 3, got 2"),
        ({"qid": [1, 1]}, "qid must have one entry per row of X: expected 3, got 2"),
        ({"doc_ids": ["a"]}, "doc_ids must have one entry per row of X: expected 3, got 1"),
        ({"weights": [1.0]}, "weights must have one entry per row of X: expected 3, got 1"),
        ({"feature_names": ["a"]}, "feature_names must have one entry per column of X: expected 3, got 1"),
        ({"feature_names": ["a", "b", "a"]}, "feature_names must be unique: 'a' appears 2 times"),
        ({"weights": [1.0, -2.0, 0.0]}, "weights must not be negative: got -2 at position 1"),
        ({"y": [0, np.nan, 1]}, r"y has 1 value that is not finite, the first \(nan\) at position 1"),
        ({"y": ["good", "bad", "bad"]}, "y must contain numbers"),
        ({"qid": [1, 2, 2.5]}, "qid must contain whole numbers or strings: got 2.5 at position 2"),
        ({"missing": "drop"}, "missing must be one of 'refuse', 'keep': got 'drop'"),
    ],
)
def test_invalid_arguments_are_rejected(fields, message):
    with pytest.raises(DataError, match=message):
        RankingData(**({"X": np.eye(3), "y": [0, 1, 2]} | fields))


@pytest.mark.parametrize("container", [np.array, sparse.csr_matrix])
def test_missing_values_are_rejected_with_their_number_and_place(container):
    X = container([[1.0, 2.0], [np.nan, 0.0], [np.nan, np.nan]])
    with pytest.raises(DataError, match=r"3 missing values in 2 features, the first at row 1, feature 'bm25'"):
        RankingData(X, y=[0, 1, 2], feature_names=["bm25", "age"], missing="refuse")


@pytest.mark.parametrize("container", [np.array, sparse.csr_matrix])
def test_missing_values_are_kept_and_in_every_selection(container):
    data = RankingData(container([[1.0, 2.0], [np.nan, 0.0]]), y=[0, 1])
    assert np.isnan(dense(data.X)).tolist() == [[False, False], [True, False]]
    assert np.isnan(dense(data.pick_rows([1]).X)).tolist() == [[True, False]]
    assert np.isnan(dense(data.pick_features([0]).X)).tolist() == [[False], [True]]
    assert data.describe().n_missing == 1


def test_a_description_includes_the_weights():
    data = RankingData([[1.0], [2.0], [3.0]], y=[0, 1, 2], weights=[0.0, 0.5, 4.0])
    described = data.describe()
    assert (described.weight_range, described.rows_of_weight_zero) == ((0.0, 4.0), 1)
    assert "weights: 0 to 4; 1 row with weight 0, ignored in fits" in str(described).splitlines()
    assert "weights" not in str(RankingData([[1.0], [2.0]], y=[0, 1]).describe())


@pytest.mark.parametrize("missing", ["refuse", "keep"])
@pytest.mark.parametrize("container", [np.array, sparse.csr_matrix])
def test_infinite_values_are_always_rejected(container, missing):
    with pytest.raises(DataError, match=r"The data have 1 infinite values?, the first at row 1, feature 'feature 2'"):
        RankingData(container([[1.0, 2.0], [0.0, -np.inf]]), y=[0, 1], missing=missing)


def test_rows_are_picked_in_the_order_given(small):
    picked = small.pick_rows([3, 0])
    assert picked.X.tolist() == [[6.0, 7.0], [0.0, 1.0]]
    assert picked.y.tolist() == [1.0, 2.0]
    assert picked.qid.tolist() == ["c", "b"]
    assert picked.doc_ids.tolist() == ["d3", "d0"]
    assert picked.weights.tolist() == [0.0, 1.0]
    assert picked.feature_names == ("bm25", "age")


def test_rows_are_picked_by_a_mask(small):
    assert small.pick_rows(small.y > 0).doc_ids.tolist() == ["d0", "d2", "d3"]


def test_no_rows_can_be_picked_and_described(small):
    empty = small.pick_rows([])
    assert (len(empty), empty.n_queries) == (0, 0)
    assert "0 rows, 0 queries" in str(empty.describe())


def test_queries_are_picked_in_file_order(small):
    assert small.pick_queries(["a", "b"]).doc_ids.tolist() == ["d0", "d1", "d2", "d4"]


def test_one_query_needs_no_list(small):
    assert small.pick_queries("a").doc_ids.tolist() == ["d1", "d4"]
    assert RankingData(np.eye(3), y=[0, 1, 2], qid=[7, 7, 8]).pick_queries(8).n_rows == 1


@pytest.mark.parametrize("query", ["z", "bb"])
def test_an_unknown_query_is_rejected_even_if_it_begins_like_a_known_one(small, query):
    with pytest.raises(DataError, match=f"query {query}.*b, a, c"):
        small.pick_queries([query])


def test_text_does_not_match_numeric_queries():
    with pytest.raises(DataError, match="query one"):
        RankingData(np.eye(2), y=[0, 1], qid=[1, 2]).pick_queries(["one"])


def test_features_are_picked_by_name_or_number_in_the_order_given(small):
    assert small.pick_features(["age", "bm25"]).X[0].tolist() == [1.0, 0.0]
    assert small.pick_features([1]).feature_names == ("age",)
    assert small.pick_features([1]).weights.tolist() == small.weights.tolist()


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["pagerank"], "There is no feature 'pagerank'; the 2 features begin with bm25, age"),
        ([2], "Feature numbers run from 0 to 1: got 2"),
        ([-1], "Feature numbers run from 0 to 1: got -1"),
        (["age", "age"], "feature_names must be unique"),
    ],
)
def test_unknown_features_are_rejected(small, features, message):
    with pytest.raises(DataError, match=message):
        small.pick_features(features)


@given(data_sets(), st.integers(0, 5), st.sampled_from([(0.5,), (0.8,), (0.6, 0.2, 0.2), (0.5, 0.001, 0.499)]))
@settings(deadline=None)
def test_a_split_puts_every_query_in_exactly_one_part(data, seed, shares):
    n_parts = max(len(shares), 2)
    if data.n_queries < n_parts:
        with pytest.raises(DataError, match=f"expected at least {n_parts} queries, got {data.n_queries}"):
            data.split(*shares, random_state=seed)
        return
    parts = data.split(*shares, random_state=seed)
    queries = [set(part.qid.tolist()) for part in parts]
    assert len(parts) == n_parts
    assert all(queries)
    assert sum(map(len, queries)) == data.n_queries
    assert sorted(int(doc) for part in parts for doc in part.doc_ids) == list(range(data.n_rows))
    for part in parts:
        rows = part.doc_ids.astype(int)
        assert (np.diff(rows) > 0).all()
        assert dense(part.X).tolist() == dense(data.X)[rows].tolist()


@given(data_sets(), st.integers(0, 5))
@settings(deadline=None)
def test_a_split_depends_only_on_its_seed(data, seed):
    if data.n_queries < 2:
        return
    first, again = (data.split(0.5, random_state=seed) for _ in range(2))
    assert [part.doc_ids.tolist() for part in first] == [part.doc_ids.tolist() for part in again]


def test_different_seeds_split_differently():
    data = RankingData(np.zeros((100, 1)), y=np.arange(100), qid=np.arange(100))
    splits = {tuple(data.split(0.5, random_state=seed)[0].qid.tolist()) for seed in range(5)}
    assert len(splits) == 5


def test_a_split_keeps_the_shares():
    data = RankingData(np.zeros((100, 1)), y=np.arange(100), qid=np.arange(100))
    assert [part.n_queries for part in data.split(0.6, 0.2, 0.2, random_state=0)] == [60, 20, 20]


def test_a_small_share_in_the_middle_keeps_a_query():
    data = RankingData(np.zeros((10, 1)), y=np.arange(10), qid=np.arange(10))
    sizes = [part.n_queries for part in data.split(0.5, 0.001, 0.499, random_state=0)]
    assert sizes[1] == 1
    assert sum(sizes) == 10


@pytest.mark.parametrize("shares", [(), (0.0,), (1.0,), (-0.5,), (0.5, 0.6), (np.nan,), (0.5, 0.5, 0.0)])
def test_invalid_shares_are_rejected(small, shares):
    with pytest.raises(DataError, match="shares must be positive and add up to 1"):
        small.split(*shares)


def test_scaling_changes_only_the_values(small):
    scaled = small.scaled("minmax")
    # Queries b (rows 0, 2), a (rows 1, 4) and c (row 3 only, so that nothing varies).
    assert scaled.X.tolist() == [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    for name in ("y", "qid", "doc_ids", "weights", "feature_names"):
        assert list(getattr(scaled, name)) == list(getattr(small, name))


def test_a_description_equals_counts_by_hand():
    data = RankingData(
        [[1.0, 5.0, 0.0], [2.0, 5.0, 0.0], [3.0, 7.0, 0.0], [4.0, 7.0, 0.0], [4.0, 7.0, 0.0]],
        y=[2, 0, 1, 1, 0],
        qid=[1, 1, 2, 2, 2],
        feature_names=["bm25", "length", "nothing"],
    )
    description = data.describe()
    assert description.label_counts == {0.0: 2, 1.0: 2, 2.0: 1}
    assert description.documents_per_query == (2, 2.5, 3)
    # Query 1: 2 against 0. Query 2: each of the two 1s against the 0.
    assert description.n_pairs == 3
    assert description.queries_without_pairs == 0
    assert description.constant_features == ("nothing",)
    assert description.constant_in_every_query == ("length", "nothing")
    assert description.share_of_zeros == pytest.approx(5 / 15)
    assert str(description).splitlines()[:2] == ["5 rows, 2 queries, 3 features", "labels: 0 × 2, 1 × 2, 2 × 1"]
    assert json.loads(description.to_json())["n_pairs"] == 3
    assert description.to_frame("polars").rows() == [(0.0, 2), (1.0, 2), (2.0, 1)]


@given(data_sets())
@settings(deadline=None)
def test_a_description_counts_pairs_as_in_a_double_loop(data):
    pairs = dict.fromkeys(data.groups.ids.tolist(), 0)
    for i in range(data.n_rows):
        for j in range(i):
            if data.qid[i] == data.qid[j] and data.y[i] != data.y[j]:
                pairs[data.qid[i].item()] += 1
    description = data.describe()
    assert description.n_pairs == sum(pairs.values())
    assert description.queries_without_pairs == sum(count == 0 for count in pairs.values())


def test_dense_and_sparse_are_described_alike():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]])
    described = [
        RankingData(container(X), y=[0, 1, 0], qid=[1, 1, 2]).describe() for container in (np.array, sparse.csr_matrix)
    ]
    assert described[0] == described[1]


def test_many_different_labels_are_summarised():
    data = RankingData(np.zeros((30, 1)), y=np.arange(30) / 10)
    assert "labels: 30 different values from 0 to 2.9" in str(data.describe())


def test_ohsumed_has_the_published_counts_and_six_useless_features(real_data):
    data = load_letor([real_data / "ohsumed-letor2" / f"S{part}.txt.gz" for part in range(1, 6)])
    description = data.describe()
    assert (description.n_rows, description.n_queries, description.n_features) == (16140, 106, 25)
    assert description.label_counts == {0.0: 11303, 1.0: 2585, 2.0: 2252}
    numbers = [data.feature_names.index(name) + 1 for name in description.constant_in_every_query]
    assert numbers == [5, 6, 7, 15, 16, 17]
    assert "constant within every query" in str(description)


def test_unjudged_documents_have_no_labels(small):
    unjudged = dataclasses.replace(small, y=None)
    assert (small.is_judged, unjudged.is_judged) == (True, False)
    assert repr(unjudged) == "RankingData(5 rows, 3 queries, 2 features, not judged)"
    parts = [unjudged.pick_rows([0, 3]), unjudged.pick_queries("a"), unjudged.pick_features(["age"])]
    parts += [*unjudged.split(0.5, random_state=0), unjudged.scaled("minmax")]
    assert [part.y for part in parts] == [None] * 6
    assert unjudged.pick_queries("a").X.tolist() == small.pick_queries("a").X.tolist()
    assert unjudged.row_of("b", "d2") == small.row_of("b", "d2")


def test_methods_that_need_labels_raise_an_error_without_them(small):
    unjudged = dataclasses.replace(small, y=None)
    with pytest.raises(DataError, match=r"A description needs labels, but these data are not judged\."):
        unjudged.describe()
    small.check_judged("A description")


def test_a_missing_label_does_not_mean_unjudged_data():
    with pytest.raises(DataError, match="y has 1 value that is not finite"):
        RankingData(np.eye(2), y=[1.0, np.nan])


@pytest.mark.parametrize("use", ["RankSVM", "ELMRank", "BestSingleFeature", "AdditiveSVC", "evaluate", "compare"])
def test_unjudged_data_can_be_neither_learned_from_nor_evaluated(use):
    """No label is invented: y is None, and training and evaluation raise an error."""
    import glassrank

    data = RankingData(np.eye(4), y=None, qid=[1, 1, 2, 2])
    calls = {
        "evaluate": lambda: glassrank.evaluate(data.y, [1, 2, 3, 4], qid=data.qid),
        "compare": lambda: glassrank.compare({"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}, data.y, qid=data.qid),
    }
    with pytest.raises(ValueError, match=r"requires y to be passed, but the target y is None|y must "):
        calls.get(use, lambda: getattr(glassrank, use)().fit(data.X, data.y))()


def test_many_features_are_found_by_name_and_a_repeated_one_is_named():
    """Looking through all names for each name would take minutes at this number."""
    names = [f"f{number}" for number in range(100_000)]
    X = np.arange(200_000.0).reshape(2, -1)
    data = RankingData(X, [0, 1], feature_names=names)
    assert (X[:, ::-1] == data.pick_features(names[::-1]).X).all()
    with pytest.raises(DataError, match="feature_names must be unique: 'f0' appears 2 times"):
        RankingData(X, [0, 1], feature_names=[*names[:-1], "f0"])
