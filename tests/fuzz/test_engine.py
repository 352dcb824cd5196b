"""The fuzzing engine detects every kind of failure."""

import json
import os
import subprocess
import sys

import pytest

from tests.house.repository import ROOT

# A reader that misbehaves in several ways; in a separate process, because workers are forked.
SCRIPT = """
import ctypes, json, sys, time
from pathlib import Path
from glassrank.core.checks import DataError
from tests.fuzz.cases import Case
from tests.fuzz.engine import Limits, fuzz, make_corpus, replay
from tests.fuzz.reader import Reader, same

def read(folder, options):
    content = (folder / "a").read_bytes()
    if content == b"refuse": raise DataError("no")
    if content == b"hang": time.sleep(60)
    if content == b"eat": print(len(b"1" * (300 << 20)))
    if content == b"eat all": bytes(1 << 40)
    if content == b"crash": ctypes.string_at(0)
    if content == b"raise": {}["key"]
    if content == b"differ": same("rows", 2, 3)

words = b"accept,refuse,hang,eat,eat all,crash,raise,differ,accept".split(b",")
reader = Reader("bad", lambda: [Case(word.decode(), {"a": word}) for word in words], read, share=1)
corpus = make_corpus(reader)
results = list(fuzz(reader, corpus, range(len(corpus) + 20), 0, Path(sys.argv[1]), Limits(1.0, 200 << 20)))
again = {result.name: replay(Path(result.kept), {"bad": reader})[0] for result in results if result.name == "raise"}
print(json.dumps([[vars(result) for result in results], again]))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    done = subprocess.run([sys.executable, "-c", SCRIPT, folder], capture_output=True, text=True, check=True, cwd=ROOT)
    results, again = json.loads(done.stdout)
    return results, again, folder


def test_every_input_has_one_result_in_order(ran):
    assert [result["number"] for result in ran[0]] == list(range(29))


def test_each_misbehaviour_is_called_by_its_name(ran):
    found = {result["name"]: (result["outcome"], result["problem"]) for result in ran[0][:8]}
    assert found["accept"] == ("accepted", "")
    assert found["refuse"] == ("refused", "no")
    expected = {
        "hang": "over time: no end after 6 s",
        "eat": "over memory: 0.",
        "eat all": "over memory: ",
        "crash": "the process died with exit code -11",
        "raise": "unexpected exception KeyError: 'key'",
        "differ": "difference: rows: read 2, expected 3",
    }
    for name, beginning in expected.items():
        assert found[name][0] == "failed"
        assert found[name][1].startswith(beginning)


def test_failures_are_kept_with_the_command_to_replay_them(ran):
    results, again, folder = ran
    failed = [result for result in results if result["outcome"] == "failed"]
    assert sorted(map(str, folder.iterdir())) == sorted(result["kept"] for result in failed)
    for result in failed[:6]:
        assert os.listdir(os.path.join(result["kept"], "files")) == ["a"]
        with open(os.path.join(result["kept"], "problem.txt")) as file:
            assert f"python -m tests.fuzz --replay {result['kept']}" in file.read()
    assert again == {"raise": "failed"}
