"""Finished steps of a job: kept, found again, and worked out anew where they do not fit."""

import json

import numpy as np
import pytest
from scipy import sparse

from glassrank.data.ranking_data import RankingData
from glassrank.studies.resumable_steps import Steps, fingerprint


class Work:
    """A step that counts how often it is done."""

    def __init__(self, result):
        self.result, self.times = result, 0

    def __call__(self):
        self.times += 1
        return self.result


def data(value=1.0, **changes):
    given = {"X": [[value, 2.0], [3.0, 4.0]], "y": [1, 0], "qid": [1, 1], "feature_names": ["a", "b"]} | changes
    return RankingData(given.pop("X"), **given)


def test_a_finished_step_is_not_done_again(tmp_path):
    work = Work({"scores": [0.1, -2.5e-17]})
    first = Steps(tmp_path, "f").run("one", work)
    steps = Steps(tmp_path, "f")
    assert steps.run("one", work) == first == work.result
    assert (work.times, steps.reused) == (1, ["one"])


def test_another_fingerprint_starts_anew(tmp_path):
    Steps(tmp_path, "f").run("one", Work(1))
    steps = Steps(tmp_path, "g")
    assert steps.run("one", Work(2)) == 2
    assert steps.reused == []
    assert Steps(tmp_path, "g").run("one", Work(3)) == 2


def test_a_step_that_is_stopped_leaves_no_file(tmp_path):
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Steps(tmp_path / "steps", "f").run("one", stopped)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [b"", b'{"fingerprint": "f", "resu', b"[1]", b'{"fingerprint": "f"}', b"\xff\xfe\x00"],
    ids=["empty", "cut", "list", "no result", "not text"],
)
def test_a_damaged_file_is_worked_out_anew(tmp_path, content):
    (tmp_path / "one.json").write_bytes(content)
    assert Steps(tmp_path, "f").run("one", Work(7)) == 7
    assert json.loads((tmp_path / "one.json").read_text())["result"] == 7


def test_the_same_data_and_options_have_the_same_fingerprint():
    assert fingerprint({"a": 1, "b": 2}, data(), None) == fingerprint({"b": 2, "a": 1}, data(), None)


def test_every_change_of_data_or_options_changes_the_fingerprint():
    found = [
        fingerprint({"kernel": "linear"}, data(), None),
        fingerprint({"kernel": "lrbf"}, data(), None),
        fingerprint({"kernel": "linear"}, data(np.nextafter(1.0, 2.0)), None),
        fingerprint({"kernel": "linear"}, data(y=[0, 1]), None),
        fingerprint({"kernel": "linear"}, data(qid=[2, 2]), None),
        fingerprint({"kernel": "linear"}, data(qid=["1", "1"]), None),
        fingerprint({"kernel": "linear"}, data(feature_names=["b", "a"]), None),
        fingerprint({"kernel": "linear"}, data(X=sparse.csr_matrix([[1.0, 2.0], [3.0, 4.0]])), None),
        fingerprint({"kernel": "linear"}, data(), data()),
        fingerprint({"kernel": "linear"}, None, data()),
    ]
    assert len(set(found)) == len(found)
