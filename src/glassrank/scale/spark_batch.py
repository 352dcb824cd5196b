"""What an executor does for ``spark_jobs``: it runs a batch of calls, and returns what the caller must know."""

import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn import config_context

from glassrank.core.blocks import at_most_threads
from glassrank.scale.spark_blocks import check_version, task_cores

# Errors that another attempt would repeat. After others, such as a lack of memory, Spark tries again elsewhere.
REPEATED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError)


class BatchResult(NamedTuple):
    """The results of a batch of calls, or their error, and their warnings."""

    results: Any
    error: Exception | None
    warnings: list[tuple[Any, type[Warning], str, int]]
    """Message, category, file and line of each warning, without repetitions."""


def run_batch(sent: Any, version: str, config: dict[str, Any], _: int) -> BatchResult:
    """Run a batch of calls on an executor, with scikit-learn's configuration of the caller."""
    from pyspark.cloudpickle import loads

    unpickle: Callable[[bytes], Callable[[], Any]] = loads  # PySpark's has no types
    results, error = None, None
    with warnings.catch_warnings(record=True) as said, at_most_threads(task_cores()):
        warnings.simplefilter("always")
        try:
            check_version(version)
            with config_context(**config):
                results = unpickle(sent.value)()
        except REPEATED as raised:
            raised.add_note(f"On the executor:\n{traceback.format_exc()}")
            error = raised
    different = {(str(one.message), one.category, one.filename, one.lineno): one for one in said}.values()
    return BatchResult(results, error, [(one.message, one.category, one.filename, one.lineno) for one in different])
