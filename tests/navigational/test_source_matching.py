"""The number of matches is reported, because queries or addresses may be spelt differently in two tables."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Links, Pages
from glassrank.data.query_log import QueryLog
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.query_url_features import query_url_features
from glassrank.navigational.source_matching import SPELLING_NOTE, match_sources

RESULTS = SearchResults(
    query_id=[1, 1, 2, 3],
    query=["zen", "zen", "Zen ", "tao"],
    rank=[1, 2, 1, 1],
    url=["http://zen.org/", "http://a.org/", "http://zen.org/", "http://tao.org/"],
)
# Three clicks are on a result of their query (counted once, although the query has two lists), two are elsewhere, and
# one belongs to another query.
LOG = QueryLog(
    query=["zen", "zen", "zen", "tao", "tao", "else"],
    action=["click"] * 6,
    url=["http://zen.org/", "http://zen.org/", "http://a.org/", "https://tao.org/", "http://a.org/", "http://a.org/"],
)


def reported(**sources):
    return [str(match) for match in match_sources(IntentSources(RESULTS, **sources))]


def test_clicks_on_results_of_their_query_are_counted_once():
    assert reported(clicks=LOG) == [
        "3 of 5 clicks for these queries are on a result of their query; 2 of 2 queries have a click."
    ]


def test_only_clicks_for_the_labelled_queries_are_counted():
    # The clicks for tao are on other addresses; those for zen are left out, as query 3 alone is labelled.
    (found,) = match_sources(IntentSources(RESULTS, LOG), ["3"])
    assert (found.met, found.total) == (0, 2)
    assert str(found).endswith(SPELLING_NOTE)


@pytest.mark.parametrize(("n_elsewhere", "low"), [(3, False), (4, True)])
def test_a_share_of_clicks_below_one_half_has_a_note_on_spelling(n_elsewhere, low):
    urls = ["http://zen.org/"] * 3 + ["https://zen.org/"] * n_elsewhere
    log = QueryLog(query=["zen"] * len(urls), action=["click"] * len(urls), url=urls)
    assert reported(clicks=log)[0].endswith(SPELLING_NOTE) == low


EQUIVALENT = ["http://ZEN.org", "http://zen.org:80/", "HTTP://zen.org/#top", "http://zen.org./", "http://zen.org/%2e"]


@pytest.mark.parametrize("written", EQUIVALENT)
def test_equivalent_addresses_of_all_sources_match(written):
    """RFC 3986, section 6.2: case, default port, fragment, empty path, escapes and dot segments."""
    log = QueryLog(query=["zen"] * 2, action=["impression", "click"], url=[written] * 2)
    pages = Pages(url=[written], title=["Zen"], text=["zen"])
    links = Links(source=["http://b.org/"], target=[written], anchor=["zen"])
    table = query_url_features(RESULTS, log, links, pages)
    assert [(match.source, match.met) for match in table.matching] == [("clicks", 1), ("links", 1), ("pages", 1)]
    as_results = query_url_features(RESULTS, *respelt(log, links, pages))
    assert table.names == as_results.names
    assert np.array_equal(table.X, as_results.X, equal_nan=True)


def respelt(log, links, pages):
    """The sources with the address as the results write it."""
    same = "http://zen.org/"
    return (
        QueryLog(query=log.query, action=log.action, url=[same] * 2),
        Links(source=links.source, target=[same], anchor=links.anchor),
        Pages(url=[same], title=pages.title, text=pages.text),
    )


def test_equivalent_addresses_of_results_share_their_clicks():
    results = SearchResults(query_id=[1, 2], query=["zen"] * 2, rank=[1, 1], url=["http://zen.org", "http://zen.org/"])
    table = query_url_features(results, LOG)
    assert table["clk_n"].tolist() == [2, 2]
    assert (table.matching[0].met, table.matching[0].total) == (2, 3)


def test_bare_hosts_match_on_request_and_get_the_features_of_their_host():
    bare = SearchResults(query_id=[1, 1], query=["zen"] * 2, rank=[1, 2], url=["zen.org", "a.org:80/"])
    log = QueryLog(query=["zen"] * 2, action=["click"] * 2, url=["http://zen.org/", "a.org"])
    assert query_url_features(bare, log)["clk_n"].tolist() == [0, 0]
    read = query_url_features(bare, log, bare_hosts=True)
    whole = SearchResults(query_id=[1, 1], query=["zen"] * 2, rank=[1, 2], url=["http://zen.org", "http://a.org:80/"])
    assert read["clk_n"].tolist() == [1, 1]
    assert np.array_equal(read.X, query_url_features(whole, log, bare_hosts=True).X, equal_nan=True)


def test_pages_and_links_of_addresses_are_counted():
    pages = Pages(url=["http://tao.org/", "http://b.org/"], title=["", ""], text=["", ""])
    links = Links(
        source=["http://b.org/", "http://b.org/", "http://a.org/"],
        target=["http://zen.org/", "http://a.org/", "http://a.org/"],
        anchor=["", "", ""],
    )
    # A link of a page to itself does not count.
    assert reported(pages=pages, links=links) == [
        "2 of 3 addresses of results are linked to.",
        "1 of 3 addresses of results is among the pages.",
    ]


def test_a_source_without_a_match_has_a_note_on_spelling():
    elsewhere = QueryLog(query=["zen"], action=["click"], url=["https://zen.org/"])
    pages = Pages(url=["http://zen.org/?x=1"], title=[""], text=[""])
    clicks, page = reported(clicks=elsewhere, pages=pages)
    assert clicks.startswith(
        "0 of 1 click for these queries are on a result of their query; 1 of 2 queries has a click."
    )
    assert clicks.endswith(SPELLING_NOTE)
    assert page == f"0 of 3 addresses of results are among the pages. {SPELLING_NOTE}"


@pytest.mark.parametrize(
    "sources",
    [
        {"clicks": QueryLog(query=["nobody"], action=["click"], url=["http://zen.org/"])},
        {"pages": Pages(url=["http://zen.org/?x=1"], title=[""], text=[""])},
        {"links": Links(source=["http://a.org/"], target=["http://b.org/"], anchor=[""])},
    ],
    ids=["clicks", "pages", "links"],
)
def test_a_source_without_a_match_is_refused_if_strict(sources):
    assert len(query_url_features(RESULTS, **sources).matching) == 1
    with pytest.raises(DataError, match="refuses a source that matches no result: 0 of"):
        query_url_features(RESULTS, **sources, strict=True)


def test_a_log_without_clicks_is_not_an_error():
    searches = QueryLog(query=["zen"], action=["search"], url=[""])
    assert reported(clicks=searches) == []
    assert query_url_features(RESULTS, searches, strict=True).matching == ()


def test_the_table_of_features_prints_and_stores_the_matches():
    table = query_url_features(RESULTS, LOG)
    assert str(table).splitlines()[-1] == reported(clicks=LOG)[0]
    assert '"matching": [{"source": "clicks", "met": 3, "total": 5' in table.to_json()
