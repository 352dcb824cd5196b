"""Features of queries: named columns over whole lists, independent of the order of the rows."""

import json
import math

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature_table import QueryUrlFeatures
from glassrank.navigational.integrate import integrate
from glassrank.navigational.query_url_features import query_url_features
from tests.reference.integration import NAMES, integrate_list

FEATURES = {"clk_CR": "click", "urlmr": "url", "rk_rr": "other"}


def table_of(lists, engine=None, seed=0):
    """A table of three features over lists of ranks, with shuffled rows and a tenth of the values missing."""
    rng = np.random.default_rng(seed)
    rows = [(query_id, rank) for query_id, ranks in lists.items() for rank in ranks]
    rows = [rows[place] for place in rng.permutation(len(rows))]
    results = SearchResults(
        query_id=[query_id for query_id, _ in rows],
        query=[f"text of {query_id}" for query_id, _ in rows],
        rank=[rank for _, rank in rows],
        url=[f"http://{query_id}.org/{rank}" for query_id, rank in rows],
        engine=engine and [engine] * len(rows),
    )
    X = rng.standard_normal((len(rows), len(FEATURES)))
    X[rng.random(X.shape) < 0.1] = np.nan
    return QueryUrlFeatures(results, tuple(FEATURES), tuple(FEATURES.values()), X, {}, {})


def with_rows(table, order):
    """The same table with its rows in another order."""
    results = table.results
    moved = SearchResults(
        query_id=results.query_id[order], query=results.query[order], rank=results.rank[order], url=results.url[order]
    )
    return QueryUrlFeatures(moved, table.names, table.categories, table.X[order], {}, {})


LISTS = {"a": range(1, 101), "b": [1], "c": [1, 2, 4, 10], "d": range(1, 21)}


def test_every_column_equals_the_twins_operator_over_the_list():
    table = table_of(LISTS)
    queries = integrate(table)
    for query_id, got in zip(queries.query_ids, queries.X, strict=True):
        rows = np.flatnonzero(table.results.query_id == query_id)
        for feature in FEATURES:
            values = {int(table.results.rank[row]): float(table[feature][row]) for row in rows}
            expected = integrate_list({rank: None if math.isnan(one) else one for rank, one in values.items()})
            found = {name: got[queries.names.index(f"{feature}|{name}")] for name in NAMES}
            wanted = {name: math.nan if one is None else one for name, one in expected.items()}
            assert found == pytest.approx(wanted, abs=1e-13, nan_ok=True)


def test_columns_are_named_by_feature_and_operator():
    queries = integrate(table_of(LISTS))
    assert queries.X.shape == (4, 45)
    assert queries.names == tuple(f"{feature}|{operator}" for feature in FEATURES for operator in NAMES)
    assert queries.features[15:30] == ("urlmr",) * 15
    assert queries.operators == tuple(NAMES) * 3
    assert queries.categories[14:16] == ("click", "url")
    assert list(queries["urlmr|mean"]) == list(queries.X[:, 15])


def test_all_operators_are_in_the_groups_of_the_papers_table():
    queries = integrate(table_of(LISTS))
    group_of = dict(zip(queries.operators, queries.operator_groups, strict=True))
    members = {group: {one for one in NAMES if group_of[one] == group} for group in group_of.values()}
    assert members == {
        "vector": {"p1", "p2", "p3", "p4", "p5"},
        "normalised ratios": {"r2", "r5", "r10", "r20"},
        "min/max": {"min", "max"},
        "entropy/std": {"entropy", "std"},
        "mean/median": {"mean", "median"},
    }


def test_queries_are_in_order_of_first_appearance_with_their_texts():
    table = table_of(LISTS)
    queries = integrate(table)
    assert queries.query_ids == tuple(dict.fromkeys(table.results.query_id))
    assert queries.queries == tuple(f"text of {query_id}" for query_id in queries.query_ids)


def test_the_order_of_the_rows_does_not_matter():
    table = table_of(LISTS)
    queries = integrate(table)
    again = integrate(with_rows(table, np.random.default_rng(1).permutation(len(table.results))))
    places = [again.query_ids.index(query_id) for query_id in queries.query_ids]
    np.testing.assert_array_equal(again.X[places], queries.X)


def test_positions_beyond_the_list_and_gaps_in_it_are_missing():
    table = table_of({"c": [1, 2, 4, 10]})
    table.X[:] = 1.0
    queries = integrate(table)
    missing = [name for name in queries.names if np.isnan(queries[name][0])]
    assert missing == [f"{feature}|{operator}" for feature in FEATURES for operator in ("p3", "p5", "r5", "r20")]


def ratios_of(values):
    """r2 and r5 of a list by integrate() and by the twin."""
    table = table_of({"a": range(1, len(values) + 1)})
    table.X[:] = np.array(values)[table.results.rank.astype(int) - 1][:, None]
    queries, twin = integrate(table), integrate_list(dict(enumerate(values, start=1)))
    return [queries[f"urlmr|{name}"][0] for name in ("r2", "r5")], [twin["r2"], twin["r5"]]


def test_cosines_that_differ_only_by_rounding_have_no_ratio():
    """The cosine of a vector and its multiple is exactly 1, but rounding changes the last bits."""
    vectors = np.random.default_rng(0).random((6, 7)).tolist()
    cosines = []
    for vector in vectors:
        other = [3.1 * one for one in vector]
        product = sum(a * b for a, b in zip(vector, other, strict=True))
        cosines.append(product / (math.sqrt(sum(a * a for a in vector)) * math.sqrt(sum(b * b for b in other))))
    assert 0 < max(cosines) - min(cosines) < 1e-15
    # Without a tolerance, the ratios would be of the order of 1.
    assert any(cosines[place] < max(cosines) for place in (1, 4))
    assert ratios_of(cosines) == ([0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("scale", [1e-290, 1e-3, 1.0, 1e6, 1e290])
@pytest.mark.parametrize(("step", "differs"), [(1e-9, True), (1e-11, True), (1e-13, False), (1e-15, False)])
def test_values_equal_to_twelve_digits_are_equal(step, differs, scale, sign):
    values = [sign * scale * (0.5 - step * place) for place in (0, 1, 2, 3, 4)]
    high, low = max(values), min(values)
    found, twin = ratios_of(values)
    assert found == pytest.approx(twin, abs=1e-13)
    by_hand = [(high - values[place]) / (high - low) if differs else 0.0 for place in (1, 4)]
    assert found == pytest.approx(by_hand, abs=1e-13)
    if step == 1e-9:
        # A difference in the ninth of sixteen digits is known to seven digits.
        assert found == pytest.approx([0.25, 1.0] if sign > 0 else [0.75, 0.0], abs=1e-6)


def test_results_beyond_the_last_position_are_left_out_and_counted():
    table = table_of({"a": range(1, 131), "z": [101]})
    queries = integrate(table)
    assert queries.n_left_out == 31
    assert str(queries).endswith("31 results beyond the last position left out")
    assert np.isnan(queries.X[queries.query_ids.index("z")]).all()
    whole = integrate(table, positions=None)
    assert whole.n_left_out == 0
    shown = table["urlmr"][table.results.query_id == "a"]
    assert whole["urlmr|max"][whole.query_ids.index("a")] == np.nanmax(shown)


def test_lists_of_several_engines_must_be_fused():
    results = SearchResults(
        query_id=[1, 1, 1],
        query=["zen"] * 3,
        rank=[1, 2, 1],
        url=["http://a.org/", "http://b.org/", "http://b.org/"],
        engine=["x", "x", "y"],
    )
    queries = integrate(query_url_features(results))
    assert [queries[f"rk_votes|p{rank}"][0] for rank in (1, 2)] == [2.0, 1.0]
    with pytest.raises(DataError, match="table must contain one list per query: got one per engine"):
        integrate(table_of(LISTS, engine="x"))


@pytest.mark.parametrize("positions", [0, -1, 2.5, True, "all"])
def test_positions_must_be_a_positive_whole_number(positions):
    with pytest.raises(DataError, match="positions must be a positive whole number"):
        integrate(table_of(LISTS), positions=positions)


def test_another_table_is_refused_with_a_remedy():
    with pytest.raises(DataError, match=r"table must be QueryUrlFeatures: got list\. Make one: query_url_features"):
        integrate([[1.0]])


def test_an_infinite_value_is_refused_with_its_feature():
    table = table_of(LISTS)
    table.X[3, 1] = np.inf
    with pytest.raises(DataError, match="got inf at row 3, feature 'urlmr'"):
        integrate(table)


def test_a_table_without_results_gives_no_query():
    queries = integrate(table_of({}))
    assert queries.X.shape == (0, 45)
    assert str(queries).startswith("0 queries, 45 columns: 3 features (1 click, 1 url, 1 other) with 15 operators")


def test_columns_are_picked_by_name_in_the_given_order():
    queries = integrate(table_of(LISTS))
    picked = queries.pick(["urlmr|r2", "clk_CR|mean"])
    assert picked.names == ("urlmr|r2", "clk_CR|mean")
    assert picked.categories == ("url", "click")
    np.testing.assert_array_equal(picked.X, np.column_stack([queries["urlmr|r2"], queries["clk_CR|mean"]]))


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"features": ["urlmr"], "operators": ["max", "mean"]}, ["urlmr|mean", "urlmr|max"]),
        ({"categories": ["click"], "operator_groups": ["min/max"]}, ["clk_CR|max", "clk_CR|min"]),
        ({"operators": ["p1"]}, ["clk_CR|p1", "urlmr|p1", "rk_rr|p1"]),
    ],
    ids=["feature and operators", "category and group", "operator"],
)
def test_columns_are_filtered_by_feature_operator_and_category(asked, names):
    assert list(integrate(table_of(LISTS)).where(**asked).names) == names


def test_an_unknown_column_is_refused_with_the_available_ones():
    queries = integrate(table_of(LISTS))
    with pytest.raises(KeyError, match="clk_CR, urlmr, rk_rr"):
        _ = queries["clk_CR|mode"]
    with pytest.raises(DataError, match=r"names must be among the 45 available: got 'clk_CR\|mode'"):
        queries.pick(["clk_CR|mode"])
    with pytest.raises(DataError, match="categories must be one of 'click', 'url', 'other': got 'anchor'"):
        queries.where(categories=["anchor"])
    with pytest.raises(DataError, match=r"operators must be a list of names: got 'mean'\. Write \['mean'\]"):
        queries.where(operators="mean")


def test_it_prints_a_summary():
    table = table_of({"a": [1, 2], "b": [1, 2]})
    table.X[:] = [[1.0, 2.0, 3.0]]
    table.X[:, 2] += np.where(table.results.query_id == "a", 0.5, 0.0)
    # Of 15 operators over two results, p3 to p5 and r5 to r20 are missing; the third feature differs only in mean,
    # median, max, min, p1 and p2.
    assert repr(integrate(table)) == (
        "2 queries, 45 columns: 3 features (1 click, 1 url, 1 other) with 15 operators\n"
        "40.0% of the values are missing; 39 columns with one value or none"
    )


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_it_converts_to_a_data_frame(backend):
    queries = integrate(table_of(LISTS)).pick(["urlmr|r2"])
    frame = queries.to_frame(backend)
    assert list(frame.columns) == ["query_id", "query", "urlmr|r2"]
    assert list(frame["query_id"]) == list(queries.query_ids)


def test_it_converts_to_json():
    reported = json.loads(integrate(table_of({"b": [1]})).pick(["clk_CR|p2"]).to_json())
    column = {"name": "clk_CR|p2", "feature": "clk_CR", "operator": "p2", "category": "click", "missing": 1.0}
    assert reported == {"n_queries": 1, "n_left_out": 0, "columns": [column]}
