"""``glassrank distill study``: its files, its output, and what it refuses."""

import json
import shlex
from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest

from glassrank.cli.topics.distill_options import CANDIDATE_OPTIONS
from glassrank.cli.topics.distill_study import study
from glassrank.distillation.options import Options
from glassrank.studies.distillation import simulated_topics
from glassrank.studies.distillation.simulated_topics import simulate_topics
from glassrank.studies.distillation.study import study_distillation
from tests.cli.commands import glassrank
from tests.cli.web_tables import write_web

OPTIONS = ["--root-size", 20, "--in-links", 3, "-k", 5]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("distill")
    write_web(folder)
    (folder / "empty.txt").write_text("")
    (folder / "other.txt").write_text("other 0 elsewhere 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield folder


@pytest.fixture(scope="module")
def done(folder):
    arguments = ["--queries", "queries.csv", "--judgements", "judged.txt", "--relevant", 2, "--folder", "out"]
    return glassrank("distill", "study", "web", *arguments, *OPTIONS, folder=folder)


def test_it_writes_its_files_and_prints_the_result(done, folder):
    assert done.code == 0
    assert {path.name for path in (folder / "out").iterdir()} == {
        *("report.html", "result.json", "systems.csv", "sphere.csv", "pruned.csv", "times.csv", "steps", "study.json"),
    }
    assert "On the root set, bm25 reaches P@5 " in done.out
    assert done.out.rstrip().endswith(f"Report: {Path('out', 'report.html')}")
    assert "3 of 11: Topic " in done.err


def test_the_command_in_the_report_reproduces_the_study(done, folder):
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    words = shlex.split(page.split("<pre>$ ")[1].split("</pre>")[0])
    assert words[:4] == ["glassrank", "distill", "study", "web"]
    before = json.loads((folder / "out" / "result.json").read_text())
    again = glassrank(*words[1:], "--json", "-q", folder=folder)
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["measured"] == before["measured"]


def test_judgements_of_other_topics_are_counted(done, folder):
    judged = (folder / "judged.txt").read_text()
    page = judged.split()[2]
    (folder / "more.txt").write_text(f"{judged}cars 0 {page} 1\nbees 0 {page} 2\n")
    arguments = ["--queries", "queries.csv", "--judgements", "more.txt", "--folder", "more"]
    found = glassrank("distill", "study", "web", *arguments, *OPTIONS, folder=folder)
    assert found.code == 0
    reported = "more.txt: 2 judgements are of 2 topics that are not among the queries, such as 'cars': left out.\n"
    assert reported in found.err
    assert "not among the queries" not in done.err


@pytest.fixture(scope="module")
def judges(folder):
    """Files of two judges: one agrees with the truth, the other labels every page 2."""
    lines = (folder / "judged.txt").read_text().splitlines()
    (folder / "ann.txt").write_text("\n".join(lines) + "\n")
    (folder / "bob.txt").write_text("\n".join(f"{line.rsplit(' ', 1)[0]} 2" for line in lines) + "\n")
    return ["--judgements", "ann.txt", "--judgements", "bob.txt"]


def test_several_judges_are_merged_and_compared(folder, judges, done):
    arguments = ["--queries", "queries.csv", *judges, "--relevant", 2, "--folder", "judges"]
    found = glassrank("distill", "study", "web", *arguments, *OPTIONS, "--json", folder=folder)
    assert found.code == 0
    result = json.loads(found.out)
    assert list(result["agreement"]["judged"]) == ["ann", "bob"]
    assert [one["judge"] for one in result["measured"][0]["by_judge"]] == ["ann", "bob"]
    own = result["measured"][0]["by_judge"][0]["comparison"]["systems"]
    truth = json.loads((folder / "out" / "result.json").read_text())["measured"][0]["comparisons"][0]["systems"]
    assert [one["mean"] for one in own] == [one["mean"] for one in truth]
    assert {"judges.csv", "agreement.csv"} <= {path.name for path in (folder / "judges").iterdir()}
    page = (folder / "judges" / "report.html").read_text(encoding="utf-8")
    assert "--judgements ann.txt --judgements bob.txt" in page
    assert "Krippendorff" in page


def test_agreement_needs_only_the_files_and_writes_the_merged_judgements(folder, judges):
    found = glassrank("distill", "agreement", "ann.txt", "Bob=bob.txt", "--output", "merged.txt", folder=folder)
    assert (found.code, found.err) == (0, "Wrote merged.txt.\n")
    assert found.out.startswith("2 judges, ")
    assert "Krippendorff's alpha (ordinal): " in found.out
    assert "ann     Bob  " in found.out
    ann = [line.split() for line in (folder / "ann.txt").read_text().splitlines()]
    merged = {tuple(line.split()[:3:2]): line.split()[3] for line in (folder / "merged.txt").read_text().splitlines()}
    assert merged == {(topic, page): label for topic, _, page, label in ann}
    again = glassrank("distill", "agreement", "ann.txt", "bob.txt", "--output", "merged.txt", folder=folder)
    assert again.code == 1
    assert "merged.txt already exists" in again.err


def test_a_judge_in_two_files_is_refused_in_the_words_of_the_command(folder, judges):
    found = glassrank("distill", "agreement", "x=ann.txt", "x=bob.txt", "-q", folder=folder)
    assert (found.code, found.out) == (1, "")
    assert "Judge 'x' has two judgements of page" in found.err
    assert "name them with [NAME=]FILE" in found.err
    one = glassrank("distill", "agreement", "ann.txt", "--json", folder=folder)
    assert json.loads(one.out)["undefined"] == "only one judge"


def test_a_simulated_web_needs_no_data_and_no_options(folder, monkeypatch):
    """The web has its full size and every option its default; only two of the twelve topics are studied."""
    web, topics = simulate_topics()
    assert (len(topics), len({topic.query for topic in topics})) == (12, 12)
    for topic in topics:
        assert len(topic.judgements) == len(web.collection.pages) > 2400
        assert set(topic.judgements) == {0.0, 1.0, 2.0}
    asked = []

    def two_topics(**options):
        asked.append(options)
        return web, topics[:2]

    monkeypatch.setattr(simulated_topics, "simulate_topics", two_topics)
    (folder / "simulated").mkdir()
    found = glassrank("distill", "study", "--simulated", "--json", folder=folder / "simulated")
    assert found.code == 0
    assert asked == [{"drift": 1.0, "random_state": 0}]
    assert "Simulated web (seed 0), not measured on the web" in found.err
    result = json.loads(found.out)
    assert result["title"] == "Topic distillation on a simulated web (seed 0, drift 1)"
    assert (result["k"], list(result["topics"])) == (10, [topic.name for topic in topics[:2]])
    page = (folder / "simulated" / "distillation" / "report.html").read_text(encoding="utf-8")
    assert "<pre>$ glassrank distill study --simulated</pre>" in page


def test_an_option_of_the_command_has_the_default_of_the_library():
    options = {one.name: one.default for one in fields(Options) if one.name in CANDIDATE_OPTIONS}
    arguments = {name: one.default for name, one in signature(study_distillation).parameters.items()}
    command = study.make_context("study", ["--simulated"]).params
    assert {name: command[name] for name in options} == options
    assert {name: command[name] for name in ("k", "relevant", "title")} == {
        name: arguments[name] for name in ("k", "relevant", "title")
    }
    assert (str(command["folder"]), command["seed"]) == (arguments["folder"], arguments["random_state"])
    assert command["drift"] == signature(simulate_topics).parameters["drift"].default


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'COLLECTION'"),
        (["web"], "Missing option '--queries'"),
        (["web", "--simulated"], "--simulated generates pages, queries and judgements"),
        (["web", "--queries", "queries.csv", "-k", "0"], "-k"),
        (["web", "--queries", "queries.csv", "--site", "planet"], "--site"),
    ],
    ids=["nothing", "queries", "both", "k", "site"],
)
def test_bad_usage_ends_with_2(arguments, message, folder):
    found = glassrank("distill", "study", *arguments, folder=folder)
    assert (found.code, found.out) == (2, "")
    assert "Usage: glassrank distill study" in found.err
    assert message in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--queries", "queries.csv"], "nowhere"),
        (["web", "--queries", "nowhere.csv"], "nowhere.csv"),
        (["web", "--queries", "empty.txt"], "the file contains no query"),
        (["web", "--queries", "queries.csv", "--judgements", "other.txt"], "a page that the collection does not have"),
    ],
    ids=["no collection", "no queries", "empty", "judgements"],
)
def test_bad_data_end_with_1_and_one_line(arguments, message, folder):
    found = glassrank("distill", "study", *arguments, "--folder", "refused", "-q", folder=folder)
    assert (found.code, found.out) == (1, "")
    assert found.err.startswith("Error: ")
    assert found.err.count("\n") == 1
    assert message in found.err
    assert not (folder / "refused").exists()
