"""``glassrank links``: graphs without text."""

import json

import pytest

from tests.cli.commands import glassrank


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A citation graph: 20 papers cite five earlier ones each, and everybody cites paper 1."""
    folder = tmp_path_factory.mktemp("links")
    cites = [(n, max(1, n - k)) for n in range(2, 22) for k in range(1, 6)] + [(n, 1) for n in range(8, 22)]
    (folder / "cites.txt").write_text("# citing cited\n" + "".join(f"{a}\t{b}\n" for a, b in cites))
    (folder / "web.csv").write_text("source,target\nhttp://a.org/,http://b.org/\nhttp://a.org/x,http://b.org/\n")
    return folder


@pytest.mark.parametrize("method", ["hits", "pagerank", "in-degree"])
def test_the_paper_that_all_others_cite_is_the_best(folder, method):
    done = glassrank("links", "cites.txt", "--method", method, "--json", folder=folder)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["authorities"][0] == {"rank": 1, "page": 1, "score": found["authorities"][0]["score"]}
    assert (found["engine"], found["n_pages"], len(found["authorities"])) == ("memory", 21, 10)


def test_engines_agree_and_the_text_lists_authorities_and_hubs(folder):
    texts = [
        glassrank("links", "cites.txt", "-k", 3, "--engine", engine, folder=folder).out
        for engine in ("memory", "duckdb")
    ]
    lists = [[line.split()[:2] for line in text.splitlines()[2:]] for text in texts]
    assert lists[0] == lists[1]
    assert "best authorities:" in texts[0]
    assert "best hubs:" in texts[0]
    assert texts[0].startswith("hits in memory: 21 pages, ")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_all_scores_can_be_written(folder, suffix):
    output = f"scores.{suffix}"
    done = glassrank("links", "web.csv", "--method", "bharat-henzinger", "--output", output, folder=folder)
    assert f"Wrote {output}." in done.err
    content = (folder / output).read_bytes()
    if suffix == "csv":
        assert content.decode().splitlines()[:2] == ["page,authority,hub", "http://b.org/,1.0,0.0"]
    again = glassrank("links", "web.csv", "--output", output, folder=folder)
    assert (again.code, "already exists" in again.err) == (1, True)


def test_an_iteration_that_stops_early_is_reported(folder):
    done = glassrank("links", "cites.txt", "--max-iter", 1, folder=folder)
    assert "Raise --max-iter, or --tol." in done.err
    assert "NOT converged" in done.out
