"""njit: numba's decorator for kernels, with a line in the log when a kernel is compiled for the first time."""

import logging
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numba
from numba.core import event

njit = numba.njit
LOG = logging.getLogger("glassrank")


class _FirstCompilation(event.Listener):
    """Says once per process that compiling takes a while; a further signature of a known kernel is quick and silent."""

    said = False

    def on_start(self, event: Any) -> None:
        kernel = event.data["dispatcher"]
        if self.said or parent_process() is not None or not kernel.py_func.__module__.startswith("glassrank."):
            return
        code = kernel.py_func.__code__
        source = Path(code.co_filename)
        indices = Path(kernel.stats.cache_path).glob(f"{source.stem}.{code.co_name}-{code.co_firstlineno}.*.nbi")
        if all(index.stat().st_mtime < source.stat().st_mtime for index in indices):
            self.said = True
            LOG.warning(
                "Compiling kernels that glassrank uses for the first time, which can take half a minute. They are "
                "cached; `glassrank warm` compiles all of them ahead."
            )

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _FirstCompilation())  # type: ignore[no-untyped-call]  # numba's has no types
