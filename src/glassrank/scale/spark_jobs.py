"""spark_jobs(): many independent fits on Spark, each on one executor."""

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import joblib
from joblib.parallel import ParallelBackendBase, SequentialBackend

from glassrank import __version__
from glassrank.core.blocks import at_most_threads
from glassrank.data.engines.spark_engine import SparkEngine
from glassrank.data.engines.spark_errors import spark_errors
from glassrank.scale.spark_blocks import check_version, task_cores

JOB_FAILED = "Spark cannot run the fits"


@contextmanager
def spark_jobs(engine: SparkEngine) -> Iterator[None]:
    """Let the executors of a Spark cluster make the fits that would otherwise run in parallel on this machine.

    Inside the block, this is where ``RankSVMCV``, ``NomogramRFE``, ``bootstrap_effects``, ``CouplingStudy`` and
    everything else that uses joblib make their fits. Results are the same as on this machine. Each fit is a Spark job
    with a copy of its rows, so the data must fit into the memory of a task. ``n_jobs`` is the largest number of fits
    at a time; None and −1 mean one per core of the cluster. Warnings arrive here, and if an executor dies, its fits are
    repeated elsewhere.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 10, random_state=0).data
    >>> with gr.SparkEngine(master="spark://head:7077") as engine, gr.spark_jobs(engine):  # doctest: +SKIP
    ...     selected = gr.NomogramRFE(gr.RankSVM()).fit(data)
    """
    with joblib.parallel_config(backend=SparkBackend(engine.context), n_jobs=-1):
        yield


class SparkBackend(ParallelBackendBase):
    """A backend of joblib: each batch of calls is a Spark job of one task, which a thread of this process waits for."""

    supports_retrieve_callback = True

    def __init__(self, context: Any, **options: Any) -> None:
        super().__init__(**options)
        self._context = context
        self._group = f"glassrank-{uuid4()}"
        self._threads: ThreadPoolExecutor | None = None

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """Return how many jobs run at a time; negative numbers count from the number of cores, as in joblib."""
        cores = int(self._context.defaultParallelism)
        asked = 1 if n_jobs is None else int(n_jobs)
        return asked if asked > 0 else max(1, cores + 1 + asked)

    def configure(self, n_jobs: int = 1, parallel: Any = None, **options: Any) -> int:
        """Start the threads of one call of ``joblib.Parallel``."""
        self.parallel = parallel
        n_threads = self.effective_n_jobs(n_jobs)
        self._threads = ThreadPoolExecutor(n_threads)
        return n_threads

    def submit(self, func: Any, callback: Callable[[Future[Any]], object] | None = None) -> Future[Any]:
        """Start a job."""
        if self._threads is None:
            raise RuntimeError("configure() starts the threads.")
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
        """End the threads, and cancel jobs that nobody waits for any more."""
        if self._threads is not None:
            self._context.cancelJobGroup(self._group)
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    def get_nested_backend(self) -> tuple[Any, None]:
        """Return how jobs run jobs of their own: one after the other, because there is one level of parallelism."""
        return SequentialBackend(nesting_level=(self.nesting_level or 0) + 1), None

    def _run(self, func: Any) -> Any:
        with spark_errors(JOB_FAILED):
            self._context.setJobGroup(self._group, "glassrank", interruptOnCancel=True)
            job = self._context.parallelize([0], 1).map(partial(run_batch, func, __version__))
            (done,) = job.collect()
        for warning in done.warnings:
            warnings.warn_explicit(*warning)
        if done.error is not None:
            raise done.error
        return done.result


class Done(NamedTuple):
    """What a batch of calls gave on an executor."""

    result: Any
    error: ValueError | None
    warnings: list[tuple[Warning | str, type[Warning], str, int]]
    """Message, category, file and line of each."""


def run_batch(func: Callable[[], Any], version: str, _: int) -> Done:
    """Run a batch of calls on an executor; its log is no place for warnings, and it need not repeat bad input."""
    result, error = None, None
    with warnings.catch_warnings(record=True) as said, at_most_threads(task_cores()):
        warnings.simplefilter("always")
        try:
            check_version(version)
            result = func()
        except ValueError as found:
            error = found
    return Done(result, error, [(one.message, one.category, one.filename, one.lineno) for one in said])
