"""On Spark, the same functions give the same features of a log."""

import pytest

from glassrank.navigational.features.log import click_features as click
from glassrank.navigational.features.log import log_features as log
from glassrank.navigational.features.sources import IntentSources
from tests.navigational.features.log_worlds import by_row, found_in, log_world, twin_of, twin_of_log, without, wrong
from tests.navigational.features.random_worlds import containers
from tests.reference.navigational.worked.logs import CASES

pytestmark = pytest.mark.spark


WORLDS = {
    "full log": CASES["full log"][0],
    "sessions by gap": without(log_world(31, searches=12, n_queries=2), "session", "search"),
}


@pytest.mark.parametrize("name", WORLDS)
def test_features_on_spark_equal_the_twin_and_duckdb(spark_engine, name):
    world = WORLDS[name]
    given = containers(world)
    spark, duckdb = (IntentSources(**given, engine=place) for place in (spark_engine, "duckdb"))
    for module in (click, log):
        found = by_row(spark, module.compute(spark))
        assert wrong(found, twin_of(module, world)) == []
        assert wrong(found, by_row(duckdb, module.compute(duckdb))) == []
    assert spark_engine.names == ()


def test_a_csv_file_is_scanned_as_on_duckdb(spark_engine, tmp_path):
    world = log_world(32, searches=6, n_queries=2)
    given = containers(world)
    path = tmp_path / "log.csv"
    given["clicks"].to_frame("polars").fill_nan(None).write_csv(path)
    assert wrong(found_in(path, world, spark_engine), twin_of_log(world)) == []
