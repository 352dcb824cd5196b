"""Conversion of Spark's errors (a damaged file, a missing library on an executor) to DataErrors of one sentence."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from glassrank.core.checks import DataError

_RAISED = re.compile(
    r"^(?:: |Caused by: )?(?:\w+\.)*(\w+(?:Error|Exception|Failure))\b:? *(?!Traceback)(.+)$", re.MULTILINE
)
_ABSENT = re.compile(r"No module named '([\w.]+)'")
# What Java says -> what it means, and the remedy
_KNOWN = {
    "PYTHON_VERSION_MISMATCH": "the executors run another version of Python than this process",
    "Cannot run program": "the executors cannot start Python",
}
_SAME_PYTHON = "Install the same Python with glassrank on all executors, and name it in PYSPARK_PYTHON."


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message."""
    return str(error).strip().splitlines()[0].rstrip(".")


def cause_of(error: BaseException) -> str:
    """Return the message of the exception behind an error of Java or of an executor's Python.

    >>> cause_of(ValueError("An error occurred.\\n: org.apache.spark.SparkException: No such host.\\n\\tat java.lang"))
    'No such host'
    """
    raised = _RAISED.search(str(error))
    return raised[2].strip().rstrip(".") if raised else first_line(error)


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """Turn Spark's errors in the block into a DataError whose message begins with ``what``."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        text = str(error)
        absent = _ABSENT.search(text)
        if absent:
            found = f"the executors' Python has no {absent[1]}"
            raise DataError(f"{what}: {found}.", remedy=_SAME_PYTHON) from error
        known = next((meaning for sign, meaning in _KNOWN.items() if sign in text), None)
        if known:
            raise DataError(f"{what}: {known}.", remedy=_SAME_PYTHON) from error
        raise DataError(f"{what}: {cause_of(error)}.") from error
