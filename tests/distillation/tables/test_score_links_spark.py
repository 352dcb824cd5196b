"""On Spark the same functions give the same scores."""

import gzip
from contextlib import nullcontext

import narwhals as nw
import numpy as np
import polars
import pytest
from sklearn.exceptions import ConvergenceWarning

from glassrank.core.checks import DataError
from glassrank.distillation.hits import hits
from glassrank.distillation.tables.score_links import score_links
from tests.distillation.tables.table_webs import METHODS, by_page, expected, hosts_of, largest_difference, random_web

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("method", METHODS)
def test_scores_after_three_iterations_equal_the_definition(spark_engine, method):
    """After a few iterations every difference is visible, even one that the limit does not show."""
    web = random_web(keys="text" if method == "hits" else "numbers")
    with pytest.warns(ConvergenceWarning) if method != "in-degree" else nullcontext():
        scores = score_links(web, method, spark_engine, max_iter=3)
    assert largest_difference(scores, expected(web, method, turns=3)) < 1e-12


def test_scores_at_the_limit_equal_those_of_duckdb_and_of_the_matrix(spark_engine):
    """Every page links to every other except for three links: the second singular value is small."""
    ends = [(s, t) for s in range(6) for t in range(6) if s != t and (s, t) not in {(0, 1), (0, 2), (3, 1)}]
    links = polars.DataFrame(ends, schema=["source", "target"], orient="row")
    spark, duckdb = (score_links(links, "hits", place, tol=1e-10) for place in (spark_engine, "duckdb"))
    matrix = np.zeros((6, 6))
    matrix[tuple(np.transpose(ends))] = 1.0
    known = hits(matrix, tol=1e-12)
    wanted = [dict(enumerate(values.tolist())) for values in (known.authority_scores, known.hub_scores)]
    assert spark.converged
    assert (spark.engine, spark.iterations) == ("spark", duckdb.iterations)
    assert largest_difference(spark, wanted) < 1e-9
    assert largest_difference(duckdb, wanted) < 1e-9
    assert [page.page for page in spark.authorities] == [page.page for page in duckdb.authorities]


def test_relevance_is_joined_as_on_duckdb(spark_engine):
    web = random_web(seed=6)
    hosts = sorted(hosts_of(web))
    pages = polars.DataFrame({"page": hosts, "relevance": np.linspace(1.5, 0.5, len(hosts))})
    with pytest.warns(ConvergenceWarning):
        spark, duckdb = (
            score_links(web, "bharat-henzinger", place, pages=pages, max_iter=1) for place in (spark_engine, "duckdb")
        )
    assert (spark.n_links, spark.n_rows) == (duckdb.n_links, duckdb.n_rows)
    assert largest_difference(spark, (by_page(duckdb), by_page(duckdb, "hub"))) < 1e-12


@pytest.mark.parametrize("name", ["links.parquet", "links.csv.gz", "l[i]nks*.csv"])
def test_files_are_read_as_on_duckdb(spark_engine, tmp_path, name):
    web, path = random_web(seed=2, n_pages=20, n_links=60, keys="numbers"), tmp_path / name
    if name.endswith(".parquet"):
        web.write_parquet(path)
    else:
        content = web.write_csv().encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert by_page(score_links(path, "in-degree", spark_engine)) == expected(web, "in-degree")[0]


def test_a_table_of_spark_is_scored_in_its_own_session(spark_session):
    table = spark_session.createDataFrame([("a", "b"), ("a", "c"), ("b", "c"), ("b", "c")], ["source", "target"])
    scores = score_links(table, "in-degree", "spark")
    assert by_page(scores) == {"a": 0.0, "b": 1.0, "c": 2.0}
    assert (scores.n_links, scores.n_rows) == (3, 4)
    # The session existed before: it is not stopped.
    assert table.count() == 4


def test_scores_are_written_to_a_folder_of_parquet_files(spark_engine, tmp_path):
    web = random_web(seed=2, n_pages=20, n_links=60)
    scores = score_links(web, "in-degree", spark_engine, output=tmp_path / "scores")
    frame = scores.to_frame("polars")
    assert dict(frame.iter_rows()) == expected(web, "in-degree")[0]
    assert frame["authority"].to_list() == sorted(frame["authority"], reverse=True)
    with pytest.raises(DataError, match=r"this path exists already\. Choose another name"):
        score_links(web, "in-degree", spark_engine, output=tmp_path / "scores")


def test_a_link_without_source_is_refused(spark_engine):
    links = polars.DataFrame({"source": ["a", None], "target": ["b", "b"]})
    with pytest.raises(DataError, match=r"1 link has no source \(of 2\)"):
        score_links(links, engine=spark_engine)
    assert spark_engine.names == ()


def test_a_dropped_table_frees_its_memory(spark_engine, spark_session):
    taken = spark_engine.take(polars.DataFrame({"n": [1, 2, 3]}), "numbers")
    held = spark_session.sparkContext._jsc.getPersistentRDDs
    before = held().size()
    spark_engine.materialise(taken.with_columns((nw.col("n") * 2).alias("twice")), "doubled")
    assert held().size() == before + 1
    spark_engine.drop("doubled")
    assert held().size() == before


def test_every_row_is_numbered_differently(spark_engine):
    taken = spark_engine.take(polars.DataFrame({"key": [f"k{i}" for i in range(5000)]}), "keys")
    columns = spark_engine.columns(spark_engine.materialise(spark_engine.number(taken, "number"), "numbered"))
    assert len(set(columns["number"])) == len(set(columns["key"])) == 5000


def test_nan_is_null(spark_engine):
    taken = spark_engine.take(polars.DataFrame({"x": [1.0, float("nan"), None]}), "x")
    assert spark_engine.scalars(taken.select(nw.col("x").is_null().cast(nw.Int64).sum().alias("n"))) == {"n": 2}


def test_invalid_files_are_refused_with_a_message(spark_engine, tmp_path):
    path = tmp_path / "links.parquet"
    path.write_text("rubbish")
    with pytest.raises(DataError, match=r"links\.parquet: Spark cannot read or store the table"):
        spark_engine.scan(path)
    with pytest.raises(DataError, match="A table must be a pandas, Polars or Spark frame"):
        spark_engine.take([1], "numbers")
