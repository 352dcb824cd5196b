"""Statistics of features: against NumPy and Python's statistics, on dense and sparse data."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from glassrank.core.feature_kinds import BOOLEAN, CATEGORY, PLAIN, FeatureKind
from glassrank.data import feature_statistics
from glassrank.data.feature_statistics import DescribedFeatures
from glassrank.data.ranking_data import RankingData

NUMBERS = st.sampled_from([np.nan, 0.0, 1.0, -2.5]) | st.floats(allow_nan=False, allow_infinity=False)


def same(one, other):
    return one == other or (one != one and other != other)


def slow(column, queries):
    """The statistics of a column, one query and one value at a time."""
    known = [value for value in column if value == value]
    lists = [[value for value, one in zip(column, queries, strict=True) if one == query] for query in set(queries)]
    return {
        "n_missing": len(column) - len(known),
        "n_distinct": len(set(known)),
        "constant_share": sum(len({str(abs(value)) + str(value < 0) for value in one}) == 1 for one in lists)
        / len(lists),
        "minimum": min(known, default=None),
        "maximum": max(known, default=None),
    }


@given(st.lists(st.tuples(st.integers(0, 3), NUMBERS, NUMBERS), min_size=1, max_size=12))
@settings(deadline=None)
def test_statistics_equal_those_computed_value_by_value(rows):
    queries, *columns = zip(*rows, strict=True)
    X = np.array(columns).T
    for container in (np.array, sparse.csr_matrix):
        found = RankingData(container(X), np.zeros(len(rows)), queries).describe().features
        for one, column in zip(found, columns, strict=True):
            assert {name: getattr(one, name) for name in slow(column, queries)} == slow(column, queries)
            known = [value for value in column if value == value]
            if known:
                with np.errstate(over="ignore", invalid="ignore"):
                    expected = np.quantile(known, [0.25, 0.5, 0.75])
                if np.isfinite(expected).all():
                    assert [one.lower_quartile, one.median, one.upper_quartile] == pytest.approx(expected, rel=1e-9)


def test_many_columns_are_described_in_blocks(monkeypatch):
    X = np.random.default_rng(0).normal(size=(6, 5))
    data = RankingData(X, np.zeros(6), [1, 2, 1, 2, 3, 3])
    whole = data.describe().features
    monkeypatch.setattr(feature_statistics, "MAX_BLOCK_VALUES", 12)
    assert data.describe().features == whole


@pytest.fixture
def dirty():
    """A number, a yes/no value, a category with hostile names, a constant, a column without values; 3 queries."""
    nan, levels = np.nan, ("<b>\nshop</b> of many words", "b", "c")
    X = [
        [1.0, 1.0, 0.0, 7.0, nan],
        [nan, 1.0, 0.0, 7.0, nan],
        [3.0, 0.0, 2.0, 7.0, nan],
        [-1.25e-7, nan, nan, 7.0, nan],
    ]
    kinds = [
        PLAIN,
        FeatureKind(BOOLEAN),
        FeatureKind(CATEGORY, levels),
        PLAIN,
        PLAIN,
    ]
    names = ["x" * 300, "yes\tor no", "مرحبا 🙂 <script>", "seven", "empty"]
    return RankingData(X, [1, 0, 1, 0], ["a", "a", "b", "c"], feature_names=names, kinds=kinds)


def test_kinds_have_their_own_statistics(dirty):
    number, boolean, category, constant, empty = dirty.describe().features
    assert (number.n_missing, number.missing_share, number.n_distinct, number.median) == (1, 0.25, 3, 1.0)
    assert (boolean.kind, boolean.most_frequent, boolean.most_frequent_share) == ("boolean", "yes", 2 / 3)
    assert (boolean.minimum, boolean.median) == (None, None)
    assert (category.n_distinct, category.most_frequent[:4], category.constant_share) == (2, "<b>\n", 1.0)
    assert (constant.n_distinct, constant.constant_share, constant.minimum, constant.maximum) == (1, 1.0, 7.0, 7.0)
    assert (empty.n_missing, empty.n_distinct, empty.constant_share, empty.median) == (4, 0, 1.0, None)
    assert number.constant_share == pytest.approx(2 / 3)  # query a has 1 and a missing value
    with pytest.raises(FrozenInstanceError):
        number.median = 0.0


def test_the_table_has_one_line_per_feature_of_at_most_80_characters(dirty):
    lines = str(dirty.describe().features).splitlines()
    assert lines == [
        "feature             missing  distinct  constant  min       median  max",
        "xxxxxxxxxxxxxxxxx…  25.0%    3         67%       -1.25e-7  1       3",
        r"yes\tor no          25.0%    2         100%      most often yes (67%)",
        "مرحبا 🙂 <script>    25.0%    2         100%      most often <b>\\nshop</… (67%)",
        "seven               0        1         100%      7         7       7",
        "empty               100.0%   0         100%",
    ]
    number = replace(dirty.describe().features["seven"], name="n" * 99, n_missing=1, missing_share=1.0)
    widest = replace(number, minimum=-1.25e-99, median=-1.25e-99, maximum=-1.25e-99, n_distinct=9_999_999)
    level = replace(widest, most_frequent="w" * 99, most_frequent_share=1.0, minimum=None, median=None, maximum=None)
    assert max(map(len, str(DescribedFeatures((widest, level))).splitlines())) <= 80


def test_the_table_is_cut_and_says_so():
    features = RankingData(np.zeros((1, 136)), [0]).describe().features
    assert len(str(features).splitlines()) == 22
    assert str(features).endswith("\n… and 116 more features")
    assert len(features.to_text(None).splitlines()) == 137
    assert features.to_text(135).endswith("… and 1 more feature")


def test_a_frame_and_json_have_all_statistics(dirty):
    described = dirty.describe()
    frame = described.features.to_frame("polars")
    assert (frame.height, frame["name"][3], frame["n_missing"].to_list()) == (5, "seven", [1, 1, 1, 0, 4])
    plain = json.loads(described.to_json())
    assert plain["features"][1]["most_frequent"] == "yes"
    assert plain["constant_features"] == ["seven", "empty"]
    with pytest.raises(KeyError, match="there is no feature 'eight'"):
        described.features["eight"]


def test_only_features_that_a_logarithm_would_tame_have_heavy_tails():
    rng = np.random.default_rng(0)
    normal = rng.normal(size=400)
    columns = {
        "normal": normal,
        "exponential": rng.exponential(size=400),
        "lognormal": np.exp(3 * normal),
        "mirrored": -np.exp(3 * normal),
        "count": rng.poisson(3, 400),
        "rare count": rng.poisson(0.1, 400),
        "rare yes": rng.random(400) < 0.05,
        "rare clicks": (rng.random(400) < 0.2) * np.floor(1 + np.exp(3 * rng.normal(size=400))),
        "one far": np.where(np.arange(400) == 7, 1e9, rng.random(400)),
        "near 1000": np.where(np.arange(400) == 7, 1200.0, 1000 + rng.random(400)),
        "zero": np.zeros(400),
        "largest": np.where(np.arange(400) == 7, 1.7e308, normal),
        "with gaps": np.where(rng.random(400) < 0.3, np.nan, np.exp(3 * normal)),
    }
    X = np.column_stack([column.astype(float) for column in columns.values()])
    data = RankingData(X, np.arange(400) % 3, np.arange(400) // 10, feature_names=tuple(columns))
    assert data.describe().heavy_tailed_features == (
        "lognormal", "mirrored", "rare clicks", "one far", "largest", "with gaps",
    )  # fmt: skip
