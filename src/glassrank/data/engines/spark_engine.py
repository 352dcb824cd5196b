"""Tables in Spark, for data larger than one machine."""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, NoReturn

import narwhals as nw

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_COLUMNS
from glassrank.core.setting import setting
from glassrank.data.csv_dialect import DELIMITERS
from glassrank.data.engine import Engine, check_csv, is_remote
from glassrank.data.engines.duckdb_engine import readable_kinds
from glassrank.data.engines.spark_errors import cause_of, first_line, spark_errors
from glassrank.data.frame_columns import FrameColumns

READING = "Spark cannot read or store the table"
MASTERS = r"local($|\[|-cluster\[)|spark://.|yarn$|k8s://."


class SparkEngine(Engine):
    """Tables and blocks in a Spark session: the given one, otherwise the active one, otherwise a new one.

    A new session runs on the cluster that ``master`` names (such as ``"spark://host:7077"`` or ``"yarn"``; by default
    on this machine, or where ``spark-submit`` says), and spills to ``folder``. It is stopped when the engine is closed;
    any other session keeps running. Stored tables are local checkpoints: they cut the plan, so that a loop does not
    plan all its steps again, and they live on the executors (if an executor is lost, its part is lost and Spark raises
    an error). Blocks of ranking data are read again instead.

    >>> from glassrank import RankSVM, SparkEngine, open_partitions, save_partitions, simulate_ranking
    >>> save_partitions(simulate_ranking(20, 10, random_state=0).data, "blocks", rows_per_block=50)
    >>> with SparkEngine(master="spark://head:7077") as engine:  # doctest: +SKIP
    ...     model = RankSVM().fit(open_partitions("blocks", engine=engine))
    """

    name = "spark"

    def __init__(
        self, session: object = None, *, master: str | None = None, folder: str | os.PathLike[str] | None = None
    ) -> None:
        super().__init__()
        _need("pyspark", "pip install 'glassrank[spark]', and a Java runtime")
        if master is not None and not re.match(MASTERS, master):
            raise DataError(
                parameter="master", expected="local[N], spark://HOST:PORT, yarn or k8s://HOST:PORT", got=master
            )
        self._started = None
        if session is None:
            session = _active_session()
        if session is None:
            session = self._started = _new_session(master, folder)
        elif master is not None:
            raise DataError(
                f"{setting('master')} is for a new Spark session, but one is running already.",
                parameter="master",
                remedy=("Leave it out to use the running session", "stop that session first"),
            )
        self._session: Any = session
        # Name → Java handle of a checkpoint that must be freed explicitly
        self._checkpoints: dict[str, Any] = {}

    @property
    def context(self) -> Any:
        """The session's ``SparkContext``, which runs Python functions on the executors."""
        context = getattr(self._session, "sparkContext", None)
        if context is not None and context._jsc is None:
            raise DataError("The Spark session was stopped.", remedy="Use another engine, which starts a session.")
        if context is None:
            raise DataError(
                "Blocks need a classic Spark session: got one of Spark Connect, which cannot run them.",
                remedy=f"Start Python by spark-submit, or name the cluster with {setting('master')}.",
            )
        return context

    def number(self, frame: nw.LazyFrame[Any], column: str) -> nw.LazyFrame[Any]:
        from pyspark.sql.functions import monotonically_increasing_id

        return nw.from_native(frame.to_native().withColumn(column, monotonically_increasing_id()))

    def columns(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        _need("pyarrow", "pip install pyarrow")
        with spark_errors(READING):
            source = FrameColumns(frame.to_native().toArrow())
        return source.fetch(readable_kinds(source, None))

    def rows(self, frame: nw.LazyFrame[Any]) -> list[dict[str, Any]]:
        with spark_errors(READING):
            return [row.asDict() for row in frame.to_native().collect()]

    def write(self, frame: nw.LazyFrame[Any], path: str | os.PathLike[str]) -> None:
        """Write a folder of Parquet files; Spark marks it as complete with a file ``_SUCCESS``."""
        if not is_remote(path) and os.path.exists(path):
            raise DataError(
                f"{path}: Spark writes a new folder, but this path exists already.", remedy="Choose another name."
            )
        with spark_errors(f"{path}: {READING}"):
            frame.to_native().write.parquet(os.fspath(path))

    def _scan(self, path: str | os.PathLike[str], kind: str) -> nw.LazyFrame[Any]:
        place = _plain_name(path)
        with spark_errors(f"{path}: {READING}"):
            if kind == "parquet":
                return nw.from_native(self._session.read.parquet(place))
            return nw.from_native(self._scan_csv(path, place, kind))

    def _scan_csv(self, path: str | os.PathLike[str], place: str, kind: str) -> Any:
        """Read the dialect: nothing is detected, no line is a comment, and an empty field is null, quoted or not."""
        from pyspark.sql import functions
        from pyspark.sql.types import StringType, StructField, StructType

        # A file that only Spark can open may have line breaks inside quotes: then it is read in one piece.
        schema, line_breaks = None, True
        if not is_remote(path):
            text = check_csv(path, kind)
            schema = StructType([StructField(name, StringType()) for name in text.names])
            line_breaks = text.has_quoted_line_breaks
            if line_breaks and text.line_end == b"\r\n":
                raise DataError(
                    f"{path}: Spark would change the line breaks inside quotes, because lines end in \\r\\n.",
                    remedy="Save the table as Parquet, or with lines that end in \\n.",
                )
        # FAILFAST, because by default Spark fills short lines with nulls and truncates long ones.
        table = self._session.read.csv(
            place,
            schema=schema,
            header=True,
            inferSchema=False,
            enforceSchema=schema is not None,
            sep=DELIMITERS[kind],
            quote='"',
            escape='"',
            mode="FAILFAST",
            multiLine=line_breaks,
            ignoreLeadingWhiteSpace=False,
            ignoreTrailingWhiteSpace=False,
            maxColumns=MAX_COLUMNS,
        )
        return table.select(*(functions.when(column != "", column).alias(name) for name, column in _columns(table)))

    def _take(self, frame: Any, name: str, columns: Sequence[str] | None) -> nw.LazyFrame[Any]:
        try:
            given = nw.from_native(frame)
        except TypeError as error:
            raise DataError(
                "A table must be a pandas, Polars or Spark frame, an Arrow table or a DuckDB relation: "
                f"got {type(frame).__name__}."
            ) from error
        if given.implementation.is_pyspark():
            return given.lazy() if columns is None else given.lazy().select(*columns)
        _need("pyarrow", "pip install pyarrow")
        import pyarrow

        source = FrameColumns(frame)
        fetched = source.fetch(readable_kinds(source, columns))
        # NaN becomes null, as nan_to_null does on every engine.
        arrays = {column: pyarrow.array(values, from_pandas=True) for column, values in fetched.items()}
        with spark_errors(READING):
            return nw.from_native(self._session.createDataFrame(pyarrow.table(arrays)))

    def _keep(self, frame: nw.LazyFrame[Any], name: str) -> nw.LazyFrame[Any]:
        with spark_errors(READING):
            kept = frame.to_native().localCheckpoint(eager=True)
        # Spark frees a checkpoint when Java's garbage collector finds it unused, which may be hours later. Spark
        # Connect sessions have no handle, and free it with the frame.
        if hasattr(kept, "_jdf"):
            self._checkpoints[name] = kept._jdf.queryExecution().logical().rdd()
        return nw.from_native(kept)

    def _free(self, name: str, frame: nw.LazyFrame[Any]) -> None:
        checkpoint = self._checkpoints.pop(name, None)
        if checkpoint is not None:
            checkpoint.unpersist(False)

    def _close(self) -> None:
        if self._started is not None:
            self._started.stop()


def _active_session() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _new_session(master: str | None, folder: str | os.PathLike[str] | None) -> Any:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("glassrank").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if folder is not None:
        builder = builder.config("spark.local.dir", os.fspath(folder))
    if master is not None:
        builder = builder.master(master)
    try:
        session = builder.getOrCreate()
    except PySparkException as error:
        raise DataError(
            f"Spark cannot be started: {first_line(error)}.",
            remedy="It needs a Java runtime (17 or later): install one, and set JAVA_HOME if it is not found.",
        ) from error
    except Py4JError as error:
        raise DataError(
            f"Spark cannot be started: {cause_of(error)}.",
            remedy="Check the address of the cluster and the settings of Spark.",
        ) from error
    if str(session.sparkContext.master).startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        # Processes on this machine use this environment; Spark would start the system's Python.
        session.sparkContext.pythonExec = sys.executable
    _cancel_on_interrupt(session.sparkContext)
    return session


def _cancel_on_interrupt(context: Any) -> None:
    """Let Ctrl-C cancel all jobs and interrupt; in PySpark's own handler, a failed cancellation hides the interrupt."""
    from py4j.protocol import Py4JError

    def cancel(number: int, frame: object) -> NoReturn:
        # Without a connection there is nothing to cancel.
        with suppress(Py4JError, OSError):
            context.cancelAllJobs()
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, cancel)


def _plain_name(path: str | os.PathLike[str]) -> str:
    """Escape the characters of a local path that Hadoop would treat as a pattern; remote paths are unchanged."""
    if is_remote(path):
        return os.fspath(path)
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", os.path.abspath(path))


def _columns(table: Any) -> Iterator[tuple[str, Any]]:
    """Return columns by quoted name, because Spark would treat a dot in a name as access to a nested field."""
    from pyspark.sql.functions import col

    for name in table.columns:
        yield name, col(f"`{name.replace('`', '``')}`")


def _need(library: str, remedy: str) -> None:
    if find_spec(library) is None:
        raise DataError(f"Tables in Spark need {library}, which is not installed.", remedy=f"Install it: {remedy}.")
