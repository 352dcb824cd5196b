"""Pages of the simulated web are written as HTML and as a web archive."""

import gzip
import sys

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator

from glassrank.core.checks import DataError
from glassrank.simulation.web.simulate_web import simulate_web


@pytest.fixture(scope="module")
def web():
    return simulate_web(2, 20, 120, random_state=0)


def some_pages(web):
    """Return a page of each role."""
    return np.unique(web.roles.astype(str), return_index=True)[1].tolist()


def test_the_html_of_a_page_contains_its_properties(web):
    pages = web.collection.pages
    for row in some_pages(web):
        tree = LexborHTMLParser(web.html_of(row))
        assert tree.css_first("title").text() == pages.title[row]
        assert tree.css_first("h1").text() == pages.h1[row]
        assert " ".join(node.text() for node in tree.css("h1, h2, h3")) == pages.headings[row]
        assert tree.css_first("p").text() == pages.text[row]
        assert len(tree.css("img")) == pages.images[row]
        assert bool(tree.css("input[type=text]")) == pages.has_form[row]
        assert (tree.css_first("html").attributes.get("lang") or "") == pages.language[row]
        for column, selector in (("description", "[name=description]"), ("site_name", "[property='og:site_name']")):
            found = tree.css_first(f"meta{selector}")
            assert (found.attributes["content"] if found else "") == getattr(pages, column)[row]


def test_the_links_in_the_html_equal_those_of_the_collection(web):
    links, source = web.collection.links, web.collection.link_ends[:, 0]
    for row in some_pages(web):
        found = [(node.attributes["href"], node.text()) for node in LexborHTMLParser(web.html_of(row)).css("a")]
        mine = source == row
        assert sorted(found) == sorted(zip(links.target[mine], links.anchor[mine], strict=True))


def test_the_hidden_share_equals_that_of_the_hidden_paragraph(web):
    row = int(np.flatnonzero(web.roles == "spam")[0])
    shown, hidden = (node.text() for node in LexborHTMLParser(web.html_of(row)).css("p"))
    assert len(hidden) / (len(hidden) + len(shown)) == pytest.approx(web.collection.pages.hidden_share[row], abs=0.03)


def test_sizes_equal_those_of_the_plain_and_compressed_html(web):
    pages = web.collection.pages
    for row in some_pages(web):
        html = web.html_of(row).encode()
        assert pages.html_bytes[row] == len(html)
        assert pages.gzip_bytes[row] == len(gzip.compress(html, compresslevel=6))


@pytest.mark.parametrize("name", ["web.warc", "web.warc.gz"])
def test_a_web_archive_contains_every_page(web, tmp_path, name):
    web.write_warc(tmp_path / name)
    with (tmp_path / name).open("rb") as file:
        records = [
            (record.rec_headers["WARC-Target-URI"], record.content_stream().read().decode())
            for record in ArchiveIterator(file)
        ]
    assert [url for url, _ in records] == web.collection.pages.url.tolist()
    assert all(records[row][1] == web.html_of(row) for row in some_pages(web))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_same_web_gives_the_same_archive(web, tmp_path):
    web.write_warc(tmp_path / "one.warc.gz")
    simulate_web(2, 20, 120, random_state=0).write_warc(tmp_path / "two.warc.gz")
    assert (tmp_path / "one.warc.gz").read_bytes() == (tmp_path / "two.warc.gz").read_bytes()


@pytest.mark.parametrize("page", [-1, 10**6])
def test_an_unknown_page_is_rejected(web, page):
    with pytest.raises(DataError, match="page must be a row from 0 to"):
        web.html_of(page)


def test_an_invalid_archive_path_is_rejected(web, tmp_path):
    with pytest.raises(DataError, match=r"must end in \.warc or \.warc\.gz"):
        web.write_warc(tmp_path / "web.html")
    with pytest.raises(DataError, match=r"nowhere does not exist\. Create it first"):
        web.write_warc(tmp_path / "nowhere" / "web.warc")


def test_an_archive_without_the_extra_says_which_to_install(web, tmp_path, monkeypatch):
    # Python's own sign for a module that cannot be imported.
    monkeypatch.setitem(sys.modules, "warcio.warcwriter", None)
    with pytest.raises(DataError, match=r"requires the extra warc.*pip install 'glassrank\[warc\]'"):
        web.write_warc(tmp_path / "web.warc")
    assert list(tmp_path.iterdir()) == []
