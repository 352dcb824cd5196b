"""The features of a log's other queries equal the cases worked out by hand and the slow twin."""

import random

import polars
import pytest

from glassrank.navigational.features.log import log_features as log
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
from tests.reference.navigational.worked.logs import CASES

NAMES = {feature.name for feature in log.FEATURES}


@pytest.mark.parametrize("case", CASES)
def test_features_equal_the_cases_worked_out_by_hand(case):
    world, expected = CASES[case]
    found = found_by(log, world)
    wanted = {(str(q), rank): {n: v for n, v in values.items() if n in NAMES} for (q, rank), values in expected.items()}
    picked = {row: {name: found[row][name] for name in values} for row, values in wanted.items()}
    assert wrong(picked, wanted) == []


@pytest.mark.parametrize("seed", range(20, 23))
def test_features_of_random_logs_equal_the_twin(seed):
    world = log_world(seed)
    assert wrong(found_by(log, world), twin_of(log, world)) == []


@pytest.mark.parametrize("lacking", [("time",), ("user",), ("user", "time", "session", "search")], ids="-".join)
def test_missing_columns_of_a_log_remove_only_their_features(lacking):
    world = without(log_world(24), *lacking)
    assert wrong(found_by(log, world), twin_of(log, world)) == []


@pytest.mark.parametrize("lacking", [("search",), ("click",), ("click", "search"), ("impression",)], ids="-".join)
def test_missing_kinds_of_events_change_what_counts_as_issued(lacking):
    world = without_kinds(log_world(25), *lacking)
    assert wrong(found_by(log, world), twin_of(log, world)) == []


def busy_world(seed, n_events, fraction):
    """Two users who search and click all the time, often exactly half an hour apart."""
    rng = random.Random(seed)
    queries = ("zen", "zen garden", "garden", "bank", "stones of zen", "garden bank")
    events = []
    for _ in range(n_events):
        time = 300.0 * rng.randint(-9, 30) + fraction * rng.randint(0, 3)
        event = {"query": rng.choice(queries), "user": rng.choice("uv"), "time": time}
        is_click = rng.random() < 0.5
        events.append(
            {**event, "action": "click" if is_click else "search", "url": rng.choice("ab") if is_click else ""}
        )
    results = [
        {"query_id": str(number), "query": query, "rank": rank, "url": url}
        for number, query in enumerate(queries[:4])
        for rank, url in enumerate("ab", start=1)
    ]
    return {"results": results, "clicks": events}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fraction", [0.0, 0.25])
def test_reformulations_are_found_at_the_ends_of_the_half_hour(seed, fraction):
    world = busy_world(seed, 40, fraction)
    expected = twin_of(log, world)
    assert any(0 < values["ql_ref"] < 1 for values in expected.values() if values["ql_ref"] is not None)
    assert wrong(found_by(log, world), expected) == []


def test_clicks_show_reformulations_if_a_log_has_no_searches():
    world = without_kinds(busy_world(3, 60, 0.25), "search")
    assert wrong(found_by(log, world), twin_of(log, world)) == []


def test_of_several_top_queries_the_most_similar_counts():
    events = [{"query": query, "action": "click", "url": "a"} for query in ("zen art", "ZEN", "bank", "zen", "bank")]
    world = {"results": [{"query_id": "q", "query": "zens", "rank": 1, "url": "a"}], "clicks": events}
    found = found_by(log, world)["q", 1]
    assert (found["ql_topsim"], found["ql_topeq"]) == (1 - 1 / 4, 0.0)


def test_queries_without_a_word_have_no_language_model():
    events = [{"query": "???", "action": "click", "url": "a"}, {"query": "zen", "action": "click", "url": "b"}]
    results = [{"query_id": q, "query": q, "rank": 1, "url": u} for q, u in (("???", "b"), ("zen", "a"), ("-", "a"))]
    world = {"results": results, "clicks": events}
    found = found_by(log, world)
    assert wrong(found, twin_of(log, world)) == []
    assert [found[q, 1]["ql_lm"] for q in ("???", "zen", "-")] == [None, None, None]


def test_a_file_gives_the_same_as_the_log_in_memory(tmp_path):
    world = log_world(26)
    path = tmp_path / "log.parquet"
    polars.DataFrame(world["clicks"], infer_schema_length=None).write_parquet(path)
    assert wrong(found_in(str(path), world), twin_of_log(world)) == []
