"""spark_jobs(): many independent fits on Spark, each on one executor."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from uuid import uuid4
from warnings import warn_explicit

import joblib
from joblib.parallel import FallbackToBackend, ParallelBackendBase, SequentialBackend
from sklearn import get_config

from glassrank import __version__
from glassrank.core.checks import DataError
from glassrank.data.engines.spark_engine import SparkEngine
from glassrank.data.engines.spark_errors import spark_errors
from glassrank.scale.spark_batch import run_batch

JOB_FAILED = "Spark cannot run the fits"


@contextmanager
def spark_jobs(engine: SparkEngine, n_jobs: int = -1) -> Iterator[None]:
    """Run the fits that would run in parallel on this machine on the executors of a Spark cluster.

    Inside the block, ``RankSVMCV``, ``NomogramRFE``, ``bootstrap_effects``, ``CouplingStudy`` and everything else that
    runs in parallel through joblib fit their models there, with the same results. Each fit is a Spark job with a copy
    of its rows, so the data must fit into the memory of a task. Warnings arrive here. If an executor dies, its fits are
    repeated on another one.

    Parameters
    ----------
    engine
        The cluster.
    n_jobs
        Number of fits at a time, unless an estimator has an ``n_jobs`` of its own; with 1, they run in this process.
        −1 means one for each core that the cluster has when the fits begin. Give a number if executors start later.

    Examples
    --------
    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 10, random_state=0).data
    >>> with gr.SparkEngine(master="spark://head:7077") as engine, gr.spark_jobs(engine):  # doctest: +SKIP
    ...     selected = gr.NomogramRFE(gr.RankSVM()).fit(data)
    """
    if not isinstance(engine, SparkEngine):
        raise DataError(
            parameter="engine", expected="a SparkEngine", got=engine, remedy="Open one with gr.SparkEngine."
        )
    with spark_errors(JOB_FAILED):
        # Waits until there is an executor: before that, the number of cores is unknown.
        engine.context.parallelize([0], 1).count()
    with joblib.parallel_config(backend=SparkBackend(engine), n_jobs=n_jobs):
        yield


class SparkBackend(ParallelBackendBase):
    """A backend of joblib that gives each call of ``joblib.Parallel`` jobs of its own on Spark."""

    supports_retrieve_callback = True
    on_cluster = True

    def __init__(self, engine: SparkEngine, **options: Any) -> None:
        super().__init__(**options)
        self._engine = engine
        self._warned: dict[Any, Any] = {}

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """Return how many fits run at a time; negative numbers count from the number of cores, as in joblib."""
        if n_jobs == 0:
            raise DataError(parameter="n_jobs", expected="a positive number, or -1 for one per core", got=0)
        if n_jobs is None or n_jobs > 0:
            return n_jobs or 1
        context = self._engine.context
        tasks = int(context.defaultParallelism) // int(context.getConf().get("spark.task.cpus", "1"))
        # With one job at a time, joblib would not ask Spark at all.
        return max(2, tasks + 1 + n_jobs)

    def configure(self, n_jobs: int = 1, parallel: Any = None, **_: Any) -> int:
        """Hand the call over to a backend of its own, so that one call cannot cancel the jobs of another."""
        raise FallbackToBackend(SparkCall(self._engine, self._warned, nesting_level=self.nesting_level))

    def get_nested_backend(self) -> tuple[Any, None]:
        """Return how jobs run jobs of their own: one after the other, because there is one level of parallelism."""
        return SequentialBackend(nesting_level=(self.nesting_level or 0) + 1), None


class SparkCall(SparkBackend):
    """One call of ``joblib.Parallel``: each batch is a Spark job of one task, which a thread of this process awaits."""

    def __init__(self, engine: SparkEngine, warned: dict[Any, Any], **options: Any) -> None:
        super().__init__(engine, **options)
        self._warned = warned

    def configure(self, n_jobs: int = 1, parallel: Any = None, **_: Any) -> int:
        """Prepare the threads, and remember the configuration of the caller."""
        self.parallel, n_threads = parallel, self.effective_n_jobs(n_jobs)
        self._group, self._config = f"glassrank-{uuid4()}", get_config()
        self._threads = ThreadPoolExecutor(n_threads)
        return n_threads

    def submit(self, func: Any, callback: Callable[[Future[Any]], object] | None = None) -> Future[Any]:
        """Start a job."""
        future = self._threads.submit(self._run, func)
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, future: Future[Any]) -> Any:
        """Return the result of a finished job, or raise its error."""
        return future.result()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Cancel all jobs after one of them has failed."""
        self.terminate()
        if ensure_ready:
            self.configure(n_jobs=self.parallel.n_jobs, parallel=self.parallel)

    def terminate(self) -> None:
        """End the threads, and cancel jobs that still run."""
        from py4j.protocol import Py4JError

        self._threads.shutdown(wait=False, cancel_futures=True)
        # A session that has ended runs no jobs, and its error is known already.
        with suppress(DataError, Py4JError, OSError):
            self._engine.context._jsc.sc().cancelJobGroupAndFutureJobs(self._group)

    def _run(self, func: Any) -> Any:
        with spark_errors(JOB_FAILED):
            context = self._engine.context
            sent = context.broadcast(_pickled(func))
            try:
                context.setJobGroup(self._group, "glassrank", interruptOnCancel=True)
                job = context.parallelize([0], 1).map(partial(run_batch, sent, __version__, self._config))
                (done,) = job.collect()
            finally:
                # Otherwise the rows of every fit would stay on the disks until the session ends.
                sent.destroy()
        for message, category, file, line in done.warnings:
            warn_explicit(message, category, file, line, registry=self._warned)
        if done.error is not None:
            raise done.error
        return done.results


def _pickled(func: Any) -> bytes:
    from pyspark import cloudpickle

    dumps: Callable[[Any], bytes] = cloudpickle.dumps  # PySpark's has no types
    try:
        return dumps(func)
    except (TypeError, AttributeError) as error:
        raise DataError(
            f"A fit cannot be sent to Spark: {error}.",
            remedy="Leave out what cannot be pickled, such as open files and locks.",
        ) from error
