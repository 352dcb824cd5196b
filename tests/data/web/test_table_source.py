"""Tables of pages and links become collections."""

import numpy as np
import polars as pl
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Links
from glassrank.data.web.open_collection import open_collection
from glassrank.data.web.table_source import read_table
from tests.data.web.sites import write_site
from tests.data.web.test_files import links_of

PAGES = {
    "url": ["http://a.org/", "http://b.org/", "7"],
    "title": ["A", "", "1984"],
    "text": ['a, "b"\nc', "x", ""],
    "images": [1, None, 3],
}
LINKS = {"source": ["http://a.org/", "http://a.org/"], "target": ["http://b.org/", "7"], "anchor": ["to b", ""]}
WRITERS = {
    "parquet": lambda frame, path: frame.write_parquet(path),
    "csv": lambda frame, path: frame.write_csv(path),
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
}


def write_tables(folder, suffix, pages=PAGES, links=LINKS):
    folder.mkdir(exist_ok=True)
    for name, columns in (("pages", pages), ("links", links)):
        if columns is not None:
            WRITERS[suffix](pl.DataFrame(columns), folder / f"{name}.{suffix}")
    return folder


@pytest.mark.parametrize("suffix", WRITERS)
def test_tables_are_read(tmp_path, suffix):
    collection = open_collection(write_tables(tmp_path / "t*[a]", suffix), folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == PAGES["url"]
    assert collection.pages.title.tolist() == PAGES["title"]
    assert collection.pages.text.tolist() == PAGES["text"]
    assert collection.pages.images.tolist()[::2] == [1, 3]
    assert links_of(collection) == set(zip(*LINKS.values(), strict=True))
    assert collection.reading.kind == "tables of pages and links"


@pytest.mark.parametrize("suffix", WRITERS)
def test_pages_in_tables_are_left_out_with_their_links(tmp_path, suffix):
    source = write_tables(tmp_path / "t", suffix)
    collection = open_collection(source, folder=tmp_path / "kept", leave_out=["http://b.*"])
    assert collection.pages.url.tolist() == ["http://a.org/", "7"]
    assert links_of(collection) == {("http://a.org/", "7", "")}
    assert collection.reading.noted["link from or to an excluded page (dropped)"].count == 1


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(
    ("pages", "links", "message"),
    [
        (PAGES, None, "expected one table links.parquet, links.csv or links.tsv beside the other table, got none"),
        ({"url": ["a"], "title": ["A"]}, LINKS, "pages.*the column 'text' is missing: got url, title"),
        ({**PAGES, "author": ["x"] * 3}, LINKS, "pages.*Pages has no column 'author'"),
        ({**PAGES, "url": ["a", "a", "b"]}, LINKS, "pages.*rows 0 and 1 both contain 'a'"),
        (PAGES, {**LINKS, "target": ["x", None]}, "links.*target must contain non-empty text: got .* at row 1"),
    ],
    ids=["no links", "no text", "unknown", "twice", "no target"],
)
def test_invalid_tables_are_rejected(tmp_path, suffix, pages, links, message):
    with pytest.raises(DataError, match=message):
        open_collection(write_tables(tmp_path / "t", suffix, pages, links), folder=tmp_path / "kept")


def test_an_unreadable_table_is_rejected(tmp_path):
    folder = write_tables(tmp_path / "t", "csv")
    (folder / "pages.csv").unlink()
    (folder / "pages.parquet").write_bytes(b"rubbish")
    with pytest.raises(DataError, match=r"pages.parquet: cannot be read as a table"):
        open_collection(folder, folder=tmp_path / "kept")


def test_html_options_are_rejected_for_tables(tmp_path):
    folder = write_tables(tmp_path / "t", "csv")
    with pytest.raises(DataError, match="contains tables, but base_url and drop are for HTML"):
        open_collection(folder, drop=["p"], base_url="http://a.org/")


ROUND_TRIP = {
    "pandas.csv": lambda table, path: table.to_frame("pandas").to_csv(path, index=False),
    "polars.csv": lambda table, path: table.to_frame("polars").write_csv(path),
    "pandas.tsv": lambda table, path: table.to_frame("pandas").to_csv(path, index=False, sep="\t"),
    "polars.parquet": lambda table, path: table.to_frame("polars").write_parquet(path),
}


@pytest.mark.parametrize("way", ROUND_TRIP)
def test_pages_and_links_round_trip_through_frames(tmp_path, way):
    site = {
        "a.html": "<title>A, “a”</title><h1>1</h1><form><input></form>line<p>two <a href=b.html rel=nofollow>b</a>",
        "b.html": '<meta property=article:modified_time content=2024-05-01><p>x <a href=a.html>"a"</a>',
    }
    collection = open_collection(write_site(tmp_path / "site", site), folder=tmp_path / "kept")
    assert (collection.pages.has_form.tolist(), collection.links.nofollow.tolist()) == ([True, False], [True, False])
    for table in (collection.pages, collection.links):
        path = tmp_path / way
        ROUND_TRIP[way](table, path)
        back = read_table(type(table), path)
        assert list(back._columns()) == list(table._columns())
        for name, values in table._columns().items():
            np.testing.assert_array_equal(getattr(back, name), values)


def test_flags_are_true_and_false_in_any_case_or_one_and_zero(tmp_path):
    path = tmp_path / "links.csv"
    written = ["True", "false", "TRUE", " False", "1", "0", "1.0"]
    path.write_text("\n".join(["source,target,anchor,nofollow", *(f"a,b,,{flag}" for flag in written)]))
    assert read_table(Links, path).nofollow.tolist() == [True, False, True, False, True, False, True]


@pytest.mark.parametrize("flag", ["yes", "2", "", "truex", "0.5", "nan"])
def test_an_invalid_flag_is_rejected_with_its_line(tmp_path, flag):
    path = tmp_path / "links.csv"
    path.write_text(f"source,target,anchor,nofollow\na,b,,1\na,b,,{flag}\n")
    with pytest.raises(
        DataError, match=rf"links.csv, line 3: column 'nofollow' must contain true or false.*got '{flag}'"
    ):
        read_table(Links, path)


def test_a_text_longer_than_the_limit_of_pythons_csv_module_is_read(tmp_path):
    """The module refuses fields of more than 131,072 characters unless its limit is raised."""
    text = "word " * 30_000
    files = {"pages.csv": f"url,title,text\na,A,{text}\nb,B,x\n", "links.csv": "source,target,anchor\na,b,x\n"}
    collection = open_collection(write_site(tmp_path / "t", files), folder=tmp_path / "kept")
    assert collection.pages.text[0] == text
