"""OpenSearch UBI as its collectors write it: positions, bulk files, purchases."""

import gzip
import json

import numpy as np
import pytest

import glassrank as gr
from tests.cli.commands import glassrank
from tests.data.logs.files import ubi, ubi_event, ubi_query, write

HITS = [f"http://{letter}.org/" for letter in "abcde"]
ASSUMED = "position from an ordinal assumed to count from 1"


def clicks(log):
    return log.position[log.action == "click"].tolist()


def searched(tmp_path, *places, hits=HITS):
    """Load a click for each pair of an address and an ordinal, all after one query with this list of hits."""
    events = [ubi_event(url, ordinal, timestamp=f"2024-05-01T12:00:{n:02}Z") for n, (url, ordinal) in enumerate(places)]
    return gr.load_log(ubi(tmp_path, [ubi_query(query_response_hit_ids=hits)], events))


@pytest.mark.parametrize("first", [0, 1])
def test_a_click_has_the_position_of_its_object_in_the_list_wherever_ordinals_begin(tmp_path, first):
    log = searched(tmp_path, *[(url, place + first) for place, url in enumerate(HITS)])
    assert clicks(log) == [1, 2, 3, 4, 5]
    assert log.reading.n_faults == 0


@pytest.mark.parametrize("first", [0, 1])
def test_outside_the_list_an_ordinal_counts_as_it_does_inside_and_the_reading_tells(tmp_path, first):
    log = searched(tmp_path, (HITS[2], 2 + first), ("http://z.org/", 6 + first))
    assert clicks(log) == [3, 7]
    assert log.reading[f"position from an ordinal counted from {first}"] == 1


def test_an_ordinal_that_differs_from_the_list_is_counted_and_the_list_is_right(tmp_path):
    log = searched(tmp_path, (HITS[1], 2), (HITS[2], 3), (HITS[3], 1), (HITS[4], "last"))
    assert clicks(log) == [2, 3, 4, 5]
    assert log.reading["position that differs from the list"] == 2


@pytest.mark.parametrize("first", [0, 1])
def test_the_ordinal_chooses_among_the_places_of_an_object_that_is_listed_twice(tmp_path, first):
    hits = [*HITS[:3], HITS[0]]
    log = searched(tmp_path, (HITS[1], 1 + first), (HITS[0], 3 + first), (HITS[0], None), hits=hits)
    assert clicks(log) == [2, 4, 1]
    assert log.reading.n_faults == 0


def unlisted(tmp_path, *ordinals, action="click"):
    """Load events with these ordinals for a query that has no list of hits."""
    events = [
        ubi_event(f"http://{n}.org/", ordinal, action_name=action, timestamp=f"2024-05-01T12:00:{n:02}Z")
        for n, ordinal in enumerate(ordinals)
    ]
    log = gr.load_log(ubi(tmp_path, [ubi_query(query_response_hit_ids=None)], events))
    return log.position[log.action == action].tolist(), log.reading


def test_without_lists_an_ordinal_0_shows_that_ordinals_begin_at_0(tmp_path):
    positions, reading = unlisted(tmp_path, 0, 1, 2, action="impression")
    assert positions == [1, 2, 3]
    assert reading["position from an ordinal counted from 0"] == 3
    assert reading.n_faults == 0


def test_without_evidence_ordinals_count_from_1_as_documented_and_the_reading_says_so(tmp_path):
    positions, reading = unlisted(tmp_path, 2, 5)
    assert positions == [2, 5]
    assert reading[ASSUMED] == 2


def test_one_0_among_many_1_is_an_invalid_position(tmp_path):
    positions, reading = unlisted(tmp_path, *[1] * 11, 0, 2)
    assert positions[:11] == [1] * 11
    assert np.isnan(positions[11])
    assert positions[12] == 2
    assert (reading["invalid position"], reading[ASSUMED]) == (1, 12)


@pytest.mark.parametrize("ordinal", [-1, 1.5, "1e400", "first", 1e300])
def test_an_ordinal_that_is_no_place_is_an_invalid_position(tmp_path, ordinal):
    log = searched(tmp_path, (HITS[2], 2), ("http://z.org/", ordinal))
    assert clicks(log)[0] == 3
    known = ordinal == 1e300
    assert np.isnan(clicks(log)[1]) is not known
    assert log.reading["invalid position"] == 1 - known


def bulk(*records, action="index"):
    """Write records as the body of a bulk request: before each, the line that says what to do with it."""
    lines = []
    for record in records:
        index = "ubi_events" if "action_name" in json.loads(record) else "ubi_queries"
        lines += [json.dumps({action: {"_index": index, "_id": str(len(lines))}}), record]
    return lines


SHOWN = [
    ubi_event(url, place, action_name="impression", user_query="zen", timestamp="2024-05-01T12:00:00Z")
    for place, url in enumerate(HITS)
]
SAMPLE = [ubi_query(query_response_hit_ids=None), *SHOWN, ubi_event(HITS[3], 3, user_query="zen")]


@pytest.mark.parametrize("action", ["index", "create"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_body_of_a_bulk_request_with_queries_and_events_is_a_log(tmp_path, action, pack):
    path = tmp_path / "ubi_queries_events.ndjson"
    path.write_bytes(pack("\n".join(bulk(*SAMPLE, action=action)).encode()))
    log = gr.load_log(path, strict=True)
    assert (log.reading.schema, log.reading.rows) == ("ubi", 7)
    assert log.reading.made == {"search": 1, "impression": 5, "click": 1}
    assert log.url[log.action == "impression"].tolist() == HITS
    assert log.position[1:].tolist() == [1, 2, 3, 4, 5, 4]
    assert log.reading["unused column"] == 0


def test_records_of_both_kinds_need_no_action_lines_and_no_order(tmp_path):
    expected = gr.load_log(write(tmp_path, "bulk.ndjson", *bulk(*SAMPLE)))
    mixed = gr.load_log(write(tmp_path, "mixed.ndjson", *SAMPLE[::-1]))
    exported = [json.dumps({"_index": "ubi", "_source": json.loads(record)}) for record in SAMPLE]
    parts = [write(tmp_path, "1.ndjson", *exported[:3]), write(tmp_path, "2.ndjson", *exported[3:])]
    for log in (mixed, gr.load_log(parts)):
        assert log.reading.made == expected.reading.made
        assert sorted(log.url[log.action != "search"]) == sorted(expected.url[expected.action != "search"])


def test_damaged_lines_of_a_bulk_file_are_counted(tmp_path):
    lines = bulk(*SAMPLE)
    lines[2], lines[5] = lines[2][:-9], lines[5][:-9]
    del lines[9]
    log = gr.load_log(write(tmp_path, "bulk.ndjson", *lines, lines[0]))
    assert log.reading["not a JSON object"] == 2
    assert log.reading["bulk action without a document"] == 2
    assert log.reading.made == {"search": 1, "impression": 3, "click": 1}
    assert log.reading.rows == 5 + 2 + 2
    with pytest.raises(gr.DataError, match=r"bulk.ndjson:3: not a JSON object"):
        gr.load_log(tmp_path / "bulk.ndjson", strict=True)


def test_a_bulk_file_without_queries_is_refused(tmp_path):
    with pytest.raises(gr.DataError, match="contains UBI events; the query texts are in another file"):
        gr.load_log(write(tmp_path, "events.ndjson", *bulk(*SAMPLE[1:])))


def test_result_lists_are_read_from_a_bulk_file_and_events_are_noted(tmp_path):
    path = write(tmp_path, "bulk.ndjson", *bulk(ubi_query(query_response_hit_ids=HITS), *SHOWN))
    results = gr.load_results(path)
    assert results.url.tolist() == HITS
    assert (results.reading["unused action"], results.reading.rows) == (5, 6)
    with pytest.raises(gr.DataError, match="no valid result was found"):
        gr.load_results(write(tmp_path, "events.ndjson", *bulk(*SHOWN)))


def shop(tmp_path):
    events = [
        ubi_event(HITS[1], 1),
        ubi_event(HITS[1], 1, action_name="add_to_cart", timestamp="2024-05-01T12:01:00Z"),
        ubi_event(HITS[2], 2, action_name="add_to_cart", timestamp="2024-05-01T12:01:01Z"),
        ubi_event(HITS[1], 1, action_name="purchase", timestamp="2024-05-01T12:02:00Z"),
        ubi_event(HITS[2], 2, action_name="watch", timestamp="2024-05-01T12:03:00Z"),
    ]
    return ubi(tmp_path, [ubi_query(query_response_hit_ids=HITS)], events)


def test_what_was_put_into_the_cart_and_bought_is_kept_with_its_position(tmp_path):
    log = gr.load_log(shop(tmp_path))
    assert log.action[-4:].tolist() == ["click", "add_to_cart", "add_to_cart", "purchase"]
    assert log.url[-4:].tolist() == [HITS[1], HITS[1], HITS[2], HITS[1]]
    assert log.position[-4:].tolist() == [2, 2, 3, 2]
    assert log.reading.made == {"search": 1, "impression": 5, "click": 1, "add_to_cart": 2, "purchase": 1}
    assert "1 click, 2 add_to_cart, 1 purchase\n" in f"{log.reading}\n"
    assert "1 click, 2 add_to_cart, 1 purchase\n" in str(log.describe())
    assert log.reading["unused action"] == 1


def test_features_and_derived_lists_count_clicks_only(tmp_path):
    events = [
        *[("zen", "click", HITS[1], "u", 0.0, 2), ("zen", "purchase", HITS[1], "u", 1500.0, 2)],
        *[("zen", "click", HITS[2], "u", 3000.0, 3), ("zen", "add_to_cart", HITS[3], "v", 9000.0, 4)],
    ]
    query, action, url, user, time, position = zip(*events, strict=True)
    log = gr.QueryLog(query=query, action=action, url=url, user=user, time=time, position=position)
    log.to_frame("polars").write_parquet(tmp_path / "log.parquet")
    without = log.pick_rows(log.action == "click")
    results = gr.SearchResults(query_id=["1"] * 5, query=["zen"] * 5, rank=range(1, 6), url=HITS)
    expected = gr.query_url_features(results, clicks=without)
    for clicks in (log, tmp_path / "log.parquet"):
        found = gr.query_url_features(results, clicks=clicks)
        assert found.names == expected.names
        np.testing.assert_array_equal(found.X, expected.X)
    assert gr.results_from_log(log).url.tolist() == gr.results_from_log(without).url.tolist() == [HITS[1], HITS[2]]


def test_names_of_a_shop_are_mapped_to_purchases(tmp_path):
    files = ubi(tmp_path, [ubi_query()], [ubi_event(action_name="product_purchase")])
    assert gr.load_log(files, actions={"product_purchase": "purchase"}).action[-1] == "purchase"
    path = write(tmp_path, "log.csv", "query,action,url", "zen,purchase,http://a.org/", "zen,add_to_cart,")
    log = gr.load_log(path)
    assert (log.action.tolist(), log.reading["missing address"]) == (["purchase"], 1)


def test_the_command_line_reads_a_bulk_file_and_maps_actions(tmp_path):
    bought = ubi_event(HITS[3], 3, action_name="product_purchase")
    write(tmp_path, "bulk.ndjson", *bulk(*SAMPLE, bought))
    done = glassrank(*("intent", "results", "bulk.ndjson", "--action", "product_purchase=purchase"), folder=tmp_path)
    assert "bulk.ndjson: ubi, 8 rows → 1 search, 5 impressions, 1 click, 1 purchase" in done.err
    assert done.out.splitlines()[1:] == [f"zen,zen,{place},{url}" for place, url in enumerate(HITS, 1)]
