"""The rows of each log schema become events."""

import csv
import gzip
import json
import lzma
import os
from pathlib import Path

import duckdb
import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import load_log
from glassrank.data.query_log import QueryLog
from tests.data.logs.files import aol, plain, ubi, ubi_event, ubi_query, write

# 2024-05-01 12:00:00 UTC, by `date -u -d 2024-05-01T12:00:00Z +%s`.
NOON = 1714564800.0
DATA = os.environ.get("GLASSRANK_DATA")


def rows(log, *names):
    return list(zip(*(getattr(log, name).tolist() for name in names), strict=True))


def same(left, right):
    return left == right or (isinstance(left, float) and np.isnan(left) and np.isnan(right))


def test_ubi_queries_and_events_become_searches_impressions_and_clicks(tmp_path):
    log = load_log(ubi(tmp_path, [ubi_query()], [ubi_event()]))
    assert rows(log, "query", "action", "url", "time") == [
        ("zen", "search", "", NOON),
        ("zen", "impression", "http://a.org/", NOON),
        ("zen", "impression", "http://b.org/", NOON),
        ("zen", "click", "http://b.org/", NOON + 9.5),
    ]
    assert rows(log, "user", "session", "search") == [("c1", "s1", "q1")] * 4
    assert log.position[1:].tolist() == [1, 2, 2]
    assert np.isnan(log.position[0])
    assert (log.reading.schema, log.reading.rows, log.reading.n_faults) == ("ubi", 2, 0)
    assert log.reading.made == {"search": 1, "impression": 2, "click": 1}


def test_the_two_ubi_files_can_be_given_in_any_order(tmp_path):
    queries, events = ubi(tmp_path, [ubi_query()], [ubi_event()])
    assert len(load_log([events, queries])) == 4
    assert load_log(queries).reading.made == {"search": 1, "impression": 2, "click": 0}


def test_a_click_without_ordinal_has_the_position_of_the_hit(tmp_path):
    log = load_log(ubi(tmp_path, [ubi_query()], [ubi_event(ordinal=None)]))
    assert log.position[-1] == 2


def test_ubi_events_alone_are_rejected(tmp_path):
    _, events = ubi(tmp_path, [ubi_query()], [ubi_event()])
    with pytest.raises(
        DataError, match=r"events\.ndjson: the file contains UBI events.*load_log\(\[queries, events\]\)"
    ):
        load_log(events)


def test_ubi_records_in_an_export_wrapper_are_read(tmp_path):
    wrapped = [json.dumps({"_index": "ubi", "_id": "1", "_source": json.loads(line)}) for line in (ubi_query(),)]
    assert load_log(ubi(tmp_path, wrapped, [ubi_event()])).reading.made["click"] == 1


def test_ubi_can_be_csv_with_dotted_names(tmp_path):
    queries, events = tmp_path / "queries.csv", tmp_path / "events.csv"
    with queries.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query_id", "user_query", "query_response_hit_ids", "timestamp"])
        writer.writerow(["q1", 'zen, "the"\nway', '["http://a.org/", "http://b.org/"]', "2024-05-01T14:00:00+02:00"])
        writer.writerow(["q2", "tea", "http://a.org/,http://c.org/", "2024-05-01T12:00:00Z"])
    with events.open("w", newline="") as file:
        writer = csv.writer(file)
        names = ["event_attributes.object.object_id", "event_attributes.position.ordinal"]
        writer.writerow(["action_name", "query_id", "timestamp", *names])
        writer.writerow(["click", "q1", "2024-05-01T12:00:01Z", "http://b.org/", "2"])
    log = load_log([queries, events])
    assert rows(log, "action", "url", "time") == [
        ("search", "", NOON),
        ("impression", "http://a.org/", NOON),
        ("impression", "http://b.org/", NOON),
        ("search", "", NOON),
        ("impression", "http://a.org/", NOON),
        ("impression", "http://c.org/", NOON),
        ("click", "http://b.org/", NOON + 1),
    ]
    assert log.query[0] == 'zen, "the"\nway'
    assert log.user is None


@pytest.mark.parametrize("nested", [True, False])
def test_ubi_can_be_parquet_with_nested_or_dotted_names(tmp_path, nested):
    queries, events = str(tmp_path / "queries.parquet"), str(tmp_path / "events [1].parquet")
    duckdb.sql(
        "SELECT 'q1' AS query_id, 'zen' AS user_query, ['http://a.org/', 'http://b.org/'] AS query_response_hit_ids, "
        "TIMESTAMP '2024-05-01 12:00:00' AS \"timestamp\""
    ).write_parquet(queries)
    place = (
        "{'object': {'object_id': 'http://b.org/'}, 'position': {'ordinal': 2}} AS event_attributes"
        if nested
        else '\'http://b.org/\' AS "event_attributes.object.object_id", 2 AS "event_attributes.position.ordinal"'
    )
    duckdb.sql(
        f"SELECT 'click' AS action_name, 'q1' AS query_id, 1714564809500 AS \"timestamp\", {place}"
    ).write_parquet(events)
    log = load_log([queries, events])
    assert rows(log, "action", "url", "time")[-1] == ("click", "http://b.org/", NOON + 9.5)
    assert log.position[-1] == 2
    assert log.reading.n_faults == 0


def test_other_ubi_actions_can_be_mapped(tmp_path):
    files = ubi(tmp_path, [ubi_query()], [ubi_event(action_name="add_to_cart"), ubi_event(action_name="watch")])
    with pytest.raises(DataError, match=r"'watch' must be one of 'search', 'impression', 'click', .*: got 'buy'"):
        load_log(files, actions={"watch": "buy"})
    log = load_log(files, actions={"add_to_cart": "click"})
    assert log.reading.made["click"] == 1
    assert log.reading["unused action"] == 1


def test_impression_events_are_used_if_a_query_has_no_hits(tmp_path):
    shown = [
        ubi_event(action_name="impression"),
        ubi_event("http://a.org/", 1, query_id="q2", action_name="impression"),
    ]
    log = load_log(ubi(tmp_path, [ubi_query(), ubi_query(query_id="q2", query_response_hit_ids=None)], shown))
    assert [row for row in rows(log, "search", "action", "url") if row[1] == "impression"] == [
        ("q1", "impression", "http://a.org/"),
        ("q1", "impression", "http://b.org/"),
        ("q2", "impression", "http://a.org/"),
    ]
    assert log.reading["impression of a search with a hit list"] == 1


def test_a_search_without_events_has_its_own_session(tmp_path):
    log = load_log(ubi(tmp_path, [ubi_query(), ubi_query(query_id="q2")], [ubi_event()]))
    assert dict(rows(log, "search", "session")) == {"q1": "s1", "q2": "search q2"}
    assert log.reading["search without a session"] == 1


def test_aol_rows_with_the_same_user_query_and_time_are_one_search(tmp_path):
    first = aol(
        tmp_path,
        "7\tzen\t2006-03-01 07:17:12\t1\thttp://zen.org",
        "7\tzen\t2006-03-01 07:17:12\t4\thttp://b.org",
        "7\ttea\t2006-03-01 07:20:00\t\t",
    )
    second = aol(tmp_path, '8\t"zen"\t2006-03-01 07:17:12\t2\thttp://zen.org', name="more.txt")
    log = load_log([first, second])
    # By `date -u -d '2006-03-01 07:17:12' +%s`.
    start = 1141197432.0
    assert rows(log, "user", "query", "action", "url", "search", "time") == [
        ("7", "zen", "search", "", "1", start),
        ("7", "zen", "click", "http://zen.org", "1", start),
        ("7", "zen", "click", "http://b.org", "1", start),
        ("7", "tea", "search", "", "2", start + 168),
        ("8", '"zen"', "search", "", "3", start),
        ("8", '"zen"', "click", "http://zen.org", "3", start),
    ]
    assert log.position[[1, 2, 5]].tolist() == [1, 4, 2]
    assert log.session is None
    assert (log.reading.schema, log.reading.rows) == ("aol", 4)


def test_orcas_has_no_header_and_contains_clicks(tmp_path):
    lines = ["10103699\tgithub\tD1265400\thttps://github.com/", '7\tsay "hi\tD2\thttps://hi.org/']
    log = load_log(write(tmp_path, "orcas.tsv", *lines))
    assert rows(log, "query", "action", "url") == [
        ("github", "click", "https://github.com/"),
        ('say "hi', "click", "https://hi.org/"),
    ]
    assert repr(log) == "QueryLog(2 rows: query, action, url)"
    assert log.reading.schema == "orcas"


def test_orcas_with_a_header_is_recognised(tmp_path):
    log = load_log(write(tmp_path, "orcas.tsv", "qid\tquery\tdid\turl\tlabel", "7\tzen\tD2\thttp://zen.org/\tNav"))
    assert (log.reading.schema, len(log)) == ("orcas", 1)
    assert log.reading["unused column"] == 1


def test_with_the_schema_given_the_first_line_of_orcas_is_a_row(tmp_path):
    path = write(tmp_path, "orcas.tsv", "a\tzen\tb\tzen.org")
    assert load_log(path, "orcas").url.tolist() == ["zen.org"]


@pytest.mark.skipif(DATA is None, reason="GLASSRANK_DATA does not name the folder of real data")
def test_the_real_orcas_i_file_is_read_without_faults():
    log = load_log(Path(DATA, "orcas-i-gold", "orcas_i_gold.tsv"), strict=True)
    assert log.reading.made == {"search": 0, "impression": 0, "click": 1000}
    assert log.query[0] == "best reads"


LOG = QueryLog(
    query=["zen", "zen", "zen", 'tea, "green"'],
    action=["search", "impression", "click", "search"],
    url=["", "http://zen.org/", "http://zen.org/", ""],
    time=[NOON, NOON, NOON + 0.1, NOON + 60.25],
    user=["007", "007", "007", "u"],
    session=["1", "1", "1", "2"],
    search=["a", "a", "a", "b"],
    position=[np.nan, 1, 1, np.nan],
    dwell=[np.nan, np.nan, 12.5, np.nan],
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "ndjson", "csv.gz", "csv.xz"])
def test_a_plain_table_round_trips(tmp_path, suffix):
    path = tmp_path / f"log.{suffix}"
    frame = LOG.to_frame("polars").fill_nan(None)
    match suffix:
        case "parquet":
            frame.write_parquet(path)
        case "ndjson":
            frame.write_ndjson(path)
        case _:
            text = frame.write_csv(separator="\t" if suffix == "tsv" else ",").encode()
            pack = {"csv.gz": gzip.compress, "csv.xz": lzma.compress}.get(suffix, bytes)
            path.write_bytes(pack(text))
    log = load_log(path, strict=True)
    assert log.reading.schema == "plain"
    for name in ("query", "action", "url", "time", "user", "session", "search", "position", "dwell"):
        pairs = zip(getattr(log, name).tolist(), getattr(LOG, name).tolist(), strict=True)
        assert all(same(*pair) for pair in pairs), name


def test_columns_of_a_plain_table_can_be_renamed_or_omitted(tmp_path):
    path = write(
        tmp_path, "log.csv", "q,what,address,session", "zen,view,http://zen.org/,", "zen,click,http://b.org/,1"
    )
    names = {"query": "q", "action": "what", "url": "address"}
    log = load_log(path, actions={"view": "impression"}, session=None, **names)
    assert rows(log, "query", "action", "url") == [
        ("zen", "impression", "http://zen.org/"),
        ("zen", "click", "http://b.org/"),
    ]
    assert log.session is None


def test_a_plain_table_without_actions_contains_clicks_if_the_schema_is_given(tmp_path):
    path = plain(tmp_path, "zen,http://zen.org/", header="query,url")
    with pytest.raises(DataError, match="match no schema"):
        load_log(path)
    log = load_log(path, "plain")
    assert log.action.tolist() == ["click"]
    assert log.reading["row without action (read as a click)"] == 1


def test_column_names_ignore_case(tmp_path):
    assert len(load_log(plain(tmp_path, "zen,click,http://zen.org/", header="Query,ACTION,Url"))) == 1


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2024-05-01T12:00:00Z", NOON),
        ("2024-05-01 12:00:00", NOON),
        ("2024-05-01T14:00:00+02:00", NOON),
        ("2024-05-01T14:00:00.250+0200", NOON + 0.25),
        ("2024-05-01T08:30:00-03:30", NOON),
        ("2024-05-01T14:00:00+02", NOON),
        ("2024-05-01", NOON - 12 * 3600),
        ("1714564800", NOON),
        ("1714564800.5", NOON + 0.5),
    ],
)
def test_times_are_read_with_their_zone(tmp_path, written, seconds):
    log = load_log(plain(tmp_path, f"zen,search,,{written}", header="query,action,url,time"))
    assert log.time.tolist() == [seconds]


def test_a_log_made_in_memory_has_no_reading():
    assert LOG.reading is None
    assert LOG.pick_rows([0]).reading is None
