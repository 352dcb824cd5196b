"""A lock keeps other processes out while its holder lives, and ends with it."""

import fcntl
import os
import signal
import subprocess
import sys
import threading

import pytest

from glassrank import DataError
from glassrank.files.locks import LockedError, is_locked, lock_file
from tests.house.repository import clean_environment

HOLD = """
import sys, time
from glassrank.files.locks import lock_file
with lock_file(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds a lock."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "a.lock")]
    with subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_holds_the_lock(tmp_path, holder):
    with pytest.raises(LockedError) as refused, lock_file(tmp_path / "a.lock"):
        pass
    assert refused.value.holder.startswith(f"process {holder.pid} on ")


def test_the_lock_of_a_killed_process_can_be_taken(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with lock_file(tmp_path / "a.lock"):
        assert f"process {os.getpid()} on" in (tmp_path / "a.lock").read_text()
    assert list(tmp_path.iterdir()) == []


def test_a_look_at_a_lock_finds_its_holder_and_changes_nothing(tmp_path, holder):
    assert is_locked(tmp_path / "a.lock")
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert not is_locked(tmp_path / "a.lock")
    assert (tmp_path / "a.lock").read_text().startswith(f"process {holder.pid} on ")
    assert not is_locked(tmp_path / "no.lock")


def test_looks_at_a_lock_disturb_neither_each_other_nor_whoever_takes_it(tmp_path):
    """A look holds a shared lock for a moment; here the moment lasts until another thread ends it."""
    path = tmp_path / "a.lock"
    path.touch()
    with path.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not is_locked(path)
        end = threading.Timer(0.05, fcntl.flock, (looking, fcntl.LOCK_UN))
        end.start()
        with lock_file(path):
            end.join()
            assert is_locked(path)


def test_one_process_cannot_take_a_lock_twice(tmp_path):
    with lock_file(tmp_path / "a.lock"), pytest.raises(LockedError), lock_file(tmp_path / "a.lock"):
        pass


def test_who_waits_for_a_lock_gets_it_and_one_at_a_time(tmp_path):
    """Each of three processes adds 1 to a number 200 times, in two steps; without a lock some would be lost."""
    (tmp_path / "number").write_text("0")
    add = """
import pathlib
from glassrank.files.locks import lock_file
number = pathlib.Path("number")
for _ in range(200):
    with lock_file("a.lock", wait=True):
        number.write_text(str(int(number.read_text()) + 1))
"""
    command = [sys.executable, "-c", add]
    started = [subprocess.Popen(command, cwd=tmp_path, env=clean_environment()) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert (tmp_path / "number").read_text() == "600"
    assert [path.name for path in tmp_path.iterdir()] == ["number"]


def test_a_lock_in_a_folder_that_does_not_exist_is_refused(tmp_path):
    path = tmp_path / "b" / "a.lock"
    with pytest.raises(DataError, match=r"a.lock: cannot be written: No such file"), lock_file(path):
        pass
