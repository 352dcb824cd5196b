"""A small Spark cluster for tests, if PySpark and a Java runtime are installed."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def absent() -> str | None:
    """Return what is missing for Spark, or None."""
    if find_spec("pyspark") is None:
        return "PySpark is not installed"
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        return "there is no Java runtime"
    return None


def start_session():
    """Start Spark with two executor processes, no web page, local addresses, and few partitions for tiny tables."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        # Compiling a plan takes longer than running it on a hundred rows.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Processes that live for a minute do not earn back what the best compiler costs.
        "spark.driver.extraJavaOptions": QUICK_JAVA,
        "spark.executor.extraJavaOptions": QUICK_JAVA,
        # Functions of tests run on the executors.
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("glassrank tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")  # a killed executor is reported as an error
    session.sparkContext.pythonExec = sys.executable
    return session


@pytest.fixture(scope="session")
def spark_session():
    lacking = absent()
    if lacking:
        pytest.skip(f"Spark needs PySpark and a Java runtime: {lacking}")
    started = start_session()
    yield started
    started.stop()


@pytest.fixture
def spark_engine(spark_session):
    from glassrank.data.engines.spark_engine import SparkEngine

    with SparkEngine(spark_session) as opened:
        yield opened


@pytest.fixture
def spark_fits(monkeypatch):
    """The fits that were started on Spark."""
    from glassrank.scale.spark_jobs import SparkCall

    fits, submit = [], SparkCall.submit
    monkeypatch.setattr(SparkCall, "submit", lambda *given, **more: fits.append(given) or submit(*given, **more))
    return fits
