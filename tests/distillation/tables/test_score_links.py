"""Scores of a table of links equal those of the definitions and of the functions on matrices."""

import duckdb
import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import tests.reference.link_tables as twin
from glassrank.core.checks import DataError
from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.distillation.bharat_henzinger import bharat_henzinger
from glassrank.distillation.hits import hits
from glassrank.distillation.in_degree import in_degree
from glassrank.distillation.pagerank import pagerank
from glassrank.distillation.tables import score_links as links_module
from tests.distillation.tables.table_webs import METHODS, by_page, expected, hosts_of, largest_difference, random_web


def score_links(links, method="hits", engine="duckdb", **options):
    """Score on disk, unless a test asks for another engine."""
    return links_module.score_links(links, method, engine, **options)


CHAIN = polars.DataFrame({"source": ["a", "a", "b"], "target": ["b", "c", "c"]})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keys", ["text", "numbers"])
def test_scores_equal_the_definition(method, keys):
    web = random_web(keys=keys)
    scores = score_links(web, method, tol=1e-12)
    assert largest_difference(scores, expected(web, method)) < 1e-9
    assert scores.converged


@pytest.mark.parametrize("method", METHODS)
def test_scores_equal_those_of_the_matrix(method):
    web = random_web(seed=3, n_pages=300, n_links=3000, keys="numbers")
    pages, ends = np.unique(web.select("source", "target").to_numpy(), return_inverse=True)
    source, target = ends.reshape(-1, 2).T
    matrix = sparse.csr_array((np.ones(len(source)), (source, target)), shape=(len(pages),) * 2)
    matrix.data[:] = 1.0
    hosts = hosts_of(web)
    functions = {
        "hits": hits,
        "bharat-henzinger": lambda links, **options: bharat_henzinger(links, [hosts[int(p)] for p in pages], **options),
        "pagerank": pagerank,
        "in-degree": lambda links, **options: in_degree(links),
    }
    known = functions[method](matrix, tol=1e-12)
    vectors = [
        None if values is None else dict(zip(pages.tolist(), values.tolist(), strict=True))
        for values in (known.authority_scores, known.hub_scores)
    ]
    assert largest_difference(score_links(web, method, tol=1e-12), vectors) < 1e-9


def test_relevance_multiplies_the_score_that_a_page_passes_on():
    web = random_web(seed=5)
    hosts = hosts_of(web)
    relevance = dict(zip(sorted(hosts), np.linspace(0.0, 2.0, len(hosts)).tolist(), strict=True))
    pages = polars.DataFrame({"page": list(relevance), "relevance": list(relevance.values())})
    listed_hosts = pages.with_columns(polars.col("page").replace_strict(hosts).alias("host"))
    wanted = twin.bharat_henzinger(list(web.select("source", "target").iter_rows()), hosts, relevance, turns=3)
    for links, table in ((web, pages), (web.select("source", "target"), listed_hosts), (web, listed_hosts)):
        with pytest.warns(ConvergenceWarning):
            scores = score_links(links, "bharat-henzinger", pages=table, max_iter=3)
        assert largest_difference(scores, wanted) < 1e-12


def test_a_hand_worked_graph_of_two_hosts():
    """Both pages of host a link to b: they share one vote there, and a2's link to c has a full vote.

    a(b) = ½h(a1) + ½h(a2), a(c) = h(a2); h(a1) = a(b), h(a2) = a(b) + a(c): a(c)/a(b) → √2.
    """
    links = polars.DataFrame(
        {
            "source": ["a1", "a2", "a2", "a1"],
            "target": ["b", "b", "c", "a2"],
            "source_host": ["a", "a", "a", "a"],
            "target_host": ["b", "b", "c", "a"],
        }
    )
    scores = score_links(links, "bharat-henzinger")
    assert by_page(scores) == pytest.approx({"a1": 0.0, "a2": 0.0, "b": 1 / 3**0.5, "c": (2 / 3) ** 0.5}, abs=1e-9)
    assert (scores.n_links, scores.n_rows) == (3, 4)


@pytest.mark.parametrize("method", ["hits", "pagerank", "in-degree"])
def test_pages_without_links_are_scored_too(method):
    web = random_web(seed=1)
    pages = [*sorted(hosts_of(web)), "lonely", "lonely too"]
    scores = score_links(web, method, pages=polars.DataFrame({"page": pages, "title": pages}), tol=1e-12)
    assert scores.n_pages == len(pages)
    assert largest_difference(scores, expected(web, method, pages)) < 1e-9


def test_a_repeated_link_counts_once():
    thrice = polars.concat([CHAIN, CHAIN, CHAIN])
    scores = score_links(thrice)
    assert (scores.n_links, scores.n_rows) == (3, 9)
    assert by_page(scores) == pytest.approx(by_page(score_links(CHAIN)), abs=1e-12)


def test_two_separate_cycles_share_the_scores_as_after_a_uniform_start():
    links = polars.DataFrame({"source": [1, 2, 3, 4], "target": [2, 1, 4, 3]})
    scores = score_links(links)
    assert by_page(scores) == pytest.approx(dict.fromkeys([1, 2, 3, 4], 0.5))
    assert (scores.iterations, scores.converged) == (1, True)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv", ".csv.gz"])
@pytest.mark.parametrize("keys", ["text", "numbers"])
def test_files_and_frames_give_the_same(tmp_path, suffix, keys):
    web, path = random_web(seed=2, keys=keys), tmp_path / f"links{suffix}"
    write_table(web, path)
    # Dictionaries compare the keys too: numbers in CSV become numbers again.
    assert by_page(score_links(path, "in-degree")) == expected(web, "in-degree")[0]


def write_table(frame, path):
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        compression = "gzip" if path.suffix == ".gz" else None
        frame.to_pandas().to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",", compression=compression)


@pytest.mark.parametrize(
    "make",
    [lambda frame: frame.lazy(), lambda frame: frame.to_pandas(), lambda frame: frame.to_arrow()],
    ids=["lazy", "pandas", "arrow"],
)
def test_a_table_of_any_library_gives_the_same(make):
    assert by_page(score_links(make(CHAIN), "in-degree")) == {"a": 0.0, "b": 1.0, "c": 2.0}


def test_a_relation_of_duckdb_gives_the_same():
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT * FROM (VALUES ('a','b'), ('a','c'), ('b','c')) AS links(source, target)")
        assert by_page(score_links(relation, "in-degree")) == {"a": 0.0, "b": 1.0, "c": 2.0}


def test_keys_like_007_in_csv_stay_text(tmp_path):
    (tmp_path / "links.csv").write_text("source,target\n1,007\n2,007\n")
    assert by_page(score_links(tmp_path / "links.csv", "in-degree")) == {"007": 2.0, "1": 0.0, "2": 0.0}


def test_keys_are_numbers_only_if_they_are_in_links_and_pages_of_csv(tmp_path):
    (tmp_path / "pages.csv").write_text("page\n1\n2\nthree\n")
    (tmp_path / "links.csv").write_text("source,target\n1,2\n")
    scores = score_links(tmp_path / "links.csv", "in-degree", pages=tmp_path / "pages.csv")
    assert by_page(scores) == {"1": 0.0, "2": 1.0, "three": 0.0}


def test_unsigned_hashes_keep_every_digit():
    links = polars.DataFrame(
        {"source": [2**64 - 1], "target": [2**64 - 2]}, schema=dict.fromkeys(("source", "target"), polars.UInt64)
    )
    assert by_page(score_links(links, "in-degree")) == {str(2**64 - 1): 0.0, str(2**64 - 2): 1.0}


def test_without_links_between_hosts_all_scores_are_0():
    links = CHAIN.with_columns(source_host=polars.lit("h"), target_host=polars.lit("h"))
    scores = score_links(links, "bharat-henzinger")
    assert by_page(scores) == dict.fromkeys("abc", 0.0)
    assert (scores.n_links, scores.converged, scores.authorities) == (0, True, ())


def test_without_relevance_all_scores_are_0():
    links = CHAIN.with_columns(source_host=polars.col("source"), target_host=polars.col("target"))
    pages = polars.DataFrame({"page": ["a", "b", "c"], "relevance": [0.0, 0.0, 0.0]})
    scores = score_links(links, "bharat-henzinger", pages=pages)
    assert (by_page(scores), by_page(scores, "hub")) == (dict.fromkeys("abc", 0.0),) * 2


def test_stopping_early_warns():
    with pytest.warns(ConvergenceWarning, match=r"hits stopped after 2 iterations .* Raise max_iter, or tol\."):
        scores = score_links(random_web(), max_iter=2)
    assert not scores.converged
    assert "NOT converged after 2 iterations" in str(scores)


def test_progress_is_reported_at_every_iteration():
    told = []
    scores = score_links(CHAIN, progress=lambda *step: told.append(step))
    assert [(done, total) for done, total, _ in told] == [(n, None) for n in range(1, scores.iterations + 1)]
    assert all(what.startswith("iterating: change ") for _, _, what in told)


def test_small_graphs_are_scored_in_memory_by_default():
    assert str(links_module.score_links(CHAIN, "pagerank")).startswith("pagerank in memory: 3 pages, 3 links\n")
    assert by_page(links_module.score_links(CHAIN)) == pytest.approx(by_page(score_links(CHAIN)), abs=1e-9)


def test_the_result_is_printed_and_ties_are_sorted_by_page():
    links = polars.DataFrame({"source": ["x", "x", "x"], "target": ["b", "a", "c"]})
    assert str(score_links(links)) == (
        "hits on duckdb: 4 pages, 3 links\n"
        "  converged after 2 iterations (change 0e+00, tol 1e-10)\n"
        "  best authorities:\n"
        "     1  a  0.57735\n"
        "     2  b  0.57735\n"
        "     3  c  0.57735\n"
        "  best hubs:\n"
        "     1  x  1"
    )


def test_scores_are_sorted_best_first_in_every_format(tmp_path):
    web = random_web(seed=4)
    in_memory = score_links(web, tol=1e-2)
    on_disk = score_links(web, tol=1e-2, output=tmp_path / "scores.parquet")
    in_memory.save(tmp_path / "saved.parquet")
    assert on_disk.columns is None
    assert "scores.parquet" in str(on_disk)
    frames = [
        in_memory.to_frame("polars"),
        on_disk.to_frame("polars"),
        polars.read_parquet(tmp_path / "scores.parquet"),
        polars.read_parquet(tmp_path / "saved.parquet"),
    ]
    order = frames[0]["page"].to_list()
    assert [page.page for page in in_memory.authorities] == order[:10]
    for frame in frames:
        assert frame.columns == ["page", "authority", "hub"]
        assert frame["page"].to_list() == order
        assert frame["authority"].to_numpy() == pytest.approx(frames[0]["authority"].to_numpy(), abs=1e-12)
    assert (np.diff(frames[0]["authority"].to_numpy()) <= 1e-9).all()


def test_an_open_engine_keeps_the_tables_it_had():
    with DuckDBEngine() as engine:
        links = engine.take(CHAIN, "links")
        assert by_page(score_links(links, engine=engine)) == pytest.approx(by_page(score_links(CHAIN)), abs=1e-12)
        with pytest.raises(DataError):
            score_links(links, "bharat-henzinger", engine=engine)
        assert engine.names == ("links",)


def test_only_the_last_half_steps_are_kept():
    with DuckDBEngine() as engine:
        kept = []
        score_links(random_web(), engine=engine, tol=1e-3, progress=lambda *_: kept.append(len(engine.names)))
        assert len(kept) > 5
        assert set(kept) == {4}  # links, pages, authority, hub


def test_nothing_is_left_in_the_folder(tmp_path):
    score_links(CHAIN, folder=tmp_path)
    with pytest.raises(DataError):
        score_links(CHAIN.head(0), folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


WITH_HOSTS = CHAIN.with_columns(source_host=polars.col("source"), target_host=polars.col("target"))


@pytest.mark.parametrize(
    ("links", "options", "message"),
    [
        (CHAIN.head(0), {}, "The table of links has no rows"),
        (CHAIN.rename({"target": "to"}), {}, "must have a column 'target': got 'source', 'to'"),
        (polars.DataFrame({"source": ["a", None, None], "target": ["b"] * 3}), {}, "2 links have no source .of 3."),
        (polars.DataFrame({"source": ["a", "b"], "target": ["b", ""]}), {}, "1 link has no target .of 2."),
        (
            pandas.DataFrame({"source": [1, None], "target": [2, 3]}),
            {},
            "Missing values can turn whole numbers into floats",
        ),
        (polars.DataFrame({"source": [1], "target": ["b"]}), {}, "must all be text or all be whole numbers: got both"),
        (CHAIN, {"pages": polars.DataFrame({"page": [1, 2]})}, "must all be text or all be whole numbers: got both"),
        (CHAIN, {"pages": polars.DataFrame({"page": ["a", "b"]})}, "2 links have a source or target that is not in"),
        (CHAIN, {"pages": polars.DataFrame({"page": [*"abca"]})}, "A page must be listed once: got 4 rows for 3 pages"),
        (CHAIN, {"pages": polars.DataFrame({"page": [*"abc", None]})}, "1 page has no page"),
        (
            CHAIN,
            {"method": "bharat-henzinger"},
            "'source_host' unless its pages are addresses .* or a column 'host' to the table",
        ),
        (
            WITH_HOSTS.with_columns(target_host=polars.lit("z")),
            {"method": "bharat-henzinger"},
            "A page must have one host",
        ),
        (
            WITH_HOSTS,
            {
                "method": "bharat-henzinger",
                "pages": polars.DataFrame({"page": [*"abc"], "relevance": [1.0, -1.0, np.nan]}),
            },
            "2 pages have no relevance: expected a finite number that is not negative",
        ),
        (
            CHAIN,
            {"method": "bharat-henzinger", "pages": polars.DataFrame({"page": [*"abc"], "host": ["x", None, "y"]})},
            "1 page has no host",
        ),
        ([("a", "b")], {}, "links and pages must be a path .* got list"),
        (CHAIN, {"method": "salsa"}, "method must be one of 'hits', 'bharat-henzinger', 'pagerank', 'in-degree'"),
        (CHAIN, {"engine": "dask"}, "engine must be one of 'auto', 'memory', 'duckdb', 'spark': got 'dask'"),
        (CHAIN, {"damping": 1.0}, "damping must be at least 0 and below 1: got 1.0"),
        (CHAIN, {"tol": 0}, "tol must be a positive number: got 0"),
        (CHAIN, {"max_iter": 1.5}, "max_iter must be a positive whole number: got 1.5"),
        ("nowhere.csv", {}, "nowhere.csv: there is no such file"),
    ],
)
def test_invalid_tables_are_refused_with_a_message(links, options, message):
    with pytest.raises(DataError, match=message):
        score_links(links, **options)


def test_nothing_of_a_csv_file_is_sniffed(tmp_path):
    """A first line that looks like a comment must not make # a comment sign: the pages would merge or disappear."""
    path = tmp_path / "l.csv"
    path.write_text("# note,source,target\n1,p1,http://a/#x\n2,p2,http://a/#y\n3,#zen,p3\n")
    scores = score_links(path, "in-degree")
    linked, unlinked = ("http://a/#x", "http://a/#y", "p3"), ("p1", "p2", "#zen")
    assert by_page(scores) == dict.fromkeys(linked, 1.0) | dict.fromkeys(unlinked, 0.0)


def test_a_page_whose_name_begins_with_a_hash_is_no_comment(tmp_path):
    """Among numbers, DuckDB's sniffer takes # for a comment sign and drops the row."""
    path = tmp_path / "l.csv"
    path.write_text("source,target\n1,2\n#zen,3\n")
    assert by_page(score_links(path, "in-degree")) == {"1": 0.0, "2": 1.0, "#zen": 0.0, "3": 1.0}


def test_a_line_before_the_header_is_refused(tmp_path):
    """It is not skipped in silence, as the sniffer would do."""
    path = tmp_path / "l.csv"
    path.write_text("# note\nsource,target\np1,p2\np2,p3\n")
    with pytest.raises(DataError, match=r"l\.csv:2: expected 1 fields as in the header, got 2"):
        score_links(path, "in-degree")
