"""The click features equal the cases worked out by hand and the slow twin, whatever is missing in the log."""

import random

import numpy as np
import polars
import pytest

from glassrank.core.checks import DataError
from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.data.query_log import QueryLog
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.log import click_features as click
from glassrank.navigational.features.log.log_summary import summarise_log
from glassrank.navigational.features.log.summed_log import asked_of
from glassrank.navigational.features.log_source import read_log_facts
from glassrank.navigational.features.sources import IntentSources
from tests.navigational.features.log_worlds import (
    found_by,
    found_in,
    log_world,
    twin_of,
    twin_of_log,
    without,
    without_kinds,
    wrong,
)
from tests.navigational.features.random_worlds import containers
from tests.reference.navigational.worked.logs import CASES

NAMES = {feature.name for feature in click.FEATURES}


@pytest.mark.parametrize("case", CASES)
def test_features_equal_the_cases_worked_out_by_hand(case):
    world, expected = CASES[case]
    found = found_by(click, world)
    wanted = {(str(q), rank): {n: v for n, v in values.items() if n in NAMES} for (q, rank), values in expected.items()}
    picked = {row: {name: found[row][name] for name in values} for row, values in wanted.items()}
    assert wrong(picked, wanted) == []


@pytest.mark.parametrize("seed", range(4))
def test_features_of_random_logs_equal_the_twin(seed):
    world = log_world(seed)
    assert wrong(found_by(click, world), twin_of(click, world)) == []


@pytest.mark.parametrize(
    "lacking",
    [
        ("session",),
        ("search",),
        ("session", "search"),
        ("time",),
        ("time", "session"),
        ("user", "session", "search"),
        ("position",),
        ("dwell",),
        ("time", "user", "session", "search", "position", "dwell"),
    ],
    ids="-".join,
)
def test_missing_columns_of_a_log_remove_only_their_features(lacking):
    world = without(log_world(7), *lacking)
    assert wrong(found_by(click, world), twin_of(click, world)) == []


@pytest.mark.parametrize(
    "lacking",
    [("impression",), ("search",), ("impression", "search"), ("click",), ("click", "search")],
    ids="-".join,
)
def test_missing_kinds_of_events_remove_only_their_features(lacking):
    world = without_kinds(log_world(8), *lacking)
    assert wrong(found_by(click, world), twin_of(click, world)) == []


def test_clocks_that_run_backwards_cause_no_error():
    world = log_world(9)
    rng = random.Random(9)
    events = [{**event, "time": event["time"] + rng.choice((0.0, -4000.0, 1801.0))} for event in world["clicks"]]
    world = {**world, "clicks": events}
    assert wrong(found_by(click, world), twin_of(click, world)) == []
    world = without(world, "session", "search")
    assert wrong(found_by(click, world), twin_of(click, world)) == []


def test_repeated_events_count_twice():
    world = log_world(10)
    world = {**world, "clicks": world["clicks"] * 2}
    assert wrong(found_by(click, world), twin_of(click, world)) == []


def test_clicks_on_other_addresses_count_for_the_query():
    events = [
        {"query": "zen", "action": "click", "url": url}
        for url in ("http://a.org/", "http://b.org/", "http://b.org/x", "http://[broken", "nowhere")
    ]
    world = {"results": [{"query_id": "q", "query": "Zen", "rank": 1, "url": "http://b.org/"}], "clicks": events}
    found = found_by(click, world)["q", 1]
    assert (found["clk_CR"], found["clk_dom"], found["clk_invrank"]) == (1 / 5, 2 / 5, 1.0)


def test_odd_texts_cause_no_error():
    """Lone surrogates, a null character, quotes, a query of spaces, a very long query."""
    odd = ["\ud800 zen", "a\0b", "'; --", '"', " ", "x" * 100_000, "\u0130stanbul"]
    results = [{"query_id": str(n), "query": text, "rank": 1, "url": text} for n, text in enumerate(odd)]
    events = [{"query": text, "action": "click", "url": text, "user": text, "session": text} for text in odd]
    found = found_by(click, {"results": results, "clicks": events})
    assert [found[str(number), 1]["clk_n"] for number in range(len(odd))] == [1.0] * len(odd)
    assert all(values["clk_only"] == 1.0 for values in found.values())


def test_a_log_without_events_has_counts_of_zero_and_missing_shares():
    world = {"results": [{"query_id": "q", "query": "zen", "rank": 1, "url": "a"}], "clicks": []}
    found = found_by(click, world)["q", 1]
    assert (found["clk_n"], found["clk_url"], found["clk_CR"], found["clk_dom"]) == (0.0, 0.0, None, None)
    assert "clk_ctr" not in found


@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv.gz", "polars", "pandas"])
def test_a_file_or_table_gives_the_same_as_the_log_in_memory(kind, tmp_path):
    world = log_world(11)
    given = containers(world)
    frame = polars.DataFrame(given["clicks"].to_frame("polars"))
    path = tmp_path / f"log.{kind}"
    if kind == "parquet":
        frame.write_parquet(path)
    elif kind == "csv":
        frame.fill_nan(None).write_csv(path)
    elif kind == "tsv.gz":
        import gzip

        path.write_bytes(gzip.compress(frame.fill_nan(None).write_csv(separator="\t").encode()))
    clicks = {"polars": frame, "pandas": given["clicks"].to_frame("pandas")}.get(kind, path)
    assert wrong(found_in(clicks, world), twin_of_log(world)) == []


def test_times_of_a_table_may_be_dates():
    world = log_world(12)
    frame = containers(world)["clicks"].to_frame("polars")
    dated = frame.with_columns(polars.from_epoch((frame["time"] * 1e6).cast(polars.Int64), "us").alias("time"))
    assert read_log_facts(dated, "duckdb").last_time == max(event["time"] for event in world["clicks"])
    assert wrong(found_in(dated, world), twin_of_log(world)) == []


def test_unknown_values_of_events_in_a_file_are_not_counted(tmp_path):
    """A click of an unknown user in an unknown list counts as a click, but in no session, list or number of users."""
    lines = [
        "query,action,url,user,session,search,position,time",
        "zen,click,a,u1,s1,1,2,10",
        "zen,click,a,,,,1,11",
        "zen,click,b,u1,s1,1,1,12",
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    world = {"results": [{"query_id": "q", "query": "zen", "rank": 1, "url": "a"}]}
    found = found_in(path, world)["q", 1]
    assert (found["clk_n"], found["clk_users"], found["clk_repeat"]) == (2.0, 1.0, 1 / 2)
    assert (found["clk_first"], found["clk_last"], found["clk_only"]) == (1.0, 0.0, 0.0)
    assert (found["clk_above"], found["clk_below"]) == (1 / 2, 0.0)


def test_a_query_that_begins_with_a_hash_is_no_comment_in_a_file(tmp_path):
    """Beside searches, which have no address, DuckDB's sniffer takes # for a comment sign and drops the click."""
    path = tmp_path / "log.csv"
    path.write_text("query,action,url\nzen,search,\n#zen,click,a\n")
    world = {"results": [{"query_id": "q", "query": "#zen", "rank": 1, "url": "a"}]}
    assert found_in(path, world)["q", 1]["clk_n"] == 1.0


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        (
            "action",
            "view",
            r"action must contain one of search, impression, click, add_to_cart, purchase: 1 row is wrong \(of 2\)",
        ),
        ("url", "", "url must contain '' for a search and an address otherwise"),
        ("query", None, "query must contain non-empty text"),
        ("position", 1.5, "position must contain whole numbers from 1"),
        ("dwell", -1.0, "dwell must contain seconds from 0 to 1e9"),
        ("time", 1.6e12, "divide milliseconds by 1000"),
        ("time", None, "time must be known in all events of a log or in none: 1 of 2 have none"),
    ],
)
def test_a_table_with_invalid_values_is_refused(column, value, says):
    good = {"query": "zen", "action": "click", "url": "a", "position": 1.0, "dwell": 1.0, "time": 5.0}
    frame = polars.DataFrame([good, {**good, column: value}], schema={n: type(v) for n, v in good.items()})
    world = {"results": [{"query_id": "q", "query": "zen", "rank": 1, "url": "a"}]}
    with pytest.raises(DataError, match=says):
        found_in(frame, world)


def test_a_missing_column_and_other_objects_are_refused():
    world = {"results": [{"query_id": "q", "query": "zen", "rank": 1, "url": "a"}]}
    with pytest.raises(DataError, match=r"The log must have a column 'action': got 'query', 'url'\. Rename or add it"):
        found_in(polars.DataFrame({"query": ["zen"], "url": ["a"]}), world)
    with pytest.raises(DataError, match="clicks must be a QueryLog, a path"):
        found_in(7, world)


def test_a_given_engine_keeps_only_its_own_tables():
    world = log_world(13)
    with DuckDBEngine() as engine:
        engine.take(polars.DataFrame({"n": [1]}), "mine")
        assert wrong(found_by(click, world, engine=engine), twin_of(click, world)) == []
        assert engine.names == ("mine",)


def test_reading_queries_and_addresses_in_parts_gives_the_same_sums():
    given = containers(log_world(14))
    asked = asked_of(IntentSources(**given))
    small, large = (summarise_log(given["clicks"], asked, part=part) for part in (2, 10**6))
    for name, values in large.sums.items():
        np.testing.assert_allclose(small[name], values, rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_same_log_gives_the_same_features_to_the_last_bit():
    """With several threads, the order of sums would vary; there are enough events for several threads."""
    rng = np.random.default_rng(0)
    n_events, urls = 400_000, np.array([f"http://a{k}.org/" for k in range(40)], dtype=object)
    query, clicked = rng.integers(0, 20, n_events), rng.random(n_events) < 0.5
    log = QueryLog(
        query=np.array([f"q{k}" for k in range(20)], dtype=object)[query],
        action=np.where(clicked, "click", "impression").astype(object),
        url=urls[rng.integers(0, 40, n_events)],
        position=rng.integers(1, 11, n_events).astype(float),
        dwell=np.where(clicked, rng.exponential(30.0, n_events), np.nan),
    )
    results = SearchResults(query_id=range(20), query=[f"q{k}" for k in range(20)], rank=[1] * 20, url=urls[:20])
    first, again = (click.compute(IntentSources(results, log)) for _ in range(2))
    assert [name for name in first if not np.array_equal(first[name], again[name], equal_nan=True)] == []
