"""An interrupted save leaves the older model intact."""

import signal
import subprocess
import sys
from functools import cache

import pytest

from glassrank.core.checks import DataError
from glassrank.modelfile.load_model import load_model
from glassrank.modelfile.save_model import save_model
from tests.forks import forks
from tests.house.repository import clean_environment
from tests.modelfile.models import DATA, MODELS, fitted, fitted_model, lines

# The last part of save_model, without the seconds that importing the estimators takes.
SAVE = """
import sys
from glassrank.modelfile.model_files import read_content, write_content
content, other = read_content("long.json"), read_content("scaled.json")
{before}
write_content(content, sys.argv[1])
"""
# An audit hook that ends the process immediately before an event, without any clean-up.
DIE_AT = """
import os, signal
def die(event, arguments):
    if event == {event!r} and str(arguments[{position}]).endswith({ending!r}):
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(die)
"""
# Limits the size of files, like a disk that becomes full while writing.
LIMIT = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
"""


@pytest.fixture(scope="module")
def run(models):
    """Save the long model to a path, in a separate process."""
    with forks("import glassrank.modelfile.model_files") as start:
        yield lambda before, path: start(SAVE.format(before=before), path, folder=models)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder with two saved models."""
    folder = tmp_path_factory.mktemp("models")
    save_model(fitted_model("long"), folder / "long.json")
    save_model(fitted_model("standard scaler"), folder / "scaled.json")
    return folder


@cache
def other_curves():
    return fitted(MODELS["long"][0]().set_params(ranksvm__gamma=7.0))


def scores(path):
    return load_model(path).predict(DATA.X).tolist()


@pytest.fixture(params=["lines", "older vectors"])
def older(request, tmp_path):
    """A saved model, with or without a vector file, and its scores."""
    model = fitted_model("lines") if request.param == "lines" else other_curves()
    save_model(model, tmp_path / "m.json")
    return tmp_path / "m.json", scores(tmp_path / "m.json")


@pytest.mark.parametrize(
    ("event", "position", "ending"),
    [
        ("open", 0, ".tmp"),
        ("os.rename", 1, ".npz"),
        ("os.rename", 1, ".json"),
    ],
    ids=["before writing", "before the vectors are in place", "before the text is in place"],
)
def test_a_crash_preserves_the_older_model(event, position, ending, older, run):
    path, expected = older
    done = run(DIE_AT.format(event=event, position=position, ending=ending), path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert scores(path) == expected


def test_a_crash_after_the_json_is_replaced_preserves_the_new_model(older, run):
    path, expected = older
    done = run(DIE_AT.format(event="os.remove", position=0, ending=".npz"), path)
    had_vectors = expected != fitted_model("lines").predict(DATA.X).tolist()
    assert done.returncode == (-signal.SIGKILL if had_vectors else 0), done.stderr
    assert scores(path) == fitted_model("long").predict(DATA.X).tolist()


def test_a_save_after_a_crash_succeeds(older, run):
    path, _ = older
    run(DIE_AT.format(event="os.rename", position=1, ending=".json"), path)
    assert run("", path).returncode == 0
    assert scores(path) == fitted_model("long").predict(DATA.X).tolist()


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_a_full_disk_preserves_the_older_model_and_leaves_no_other_file(size, older, run):
    path, expected = older
    files = sorted(path.parent.iterdir())
    done = run(LIMIT.format(size=size), path)
    assert done.returncode == 1
    assert "DataError" in done.stderr
    assert "cannot be written: File too large" in done.stderr
    assert scores(path) == expected
    assert sorted(path.parent.iterdir()) == files


def test_a_failed_save_preserves_the_older_model(older):
    path, expected = older
    content = path.read_bytes()
    with pytest.raises(DataError):
        save_model(lines(), path)
    with pytest.raises(DataError):
        save_model(fitted_model("lines"), path, feature_names=["\ud800", *"bcdef"])
    assert path.read_bytes() == content
    assert scores(path) == expected


def test_the_vectors_of_the_older_model_are_deleted(tmp_path):
    path = tmp_path / "m.json"
    save_model(fitted_model("long"), path)
    assert len(list(tmp_path.iterdir())) == 2
    save_model(fitted_model("long"), path)
    assert len(list(tmp_path.iterdir())) == 2
    save_model(fitted_model("lines"), path)
    assert [one.name for one in tmp_path.iterdir()] == ["m.json"]


def test_the_vectors_of_other_models_are_kept(tmp_path):
    for name in ("m.json", "m.1.json", "n.json"):
        save_model(fitted_model("long"), tmp_path / name)
    (tmp_path / "copy.json").write_bytes((tmp_path / "n.json").read_bytes())
    for name in ("m.json", "copy.json"):
        save_model(fitted_model("lines"), tmp_path / name)
    for name in ("m.1.json", "n.json"):
        assert scores(tmp_path / name) == fitted_model("long").predict(DATA.X).tolist()


def test_a_file_that_is_not_a_model_is_replaced(tmp_path):
    (tmp_path / "m.json").write_text('{"vectors": {"file": "precious.npz", "sha256": ""}}')
    (tmp_path / "precious.npz").write_text("precious")
    save_model(fitted_model("lines"), tmp_path / "m.json")
    assert (tmp_path / "precious.npz").read_text() == "precious"
    assert scores(tmp_path / "m.json") == fitted_model("lines").predict(DATA.X).tolist()


def test_a_model_can_be_loaded_while_it_is_saved(tmp_path, models):
    """Two models alternate at one path; a reader sees one of them, never a mixture and never a missing file."""
    path = tmp_path / "m.json"
    save_model(fitted_model("long"), path)
    turns = """
for _ in range(100):
    write_content(other, sys.argv[1])
    write_content(content, sys.argv[1])
"""
    command = [sys.executable, "-c", SAVE.format(before=turns), str(path)]
    known = [fitted_model(name).predict(DATA.X).tolist() for name in ("long", "standard scaler")]
    seen = set()
    with subprocess.Popen(command, cwd=models, env=clean_environment(), stderr=subprocess.PIPE, text=True) as saving:
        while saving.poll() is None:
            seen.add(known.index(scores(path)))
        assert saving.returncode == 0, saving.stderr.read()
    assert seen == {0, 1}


def test_saving_a_model_leaves_the_vectors_of_a_longer_name_alone(tmp_path):
    """``m.json`` is a copy of ``m.json.json`` and names its vectors, which are not its own."""
    save_model(fitted_model("long"), tmp_path / "m.json.json")
    (tmp_path / "m.json").write_bytes((tmp_path / "m.json.json").read_bytes())
    save_model(fitted_model("lines"), tmp_path / "m.json")
    assert scores(tmp_path / "m.json.json") == fitted_model("long").predict(DATA.X).tolist()


def test_long_names_that_begin_alike_do_not_share_their_vectors(tmp_path):
    first, second = (tmp_path / f"{'n' * 205}{end}.json" for end in "ab")
    for path in (first, second):
        save_model(fitted_model("long"), path)
    save_model(fitted_model("lines"), first)
    assert scores(second) == fitted_model("long").predict(DATA.X).tolist()


def test_what_a_killed_save_left_is_removed_by_the_next(tmp_path, run):
    """Also where the next model has other vectors, or none."""
    path = tmp_path / "m.json"
    done = run(DIE_AT.format(event="os.rename", position=1, ending=".npz"), path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [one for one in tmp_path.iterdir() if one.suffix == ".tmp"]
    save_model(fitted_model("lines"), path)
    assert [one.name for one in tmp_path.iterdir()] == ["m.json"]


def test_processes_that_save_to_one_path_leave_one_whole_model(tmp_path, models):
    """Two models take turns in each of two processes: whose turn ends last, its vectors must be there."""
    path = tmp_path / "m.json"
    turns = """
for _ in range(60):
    write_content(other, sys.argv[1])
    write_content(content, sys.argv[1])
"""
    other = turns.replace("(other", "(x").replace("(content", "(other").replace("(x", "(content")
    commands = [[sys.executable, "-c", SAVE.format(before=one), str(path)] for one in (turns, other)]
    started = [subprocess.Popen(command, cwd=models, env=clean_environment()) for command in commands]
    assert [process.wait() for process in started] == [0, 0]
    assert scores(path) == fitted_model("long").predict(DATA.X).tolist()
    assert len(list(tmp_path.iterdir())) == 2


SLOW_CLEAN_UP = """
import sys, time
from glassrank.modelfile.model_files import read_content, write_content
content = read_content("source.json")
def wait(event, arguments):
    if event == "os.remove" and str(arguments[0]).endswith(".npz"):
        print("removes", flush=True)
        time.sleep(5)
sys.addaudithook(wait)
write_content(content, "m.json")
"""


def test_a_save_during_the_clean_up_of_another_keeps_its_vectors(tmp_path):
    """The other process is about to delete the vectors of the older model, which is the one that is saved again."""
    save_model(other_curves(), tmp_path / "source.json")
    save_model(fitted_model("long"), tmp_path / "m.json")
    command = [sys.executable, "-c", SLOW_CLEAN_UP]
    with subprocess.Popen(command, cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "removes\n"
        save_model(fitted_model("long"), tmp_path / "m.json")
    assert other.returncode == 0
    assert scores(tmp_path / "m.json") == fitted_model("long").predict(DATA.X).tolist()
