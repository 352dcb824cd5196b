"""The table of features: what is left out and reported, and the effect of unusual input."""

import json

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Links, Pages
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.catalogue import FEATURES
from glassrank.navigational.query_url_features import query_url_features
from tests.navigational.features.random_worlds import containers, random_world
from tests.reference.navigational.all import present
from tests.reference.navigational.names import NEEDS
from tests.reference.navigational.world import World

DECLARED = [feature.name for feature in FEATURES]
EVERYTHING = random_world(3)
WITHOUT_LOG = EVERYTHING | {"clicks": None, "last_time": 2e6}


def results(**columns):
    given = {
        "query_id": [1, 1],
        "query": ["zen garden"] * 2,
        "rank": [1, 2],
        "url": ["http://zen.org/", "http://b.org/x"],
    }
    return SearchResults(**given | columns)


def test_urlmr_is_bare_or_literal():
    """Bare, walmart is 7 of the 12 characters of walmart.com/; literally, "mart" is 4 of the 23 of the address."""
    one = results(query=["Wal Mart"] * 2, url=["http://www.walmart.com/", "http://maple.org/wal mart"])
    bare, literal = query_url_features(one), query_url_features(one, urlmr="literal")
    assert bare["urlmr"].tolist() == pytest.approx([7 / 12, 4 / 18])
    assert literal["urlmr"].tolist() == pytest.approx([4 / 23, 8 / 25])
    same = [name for name in bare.names if name != "urlmr"]
    assert all(np.array_equal(bare[name], literal[name], equal_nan=True) for name in same)
    with pytest.raises(DataError, match="urlmr must be one of 'bare', 'literal': got 'full'"):
        query_url_features(one, urlmr="full")


def names_of(world):
    return set(query_url_features(**containers(world)).names)


def expected_names(world):
    found = present(World(**world))
    return {name for name in DECLARED if NEEDS[name] <= found}


@pytest.mark.parametrize("source", ["clicks", "links", "pages"])
def test_a_missing_source_removes_exactly_its_features(source):
    world = EVERYTHING | {source: None}
    assert names_of(world) == expected_names(world)
    assert query_url_features(**containers(world)).absent[source] == tuple(n for n in DECLARED if source in NEEDS[n])


@pytest.mark.parametrize(
    ("source", "column"),
    [
        *(("results", column) for column in ("score", "snippet")),
        *(("pages", column) for column in ("headings", "description", "site_name", "language", "modified", "h1")),
        *(("pages", column) for column in ("html_bytes", "gzip_bytes", "link_words", "internal_links", "images")),
        *(("pages", column) for column in ("external_links", "external_hosts", "has_form", "hidden_share")),
    ],
)
def test_a_missing_column_removes_exactly_its_features(source, column):
    rows = [{name: value for name, value in row.items() if name != column} for row in WITHOUT_LOG[source]]
    world = WITHOUT_LOG | {source: rows, "log_language": "en"}
    assert names_of(world) == expected_names(world)


def test_a_column_of_unknown_values_counts_as_missing():
    table = query_url_features(results(score=[np.nan, np.nan], snippet=[None, None]))
    assert {"rk_score", "rk_z", "sn_cov"}.isdisjoint(table.names)
    assert table.absent["score"] == ("rk_score", "rk_rel", "rk_z", "rk_gap")


def test_empty_sources_and_no_results_give_empty_tables():
    none = SearchResults(query_id=[], query=[], rank=[], url=[])
    pages, links = Pages(url=[], title=[], text=[]), Links(source=[], target=[], anchor=[])
    assert query_url_features(none, links=links, pages=pages).X.shape[0] == 0
    table = query_url_features(results(), links=links, pages=pages)
    assert np.isnan(table["ti_mr"]).all()
    assert table["anc_link_mass"].tolist() == [0.0, 0.0]


def test_the_table_reports_what_is_left_out():
    table = query_url_features(results())
    lines = str(table).splitlines()
    assert lines[0].startswith("2 results of 1 query, ")
    assert "no engine: without rk_votes, rk_rrf" in lines
    assert "no snippet: without sn_cov" in lines
    with pytest.raises(KeyError, match="'ti_mr' is not among the features: there is no pages"):
        table["ti_mr"]
    with pytest.raises(KeyError, match="'nothing' is not among the features; there are urlmr, "):
        table["nothing"]


def test_the_table_converts_to_a_frame_and_a_summary():
    table = query_url_features(results(score=[2.0, np.nan]))
    frame = table.to_frame("polars")
    assert frame.columns == ["query_id", "query", "rank", "url", *table.names]
    assert frame["rank"].to_list() == [1, 2]
    summary = json.loads(table.to_json())
    assert (summary["n_results"], summary["n_queries"]) == (2, 1)
    assert {"name": "rk_score", "category": "other", "missing": 0.5} in summary["features"]
    assert summary["absent"]["snippet"] == ["sn_cov"]


def test_progress_reports_groups_before_they_are_computed():
    reported = []
    query_url_features(results(), progress=lambda *step: reported.append(step))
    assert [(done, total) for done, total, _ in reported] == [(0, 3), (1, 3), (2, 3)]
    assert all(what.startswith("Features of results: ") for _, _, what in reported)


def test_other_types_are_refused():
    with pytest.raises(DataError, match="results must be SearchResults: got list"):
        query_url_features([1])
    with pytest.raises(DataError, match="pages must be Pages: got dict"):
        query_url_features(results(), pages={})


UNUSUAL = {
    "empty query": {"query": ["  "] * 2},
    "query without a word": {"query": ["???"] * 2},
    "long query": {"query": ["zen " * 250_000] * 2},
    "broken characters": {"query": ["caf\ufffd"] * 2},
    "unreadable address": {"url": ["http://[bad", "http://b.org/"]},
    "address without a host": {"url": ["folder/page.html", "http://b.org/"]},
    "host outside ASCII": {"url": ["http://münchen.de/", "http://b.org/"]},
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_input_is_counted_and_an_error_only_if_strict(kind):
    given = results(**UNUSUAL[kind])
    table = query_url_features(given)
    assert {name: found.count for name, found in table.reading.items()} == {kind: 1}
    assert f"{kind}: 1 " in str(table)
    with pytest.raises(DataError, match=f"strict=True refuses unusual input: {kind}: 1 "):
        query_url_features(given, strict=True)


def test_normal_input_passes_a_strict_run():
    assert query_url_features(results(), strict=True).reading == {}


def test_addresses_of_pages_and_links_are_checked_too():
    pages = Pages(url=["http://[p"], title=[""], text=[""])
    links = Links(source=["http://[p", "http://[s"], target=["http://[t", "http://b.org/"], anchor=["", "x"])
    assert query_url_features(results(), links=links, pages=pages).reading["unreadable address"].count == 3


def test_an_unreadable_address_has_the_features_that_need_no_host():
    table = query_url_features(results(url=["http://[zen", "http://b.org/"]))
    assert np.isnan(table["hostmr"]).tolist() == [True, False]
    assert table["url_len"].tolist() == [4.0, 6.0]
    assert table["urlmr"].tolist() == [3 / 4, 1 / 6]
    assert table["depth"].tolist() == [0.0, 0.0]


HARD = ("zen garden " * 100_000, "a" * 10**6, "ﷺ" * 10**5, "", "\ud800", "\x00", "e" + "\u0301\u0316" * 10**5)
# Python is very slow to sort many accents of one letter: a query is cut off before, a page is not.
TEXTS = (*(text[:50_000] for text in HARD[:-1]), "e\u0301\u0316")
ODD = ("http://[", "//", "http://", "http://\ud800.com/", "http://" + "a." * 1000 + "com/", "http://a..b/", "?", "\x00")


def test_hard_input_neither_crashes_nor_gives_infinite_values():
    rows = [(number, query, rank, url) for number, query in enumerate(HARD) for rank, url in enumerate(ODD, start=1)]
    columns = dict(zip(("query_id", "query", "rank", "url"), zip(*rows, strict=True), strict=True))
    pages = Pages(url=ODD, title=(*TEXTS, ""), text=(*TEXTS, "\ud800 x"), html_bytes=[7.0] * 8, site_name=(*TEXTS, ""))
    links = Links(source=ODD, target=ODD[1:] + ODD[:1], anchor=(*TEXTS, "zen"))
    table = query_url_features(SearchResults(**columns), links=links, pages=pages)
    assert not np.isinf(table.X).any()
    assert table["url_len"].tolist()[:2] == [1.0, 2.0]


def test_the_order_of_rows_in_the_sources_does_not_matter():
    given = containers(EVERYTHING)
    table = query_url_features(**given)
    from_reversed = query_url_features(**{
        name: one.pick_rows(np.arange(len(one))[::-1]) if name in ("results", "clicks", "links", "pages") else one
        for name, one in given.items()
    })  # fmt: skip
    np.testing.assert_allclose(from_reversed.X[::-1], table.X, rtol=1e-11, atol=1e-11)
