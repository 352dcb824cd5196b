"""Returns memory that a finished step has freed to the system, so that the peak of a long job does not grow."""

import ctypes
import sys


def release_freed_memory() -> None:
    """Let the C library give free memory back, if it can: glibc otherwise keeps much of what threads have freed.

    >>> release_freed_memory()
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
