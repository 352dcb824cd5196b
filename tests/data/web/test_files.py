"""Folders and tar archives of HTML files become collections; other files are counted."""

import os
import tarfile

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.hosts import host_of
from glassrank.data.web.open_collection import open_collection
from tests.data.web.sites import write_site, write_tar
from tests.reference.plain_html import count_links

SITE = {
    "index.html": "<title>Home</title><a href=a/x.html>x</a> <a href='a/y.html#part'>y</a> <a href=a/>folder</a>",
    "a/x.html": "<title>X</title><a href=../index.html>home</a><a href=y.html?v=2>y</a><a href='#top'>top</a>"
    "<a href=http://else.org/p>away</a><a href=http://else.org/q rel=nofollow>away</a><a href=mailto:a@b.org>me</a>",
    "a/y.html": "<title>Y</title><p>nothing",
    "a/index.html": "<title>A</title><a href=gone.html>gone</a>",
    "a/old.html": "<meta http-equiv=refresh content='0;url=y.html'>",
    "a/z.html": "<title>Z</title><a href=old.html>old</a>",
    "style.css": "p {}",
}
LINKS = {
    ("index.html", "a/x.html", "x"),
    ("index.html", "a/y.html", "y"),
    ("index.html", "a/index.html", "folder"),
    ("a/x.html", "index.html", "home"),
    ("a/x.html", "a/y.html", "y"),
    ("a/x.html", "http://else.org/p", "away"),
    ("a/x.html", "http://else.org/q", "away"),
    ("a/index.html", "a/gone.html", "gone"),
    ("a/z.html", "a/y.html", "old"),
}


def links_of(collection):
    links = collection.links
    return set(zip(links.source, links.target, links.anchor, strict=True))


def kinds(incidents):
    return {kind: found.count for kind, found in incidents.items()}


@pytest.fixture(params=["folder", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def source(request, tmp_path):
    if request.param == "folder":
        return write_site(tmp_path / "site", SITE)
    mode = "w:" + request.param.partition(".")[2]
    return write_tar(tmp_path / f"site.{request.param}", {f"./{name}": text for name, text in SITE.items()}, mode)


def test_pages_and_links_of_a_site(source, tmp_path):
    collection = open_collection(source, folder=tmp_path / "kept")
    assert sorted(collection.pages.url) == ["a/index.html", "a/x.html", "a/y.html", "a/z.html", "index.html"]
    assert links_of(collection) == LINKS
    assert dict(zip(collection.pages.url, collection.pages.title, strict=True))["a/x.html"] == "X"
    nofollow = collection.links.nofollow[collection.links.target == "http://else.org/q"]
    assert nofollow.tolist() == [True]
    assert kinds(collection.reading.skipped) == {"other file (.css)": 1, "page with an immediate redirect": 1}
    assert collection.folder == tmp_path / "kept"


def test_link_counts_equal_those_of_the_slow_twin(source, tmp_path):
    pages = (collection := open_collection(source, folder=tmp_path / "kept")).pages
    pairs = [(link[0], link[1]) for link in zip(collection.links.source, collection.links.target, strict=True)]
    expected = count_links(pages.url, pairs, host_of)
    assert list(zip(pages.internal_links, pages.external_links, pages.external_hosts, strict=True)) == expected
    assert (2, 2, 1) in expected


def test_with_a_base_address_pages_have_web_addresses(tmp_path):
    site = write_site(tmp_path / "site", SITE)
    collection = open_collection(site, folder=tmp_path / "kept", base_url="http://A.org/s", leave_out=["a/y.html"])
    assert "http://a.org/s/a/x.html" in collection.pages.url
    assert ("http://a.org/s/index.html", "http://a.org/s/a/index.html", "folder") in links_of(collection)
    assert not any(target.endswith("y.html") for target in collection.links.target)


def test_pages_are_left_out_with_every_link_to_them(source, tmp_path):
    collection = open_collection(source, folder=tmp_path / "kept", leave_out=["a/y.*", "a/gone*"])
    assert links_of(collection) == {link for link in LINKS if link[1] not in ("a/y.html", "a/gone.html")}
    assert "a/y.html" not in collection.pages.url
    assert collection.reading.skipped["excluded by leave_out"].count == 1
    assert collection.reading.noted["link to an excluded page (dropped)"].count == 4


def test_dropped_elements_are_missing_from_text_and_links(source, tmp_path):
    collection = open_collection(source, folder=tmp_path / "kept", drop=["a[href*='x.html']", "title", "h9"])
    assert set(collection.pages.title) == {""}
    assert "a/x.html" not in collection.links.target
    assert collection.reading.noted["element dropped by 'title'"].count == 5
    assert collection.reading.noted["element dropped by 'h9'"].count == 0


def test_files_that_are_not_pages_are_counted_by_kind(tmp_path):
    site = write_site(
        tmp_path / "site",
        {
            "good.html": "<p>good <a href='caf%E9.html'>x</a>",
            "empty.html": " \n",
            "picture.html": b"\x89PNG\r\n\x1a\n\x00\x00",
            "README": "words",
            "LIKEHTML": "<!doctype html><p>page without suffix",
            "logo.png": b"\x89PNG",
            "broken.html": b"<meta charset=utf-8>caf\xe9 \xff",
            os.fsdecode(b"caf\xe9.html"): "<p>name in latin-1",
        },
    )
    (site / "loop").symlink_to(site)
    (site / "nowhere.html").symlink_to(site / "absent.html")
    (site / "same.html").symlink_to(site / "good.html")
    os.mkfifo(site / "pipe.html")
    collection = open_collection(site, folder=tmp_path / "kept")
    assert sorted(collection.pages.url) == ["LIKEHTML", "broken.html", "caf%E9.html", "good.html", "same.html"]
    assert ("good.html", "caf%E9.html", "x") in links_of(collection)
    assert kinds(collection.reading.skipped) == {
        "empty file": 1,
        "file without a suffix that does not look like HTML": 1,
        "link to a folder (not followed)": 1,
        "not HTML (binary)": 1,
        "other file (.png)": 1,
        "unreadable file (No such file or directory)": 1,
        "unreadable file (not a regular file)": 1,
    }
    assert kinds(collection.reading.noted) == {
        "replaced byte": 2,
        "page with bytes that are invalid in its charset (replaced)": 1,
    }
    assert "  skipped  empty file: 1 (empty.html)" in str(collection.reading).splitlines()
    assert collection.reading.to_frame("polars")["count"].sum() == 10


def test_the_first_of_two_members_with_the_same_name_is_kept_and_the_second_counted(tmp_path):
    path = tmp_path / "twice.tar"
    with tarfile.open(path, "w") as archive:
        for number in (1, 2):
            file = tmp_path / f"{number}.html"
            file.write_text(f"<title>{number}</title>")
            archive.add(file, "page.html")
        archive.add(tmp_path / "1.html", "../outside.html")
        (tmp_path / "link.html").symlink_to("1.html")
        archive.add(tmp_path / "link.html", "link.html")
    collection = open_collection(path, folder=tmp_path / "kept")
    assert collection.pages.title.tolist() == ["1"]
    assert kinds(collection.reading.skipped) == {
        "duplicate address": 1,
        "link or device in the archive": 1,
        "path outside the archive": 1,
    }


@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_damaged_tar_is_an_error_with_a_remedy(tmp_path, mode, share):
    rng = np.random.default_rng(0)
    files = {f"{number}.html": "<p>" + str(rng.integers(0, 10, 900).tolist()) for number in range(40)}
    path = write_tar(tmp_path / "site.tar", files, mode)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(DataError, match=r"site.tar: the tar archive is damaged.*Copy or download it again"):
        open_collection(path, folder=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_tar_with_a_broken_header_is_an_error(tmp_path):
    path = write_tar(tmp_path / "site.tar", {f"{number}.html": "<p>x" for number in range(9)}, "w:")
    raw = bytearray(path.read_bytes())
    raw[4 * 1024 : 4 * 1024 + 300] = b"x" * 300
    path.write_bytes(raw)
    with pytest.raises(DataError, match="the tar archive is damaged"):
        open_collection(path, folder=tmp_path / "kept")


def test_redirect_loops_are_harmless(tmp_path):
    site = write_site(
        tmp_path / "site",
        {
            "a.html": "<meta http-equiv=refresh content='0;url=b.html'>",
            "b.html": "<meta http-equiv=refresh content='0;url=a.html'>",
            "self.html": "<meta http-equiv=refresh content='0;url=self.html'><a href=a.html>a</a>",
        },
    )
    collection = open_collection(site, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == ["self.html"]
    assert links_of(collection) == {("self.html", "a.html", "a")}
    assert "redirect loop (links kept unchanged)" in collection.reading.noted


def test_base_and_frames_are_read(tmp_path):
    site = write_site(
        tmp_path / "site",
        {
            "a/x.html": "<base href=../b/><a href=y.html>y</a>",
            "b/y.html": "<base href=http://else.org/d/><a href=z>z</a><a href=#here>z</a>",
        },
    )
    links = links_of(open_collection(site, folder=tmp_path / "kept"))
    assert links == {
        ("a/x.html", "b/y.html", "y"),
        ("b/y.html", "http://else.org/d/z", "z"),
        ("b/y.html", "http://else.org/d/", "z"),
    }


def test_progress_is_reported(source, tmp_path):
    calls = []
    open_collection(
        source, folder=tmp_path / "kept", progress=lambda done, total, what: calls.append((done, total, what))
    )
    assert calls[-1][0] == calls[-1][1] > 0
    assert all(0 <= done <= total for done, total, _ in calls)
    assert {what for _, _, what in calls} <= {"reading files", "reading the archive"}
