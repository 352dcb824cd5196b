"""Agreement of judges: published values, the twins, a peer, and what is undefined."""

import json

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.agreement import judge_agreement
from tests.reference import judge_agreement as twin

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: 4 observers, 12 units, missing data.
N = None
PUBLISHED_ROWS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


def named(rows):
    return {f"judge {n}": [np.nan if label is None else label for label in row] for n, row in enumerate(rows, start=1)}


@pytest.mark.parametrize(("level", "expected"), PUBLISHED.items())
def test_alpha_of_the_published_example(level, expected):
    assert twin.alpha(PUBLISHED_ROWS, level) == pytest.approx(expected, abs=5e-4)
    assert judge_agreement(named(PUBLISHED_ROWS), level).alpha == pytest.approx(expected, abs=5e-4)


def test_a_unit_with_one_label_is_counted_but_does_not_matter():
    found = judge_agreement(named(PUBLISHED_ROWS))
    assert (found.n_units, found.n_shared) == (12, 11)
    assert found.judged == {"judge 1": 9, "judge 2": 11, "judge 3": 10, "judge 4": 11}


def test_kappa_of_a_published_table():
    """Two readers and 50 proposals: both yes 20, both no 15, only the first yes 5, only the second 10."""
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    (pair,) = judge_agreement({"a": first, "b": second}).pairs
    assert pair.kappa == pytest.approx(0.4)
    assert twin.kappa(first, second) == pytest.approx(0.4)
    assert (pair.equal, pair.n_shared) == (0.7, 50)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_alpha_and_kappa_equal_their_twins(level, seed):
    rng = np.random.default_rng(seed)
    rows = [[None if rng.random() < 0.3 else int(rng.choice([0, 1, 2, 5])) for _ in range(15)] for _ in range(4)]
    found = judge_agreement(named(rows), level)
    assert found.alpha == pytest.approx(twin.alpha(rows, level), rel=1e-12)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for (i, j), pair in zip(pairs, found.pairs, strict=True):
        assert pair.kappa == pytest.approx(twin.kappa(rows[i], rows[j]), rel=1e-12)


def test_kappa_equals_that_of_scikit_learn():
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(9)
    first, second = rng.integers(0, 3, (2, 40))
    (pair,) = judge_agreement({"a": first, "b": second}).pairs
    assert pair.kappa == pytest.approx(cohen_kappa_score(first, second))


def test_with_two_values_every_level_is_the_same():
    rows = {"a": [0, 1, 1, 0, 1], "b": [0, 1, 0, 0, 1]}
    assert len({round(judge_agreement(rows, level).alpha, 12) for level in PUBLISHED}) == 1


def test_agreement_is_1_if_judges_always_agree_and_negative_if_they_never_do():
    assert judge_agreement({"a": [0, 1, 2], "b": [0, 1, 2]}).alpha == 1.0
    assert judge_agreement({"a": [0, 1, 0, 1], "b": [1, 0, 1, 0]}).alpha < 0


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({"a": [0, 1, 2]}, "only one judge"),
        ({"a": [0, 1, np.nan], "b": [np.nan, np.nan, 2]}, "no unit was labelled by two judges"),
        ({"a": [1, 1], "b": [1, 1]}, "all labels are 1"),
        ({"a": [np.nan, np.nan], "b": [np.nan, np.nan]}, "no unit was labelled by two judges"),
        ({"a": [], "b": []}, "no unit was labelled by two judges"),
    ],
    ids=["one judge", "different units", "equal", "nothing", "empty"],
)
def test_an_undefined_alpha_has_a_reason(labels, reason):
    found = judge_agreement(labels)
    assert (found.alpha, found.undefined) == (None, reason)
    assert f"undefined: {reason}" in str(found)
    assert json.loads(found.to_json())["alpha"] is None


def test_a_pair_without_shared_units_has_no_kappa():
    found = judge_agreement({"a": [0, 1, np.nan], "b": [np.nan, np.nan, 2], "c": [0, 1, 2]})
    assert [(one.n_shared, one.kappa) for one in found.pairs] == [(0, None), (2, 1.0), (1, None)]
    assert found.alpha == 1.0
    assert len(found.to_frame("polars")) == 3


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({}, "labels must name at least one judge"),
        ({"a": [0, 1], "b": [0]}, "expected 2, got 1 of 'b'.*Use NaN"),
        ({"a": [0, np.inf]}, "labels must be finite or NaN: got infinity of 'a'"),
        ({"a": ["x"]}, "labels of 'a' must contain numbers"),
    ],
    ids=["none", "lengths", "infinite", "text"],
)
def test_invalid_labels_are_refused(labels, message):
    with pytest.raises(DataError, match=message):
        judge_agreement(labels)


def test_an_unknown_level_is_refused():
    with pytest.raises(DataError, match="level must be one of 'nominal', 'ordinal', 'interval': got 'ratio'"):
        judge_agreement({"a": [1]}, "ratio")
