"""A second study in a folder is refused while the first one runs, and only then."""

import signal
import subprocess
import sys

import pytest

from glassrank import DataError
from glassrank.simulation.ranking import simulate_ranking
from glassrank.studies.ranking.study import study
from glassrank.studies.study_record import LOCK, RECORD, read_record, recorded
from tests.house.repository import clean_environment

HOLD = """
import sys, time
from glassrank.studies.study_record import recorded
with recorded(sys.argv[1], title=None):
    print("runs", flush=True)
    time.sleep(600)
"""


def works(folder):
    with recorded(folder, title=None):
        return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def running(tmp_path):
    """A study of another process in the folder ``out``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out")]
    with subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "runs\n"
        yield process
        process.kill()


def test_a_second_study_is_refused_with_the_process_of_the_first(tmp_path, running):
    with pytest.raises(DataError, match=f"out: another study is running in this folder: process {running.pid} on"):
        study(simulate_ranking(8, 5, random_state=0).data, folder=tmp_path / "out")
    assert read_record(tmp_path / "out").finished is None


def test_a_study_may_run_in_another_folder(tmp_path, running):
    assert works(tmp_path / "other") == [RECORD, LOCK]


def test_a_killed_study_does_not_keep_the_next_one_out(tmp_path, running):
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert works(tmp_path / "out") == [RECORD, LOCK]
    assert [path.name for path in (tmp_path / "out").iterdir()] == [RECORD]


def test_a_study_that_fails_leaves_neither_lock_nor_folder(tmp_path):
    with pytest.raises(DataError, match="no"), recorded(tmp_path / "a" / "b", title=None):
        raise DataError("no")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_the_record_of_the_finished_study(tmp_path):
    with recorded(tmp_path, title="Shop", data="1") as finish:
        (tmp_path / "report.html").write_text("")
        finish({"n_queries": 7})
    with pytest.raises(DataError, match="no"), recorded(tmp_path, title="Shop", data="1"):
        raise DataError("no")
    found = read_record(tmp_path)
    assert (found.n_queries, found.error) == (7, None)
