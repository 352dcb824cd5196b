"""A stored collection is complete or absent, and loads unchanged."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection
from glassrank.data.reading_report import Reading
from glassrank.data.web import collection_cache
from glassrank.data.web.open_collection import open_collection
from tests.data.web.sites import write_site
from tests.data.web.test_files import SITE

DAMAGED = "stored collection was damaged (rebuilt)"
CHANGED = "source or options had changed (rebuilt)"


@pytest.fixture
def site(tmp_path):
    return write_site(tmp_path / "site", SITE)


def never(done, total, what):
    raise RuntimeError("the source was read again")


def assert_same(left, right):
    for one, other in ((left.pages, right.pages), (left.links, right.links)):
        assert one._columns().keys() == other._columns().keys()
        for name, values in one._columns().items():
            np.testing.assert_array_equal(values, other._columns()[name], strict=True)
    assert left.reading == right.reading
    np.testing.assert_array_equal(left.link_ends, right.link_ends, strict=True)


def test_a_built_collection_loads_unchanged(site, tmp_path):
    built = open_collection(site, folder=tmp_path / "k*[x]?")
    for again in (
        open_collection(site, folder=tmp_path / "k*[x]?", progress=never),
        open_collection(tmp_path / "k*[x]?"),
    ):
        assert_same(built, again)
        assert again.folder == tmp_path / "k*[x]?"
        assert_ends(again)


def assert_ends(collection):
    """The stored link ends equal those computed from the addresses."""
    np.testing.assert_array_equal(collection.link_ends, Collection(collection.pages, collection.links).link_ends)


def test_a_collection_without_links_is_stored(tmp_path):
    site = write_site(tmp_path / "site", {"a.html": "<p>alone"})
    built = open_collection(site, folder=tmp_path / "kept")
    assert_same(built, open_collection(tmp_path / "kept"))
    assert built.link_ends.shape == (0, 2)


def test_collections_without_a_folder_are_stored_in_the_cache(site, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    built = open_collection(site)
    assert built.folder.parent == tmp_path / "cache" / "glassrank" / "collections"
    assert open_collection(site, progress=never).folder == built.folder
    assert open_collection(site, leave_out=["a/*"]).folder != built.folder
    (site / "new.html").write_text("<p>new")
    assert len(open_collection(site).pages) == len(built.pages) + 1


def test_a_changed_source_is_read_again_into_its_folder(site, tmp_path):
    open_collection(site, folder=tmp_path / "kept")
    (site / "new.html").write_text("<p>new")
    again = open_collection(site, folder=tmp_path / "kept")
    assert "new.html" in again.pages.url
    assert CHANGED in again.reading.noted
    assert CHANGED in open_collection(tmp_path / "kept").reading.noted


@pytest.mark.parametrize(
    "name", ["collection.json", "kept-pages.parquet", "kept-links.parquet", "kept-addresses.parquet"]
)
@pytest.mark.parametrize("how", ["truncated", "deleted", "changed"])
def test_a_damaged_collection_is_rebuilt_from_its_source(site, tmp_path, name, how):
    built = open_collection(site, folder=tmp_path / "kept")
    damage(tmp_path / "kept" / name, how)
    with pytest.raises(DataError, match=r"kept: the collection stored here cannot be used.*Open its source"):
        open_collection(tmp_path / "kept")
    again = open_collection(site, folder=tmp_path / "kept")
    assert DAMAGED in again.reading.noted
    assert again.pages.url.tolist() == built.pages.url.tolist()
    assert open_collection(tmp_path / "kept").reading == again.reading


def damage(path: Path, how: str) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    if how == "deleted":
        path.unlink()
    else:
        path.write_bytes(raw if how == "changed" else raw[:-5])


def test_a_newer_format_is_rejected(site, tmp_path):
    open_collection(site, folder=tmp_path / "kept")
    manifest = json.loads((tmp_path / "kept" / "collection.json").read_text())
    (tmp_path / "kept" / "collection.json").write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(DataError, match="it has format 99"):
        open_collection(tmp_path / "kept")


def test_a_folder_with_other_content_is_not_touched(site, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("words")
    with pytest.raises(DataError, match="mine: expected a new or empty folder"):
        open_collection(site, folder=tmp_path / "mine")
    open_collection(site, folder=tmp_path / "kept")
    other = write_site(tmp_path / "other", SITE)
    with pytest.raises(DataError, match=r"contains the collection of .*site, not of .*other"):
        open_collection(other, folder=tmp_path / "kept")
    with pytest.raises(DataError, match="cannot be stored there"):
        open_collection(site, folder=tmp_path / "mine" / "thesis.txt" / "kept")


def test_options_cannot_be_applied_to_a_built_collection(site, tmp_path):
    open_collection(site, folder=tmp_path / "kept")
    with pytest.raises(DataError, match="contains a built collection, to which drop, leave_out cannot be applied"):
        open_collection(tmp_path / "kept", drop=["p"], leave_out=["x"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent", None, "there is no such file or folder: expected a folder or tar archive of HTML"),
        ("page.html", "<p>", "got another kind of file. Give the folder that contains the page"),
        ("site.zip", "PK", "got another kind of file. Unzip it"),
        ("empty", "", "got another kind of file"),
        ("nul", "\0" * 2000, "got another kind of file"),
    ],
)
def test_other_files_are_rejected(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message):
        open_collection(tmp_path / name)


def test_a_folder_without_pages_is_rejected(tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="got an empty folder"):
        open_collection(tmp_path / "none")
    (tmp_path / "none" / "x.css").write_text("p {}")
    with pytest.raises(DataError, match=r"(?s)none: no page was found.*other file \(.css\): 1"):
        open_collection(tmp_path / "none", folder=tmp_path / "kept")
    for options in ({"drop": "p"}, {"leave_out": "p"}):
        with pytest.raises(DataError, match="must be a list"):
            open_collection(tmp_path / "none", **options)


def test_a_crash_leaves_no_partial_collection_and_its_leftovers_are_removed(site, tmp_path, monkeypatch):
    def crash(*arguments):
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(collection_cache, "_put_in_place", crash)
        patch.setattr(collection_cache.shutil, "rmtree", lambda *arguments, **options: None)
        with pytest.raises(RuntimeError, match="power cut"):
            open_collection(site, folder=tmp_path / "kept")
    left = [path for path in tmp_path.iterdir() if path.name.startswith(".kept")]
    assert len(left) == 1
    assert not (tmp_path / "kept").exists()
    open_collection(site, folder=tmp_path / "kept")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".kept")] == []


def test_a_folder_in_which_another_process_builds_is_left_alone(site, tmp_path):
    busy = tmp_path / ".kept.0123.building"
    busy.mkdir()
    code = (
        "import fcntl, os, sys\n"
        "fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)\n"
        "print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(busy)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        open_collection(site, folder=tmp_path / "kept")
        assert busy.is_dir()
        other.stdin.close()
        other.wait()


def test_concurrent_builds_end_with_one_complete_collection(site, tmp_path):
    code = (
        "import sys, pathlib, time\n"
        "from glassrank.data.web.open_collection import open_collection\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(len(open_collection(sys.argv[1], folder=sys.argv[2]).pages))"
    )
    arguments = [sys.executable, "-c", code, str(site), str(tmp_path / "kept")]
    workers = [subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for worker in workers:
        worker.stdout.readline()
    answers = []
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        answers.append(worker.communicate()[0].strip())
        assert worker.returncode == 0
    assert answers == ["5", "5", "5"]
    assert len(open_collection(tmp_path / "kept").pages) == 5
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".kept")] == []


def test_a_report_round_trips_through_json(site, tmp_path):
    reading = open_collection(site, folder=tmp_path / "kept").reading
    assert Reading.from_dict(json.loads(reading.to_json())) == reading
    assert reading.n_skipped == 2
