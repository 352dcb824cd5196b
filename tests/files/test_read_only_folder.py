"""A folder that may not be written to is refused in the package's own words; root becomes nobody to try it."""

import json
import os
import subprocess
import sys

import pytest

from glassrank import BestSingleFeature, save_model, save_table, simulate_ranking
from tests.house.repository import clean_environment

NOBODY = 65534
OPERATIONS = {
    "save a CSV file": "save_table(DATA, 'locked/o.csv')",
    "replace a CSV file": "save_table(DATA, 'locked/old.csv')",
    "save a Parquet file": "save_table(DATA, 'locked/o.parquet')",
    "save a model": "save_model(MODEL, 'locked/o.json')",
    "replace a model": "save_model(MODEL, 'locked/old.json')",
    "study in a new folder": "study(DATA, folder='locked/new')",
    "study in a folder": "study(DATA, folder='locked/empty')",
    "keep a collection in a new folder": "open_collection('site', folder='locked/kept')",
    "keep a collection in a folder": "open_collection('site', folder='locked/empty')",
    "cache a collection": "open_collection('site')",
    "clean a log": "clean_log('log.csv', 'locked/o.log.parquet')",
}
RUN = """
import json, sys
from glassrank import *
from glassrank import DataError
DATA = load_table("d.parquet")
MODEL = BestSingleFeature().fit(DATA.X, DATA.y, qid=DATA.qid)
for name, operation in json.loads(sys.argv[1]).items():
    try:
        eval(operation)
        found = "done"
    except DataError as error:
        found = f"DataError by {type(error.__cause__).__name__}"
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    print(f"{name}: {found}", flush=True)
"""
COMMANDS = [
    ("study", "d.csv", "--folder", "locked/new", "-q"),
    ("data", "convert", "d.csv", "locked/o.parquet"),
    ("rank", "m.json", "d.csv", "--output", "locked/o.txt", "-q"),
    ("select", "d.csv", "--output", "locked/o.svg", "-q"),
]


@pytest.fixture
def folder(tmp_path):
    """What is read, and a folder ``locked`` with an older table and an older model."""
    data = simulate_ranking(20, 10, random_state=0).data
    model = BestSingleFeature().fit(data.X, data.y, qid=data.qid)
    for name in ("site", "locked", "locked/empty", "own"):
        (tmp_path / name).mkdir()
    for name in ("d.csv", "d.parquet", "locked/old.csv"):
        save_table(data, tmp_path / name)
    for name in ("m.json", "locked/old.json"):
        save_model(model, tmp_path / name, feature_names=data.feature_names)
    (tmp_path / "log.csv").write_text("query,action,url\nzen,click,http://zen.org/\n")
    (tmp_path / "site" / "a.html").write_text("<title>A</title>")
    os.chown(tmp_path / "own", *((NOBODY, NOBODY) if os.geteuid() == 0 else (-1, -1)))
    # Pytest's own folders are closed to other users.
    for outer in (tmp_path, *list(tmp_path.parents)[:3]):
        if outer.stat().st_uid == os.geteuid() and outer.name.startswith(("pytest", tmp_path.name)):
            outer.chmod(0o755)
    for name in ("locked/empty", "locked"):
        (tmp_path / name).chmod(0o555)
    yield tmp_path
    for name in ("locked", "locked/empty"):
        (tmp_path / name).chmod(0o755)


def unprivileged(source, *arguments, folder):
    """Run Python source as a user who may read everything here, and write to ``own`` alone."""
    own = {name: str(folder / "own") for name in ("HOME", "TMPDIR", "NUMBA_CACHE_DIR")}
    cache = str(folder / "locked" / "cache")
    options = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    command = [sys.executable, "-c", source, *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=clean_environment(OPENBLAS_NUM_THREADS="1", XDG_CACHE_HOME=cache, PYTHONDONTWRITEBYTECODE="1", **own),
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
    except PermissionError:
        pytest.skip("the interpreter, or the folder of this test, is closed to other users")
    return done


def test_what_cannot_be_written_there_is_a_data_error(folder):
    done = unprivileged(RUN, json.dumps(OPERATIONS), folder=folder)
    assert done.returncode == 0, done.stderr
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert found == dict.fromkeys(OPERATIONS, "DataError by PermissionError")


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_command_says_so_in_one_line(folder, arguments):
    source = "from glassrank.cli.main import main; main(prog_name='glassrank')"
    done = unprivileged(source, *arguments, folder=folder)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith("Error: ")
    assert "Permission denied" in done.stderr
