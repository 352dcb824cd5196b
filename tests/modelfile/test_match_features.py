"""Features are matched by name, or by position if there are no names."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.modelfile.match_features import match_features

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def data(names=None, values=X, missing="refuse"):
    return RankingData(values, y=[1, 0], feature_names=names, missing=missing)


def dense(X):
    return X.toarray().tolist() if sparse.issparse(X) else X.tolist()


@pytest.mark.parametrize("values", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("names", "columns", "ignored"),
    [
        (["a", "b", "c"], [0, 1, 2], ()),
        (["c", "a", "b"], [2, 0, 1], ()),
        (["c"], [2], ("a", "b")),
        (["b", "a"], [1, 0], ("c",)),
    ],
)
def test_features_are_found_by_name(names, columns, ignored, values):
    found = match_features(data(["a", "b", "c"], values), names, len(names))
    assert dense(found.data.X) == X[:, columns].tolist()
    assert found.by_name
    assert found.ignored == ignored
    assert found.absent == ()


def test_the_same_features_are_not_copied():
    given = data(["a", "b", "c"])
    assert np.shares_memory(match_features(given, ["a", "b", "c"], 3).data.X, given.X)


def test_missing_features_are_rejected_with_their_names():
    with pytest.raises(DataError, match=r"2 of 3 are missing, 'x', 'y'. The data have 'a', 'b', 'c'. Name the columns"):
        match_features(data(["a", "b", "c"]), ["x", "a", "y"], 3)


def test_long_lists_of_names_are_shortened():
    names = [f"n{number}" for number in range(100)]
    with pytest.raises(DataError, match=r"100 of 100 are missing, 'n0', .*'n7' and 92 more\. The data"):
        match_features(data(["a", "b", "c"]), names, 100)


def test_data_with_numbered_features_are_rejected_with_a_remedy():
    with pytest.raises(
        DataError,
        match="The data only number their features: name them with feature_names, or in LETOR files with",
    ):
        match_features(data(), ["a", "b", "c"], 3, zeros_left_out=True)


def test_without_names_features_are_matched_by_position_if_asked_or_only_numbered():
    given = {"by_position": (data(["a", "b", "c"]), True), "numbered": (data(), False)}
    given["from 0"] = (data(["feature 0", "feature 1", "feature 2"]), False)
    for which, by_position in given.values():
        found = match_features(which, None, 3, by_position=by_position)
        assert found.data.X.tolist() == X.tolist()
        assert not found.by_name


@pytest.mark.parametrize("names", [["a", "b", "c"], ["feature 2", "feature 1", "feature 3"]], ids=", ".join)
def test_without_names_features_that_have_names_are_refused(names):
    with pytest.raises(DataError, match=f"no feature names, so nothing shows .* '{names[0]}'.* by_position=True"):
        match_features(data(names), None, 3)


@pytest.mark.parametrize("zeros_left_out", [False, True])
def test_without_names_a_different_number_of_features_is_rejected(zeros_left_out):
    """Without names it is unknown whether a file counts from 0 or from 1, so no zeros are added."""
    message = "The model has 4 features without names, but the data have 3. Give the same features"
    with pytest.raises(DataError, match=message):
        match_features(data(), None, 4, zeros_left_out=zeros_left_out)


@pytest.mark.parametrize("values", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
def test_numbered_features_that_the_file_omits_are_zero(values):
    names = ["feature 0", "feature 2", "feature 3", "feature 12"]
    found = match_features(data(None, values), names, 4, zeros_left_out=True)
    assert dense(found.data.X) == [[0.0, 2.0, 3.0, 0.0], [0.0, 5.0, 6.0, 0.0]]
    assert found.absent == ("feature 0", "feature 12")
    assert found.ignored == ("feature 1",)


def test_a_table_must_contain_numbered_features():
    with pytest.raises(DataError, match="1 of 2 are missing, 'feature 4'"):
        match_features(data(), ["feature 1", "feature 4"], 2)


def test_names_that_only_resemble_numbered_features_are_not_zero():
    for name in ("feature 01", "feature x", "feature " + "9" * 5000, "feature ٣"):
        with pytest.raises(DataError, match="1 of 2 are missing"):
            match_features(data(), ["feature 1", name], 2, zeros_left_out=True)
