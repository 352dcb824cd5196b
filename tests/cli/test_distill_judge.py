"""``glassrank distill judge``: what a judge sees, and that answers are saved."""

import csv
import re
from contextlib import chdir

import pytest
from click.testing import CliRunner

import glassrank as gr
from glassrank.cli.main import main
from glassrank.studies.distillation.steps import METHODS
from tests.cli.commands import Finished
from tests.cli.web_tables import write_web


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    write_web(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield folder


def judge(folder, answers, *options, file="mine.txt", quiet=("-q",)):
    """Run the command with answers on stdin."""
    arguments = ["distill", "judge", "web", "--queries", "queries.csv", "--judgements", file, "--depth", "1", *options]
    with chdir(folder):
        result = CliRunner(catch_exceptions=False).invoke(
            main, [*map(str, arguments), *quiet], input=answers, prog_name="glassrank"
        )
    return Finished(result.exit_code, result.stdout, result.stderr)


def test_answers_are_saved_as_trec_judgements_with_the_judge(folder):
    done = judge(folder, "2\n0\nq\n", "--judge", "ann", file="two.txt")
    assert (done.code, done.err) == (0, "")
    assert gr.load_qrels(folder / "two.txt").labels.tolist() == [2, 0]
    with (folder / "two.txt.who.csv").open() as file:
        assert [row["judge"] for row in csv.DictReader(file)] == ["ann", "ann"]
    assert re.search(r"2 of \d+ pages judged: two.txt\n$", done.out)


def test_the_judge_sees_query_title_address_and_text_but_no_method_score_or_rank(folder):
    done = judge(folder, "q\n", file="seen.txt")
    with (folder / "web" / "pages.csv").open(encoding="utf-8") as file:
        pages = {row["url"]: row for row in csv.DictReader(file)}
    (url,) = [line for line in done.out.splitlines() if line in pages]
    assert pages[url]["title"] in done.out
    assert " ".join(pages[url]["text"].split()[:3]) in done.out
    assert re.search(r"1 of \d+ · query: \w+", done.out)
    shown = done.out.replace(pages[url]["text"], "").lower()
    words = set(re.findall(r"[a-z0-9-]+", shown))
    assert words.isdisjoint({*METHODS, "score", "rank", "authority", "hub"})
    assert not (folder / "seen.txt").exists()


def test_the_end_of_the_input_quits_and_the_next_run_resumes(folder):
    judge(folder, "1\n", file="on.txt")
    done = judge(folder, "2\n", file="on.txt")
    assert re.search(r"\n2 of \d+ · query", done.out)
    assert gr.load_qrels(folder / "on.txt").labels.tolist() == [1, 2]


def test_undo_asks_the_same_page_again(folder):
    done = judge(folder, "1\nu\n0\nq\n", file="undo.txt")
    assert gr.load_qrels(folder / "undo.txt").labels.tolist() == [0]
    titles = re.findall(r"\d+ of \d+ · query: .*\n─+\n(.*)\n", done.out)
    assert titles[0] == titles[2] != titles[1]


def test_an_invalid_answer_is_asked_again(folder):
    done = judge(folder, "7\nu\ns\nq\n", file="none.txt")
    assert "Expected one of 2, 1, 0, s, u, q: got '7'." in done.out
    assert "Nothing to undo in this session." in done.out
    assert not (folder / "none.txt").exists()


def test_a_whole_pool_can_be_judged_and_studied(folder):
    done = judge(folder, "1\n" * 200, file="all.txt")
    judged, total = re.search(r"(\d+) of (\d+) pages judged", done.out).groups()
    assert judged == total
    options = ["--judgements", "all.txt", "--folder", "out", "-k", "1", "-q"]
    with chdir(folder):
        studied = CliRunner(catch_exceptions=False).invoke(
            main, ["distill", "study", "web", "--queries", "queries.csv", *options], prog_name="glassrank"
        )
    assert studied.exit_code == 0
    assert "On the root set, bm25 reaches P@1 1.000" in studied.stdout


def test_a_second_file_is_refused_instead_of_replacing_the_first(folder):
    done = judge(folder, "1\n", "--judgements", "second.txt", file="first.txt")
    assert done.code == 2
    assert "--judgements takes one file, that of one judge: got first.txt, second.txt." in done.err
    assert not (folder / "first.txt").exists()


def test_judgements_of_other_topics_are_counted_and_kept(folder):
    (folder / "beside.txt").write_text("cars 0 a.htm 1\ncars 0 b.htm 0\nbees 0 a.htm 2\n")
    done = judge(folder, "2\nq\n", file="beside.txt", quiet=())
    reported = "beside.txt: 3 judgements are of 2 topics that are not among the queries, such as 'cars': kept.\n"
    assert done.err.endswith(reported)
    assert gr.load_qrels(folder / "beside.txt").labels.tolist() == [1, 0, 2, 2]
    assert "queries, such as" not in judge(folder, "q\n", file="none-yet.txt", quiet=()).err


@pytest.mark.parametrize("missing", ["--queries", "--judgements"])
def test_required_files_must_be_given(folder, missing):
    arguments = {"--queries": "queries.csv", "--judgements": "x.txt"}
    del arguments[missing]
    with chdir(folder):
        words = [word for pair in arguments.items() for word in pair]
        found = CliRunner().invoke(main, ["distill", "judge", "web", *words], prog_name="glassrank")
    assert found.exit_code == 2
    assert f"Missing option '{missing}'" in found.stderr
