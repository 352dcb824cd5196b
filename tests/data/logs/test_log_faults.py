"""Every kind of fault is counted, shown, and dropped or kept as declared; strict reading stops at it."""

import json
import re
import zlib

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.logs.fault_kinds import KINDS
from glassrank.data.logs.load_log import load_log
from glassrank.data.logs.load_results import load_results
from tests.data.logs.files import aol, plain, ubi, ubi_event, ubi_query, write
from tests.house.repository import DOCS

NOON = "2024-05-01T12:00:00Z"
LATER = "2024-05-01T12:00:30Z"
# query, action, url, time, user, session, search, position, dwell
SEARCH = f"zen,search,,{NOON},u,s,1,,"
CLICK = f"zen,click,http://b.org/,{LATER},u,s,1,2,30"


def from_plain(*rows, **options):
    return lambda folder, **strict: load_log(plain(folder, *rows), **options, **strict)


def from_aol(*rows):
    return lambda folder, **strict: load_log(aol(folder, *rows), **strict)


def from_ubi(queries, events):
    return lambda folder, **strict: load_log(ubi(folder, queries, events)[: 2 if events else 1], **strict)


def from_shown(*rows):
    return lambda folder, **strict: load_log(plain(folder, *rows, header="query,position,clicked"), **strict)


def from_results(*rows):
    lines = ("query_id,query,rank,url,score,engine", *rows)
    return lambda folder, **strict: load_results(write(folder, "results.csv", *lines), **strict)


def results_from_ubi(*queries):
    return lambda folder, **strict: load_results(ubi(folder, queries, [])[0], **strict)


BULK = '{"create": {"_index": "ubi_queries"}}'
RESULT = "1,zen,1,http://a.org/,0.5,x"
# (kind, how to load, how often the kind occurs, the first example, remaining rows)
CASES = [
    ("wrong number of fields", from_plain(SEARCH, "zen,click", "a" * 2000), 2, "log.csv:3 'zen,click'", 1),
    ("wrong number of fields", from_aol("7\tzen", "7\tzen\t2006-03-01 07:17:12\t\t"), 1, "aol.txt:2 '7\\tzen'", 1),
    (
        "not a JSON object",
        from_ubi([ubi_query(), '{"query_id": ', "[]", "[" * 5000, "1" * 5000], [ubi_event()]),
        4,
        """queries.ndjson:2 '{"query_id": '""",
        4,
    ),
    (
        "not a JSON object",
        from_ubi([ubi_query(), '{"a":' * 60 + "1" + "}" * 60], [ubi_event()]),
        1,
        'queries.ndjson:2 \'{"a":',
        4,
    ),
    ("line too long", from_plain(SEARCH, "z" * 3_000_000, CLICK), 1, f"log.csv:3 '{'z' * 40}'…", 2),
    ("invalid quoting", from_plain(SEARCH, '"ze"n,click,http://b.org/'), 1, "log.csv:3", 1),
    ("invalid quoting", from_plain('"zen,search', SEARCH, CLICK), 1, "log.csv:2 '\"zen,search'", 2),
    (
        "list or object instead of text",
        from_ubi([ubi_query(), ubi_query(query_id="q2", user_query=["a", "b"])], [ubi_event({"a": 1}), ubi_event()]),
        2,
        'queries.ndjson:2 \'["a", "b"]\'',
        4,
    ),
    (
        "encoding error",
        from_plain(SEARCH, f"caf,search,,{NOON},u,s,2,,".replace("caf", "caf\xe9").encode("latin-1")),
        1,
        "log.csv:3 'caf�,search",
        2,
    ),
    (
        "encoding error",
        from_ubi([ubi_query(user_query="zen \ud800")], [ubi_event()]),
        1,
        "queries.ndjson:1",
        4,
    ),
    (
        "unreadable hit list",
        from_ubi([ubi_query(query_response_hit_ids=7)], [ubi_event()]),
        1,
        "queries.ndjson:1 '7'",
        2,
    ),
    ("unknown action", from_plain(SEARCH, SEARCH.replace("search", "view"), ",,,,,,,,"), 2, "log.csv:3 'view'", 1),
    (
        "empty query",
        from_plain(SEARCH, SEARCH.replace("zen", ""), SEARCH.replace("zen", " \t\xa0\u3000")),
        2,
        "log.csv:3 ''",
        1,
    ),
    ("empty query", from_aol("7\t-\t2006-03-01 07:17:12\t\t", "7\tzen\t2006-03-01 07:17:12\t\t"), 1, "aol.txt:2 ''", 1),
    (
        "query too long",
        from_plain(
            SEARCH, SEARCH.replace("zen", "z" * 1_000_000), SEARCH.replace("zen", "é" * 4096).replace(",1,", ",2,")
        ),
        1,
        f"log.csv:3 '{'z' * 40}'…",
        2,
    ),
    ("query too long", from_plain(SEARCH, f"ze,search,,{NOON},u,s,2,,", longest_query=2), 1, "log.csv:2 'zen'", 1),
    ("missing address", from_plain(SEARCH, CLICK.replace("http://b.org/", " ")), 1, "log.csv:3 'zen'", 1),
    ("missing address", from_aol("7\tzen\t2006-03-01 07:17:12\t1\t"), 1, "aol.txt:2 'zen'", 1),
    (
        "missing address",
        from_ubi([ubi_query(query_response_hit_ids=["http://b.org/", None, ""])], []),
        2,
        "queries.ndjson:1 'zen'",
        2,
    ),
    (
        "invalid address",
        from_plain(SEARCH, *(CLICK.replace("http://b.org/", url) for url in ("http://[b/", "http://", "http:///a"))),
        3,
        "log.csv:3 'http://[b/'",
        1,
    ),
    (
        "invalid time",
        from_plain(
            SEARCH, *(CLICK.replace(LATER, time) for time in ("soon", "", "1714564800000", "2024-13-01", "inf"))
        ),
        5,
        "log.csv:3 'soon'",
        1,
    ),
    ("missing user", from_plain(SEARCH, CLICK.replace(",u,", ",,")), 1, "log.csv:3 'zen'", 1),
    ("missing session", from_plain(SEARCH, CLICK.replace(",s,", ",,")), 1, "log.csv:3 'zen'", 1),
    ("missing search", from_plain(SEARCH, CLICK.replace(",1,", ",,")), 1, "log.csv:3 'zen'", 1),
    ("missing search", from_ubi([ubi_query(), ubi_query(query_id="")], []), 1, "queries.ndjson:2 'zen'", 3),
    (
        "value not allowed for the action",
        from_plain(f"zen,search,http://b.org/,{NOON},u,s,1,3,4", CLICK),
        3,
        "log.csv:2 'http://b.org/'",
        2,
    ),
    (
        "invalid position",
        from_plain(SEARCH, *(CLICK.replace(",2,", f",{place},") for place in ("top", "0", "1.5", "-1", "1_0", "nan"))),
        6,
        "log.csv:3 'top'",
        2,
    ),
    (
        "invalid position",
        from_aol("7\tzen\t2006-03-01 07:17:12\tfirst\thttp://zen.org"),
        1,
        "aol.txt:2 'first'",
        2,
    ),
    (
        "invalid dwell time",
        from_plain(SEARCH, *(CLICK.replace(",30", f",{time}") for time in ("-1", "long"))),
        2,
        "log.csv:3 '-1'",
        2,
    ),
    (
        "duplicate search",
        from_ubi([ubi_query(), ubi_query(user_query="tea")], [ubi_event()]),
        1,
        "queries.ndjson:2 'q1'",
        4,
    ),
    (
        "event of an unknown search",
        from_ubi([ubi_query()], [ubi_event(), ubi_event(query_id="q9"), ubi_event(query_id=None)]),
        2,
        "events.ndjson:2 'q9'",
        4,
    ),
    (
        "event that contradicts its search",
        from_plain(SEARCH, CLICK.replace("zen", "tea"), CLICK.replace(",s,", ",t,"), CLICK.replace(",u,", ",v,")),
        3,
        "log.csv:3 '1'",
        1,
    ),
    ("duplicate event", from_plain(SEARCH, CLICK, SEARCH, CLICK, CLICK), 3, "log.csv:4 ''", 2),
    (
        "duplicate event",
        from_aol(*["7\tzen\t2006-03-01 07:17:12\t1\thttp://zen.org"] * 3),
        2,
        "aol.txt:3 'zen'",
        2,
    ),
    ("click without a search", from_plain(SEARCH, CLICK.replace(",1,", ",2,")), 1, "log.csv:3 '2'", 2),
    (
        "click without a search",
        from_ubi([ubi_query()], [ubi_event(query_id="q9", user_query="tea")]),
        1,
        "events.ndjson:1 'q9'",
        4,
    ),
    (
        "click on a result that was not shown",
        from_ubi([ubi_query()], [ubi_event("http://c.org/", 3)]),
        1,
        "events.ndjson:1 'http://c.org/'",
        4,
    ),
    (
        "position that differs from the list",
        from_ubi([ubi_query()], [ubi_event(ordinal=3)]),
        1,
        "events.ndjson:1 '3'",
        4,
    ),
    (
        "event earlier than its search",
        from_ubi([ubi_query()], [ubi_event(timestamp="2024-05-01T11:59:59Z")]),
        1,
        "events.ndjson:1 '2024-05-01T11:59:59Z'",
        4,
    ),
    (
        "clock running backwards",
        from_plain(SEARCH, CLICK, f"tea,search,,{NOON},u,s,2,,", f"tea,search,,{NOON},w,r,3,,"),
        1,
        f"log.csv:4 '{NOON}'",
        4,
    ),
    (
        "clock running backwards",
        from_aol("7\tzen\t2006-03-01 07:17:12\t\t", "7\ttea\t2006-03-01 07:17:11\t\t"),
        1,
        "aol.txt:3 '2006-03-01 07:17:11'",
        2,
    ),
    ("missing query identifier", from_results(RESULT, RESULT.replace("1,zen", ",zen")), 1, "results.csv:3 'zen'", 1),
    ("empty query", from_results(RESULT, RESULT.replace("zen", " ")), 1, "results.csv:3 ' '", 1),
    (
        "invalid rank",
        from_results(RESULT, RESULT.replace("zen,1", "zen,0"), RESULT.replace("zen,1", "zen,")),
        2,
        "results.csv:3 '0'",
        1,
    ),
    ("missing engine", from_results(RESULT, RESULT.replace(",x", ",")), 1, "results.csv:3 'zen'", 1),
    (
        "different query for the same identifier",
        from_results(RESULT, RESULT.replace("zen,1", "tea,2")),
        1,
        "results.csv:3 'tea'",
        1,
    ),
    ("duplicate rank", from_results(RESULT, RESULT, RESULT.replace(",x", ",y")), 1, "results.csv:3 '1'", 2),
    ("invalid score", from_results(RESULT, "1,zen,2,http://b.org/,high,x"), 1, "results.csv:3 'high'", 2),
    (
        "international host",
        from_plain(SEARCH, CLICK.replace("b.org", "bücher.example"), CLICK.replace("b.org", "a.xn--bcher-kva.example")),
        2,
        "log.csv:3 'http://bücher.example/'",
        3,
    ),
    ("row of several lines", from_plain(SEARCH.replace("zen", '"zen\n\nb"')), 1, "log.csv:2 '\"zen", 1),
    (
        "repeated search without a click",
        from_aol("7\tzen\t2006-03-01 07:17:12\t1\thttp://b.org/", "7\tzen\t2006-03-01 07:17:12\t\t"),
        1,
        "aol.txt:3 'zen'",
        2,
    ),
    (
        "search event of a known search",
        lambda folder, **strict: load_log(
            ubi(folder, [ubi_query()], [ubi_event(action_name="asked")]), actions={"asked": "search"}, **strict
        ),
        1,
        "events.ndjson:1 'q1'",
        3,
    ),
    (
        "search without results",
        results_from_ubi(ubi_query(), ubi_query(query_id="q2", query_response_hit_ids=[])),
        1,
        "queries.ndjson:2 'zen'",
        2,
    ),
    (
        "bulk action without a document",
        from_ubi([ubi_query(), BULK, BULK, ubi_query(query_id="q2"), BULK], []),
        2,
        f"queries.ndjson:2 '{BULK}'",
        6,
    ),
    ("invalid click flag", from_shown("zen,1,1", "zen,2,yes"), 1, "log.csv:3 'yes'", 2),
    ("row without an address (its own result)", from_shown("zen,1,0", "zen,2,0"), 2, "log.csv:2 'zen'", 2),
    *(
        (
            f"position from an ordinal {counted}",
            from_ubi(
                [ubi_query(), ubi_query(query_id="q2", query_response_hit_ids=None)],
                [ubi_event(ordinal=inside), ubi_event("http://c.org/", 7, query_id="q2")],
            ),
            1,
            "events.ndjson:2 '7'",
            6,
        )
        for counted, inside in (("counted from 0", 1), ("counted from 1", 2), ("assumed to count from 1", None))
    ),
    (
        "unused action",
        from_ubi([ubi_query()], [ubi_event(action_name="watch"), ubi_event(action_name="")]),
        2,
        "events.ndjson:1 'watch'",
        3,
    ),
    (
        "impression of a search with a hit list",
        from_ubi([ubi_query()], [ubi_event(action_name="impression")]),
        1,
        "events.ndjson:1 'q1'",
        3,
    ),
    (
        "search without a user",
        from_ubi([ubi_query(), ubi_query(query_id="q2", client_id=None)], []),
        1,
        "queries.ndjson:2 'q2'",
        6,
    ),
    ("search without a session", from_ubi([ubi_query(), ubi_query(query_id="q2")], [ubi_event()]), 1, "queries.", 7),
    (
        "unused column",
        lambda folder, **strict: load_log(plain(folder, "zen,search,,1", header="query,action,url,weight"), **strict),
        1,
        "log.csv 'weight'",
        1,
    ),
    (
        "row without action (read as a click)",
        lambda folder, **strict: load_log(plain(folder, "zen,a.org", header="query,url"), "plain", **strict),
        1,
        "log.csv:2 'zen'",
        1,
    ),
    (
        "address without a scheme (read as http://)",
        from_aol("7\tzen\t2006-03-01 07:17:12\t1\twww.zen.org"),
        1,
        "aol.txt:2 'www.zen.org'",
        2,
    ),
]
IDS = [f"{number}-{case[0]}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize(("kind", "load", "count", "example", "left"), CASES, ids=IDS)
def test_a_fault_is_counted_with_its_place_and_reading_continues(tmp_path, kind, load, count, example, left):
    table = load(tmp_path)
    reading = table.reading
    assert reading[kind] == count
    found = getattr(reading, KINDS[kind].fate)[kind]
    assert len(found.examples) == min(count, 5)
    assert found.examples[0].removeprefix(f"{tmp_path}/").startswith(example)
    assert len(table) == left
    assert f"  {KINDS[kind].fate:<7}  {kind}: {count} (" in str(reading)


@pytest.mark.parametrize(("kind", "load"), [case[:2] for case in CASES], ids=IDS)
def test_strict_reading_stops_at_faults_only(tmp_path, kind, load):
    if KINDS[kind].fate == "noted":
        assert load(tmp_path, strict=True).reading[kind] > 0
        return
    with pytest.raises(DataError) as error:
        load(tmp_path, strict=True)
    about = KINDS[kind]
    if f": {kind}: " in str(error.value):
        assert re.search(rf"[:\d]+: {kind}: expected {re.escape(about.expected)}, got .*\. ", str(error.value))
        assert str(error.value).endswith(DataError(kind, remedy=about.remedy).remedy)
    else:
        # Another fault of the same file was found first.
        assert load(tmp_path).reading.n_faults > load(tmp_path).reading[kind]


def test_every_kind_has_a_case():
    assert {case[0] for case in CASES} == set(KINDS)


def test_the_page_on_logs_lists_every_kind_with_its_fate():
    page = (DOCS / "how-to/read-logs.md").read_text()
    listed = re.findall(r"^\| (dropped|kept|noted) \| ([^|]+?) \|", page, re.MULTILINE)
    assert [(kind.fate, kind.name) for kind in KINDS.values()] == listed


def test_invalid_values_become_unknown(tmp_path):
    log = from_plain(SEARCH, CLICK.replace(",2,30", ",top,-1"))(tmp_path)
    assert log.position is None
    assert log.dwell is None
    assert log.action.tolist() == ["search", "click"]


@pytest.mark.parametrize(("dwell", "known"), [("1e9", True), ("1000000001", False), ("1714564830000", False)])
def test_a_dwell_time_of_more_than_thirty_years_is_a_fault(tmp_path, dwell, known):
    log = from_plain(SEARCH, CLICK.replace(",2,30", f",2,{dwell}"))(tmp_path)
    assert log.reading["invalid dwell time"] == 1 - known
    assert (log.dwell is not None) == known


def test_an_undecodable_byte_is_replaced_and_the_right_encoding_reads_it(tmp_path):
    path = plain(tmp_path, "café,search,".encode("cp1252"), header="query,action,url")
    assert load_log(path).query.tolist() == ["caf�"]
    log = load_log(path, encoding="cp1252", strict=True)
    assert log.query.tolist() == ["café"]


def test_equal_rows_are_not_duplicates_if_times_or_users_are_unknown(tmp_path):
    log = load_log(plain(tmp_path, "zen,click,a.org", "zen,click,a.org", header="query,action,url"))
    assert (len(log), log.reading.n_faults) == (2, 0)
    log = load_log(plain(tmp_path, "zen,click,a.org,7", "zen,click,a.org,7", header="query,action,url,time"))
    assert (len(log), log.reading.n_faults) == (2, 0)


def test_a_reading_converts_to_a_table_and_json(tmp_path):
    reading = from_plain(SEARCH, SEARCH, SEARCH.replace("zen", ""))(tmp_path).reading
    frame = reading.to_frame("polars")
    assert frame["kind"].to_list() == ["duplicate event", "empty query"]
    assert frame["fate"].to_list() == ["dropped", "dropped"]
    assert json.loads(reading.to_json())["dropped"]["empty query"]["count"] == 1
    with pytest.raises(DataError, match="There is no kind of fault 'bad'"):
        reading["bad"]


def test_a_reading_is_frozen(tmp_path):
    reading = from_plain(SEARCH)(tmp_path).reading
    with pytest.raises(AttributeError):
        reading.rows = 7


def test_a_log_without_valid_events_raises_an_error_with_the_report(tmp_path):
    with pytest.raises(DataError, match=r"no valid event was found(.|\n)*empty query: 1"):
        from_plain(SEARCH.replace("zen", ""))(tmp_path)


def test_rows_that_cannot_be_split_count_as_read(tmp_path):
    assert from_plain(SEARCH, "zen", CLICK)(tmp_path).reading.rows == 3


def test_an_invalid_score_becomes_unknown(tmp_path):
    results = from_results(RESULT, "1,zen,2,http://b.org/,high,x")(tmp_path)
    assert results.score[0] == 0.5
    assert np.isnan(results.score[1])


LONE = {"mid-field": '{} 27" tv', "at the beginning": '"{} zen', "at the end": '{} zen"', "whole": '"{} zen" tv'}


@pytest.mark.parametrize("first", LONE.values(), ids=LONE)
@pytest.mark.parametrize("second", LONE.values(), ids=LONE)
@pytest.mark.parametrize("delimiter", ["\t", ","], ids=["tsv", "csv"])
def test_lone_quotes_lose_no_other_row_and_every_row_is_kept_or_reported(tmp_path, first, second, delimiter):
    """60 queries, two of them with a lone quote, 50 rows apart."""
    queries = [f"query {number}" for number in range(60)]
    queries[4], queries[54] = first.format(4), second.format(54)
    rows = [delimiter.join((query, "click", f"http://a.org/{number}")) for number, query in enumerate(queries)]
    log = load_log(write(tmp_path, "log.tsv", delimiter.join(("query", "action", "url")), *rows))
    faulty = log.reading["invalid quoting"]
    assert log.reading.rows == 60 == len(log) + faulty == len(log) + log.reading.n_faults
    kept = [query for number, query in enumerate(queries) if number not in (4, 54)]
    assert [query for query in log.query if query in kept] == kept
    # A quote inside a field is a sign like any other.
    literal = [query for query in (queries[4], queries[54]) if not query.startswith('"')]
    assert faulty == 2 - len(literal)
    assert set(literal) <= set(log.query)


def test_results_with_lone_quotes_are_all_read(tmp_path):
    queries = ['27" tv' if number in (4, 54) else f"query {number}" for number in range(60)]
    rows = [f"{number}\t{query}\t1\thttp://a.org/{number}" for number, query in enumerate(queries)]
    results = load_results(write(tmp_path, "results.tsv", "query_id\tquery\trank\turl", *rows))
    assert (results.reading.rows, len(results), results.reading.n_faults) == (60, 60, 0)


def test_line_breaks_in_quotes_and_empty_lines_inside_them_are_text(tmp_path):
    log = load_log(
        write(tmp_path, "log.csv", "query,action,url", '"a', "", 'b",click,http://a.org/', "c,click,http://b.org/")
    )
    assert log.query.tolist() == ["a\n\nb", "c"]


def test_a_row_of_tabs_is_a_row_and_is_reported(tmp_path):
    log = load_log(write(tmp_path, "log.tsv", "query\taction\turl", "zen\tclick\thttp://a.org/", "\t\t"))
    assert (log.reading.rows, log.reading["unknown action"]) == (2, 1)


def test_an_endless_line_is_passed_over_in_little_memory(tmp_path):
    """A line of 60 MiB in 60 kB of gzip: within what may be unpacked, beyond what a line may have."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    pieces = [packer.compress(b"query,action,url\nzen,click,http://a.org/\n")]
    pieces += [packer.compress(b"z" * 2**20) for _ in range(60)]
    pieces += [packer.compress(b"\nzen,click,http://b.org/\n"), packer.flush()]
    path = tmp_path / "log.csv.gz"
    path.write_bytes(b"".join(pieces))
    log = load_log(path)
    assert (log.reading["line too long"], log.reading.rows, len(log)) == (1, 3, 2)
