"""``glassrank distill``."""

import csv
import json
from dataclasses import fields
from inspect import signature

import click
import pytest

from glassrank.cli.topics.distill import find
from glassrank.data.trec import load_run
from glassrank.distillation.distill import distill as run
from glassrank.distillation.methods import METHODS
from glassrank.distillation.options import ACCEPT, CANDIDATES, NEIGHBOURS, Options
from glassrank.distillation.relevance import THRESHOLDS
from glassrank.distillation.similarity_kernels import KERNELS, TEXT_ROWS
from glassrank.distillation.site_rule import EDGES, SITES
from tests.cli.commands import glassrank
from tests.data.web.old_crawl import TOPICS, write_old_crawl
from tests.data.web.sites import write_site

QUERY = ("--query", "reafonan gaiver")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A simulated web with its queries, already built by a first query."""
    folder = tmp_path_factory.mktemp("web")
    written = glassrank(
        *("data", "simulate-web", "web.warc.gz", "--topics", 4, "--hosts", 60, "--pages", 600),
        *("--queries", "queries.csv", "--judgements", "true.txt"),
        folder=folder,
    )
    assert written.code == 0
    assert written.err.startswith("Simulated web (seed 0), not measured on the web\n")
    return folder


@pytest.fixture(scope="module")
def query(folder):
    with (folder / "queries.csv").open() as file:
        return next(csv.DictReader(file))["query"]


def distill(folder, query, *options):
    return glassrank("distill", "web.warc.gz", "--query", query, "--store", "built", *options, folder=folder)


def test_the_default_command_needs_no_name(folder, query):
    short = distill(folder, query, "--method", "hits")
    long = glassrank(
        *("distill", "find", "web.warc.gz", "--query", query, "--store", "built", "--method", "hits"), folder=folder
    )
    assert short.code == 0
    assert short == long
    assert short.out.startswith(f"{query} · hits · 50 pages of the root set")


def test_json_lists_authorities_with_their_votes(folder, query):
    found = json.loads(distill(folder, query, "--method", "hits", "--candidates", "base", "-k", 3, "--json").out)
    assert len(found["authorities"]) == 3
    assert sum(vote["share"] for vote in found["authorities"][0]["votes"]) == pytest.approx(1)


def test_a_comparison_shows_every_method(folder, query):
    shown = distill(folder, query, "--compare", "--candidates", "base", "-k", 5)
    assert shown.code == 0
    for method in ("svdd", "bharat-henzinger", "hits", "hits-top", "pagerank", "in-degree", "bm25"):
        assert method in shown.out


@pytest.mark.parametrize("suffix", ["html", "svg"])
def test_a_comparison_can_be_drawn(folder, query, suffix):
    done = distill(folder, query, "--compare", "-k", 3, "--output", f"compared.{suffix}", "--json")
    assert done.code == 0, done.err
    picture = (folder / f"compared.{suffix}").read_text()
    assert f"“{query}” by 7 methods" in picture
    first = json.loads(done.out)["results"]["hits"]["authorities"][0]["title"]
    assert f"hits: {first}, rank 1" in picture


@pytest.mark.parametrize("suffix", ["html", "svg", "csv", "json"])
def test_the_result_can_be_written_to_a_file(folder, query, suffix):
    name = f"found.{suffix}"
    assert distill(folder, query, "--method", "hits", "--output", name).err.endswith(f"Wrote {name}.\n")
    again = distill(folder, query, "--method", "hits", "--output", name)
    assert again.code == 1
    assert "already exists" in again.err
    assert distill(folder, query, "--method", "hits", "--output", name, "--force").code == 0


def test_the_csv_contains_every_candidate_in_order(folder, query):
    assert distill(folder, query, "--method", "in-degree", "--output", "pages.csv").code == 0
    with (folder / "pages.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(1, 51)]
    scores = [float(row["authority"]) for row in rows]
    assert scores == sorted(scores, reverse=True)


def test_a_root_set_is_read_from_lines_or_from_a_run(folder, query):
    found = json.loads(distill(folder, query, "--method", "bm25", "-k", 4, "--json").out)
    urls = [page["url"] for page in found["authorities"]]
    (folder / "root.txt").write_text("\n".join(reversed(urls)))
    (folder / "run.txt").write_text("".join(f"q7 Q0 {url} {n} {n} tag\n" for n, url in enumerate(urls, start=1)))
    for options in (("--root", "root.txt"), ("--root", "run.txt", "--run-query", "q7")):
        brought = json.loads(distill(folder, query, "--method", "bm25", "--json", *options).out)
        assert [page["url"] for page in brought["authorities"]] == urls[::-1]


def test_root_size_limits_a_root_set_from_a_file(folder, query):
    found = json.loads(distill(folder, query, "--method", "bm25", "-k", 4, "--json").out)
    urls = [page["url"] for page in found["authorities"]]
    (folder / "four.txt").write_text("\n".join(urls))
    taken = json.loads(distill(folder, query, "--method", "bm25", "--json", "--root", "four.txt", "--root-size", 2).out)
    assert [page["url"] for page in taken["authorities"]] == urls[:2]


def test_a_run_encodes_spaces_in_addresses(tmp_path):
    (tmp_path / "pages").mkdir()
    for name in ("a b", "c", "d e"):
        (tmp_path / "pages" / f"{name}.htm").write_text(f"<title>{name}</title><p>zen")
    (tmp_path / "run.txt").write_text("q Q0 d%20e.htm 1 2.0 tag\nq Q0 c.htm 2 1.0 tag\n")
    found = glassrank(
        *("distill", "pages", "--query", "zen", "--method", "bm25", "--json", "--store", "built"),
        *("--root", "run.txt", "--run-query", "q"),
        folder=tmp_path,
    )
    assert [page["url"] for page in json.loads(found.out)["authorities"]] == ["d e.htm", "c.htm"]


def test_a_fraction_of_the_largest_relevance_is_a_threshold(folder, query):
    options = ("--method", "bharat-henzinger", "--threshold", "max/10", "--candidates", "base", "--json")
    tenth, half = (
        json.loads(distill(folder, query, *options, *more).out)["threshold"] for more in ((), ("--fraction", 0.5))
    )
    assert half == pytest.approx(5 * tenth)


def test_the_command_has_the_options_and_defaults_of_the_library():
    given = find.make_context("find", ["web", "--query", "a"]).params
    assert given["method"] == signature(run).parameters["method"].default
    # The command reads the root set from a file, and its default seed is 0.
    known = {field.name: field.default for field in fields(Options) if field.name != "root"} | {"random_state": 0}
    assert {name: given[name] for name in known} == known
    choices = {option.name: option.type.choices for option in find.params if isinstance(option.type, click.Choice)}
    names = {"method": METHODS, "threshold": THRESHOLDS, "site": SITES}
    names |= {"accept": ACCEPT, "candidates": CANDIDATES, "neighbours": NEIGHBOURS, "edges": EDGES}
    names |= {"kernel": KERNELS, "text_rows": TEXT_ROWS}
    assert {name: tuple(known) for name, known in choices.items()} == {name: tuple(own) for name, own in names.items()}


def test_the_kernel_of_the_sphere_is_an_option_of_find_and_compare(folder, query):
    unit, raw, long = (
        json.loads(distill(folder, query, "--method", "svdd", "--json", *options).out)["radius"]
        for options in ((), ("--kernel", "raw"), ("--kernel", "raw", "--text-rows", "raw"))
    )
    assert unit < raw < long
    compared = json.loads(distill(folder, query, "--compare", "--kernel", "raw", "--json").out)
    assert compared["results"]["svdd"]["radius"] == pytest.approx(raw)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--query", "fa", "--nu", "0.2"), 1, "--nu is only for the method svdd: got it with the method bharat-henz"),
        (("--query", "a", "--text-rows", "raw"), 2, "--text-rows raw requires --kernel raw"),
        (("--query", "xyzzy"), 1, "No page contains a word of the query 'xyzzy'"),
        (("--query", "a", "--run-query", "q"), 2, "give the run with --root"),
        (("--query", "a", "--fraction", "0.2"), 2, "--fraction requires --threshold max/10: got root-median"),
        (("--query", "a", "--output", "x.doc"), 2, "--output must end in one of .html"),
        (("--query", "a", "--compare", "--output", "x.doc"), 2, "--output must end in one of .html"),
        ((), 2, "Missing option '--query'"),
    ],
)
def test_bad_usage_and_bad_data_have_different_exit_codes(folder, options, code, message):
    failed = glassrank("distill", "web.warc.gz", "--store", "built", *options, folder=folder)
    assert failed.code == code
    assert message in failed.err
    assert "Traceback" not in failed.err


def test_an_absent_collection_is_an_error_in_one_line(tmp_path):
    failed = glassrank("distill", "nowhere", *QUERY, folder=tmp_path)
    assert failed.code == 1
    assert failed.err.startswith("Error: ")
    assert "Traceback" not in failed.err


def test_help_names_the_commands_of_the_group(tmp_path):
    shown = glassrank("distill", "--help", folder=tmp_path)
    assert shown.code == 0
    for name in ("find", "judge", "study"):
        assert name in shown.out


def test_a_crawl_of_1997_is_built_distilled_and_explained(tmp_path):
    write_old_crawl(tmp_path / "web.tgz")
    for query in TOPICS:
        done = glassrank("distill", "web.tgz", "--url-from-name", "--query", query, folder=tmp_path)
        assert done.code == 0, done.err
        assert "linked from" in done.out


def test_widening_is_reported_on_stderr_and_can_be_switched_off(tmp_path):
    pages = "url,title,text\nhttp://a.org/,A,zen\nhttp://b.org/,B,zen\nhttp://c.org/,C,tea\n"
    write_site(tmp_path, {"w/pages.csv": pages, "w/links.csv": "source,target,anchor\nhttp://a.org/,http://c.org/,c\n"})
    done = glassrank("distill", "w", "--query", "zen", "--method", "hits", "--json", folder=tmp_path)
    assert json.loads(done.out)["authorities"][0]["title"] == "C"
    assert "Therefore the neighbours of the search results were added (base set)." in done.err
    refused = glassrank("distill", "w", "--query", "zen", "--method", "hits", "--no-widen", folder=tmp_path)
    assert refused.code == 1
    assert "There are no links between the candidate pages." in refused.err


def test_a_collection_is_built_and_described_without_a_query(tmp_path):
    write_old_crawl(tmp_path / "web.tgz")
    built = glassrank("distill", "build", "web.tgz", "--url-from-name", "--store", "built", folder=tmp_path)
    assert built.code == 0, built.err
    assert built.out.splitlines()[0] == "web.tgz: tar archive of HTML files, 60 pages, 300 links"
    assert built.out.splitlines()[-1] == f"stored in {tmp_path / 'built'}"
    assert (tmp_path / "built" / "index.npz").exists()
    described = glassrank("distill", "info", "built", folder=tmp_path)
    assert described.out.splitlines()[0] == (
        "60 pages on 5 hosts: cs.cornell.edu 12, ftp.cs.wisc.edu 12, www.cs.cornell.edu 12, www.cs.utexas.edu 12, "
        "www.cs.wisc.edu 12"
    )
    found = json.loads(glassrank("distill", "info", "built", "--json", folder=tmp_path).out)
    assert (found["pages"], found["links"], found["inside"], found["without_text"]) == (60, 300, 300, 0)


def test_a_japanese_collection_is_built_and_searched_by_words(tmp_path):
    pages = "url,title,text\nhttp://a.jp/,東京,東京都の美術館\nhttp://b.jp/,京都,京都の美術館\n"
    links = "source,target,anchor\nhttp://a.jp/,http://b.jp/,b\n"
    write_site(tmp_path, {"w/pages.csv": pages, "w/links.csv": links})
    language = ("--language", "japanese")
    built = glassrank("distill", "build", "w", "--store", "built", *language, folder=tmp_path)
    assert built.code == 0, built.err
    assert (tmp_path / "built" / "index-japanese.npz").exists()
    query = ("distill", "built", "--query", "京都", "--method", "bm25", "--json")
    words = glassrank(*query, *language, folder=tmp_path)
    assert [page["title"] for page in json.loads(words.out)["authorities"]] == ["京都"]
    assert words.err == ""
    pairs = glassrank(*query, folder=tmp_path)
    assert [page["title"] for page in json.loads(pairs.out)["authorities"]] == ["京都", "東京"]
    assert "also has an index of japanese words, which --language would use." in pairs.err


def test_many_queries_give_a_trec_run(tmp_path):
    write_old_crawl(tmp_path / "web.tgz")
    (tmp_path / "queries.csv").write_text("topic,query\nc,compilers\nx,xyzzy\nr,robotics\n")
    options = ["distill", "web.tgz", "--url-from-name", "--store", "built", "--queries", "queries.csv", "-k", 3]
    done = glassrank(*options, "--output", "run.txt", folder=tmp_path)
    assert done.code == 0, done.err
    assert "x: No page contains a word of the query 'xyzzy'." in done.err
    run = load_run(tmp_path / "run.txt")
    assert run.qid.tolist() == ["c"] * 3 + ["r"] * 3
    single = glassrank("distill", "built", "--query", "robotics", "-k", 3, "--json", folder=tmp_path)
    assert run.ranked("r") == [page["url"] for page in json.loads(single.out)["authorities"]]
    assert glassrank(*options, "--quiet", folder=tmp_path).out == (tmp_path / "run.txt").read_text()
    for more, message in (
        (("--query", "zen"), "--query is for one query"),
        (("--compare",), "--compare is for one query"),
        (("--output", "x.html"), "--queries writes a TREC run"),
    ):
        refused = glassrank(*options, *more, folder=tmp_path)
        assert (refused.code, message in refused.err) == (2, True)
