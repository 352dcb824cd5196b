"""Saved files find their addresses, and old pages are read as their servers sent them."""

import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.web.file_names import address_by_pattern, address_in_name
from glassrank.data.web.open_collection import open_collection
from tests.data.web.old_crawl import page_addresses, write_old_crawl
from tests.data.web.sites import page, write_site, write_tar


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crawl")
    tar = write_old_crawl(folder / "web.tgz")
    return gr.open_collection(tar, folder=folder / "kept", url_from_name=True)


def test_a_crawl_of_1997_has_the_addresses_that_its_file_names_spell(crawl):
    assert crawl.pages.url.tolist() == page_addresses(60)
    assert crawl.reading.skipped.keys() == {"other file (.gif)"}


def test_stored_headers_are_used_and_leave_the_text(crawl):
    assert crawl.reading.noted["HTTP headers stored in the file (used and removed)"].count == 61
    assert crawl.reading.noted["redirect (links to it are followed)"].examples == ("http://www.cs.cornell.edu/old/",)
    assert crawl.pages.title[0] == "Compilers page 0"
    assert not [text for text in crawl.pages.text if "NCSA" in text]
    # Mon, 10 Jun 1996 15:19:04 GMT
    assert set(crawl.pages.modified.tolist()) == {834419944.0}


def test_links_in_any_notation_lead_to_pages(crawl):
    """Each page has five links to pages: the top of its host, one in another notation and three as they are."""
    assert len(crawl.links) == 5 * 60
    assert (crawl.link_ends >= 0).all()


def test_the_same_crawl_in_folders_and_in_a_table_is_the_same_collection(tmp_path, crawl):
    def in_folders(url):
        return f"crawl/{url.removeprefix('http://')}{'index.html' if url.endswith('/') else ''}"

    urls = [url.replace("http://", "") for url in page_addresses(60)]
    folders = write_old_crawl(tmp_path / "folders.tgz", name_of=in_folders)
    one = open_collection(folders, folder=tmp_path / "one", url_from_name=True)
    assert [url.removeprefix("http://").removesuffix("index.html") for url in one.pages.url] == urls
    assert one.link_ends.tolist() == crawl.link_ends.tolist()
    numbers = {url: f"{k:04}" for k, url in enumerate([*page_addresses(60), "http://www.cs.cornell.edu/old/"])}
    numbered = write_old_crawl(tmp_path / "numbered.tgz", name_of=lambda url: numbers.get(url, "x.gif"))
    lines = ["file,url", *(f"{number},{url}" for url, number in numbers.items())]
    (tmp_path / "urls.csv").write_text("\n".join(lines))
    two = open_collection(numbered, folder=tmp_path / "two", url_table=tmp_path / "urls.csv")
    assert two.pages.url.tolist() == crawl.pages.url.tolist()
    assert two.link_ends.tolist() == crawl.link_ends.tolist()


def test_aliases_join_the_pages_of_a_host(tmp_path):
    files = {
        "www.a.edu/x.html": "<a href='http://a.edu/y.html'>y</a>",
        "a.edu/y.html": "<a href='http://WWW.A.EDU:80/x.html'>x</a>",
        "a.edu/x.html": "<p>the same page",
    }
    tar = write_tar(tmp_path / "web.tar", files, "w")
    collection = open_collection(tar, folder=tmp_path / "k", url_from_name=True, aliases={"www.a.edu": "a.edu"})
    assert collection.pages.url.tolist() == ["http://a.edu/x.html", "http://a.edu/y.html"]
    assert collection.link_ends.tolist() == [[0, 1], [1, 0]]
    assert collection.reading.noted["page of an alias host (renamed)"].count == 1
    assert collection.reading.skipped["duplicate address"].examples == ("http://a.edu/x.html",)
    # The names are also those of judgements and of a root set, and they are stored with the collection.
    again = open_collection(tmp_path / "k")
    assert again.rows.find("http://www.a.edu/y.html") == 1


def test_aliases_apply_to_web_archives_and_tables(tmp_path):
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(page("http://www.a.edu/", "<a href=y>y</a>") + page("http://a.edu/y", "<a href=/>home</a>"))
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("alias,host\nwww.a.edu,a.edu\n")
    collection = open_collection(archive, folder=tmp_path / "w", aliases=aliases)
    assert collection.link_ends.tolist() == [[0, 1], [1, 0]]
    tables = write_site(
        tmp_path / "t",
        {
            "pages.csv": "url,title,text\nhttp://www.a.edu,A,a\nhttp://a.edu/y,Y,y\nhttp://a.edu:80/y,Z,again\n",
            "links.csv": "source,target,anchor\nHTTP://A.edu/,http://a.edu/x/../y#top,y\nhttp://b.edu/,http://a.edu/y,b\n",
        },
    )
    collection = open_collection(tables, folder=tmp_path / "k", aliases=aliases)
    assert collection.pages.url.tolist() == ["http://a.edu/", "http://a.edu/y"]
    assert collection.link_ends.tolist() == [[0, 1], [-1, 1]]
    joined = collection.reading.noted["end of a link that is written in another way than its page (joined)"]
    assert (joined.count, joined.examples) == (2, ("HTTP://A.edu/", "http://a.edu/x/../y#top"))
    assert collection.reading.skipped["duplicate address"].count == 1


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("http_^^www.cs.cornell.edu^", "http://www.cs.cornell.edu/"),
        ("webkb/http:^^www.cs.cornell.edu^a^b.html", "http://www.cs.cornell.edu/a/b.html"),
        ("https_^^a.org:8443^%7Eme^x#1.html", "https://a.org:8443/~me/x%231.html"),
        ("www.cs.wisc.edu^x.html", "http://www.cs.wisc.edu/x.html"),
        ("http%3a%2f%2fa.org%2fb%3Fc%3Dd", "http://a.org/b?c=d"),
        ("a.org%2Fb.html", "http://a.org/b.html"),
        ("crawl/https/a.org/b/index.html", "https://a.org/b/index.html"),
        ("10.0.0.1/x", "http://10.0.0.1/x"),
        ("crawl.old/pages.tmp/x.html", None),
        ("a.org", None),
        ("x^y.html", None),
        ("http_^^[^x", None),
        ("a%2Fb.html", None),
    ],
)
def test_names_spell_addresses(place, address):
    assert address_in_name(place) == address


def test_a_name_that_spells_an_address_is_used_and_counted_without_any_option(tmp_path):
    files = {"http_^^a.edu^": "<a href=x.html>x", "http_^^a.edu^x.html": "<a href=/>home", "notes.html": "<p>n"}
    collection = open_collection(write_site(tmp_path / "s", files), folder=tmp_path / "k")
    noted = collection.reading.noted["file name that spells an address (used)"]
    assert sorted(collection.pages.url) == ["http://a.edu/", "http://a.edu/x.html", "notes.html"]
    assert (len(collection.link_ends), noted.count) == (2, 2)


def test_a_base_address_decides_about_names_that_spell_one(tmp_path):
    site = write_site(tmp_path / "s", {"http_^^a.edu^": "<p>x"})
    collection = open_collection(site, folder=tmp_path / "k", base_url="http://b.edu/")
    assert collection.pages.url.tolist() == ["http://b.edu/http_%5E%5Ea.edu%5E"]


def test_a_folder_and_its_index_file_are_one_page_and_reported(tmp_path):
    files = {"a.edu/x/index.html": "<a href=/y>y</a>", "a.edu/y.html": "<a href=/x>x</a> <a href=/x/>x</a>"}
    collection = open_collection(write_site(tmp_path / "s", files), folder=tmp_path / "k", url_from_name=True)
    assert collection.links.target.tolist() == [
        "http://a.edu/x/index.html",
        "http://a.edu/x/index.html",
        "http://a.edu/y",
    ]
    joined = collection.reading.noted["address of a folder or its index file (joined with the page)"]
    assert (joined.count, sorted(joined.examples)) == (2, ["http://a.edu/x", "http://a.edu/x/"])


def test_a_pattern_reads_addresses_from_paths():
    named = address_by_pattern("{any}/{scheme}_{host}_{path}")
    assert named("97/https_a.org_x/y.html") == "https://a.org/x/y.html"
    assert address_by_pattern("saved/{url}.txt")("saved/http_^^a.org^.txt") == "http://a.org/"
    assert named("97/a.org_x") is None


@pytest.mark.parametrize("pattern", ["", "{path}", "{host}/{host}", "{hots}/{path}", "plain"])
def test_a_pattern_without_an_address_is_an_error(pattern, tmp_path):
    with pytest.raises(DataError, match="url_pattern must be a path with the fields"):
        open_collection(write_site(tmp_path / "s", {"a.html": "<p>"}), url_pattern=pattern)


def test_a_file_without_an_address_keeps_its_path_and_is_counted(tmp_path):
    site = write_site(tmp_path / "s", {"a.org/x.html": "<p>x", "notes.html": "<a href=http://a.org/x.html>x</a>"})
    collection = open_collection(site, folder=tmp_path / "k", url_from_name=True)
    assert collection.pages.url.tolist() == ["notes.html", "http://a.org/x.html"]
    assert collection.reading.noted["file name without an address (its path is used)"].examples == ("notes.html",)
    with pytest.raises(DataError, match=r"notes.html: file name without an address .* Describe the names"):
        open_collection(site, folder=tmp_path / "k", url_from_name=True, strict=True)


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"a.org": "b.org", "b.org": "a.org"}, "a.org = b.org = a.org is a circle"),
        ({"http://a.org/": "b.org"}, "aliases must be names of hosts"),
        ("missing.csv", "missing.csv: there is no such file"),
    ],
)
def test_impossible_aliases_are_errors(aliases, message, tmp_path):
    with pytest.raises(DataError, match=message):
        open_collection(write_site(tmp_path / "s", {"a.html": "<p>"}), aliases=aliases)


def test_two_ways_to_give_addresses_are_an_error(tmp_path):
    with pytest.raises(DataError, match="base_url and url_from_name both give files their addresses"):
        open_collection(tmp_path, base_url="http://a.org/", url_from_name=True)


def test_content_decides_what_is_html(tmp_path):
    files = {
        "a.edu": "<HTML><TITLE>A</TITLE>",
        "b.1997": "A home page. <TITLE>B</TITLE>",
        "c.txt": "<html><title>C</title>",
        "d": b"HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n\xc4\xc1",
        "quoted.txt": "Write <title> at the top.",
        "script.js": "<!-- x -->\ndocument.write('<html>')",
        "style.css": "<!-- h1 { color: red } -->",
        "e.html": b"HTTP/1.0 404 Not Found\nContent-Type: text/html\n\n<h1>Not found</h1>",
        "f.html": b"\x89PNG\r\n\x1a\n\x00",
        "g.html": b"Content-type: image/gif\n\nGIF89a",
        "h.html": "Address: a street\n\n<p>No HTTP header.",
    }
    collection = open_collection(write_site(tmp_path / "s", files), folder=tmp_path / "k")
    assert collection.pages.url.tolist() == ["a.edu", "b.1997", "c.txt", "d", "h.html"]
    assert collection.pages.text[3:].tolist() == ["да", "Address: a street No HTTP header."]
    skipped = collection.reading.skipped
    assert {kind: found.count for kind, found in skipped.items()} == {
        "other file (.txt)": 1,
        "other file (.js)": 1,
        "other file (.css)": 1,
        "response with status 404": 1,
        "not HTML (binary)": 1,
        "other content (image/gif)": 1,
    }


def test_a_link_to_the_top_needs_no_base_address(tmp_path):
    site = write_site(tmp_path / "s", {"x/a.html": "<a href=/>top</a> <a href='/?q'>query</a>", "b.html": "<p>"})
    collection = open_collection(site, folder=tmp_path / "k")
    assert collection.links.target.tolist() == ["/", "?q"]
    write_site(tmp_path / "s", {"index.html": "<p>home"})
    collection = open_collection(site, folder=tmp_path / "k")
    assert collection.links.target.tolist() == ["index.html", "index.html"]
