"""With strict=True the first fault raises an error with place and remedy, even after a lenient build."""

import gzip

import pytest

from glassrank.core.checks import DataError
from glassrank.data.reading_report import FAULTS, remedies_of
from glassrank.data.web.open_collection import open_collection
from tests.data.web.sites import page, response, write_site

GOOD = {"good.html": "<p>good"}
A = "http://a.org/"


def files(**more):
    return lambda folder: write_site(
        folder / "site", GOOD | {name.replace("_", "."): raw for name, raw in more.items()}
    )


def archive(*records):
    def write(folder):
        path = folder / "crawl.warc.gz"
        path.write_bytes(b"".join([page(A, "<p>good"), *records]))
        return path

    return write


CASES = {
    "empty file": (files(empty_html=" "), "empty.html: empty file. Correct or remove it"),
    "not HTML (binary)": (files(picture_html=b"\x89PNG\r\n\x1a\n\x00"), "picture.html: not HTML (binary). Correct or"),
    "undecodable text": (
        files(broken_html=b"<meta charset=utf-8>caf\xe9"),
        "broken.html: page with bytes that are invalid in its charset (replaced). Declare the right charset, or read",
    ),
    "too deep": (files(deep_html="<div>" * 40_000), "deep.html: page nested too deeply. Correct or remove it"),
    "damaged record": (
        archive(page("http://b.org/", "<p>b" * 500)[:-30]),
        "crawl.warc.gz: damaged record (truncated record). Copy or download it again",
    ),
    "no type": (
        archive(gzip.compress(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n", mtime=0)),
        "crawl.warc.gz: damaged record (no type)",
    ),
    "content encoding": (
        archive(response("http://b.org/", body=b"x", Content_Type="text/html", Content_Encoding="br")),
        "http://b.org/: unsupported content encoding br. Decompress it",
    ),
    "loop": (
        archive(
            page("http://b.org/", "<a href=/1>x</a>"),
            response("http://b.org/1", status="301 Moved", Location="/2"),
            response("http://b.org/2", status="301 Moved", Location="/1"),
        ),
        "http://b.org/1: redirect loop",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_first_fault_raises_an_error_with_place_and_remedy(tmp_path, case):
    write, message = CASES[case]
    source = write(tmp_path)
    assert open_collection(source, folder=tmp_path / "lenient").reading.n_faults >= 1
    with pytest.raises(DataError) as error:
        open_collection(source, folder=tmp_path / "kept", strict=True)
    assert str(error.value).startswith(message)
    assert "strict=False" in str(error.value)
    assert not (tmp_path / "kept").exists()


def test_strict_opening_ignores_a_lenient_build(tmp_path):
    source = files(empty_html=" ")(tmp_path)
    lenient = open_collection(source, folder=tmp_path / "kept")
    with pytest.raises(DataError, match=r"empty.html: empty file"):
        open_collection(source, folder=tmp_path / "kept", strict=True)
    with pytest.raises(DataError, match=r"built from a source with faults: expected none, got 1(.|\n)*empty file: 1"):
        open_collection(tmp_path / "kept", strict=True)
    again = open_collection(source, folder=tmp_path / "kept")
    assert again.reading == lenient.reading


def test_strict_opening_stops_at_faults_only(tmp_path):
    site = {"style.css": "p {}", "README": "words", "on.html": "<meta http-equiv=refresh content='0; url=good.html'>"}
    source = write_site(tmp_path / "site", GOOD | site)
    collection = open_collection(source, folder=tmp_path / "kept", strict=True)
    assert (collection.reading.n_skipped, collection.reading.n_faults) == (3, 0)
    assert open_collection(source, folder=tmp_path / "kept", strict=True).reading == collection.reading
    assert len(open_collection(tmp_path / "kept", strict=True).pages) == 1


def test_a_faulty_table_raises_an_error_with_or_without_strict(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "pages.csv").write_text("url,title,text\na,A,x\nb,B\n")
    (tmp_path / "t" / "links.csv").write_text("source,target,anchor\n")
    for strict in (False, True):
        with pytest.raises(DataError, match=r"pages.csv:3: expected 3 fields as in the header, got 2"):
            open_collection(tmp_path / "t", folder=tmp_path / "kept", strict=strict)


def test_every_fault_has_a_remedy_that_mentions_strict():
    for kind, remedies in FAULTS.items():
        assert remedies_of(kind) == remedies
        assert "strict=False" in DataError(kind, remedy=remedies).remedy
