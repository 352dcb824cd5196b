"""Pages, links and collections."""

import dataclasses
import datetime
import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.hosts import host_of

PAGES = {
    "url": ["http://a.org/", "http://a.org/x", "https://B.org:8080/"],
    "title": ["A", "", "B"],
    "text": ["home of a", "x" * 5000, "b"],
    "site": ["a", "a", "b"],
    "h1": ["A", "", ""],
    "headings": ["A and more", "", ""],
    "description": ["all of a", "", ""],
    "site_name": ["", "", "B!"],
    "language": ["en", "", "de"],
    "modified": [0.0, np.nan, 86400.5],
    "html_bytes": [1000.0, 20000.0, np.nan],
    "gzip_bytes": [500.0, 900.0, np.nan],
    "link_words": [3.0, 0.0, np.nan],
    "internal_links": [1, 0, 0],
    "external_links": [2, 0, 1],
    "external_hosts": [1, 0, 1],
    "images": [4, 0, 0],
    "has_form": [True, False, False],
    "hidden_share": [0.0, 0.25, np.nan],
}
LINKS = {
    "source": ["http://a.org/", "http://a.org/", "http://a.org/x"],
    "target": ["http://a.org/x", "http://a.org/x", "http://c.org/"],
    "anchor": ["x", "", "away"],
    "nofollow": [False, True, False],
}
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


def few(**columns):
    return {"url": ["a", "b"], "title": ["A", "B"], "text": ["", ""]} | columns


def assert_same(table, other):
    assert repr(table) == repr(other)
    for name in [field.name for field in dataclasses.fields(table) if getattr(table, field.name) is not None]:
        one, two = getattr(table, name), getattr(other, name)
        assert one.dtype == two.dtype
        if one.dtype == object:
            assert one.tolist() == two.tolist()
        else:
            np.testing.assert_array_equal(one, two)


def test_columns_have_fixed_kinds():
    pages = Pages(**PAGES)
    assert pages.url.dtype == object
    assert pages.modified.dtype == np.float64
    assert pages.images.dtype == np.float64
    assert pages.has_form.dtype == np.bool_
    assert len(pages) == 3


def test_columns_that_are_not_given_are_absent():
    pages = Pages(**few())
    assert pages.language is None
    assert repr(pages) == "Pages(2 rows: url, title, text)"


def test_tables_are_frozen():
    pages = Pages(**PAGES)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pages.url = []
    for name in ("url", "modified", "has_form"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(pages, name)[0] = getattr(pages, name)[1]


def test_one_long_text_does_not_widen_the_others():
    pages = Pages(url=[str(row) for row in range(1000)], title=[""] * 1000, text=["x" * 10_000_000, *[""] * 999])
    assert pages.text.nbytes == 8 * 1000


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (few(title=["A"]), "title must have one entry per entry of url: expected 2, got 1"),
        (few(url=["a", "a"]), "url must differ from page to page: rows 0 and 1 both hold 'a'"),
        (few(url=["a", ""]), "url must hold text that is not empty: row 1 holds ''"),
        (few(title=["A", None]), "title must hold text, '' where there is none: row 1 holds None"),
        (few(title=["A", np.nan]), "title must hold text, '' where there is none: row 1 holds nan"),
        (few(text=[1, 2]), r"text must hold text, '' where there is none: row 0 holds 1 \(2 rows are wrong\)"),
        (few(url=[["a"], ["b"]]), r"url must be one-dimensional: got shape \(2, 1\)"),
        (few(images=[1, -1]), "images must hold whole numbers from 0, NaN where unknown: row 1 holds -1.0"),
        (few(images=[1, 1.5]), "images must hold whole numbers from 0, NaN where unknown: row 1 holds 1.5"),
        (few(images=[1, np.inf]), "images must hold whole numbers from 0, NaN where unknown: row 1 holds inf"),
        (few(hidden_share=[0.5, 1.5]), "hidden_share must hold shares from 0 to 1, NaN where unknown: row 1 holds 1.5"),
        (few(has_form=[True, np.nan]), "has_form must hold True or False: row 1 holds nan"),
        (few(has_form=[True, 2]), "has_form must hold True or False: row 1 holds 2.0"),
        (few(modified=[0, 1.7e12]), r"modified must hold seconds since 1970.*divide milliseconds.*row 1 holds 17000"),
        (few(images=["many", "few"]), "images must contain numbers"),
    ],
)
def test_what_a_column_cannot_hold_is_refused(columns, message):
    with pytest.raises(DataError, match=message):
        Pages(**columns)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_tables_come_from_every_library(make):
    assert_same(Pages(**PAGES), Pages.from_frame(make(PAGES)))
    assert_same(Links(**LINKS), Links.from_frame(make(LINKS)))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_tables_give_themselves_back(backend):
    for table in (Pages(**PAGES), Pages(**few()), Links(**LINKS)):
        assert_same(table, type(table).from_frame(table.to_frame(backend)))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_times_of_a_table_become_seconds_of_utc(make):
    east = datetime.timezone(datetime.timedelta(hours=2))
    for first, second in [
        (datetime.datetime(1970, 1, 2, 0, 0, 0, 500_000), None),
        (datetime.datetime(1970, 1, 2, 2, 0, 0, 500_000, tzinfo=east), None),
    ]:
        pages = Pages.from_frame(make(few(modified=[first, second])))
        np.testing.assert_array_equal(pages.modified, [86400.5, np.nan])


def test_times_of_numpy_become_seconds_whatever_their_unit():
    for unit in ("D", "s", "ms", "ns"):
        times = np.array(["1970-01-03", "NaT"], dtype=f"datetime64[{unit}]")
        np.testing.assert_array_equal(Pages(**few(modified=times)).modified, [172800.0, np.nan])


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_table_s_own_names_can_be_told(make):
    frame = make({"address": ["a"], "name": ["A"], "text": [""]})
    pages = Pages.from_frame(frame, url="address", title="name")
    assert pages.url.tolist() == ["a"]
    assert pages.title.tolist() == ["A"]


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        (few(author=["x", "y"]), {}, "Pages has no place for 'author': its columns are url, title, text, site"),
        (few(address=["x", "y"]), {"url": "address"}, "Pages has no place for 'url'"),
        (few(), {"author": "url"}, "Pages has no place for 'author'"),
        ({"url": ["a"], "text": [""]}, {}, "The table lacks the column 'title': it has url, text"),
        (few(), {"site": "owner"}, "The table lacks the column 'owner'"),
        (few(images=["x", "y"]), {}, "Column 'images' must hold numbers: got String"),
        (few(title=[1, 2]), {}, "Column 'title' must hold text: got Int64"),
        (few(title=["A", None]), {}, "title must hold text, '' where there is none: row 1 holds None"),
        (few(modified=["x", "y"]), {}, "Column 'modified' must hold times, or numbers of seconds since 1970"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(columns, names, message):
    with pytest.raises(DataError, match=message):
        Pages.from_frame(pl.DataFrame(columns), **names)


def test_rows_are_picked_in_the_order_given():
    pages = Pages(**PAGES).pick_rows([2, 0])
    assert pages.title.tolist() == ["B", "A"]
    assert Links(**LINKS).pick_rows(np.array([True, False, False])).anchor.tolist() == ["x"]


def test_a_description_prints_what_each_column_holds():
    description = Pages(**PAGES).describe()
    lines = str(description).splitlines()
    assert lines[0] == "Pages: 3 rows, 2 hosts"
    held = dict(line.split(maxsplit=1) for line in lines[1:])
    assert held["title"] == "3 different, 1 empty"
    assert held["modified"] == "1970-01-01 00:00:00 to 1970-01-02 00:00:00, 1 unknown"
    assert held["html_bytes"] == "1,000 to 20,000, 1 unknown"
    assert held["has_form"] == "1 true"
    assert json.loads(description.to_json())["n_rows"] == 3
    assert description.to_frame("polars")["column"].to_list() == list(PAGES)


def test_nothing_known_is_said_so():
    assert Pages(**few(images=[np.nan, np.nan])).describe().columns["images"] == "nothing known"


def test_links_are_described():
    assert str(Links(**LINKS).describe()).splitlines()[0] == "Links: 3 rows, 2 linked pairs"


def test_columns_explain_themselves():
    lines = Links.explain_columns().splitlines()
    assert lines[0].startswith("source (required): address of the page that links. Holds text that is not empty")
    assert lines[3] == "nofollow: whether the link asks not to be followed. Holds True or False."


def test_a_collection_finds_the_ends_of_its_links():
    collection = Collection(Pages(**PAGES), Links(**LINKS))
    assert collection.link_ends.tolist() == [[0, 1], [0, 1], [1, -1]]
    assert repr(collection) == "Collection(3 pages, 3 links, 2 of them between these pages)"


def test_links_to_the_outside_can_be_refused():
    with pytest.raises(DataError, match=r"1 link has an end .* first at row 2: 'http://a.org/x' to 'http://c.org/'"):
        Collection(Pages(**PAGES), Links(**LINKS), outside="refuse")
    inside = Links(**LINKS).pick_rows([0, 1])
    assert len(Collection(Pages(**PAGES), inside, outside="refuse").links) == 2
    with pytest.raises(DataError, match="outside must be one of 'keep', 'refuse'"):
        Collection(Pages(**PAGES), inside, outside="drop")


def test_a_collection_may_have_no_links():
    empty = Collection(Pages(**few()), Links(source=[], target=[], anchor=[]))
    assert empty.link_ends.shape == (0, 2)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://www.Example.org/a", "www.example.org"),
        ("https://user@example.org:8080/?q=a/b", "example.org"),
        ("http://[::1]:80/", "::1"),
        ("//example.org/a", "example.org"),
        ("wp/z/Zen.htm", ""),
        ("example.org/a", ""),
        ("", ""),
    ],
)
def test_hosts_are_lower_case_and_without_port(url, host):
    assert host_of(url) == host


def test_an_address_that_cannot_be_taken_apart_is_refused():
    with pytest.raises(DataError, match="is not an address"):
        host_of("http://[::1/")


def test_pages_know_their_hosts():
    assert Pages(**PAGES).hosts.tolist() == ["a.org", "a.org", "b.org"]


def test_picked_pages_lose_the_links_of_the_others_and_keep_those_to_the_outside():
    picked = Collection(Pages(**PAGES), Links(**LINKS)).pick_pages(np.array([False, True, True]))
    assert picked.pages.url.tolist() == PAGES["url"][1:]
    assert picked.links.target.tolist() == ["http://c.org/"]
    assert picked.link_ends.tolist() == [[0, -1]]
    assert picked.folder is None
