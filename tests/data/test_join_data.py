"""Parts of a data set are joined."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.join_data import join_data, same_numbered_features
from glassrank.data.ranking_data import RankingData


def part(query, value=1.0, **changes):
    """Two documents of one query."""
    given = {"y": [1, 0], "qid": [query, query], "feature_names": ["a", "b"]} | changes
    return RankingData(given.pop("X", [[value, 2.0], [3.0, 4.0]]), **given)


def test_rows_are_concatenated_in_the_order_of_the_parts():
    joined = join_data([part(7, 1.0), part(3, 9.0)])
    assert joined.qid.tolist() == [7, 7, 3, 3]
    assert joined.X.tolist() == [[1, 2], [3, 4], [9, 2], [3, 4]]
    assert joined.y.tolist() == [1, 0, 1, 0]
    assert joined.feature_names == ("a", "b")


def test_a_single_part_is_returned_unchanged():
    alone = part(1)
    assert join_data([alone]) is alone


def test_numbered_and_named_queries_become_names():
    assert join_data([part(1), part("q2")]).qid.tolist() == ["1", "1", "q2", "q2"]


def test_document_ids_are_kept_only_if_every_part_has_them():
    named = part(1, doc_ids=["d1", "d2"])
    assert join_data([named, part(2, doc_ids=["e1", "e2"])]).doc_ids.tolist() == ["d1", "d2", "e1", "e2"]
    assert join_data([named, part(2)]).doc_ids is None


def test_a_sparse_part_makes_the_result_sparse():
    joined = join_data([part(1), part(2, X=sparse.csr_matrix([[0.0, 5.0], [6.0, 0.0]]))])
    assert sparse.issparse(joined.X)
    assert joined.X.toarray().tolist() == [[1, 2], [3, 4], [0, 5], [6, 0]]


def test_missing_values_are_kept_if_a_part_keeps_them():
    joined = join_data([part(1), part(2, np.nan, missing="keep")])
    assert joined.missing == "keep"
    assert np.isnan(joined.X).sum() == 1


@pytest.mark.parametrize("container", [np.array, sparse.csr_matrix])
def test_numbered_features_missing_from_a_part_are_zero(container):
    names = [["feature 2", "feature 10"], ["feature 0", "feature 1", "feature 2"]]
    given = [container([[1.0, np.nan]]), container([[3.0, 4.0, 5.0]])]
    parts = [
        RankingData(X, y=[0], qid=[q], feature_names=own, weights=[2.0], missing="keep")
        for q, (X, own) in enumerate(zip(given, names, strict=True))
    ]
    found = same_numbered_features(parts)
    assert {part.feature_names for part in found} == {("feature 0", "feature 1", "feature 2", "feature 10")}
    X = [part.X.toarray() if sparse.issparse(part.X) else part.X for part in found]
    np.testing.assert_array_equal(np.vstack(X), [[0, 0, 1, np.nan], [3, 4, 5, 0]])
    assert [part.weights.tolist() for part in found] == [[2.0], [2.0]]


def test_missing_named_features_are_not_set_to_zero():
    parts = [part(1), part(2, feature_names=["a", "feature 2"])]
    assert [one.feature_names for one in same_numbered_features(parts)] == [("a", "b"), ("a", "feature 2")]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([], "at least one part"),
        ([part(1), part(2, feature_names=["b", "a"])], "same features in the same order"),
        ([part(1), part(2, y=None)], "all parts are judged or none: part 2"),
        ([part(1), part(2), part("1")], "Query 1 is in two parts, the second is part 3"),
        ([part(1), part(2, weights=[1.0, 2.0])], "all parts have weights or none: part 2"),
    ],
    ids=["none", "features", "judged", "shared query", "weights"],
)
def test_incompatible_parts_are_rejected(parts, said):
    with pytest.raises(DataError, match=said):
        join_data(parts)
