"""``glassrank demo``: what it prints and writes, in a separate process and in this one."""

import json

import pytest

from tests.cli.commands import glassrank, python
from tests.house.repository import ROOT
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here
from tests.report_pages import without_times

FEW = ("--queries", "20")
# The command in a separate process, with the few resamples of the tests.
QUICK = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import pytest
from glassrank.cli.main import main
from tests.quick_study import resample_seldom, tune_little
patch = pytest.MonkeyPatch()
resample_seldom(patch)
tune_little(patch)
main(sys.argv[1:], prog_name="glassrank")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def spoken(folder):
    return glassrank("demo", "--folder", "spoken", *FEW, folder=folder)


@pytest.fixture(scope="module")
def quiet(folder):
    return python(QUICK, folder, "demo", "--folder", "quiet", "--json", "--quiet", *FEW)


def test_data_go_to_stdout_and_progress_to_stderr(spoken, folder):
    assert spoken.code == 0, spoken.err
    assert spoken.out.startswith("glassrank demo: simulated data (seed 0)\n")
    assert spoken.out.endswith("Report: spoken/report.html\n")
    assert all(line.endswith(" …") for line in spoken.err.splitlines())
    assert (folder / "spoken" / "report.html").is_file()


def test_json_parses_and_quiet_leaves_stderr_empty(quiet):
    assert (quiet.code, quiet.err) == (0, "")
    reported = json.loads(quiet.out)
    assert "simulated" in reported["title"]
    assert reported["folder"] == "quiet"


def test_text_and_json_name_the_same_values(spoken, quiet):
    for system in json.loads(quiet.out)["comparisons"][0]["systems"]:
        assert f"{system['mean']:.4f}" in spoken.out


def test_the_same_seed_gives_the_same_report_in_two_processes_except_for_times(spoken, quiet, folder):
    pages = [(folder / name / "report.html").read_text(encoding="utf-8") for name in ("spoken", "quiet")]
    assert without_times(pages[0]) == without_times(pages[1])


@pytest.mark.parametrize(
    "arguments",
    ["--queries 19", "--queries many", "--seed -1", "--colour red", "--folder a-file", "now"],
)
def test_bad_usage_ends_with_2_and_nothing_on_stdout(tmp_path, arguments):
    (tmp_path / "a-file").write_text("x")
    done = glassrank("demo", *arguments.split(), folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: ")
    assert "Traceback" not in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


@pytest.mark.parametrize("folder", ["a-file/demo", "/proc/glassrank"])
def test_a_folder_that_cannot_be_made_ends_with_1_and_one_line(tmp_path, folder):
    (tmp_path / "a-file").write_text("x")
    done = glassrank("demo", "--folder", folder, *FEW, folder=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert folder in done.err
    assert len(done.err.splitlines()) == 1


def test_help_names_every_option(tmp_path):
    done = glassrank("demo", "--help", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    for option in ("--folder", "--queries", "--seed", "--json", "--quiet"):
        assert option in done.out
