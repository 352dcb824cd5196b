"""The number of matches is reported, because queries or addresses may be spelt differently in two tables."""

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
    url=["http://zen.org/", "http://zen.org/", "http://a.org/", "http://tao.org", "http://a.org/", "http://a.org/"],
)


def reported(**sources):
    return [str(match) for match in match_sources(IntentSources(RESULTS, **sources))]


def test_clicks_on_results_of_their_query_are_counted_once():
    assert reported(clicks=LOG) == ["3 of 6 clicks are on a result of their query; 2 of 2 queries have a click."]


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
    elsewhere = QueryLog(query=["zen"], action=["click"], url=["http://zen.org"])
    pages = Pages(url=["http://zen.org/?x=1"], title=[""], text=[""])
    clicks, page = reported(clicks=elsewhere, pages=pages)
    assert clicks == f"0 of 1 click are on a result of their query; 1 of 2 queries has a click. {SPELLING_NOTE}"
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
    assert '"matching": [{"source": "clicks", "met": 3, "total": 6' in table.to_json()
