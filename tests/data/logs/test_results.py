"""Result lists are loaded from files or derived from a log."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.hosts import complete_address
from glassrank.data.logs.derived_results import results_from_log
from glassrank.data.logs.load_results import load_results
from glassrank.data.query_log import QueryLog
from glassrank.data.search_results import SearchResults
from tests.data.logs.files import ubi, ubi_query, write

RESULTS = SearchResults(
    query_id=["1", "1", "1", "2"],
    query=["zen", "zen", "zen", "tea"],
    rank=[1, 2, 1, 1],
    url=["http://a.org/", "http://b.org/", "http://b.org/", "http://c.org/"],
    score=[0.1, -2.5, 1e-300, np.nan],
    engine=["x", "x", "y", "x"],
    snippet=["the way", 'of "zen"', None, "tea,\ngreen"],
)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "ndjson"])
def test_a_results_table_round_trips(tmp_path, suffix):
    path = tmp_path / f"results.{suffix}"
    frame = RESULTS.to_frame("polars").fill_nan(None)
    getattr(frame, f"write_{suffix}")(path)
    results = load_results(path, strict=True)
    for name in ("query_id", "query", "rank", "url", "engine"):
        assert getattr(results, name).tolist() == getattr(RESULTS, name).tolist()
    np.testing.assert_array_equal(results.score, RESULTS.score)
    absent = "" if suffix == "csv" else None
    assert results.snippet.tolist() == ["the way", 'of "zen"', absent, "tea,\ngreen"]
    assert results.reading.made == {"query": 2, "result": 4}


def test_ubi_hits_become_result_lists(tmp_path):
    queries, _ = ubi(tmp_path, [ubi_query(), ubi_query(query_id="q2", query_response_hit_ids=None)], [])
    results = load_results(queries)
    assert results.query_id.tolist() == ["q1", "q1"]
    assert results.rank.tolist() == [1, 2]
    assert results.url.tolist() == ["http://a.org/", "http://b.org/"]
    assert results.reading.rows == 2


def test_a_missing_column_is_named(tmp_path):
    path = write(tmp_path, "results.csv", "query_id,query,place,url", "1,zen,1,http://a.org/")
    with pytest.raises(DataError, match="the schema 'results' needs the column 'rank': the file has 'query_id'"):
        load_results(path, "results")
    assert load_results(path, rank="place").rank.tolist() == [1]


def test_results_of_two_schemas_cannot_be_mixed(tmp_path):
    queries, _ = ubi(tmp_path, [ubi_query()], [])
    path = write(tmp_path, "results.csv", "query_id,query,rank,url", "1,zen,1,http://a.org/")
    with pytest.raises(DataError, match="All files must have the same schema"):
        load_results([queries, path])


LOG = QueryLog(
    query=["zen"] * 6 + ["tea", "mat"],
    action=["impression", "impression", "impression", "click", "click", "click", "click", "search"],
    url=["a", "b", "c", "c", "c", "d", "a", ""],
    position=[1, 2, 3, 3, 3, np.nan, np.nan, np.nan],
)


def test_a_log_with_positions_gives_lists_by_mean_position():
    results = results_from_log(LOG)
    assert list(zip(results.query, results.rank.tolist(), results.url, strict=True)) == [
        ("zen", 1, "a"),
        ("zen", 2, "b"),
        ("zen", 3, "c"),
        ("zen", 4, "d"),
        ("tea", 1, "a"),
    ]


def test_lists_can_be_ordered_by_clicks_and_truncated():
    assert results_from_log(LOG, by="clicks").url.tolist() == ["c", "d", "a", "b", "a"]
    assert results_from_log(LOG, by="clicks", depth=2).url.tolist() == ["c", "d", "a"]


def test_a_log_of_clicks_only_gives_lists_by_clicks():
    log = QueryLog(query=["zen"] * 3, action=["click"] * 3, url=["b", "a", "b"])
    assert results_from_log(log).url.tolist() == ["b", "a"]
    with pytest.raises(DataError, match="by='position' needs positions"):
        results_from_log(log, by="position")
    with pytest.raises(DataError, match="by must be one of 'position', 'clicks': got 'chance'"):
        results_from_log(log, by="chance")


def test_a_log_of_searches_only_gives_no_list():
    with pytest.raises(DataError, match="neither impressions nor clicks"):
        results_from_log(QueryLog(query=["zen"], action=["search"], url=[""]))


def test_equivalent_addresses_of_a_log_are_one_result():
    """RFC 3986: the default port and the empty path; a bare host only on request."""
    urls = ["http://b.org", "http://b.org:80/", "http://a.org/", "b.org"]
    log = QueryLog(query=["zen"] * 4, action=["click"] * 4, url=urls)
    assert results_from_log(log).url.tolist() == ["http://b.org", "b.org", "http://a.org/"]
    assert results_from_log(log, bare_hosts=True).url.tolist() == ["http://b.org", "http://a.org/"]


def test_lists_are_limited_to_the_wanted_queries():
    log = QueryLog(query=["zen", "tao"], action=["click"] * 2, url=["http://a.org/"] * 2)
    assert results_from_log(log, queries=["tao", "else"]).query.tolist() == ["tao"]
    with pytest.raises(DataError, match="neither impressions nor clicks of these queries"):
        results_from_log(log, queries=["else"])


@pytest.mark.parametrize(
    ("address", "completed"),
    [
        ("www.walmart.com", "http://www.walmart.com"),
        ("//a.org/x", "http://a.org/x"),
        ("a.org:8080/x?y=http://b.org", "http://a.org:8080/x?y=http://b.org"),
        *((name, name) for name in ("ftp://a.org", "mailto:me@a.org", "B076YX2LML", "wp/a.htm", "C:/a.htm", "", "a..")),
    ],
)
def test_only_bare_hosts_are_completed(address, completed):
    assert complete_address(address) == completed
