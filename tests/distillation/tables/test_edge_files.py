"""Text files of links are read line by line, and small graphs are scored in memory with the results of the tables."""

import gzip

import polars
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.web.edge_list import convert_edges, read_edges
from glassrank.distillation.tables.score_links import score_links
from tests.distillation.tables.table_webs import METHODS, expected, largest_difference, random_web

EDGES = [("a", "b"), ("a", "c"), ("b", "c")]
# In-degrees 0, 1 and 2: c is linked from both others.
FILES = {
    "edges.txt": "# comment\n% another\na b\n\na c\r\nb c\n",
    "edges": "a\tb\na\tc\nb\tc",
    "named.edges": "source target\na b\na c\nb c\n",
    "commas.txt": "a,b\na, c\nb,c\n",
    "table.csv": "source,target,anchor\na,b,x\na,c,y\nb,c,z\n",
}


@pytest.mark.parametrize("name", FILES)
def test_every_notation_of_a_graph_gives_the_same_scores(name, tmp_path):
    path = tmp_path / name
    path.write_text(FILES[name])
    scores = score_links(path, "in-degree", "auto")
    assert [(page.page, page.score) for page in scores.authorities] == [("c", 2.0), ("b", 1.0)]
    assert (scores.engine, scores.n_pages, scores.n_links) == ("memory", 3, 3)


def test_packed_files_lists_of_targets_and_other_columns_are_read(tmp_path):
    (tmp_path / "lists.txt.gz").write_bytes(gzip.compress(b"a b c\nb c\nc\n"))
    assert list(read_edges(tmp_path / "lists.txt.gz", adjacency=True)) == EDGES
    (tmp_path / "bare.csv").write_text("a,b\na,c\nb,c\n")
    (tmp_path / "cites.csv").write_text("from,to\na,b\na,c\nb,c\n")
    for path, options in (
        (tmp_path / "lists.txt.gz", {"adjacency": True}),
        (tmp_path / "bare.csv", {"header": False}),
        (tmp_path / "cites.csv", {"source": "from", "target": "to"}),
    ):
        assert [page.page for page in score_links(path, "in-degree", "memory", **options).authorities] == ["c", "b"]


def test_whole_numbers_stay_numbers_and_leading_zeros_stay_text(tmp_path):
    for text, kind in (("1 2\n10 2\n", polars.Int64), ("1 2\n007 2\n", polars.String)):
        (tmp_path / "e.txt").write_text(text)
        folder = tmp_path / str(kind)
        folder.mkdir()
        assert polars.read_parquet(convert_edges(tmp_path / "e.txt", str(folder)))["source"].dtype == kind


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keys", ["text", "numbers"])
def test_scores_in_memory_equal_the_definition(method, keys):
    web = random_web(keys=keys)
    scores = score_links(web, method, "memory", tol=1e-12)
    assert largest_difference(scores, expected(web, method)) < 1e-9
    assert scores.n_links == score_links(web, method, "duckdb", tol=1e-12).n_links


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_hosts_are_those_of_the_addresses(engine):
    """Two pages of one host share the vote for c, so that d, with votes of two hosts, is the better authority."""
    ends = [("a.org/1", "c"), ("A.org:80/2", "c"), ("a.org/1", "d"), ("b.org/", "d"), ("a.org/2", "a.org/1")]
    table = polars.DataFrame(
        {
            "source": [f"http://{source}" for source, _ in ends],
            "target": [f"http://{target}" + ("" if "/" in target else ".org/") for _, target in ends],
        }
    )
    scores = score_links(table, "bharat-henzinger", engine)
    assert [page.page for page in scores.authorities] == ["http://d.org/", "http://c.org/"]
    assert scores.n_links == 4


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            b"a b\na b c\n",
            {},
            r"e.txt:2: expected 2 fields, .* got 3. Drop the other fields, read lists .* adjacency=T",
        ),
        (b"a\n", {}, "e.txt:1: expected 2 fields"),
        (b"a\t\n", {}, "e.txt:1: a field is empty"),
        (b"# nothing\n", {}, "e.txt: the file contains no links"),
        (b"a\n", {"adjacency": True}, "e.txt: the file contains no links"),
        (b"a \xff\n", {}, "e.txt:1: expected text in UTF-8, got an invalid byte at 2"),
        (b"a \0\n", {}, "e.txt:1: expected text, got a zero byte"),
    ],
)
def test_a_line_that_is_no_link_is_an_error(content, options, message, tmp_path):
    (tmp_path / "e.txt").write_bytes(content)
    with pytest.raises(DataError, match=message):
        gr.score_links(tmp_path / "e.txt", **options)


def test_a_table_with_other_columns_names_the_remedies(tmp_path):
    (tmp_path / "e.csv").write_text("a,b\nb,c\n")
    with pytest.raises(DataError, match=r"column 'source': got 'a', 'b'. Rename .* source and target, .* header=False"):
        gr.score_links(tmp_path / "e.csv")
    with pytest.raises(DataError, match="header and adjacency are for text files"):
        gr.score_links(polars.DataFrame({"source": ["a"], "target": ["b"]}), header=False)
