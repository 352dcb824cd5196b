"""Finished steps of a job: stored, reused, and computed again if they do not match."""

import json

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.process.stopwatch import Stopwatch
from glassrank.data.ranking_data import RankingData
from glassrank.studies.resumable_steps import Steps, digest_of_data, fingerprint


class Work:
    """A step that counts how often it runs."""

    def __init__(self, result):
        self.result, self.times = result, 0

    def __call__(self):
        self.times += 1
        return self.result


def data(value=1.0, **changes):
    given = {"X": [[value, 2.0], [3.0, 4.0]], "y": [1, 0], "qid": [1, 1], "feature_names": ["a", "b"]} | changes
    return RankingData(given.pop("X"), **given)


def test_a_finished_step_is_not_computed_again(tmp_path):
    work = Work({"scores": [0.1, -2.5e-17]})
    first = Steps(tmp_path, "f").run("one", work)
    steps = Steps(tmp_path, "f")
    assert steps.run("one", work) == first == work.result
    assert (work.times, steps.reused) == (1, ["one"])


def test_another_fingerprint_starts_from_scratch(tmp_path):
    Steps(tmp_path, "f").run("one", Work(1))
    steps = Steps(tmp_path, "g")
    assert steps.run("one", Work(2)) == 2
    assert steps.reused == []
    assert Steps(tmp_path, "g").run("one", Work(3)) == 2


def test_an_interrupted_step_leaves_no_file(tmp_path):
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Steps(tmp_path / "steps", "f").run("one", stopped)
    assert list(tmp_path.iterdir()) == []


def written(tmp_path, result):
    """The file of a finished step."""
    Steps(tmp_path, "f").run("one", Work(result))
    return tmp_path / "one.json"


DAMAGES = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "a list": lambda content: b"[1]",
    "no result": lambda content: b'{"fingerprint": "f"}',
    "not text": lambda content: b"\xff\xfe\x00",
    "too deep": lambda content: b"[" * 100_000,
    "another digit": lambda content: content.replace(b"0.125", b"0.625"),
    "another key": lambda content: content.replace(b"mean", b"maen"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_reported_and_its_step_computed_again(tmp_path, damage):
    path = written(tmp_path, {"mean": 0.125})
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    said, work = [], Work({"mean": 0.125})
    steps = Steps(tmp_path, "f", said.append)
    assert steps.run("one", work, label="Measuring") == {"mean": 0.125}
    assert said == [f"{path} is damaged: its step is computed again.", "Measuring"]
    assert (work.times, steps.reused, json.loads(path.read_bytes())["result"]) == (1, [], {"mean": 0.125})


def test_a_first_run_uses_the_computed_object_and_reads_nothing_back(tmp_path):
    def not_read(plain):
        raise AssertionError("a first run has nothing to read")

    computed = (1.5, float("nan"))
    assert Steps(tmp_path, "f").run("one", lambda: computed, list, not_read) is computed


def test_a_resumed_run_reads_what_the_first_run_had_computed(tmp_path):
    computed = {0.1, 1e-300, 3.0}
    Steps(tmp_path, "f").run("one", Work(computed), sorted, set)
    assert Steps(tmp_path, "f").run("one", Work("not computed again"), sorted, set) == computed


def test_progress_reports_computed_and_reused_steps(tmp_path):
    said = []
    Steps(tmp_path, "f", said.append).run("one", Work(1), label="Choosing C")
    Steps(tmp_path, "f", said.append).run("one", Work(1), label="Choosing C")
    assert said == ["Choosing C", "Choosing C: reused from an earlier run."]


def test_a_folder_that_cannot_be_created_is_refused_before_any_work(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DataError, match="the folder cannot be created"):
        Steps(tmp_path / "file" / "steps", "f")


def test_a_job_without_a_finished_step_leaves_no_folder(tmp_path):
    Steps(tmp_path / "out" / "steps", "f")
    assert list(tmp_path.iterdir()) == []


def test_the_same_options_have_the_same_fingerprint():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"kernel": "linear"}) != fingerprint({"kernel": "lrbf"})


def test_every_change_of_data_changes_their_digest():
    found = [
        digest_of_data(data(), None),
        digest_of_data(data(np.nextafter(1.0, 2.0)), None),
        digest_of_data(data(y=[0, 1]), None),
        digest_of_data(data(qid=[2, 2]), None),
        digest_of_data(data(qid=["1", "1"]), None),
        digest_of_data(data(feature_names=["b", "a"]), None),
        digest_of_data(data(X=sparse.csr_matrix([[1.0, 2.0], [3.0, 4.0]])), None),
        digest_of_data(data(), data()),
        digest_of_data(None, data()),
    ]
    assert len(set(found)) == len(found)
    assert digest_of_data(data(), None) == found[0]


def test_the_file_of_another_step_or_of_other_data_is_not_used(tmp_path):
    """Copied over, or with the fingerprint edited to fit: a checksum over the result alone would not notice."""
    Steps(tmp_path, "f").run("two", Work("of two"))
    path = written(tmp_path, "of one")
    path.write_bytes((tmp_path / "two.json").read_bytes())
    assert Steps(tmp_path, "f").run("one", Work("of one")) == "of one"
    for edited in ({"fingerprint": "g"}, {}):
        content = {key: value for key, value in json.loads(path.read_text()).items() if key != "fingerprint"}
        path.write_text(json.dumps(content | edited))
        assert Steps(tmp_path, "g").run("one", Work("of g")) == "of g"
        path = written(tmp_path, "of one")


def test_a_stopwatch_receives_the_time_of_computed_and_reused_steps(tmp_path):
    first, second = Stopwatch(), Stopwatch()
    Steps(tmp_path, "f", watch=first).run("one", lambda: sum(range(100_000)), label="Adding")
    Steps(tmp_path, "f", watch=second).run("one", Work(1), label="Adding")
    assert first.seconds["Adding"] > 0.0
    assert second.seconds == first.seconds
