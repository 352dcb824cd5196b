"""Kill an executor from inside a pass; executors import this module, so it is small."""

import os
import signal
from pathlib import Path

from glassrank.scale.spark_blocks import SparkBlocks


class InterruptedBlocks(SparkBlocks):
    """Blocks whose fifth pass kills the first executor that reaches ``marker``, once."""

    marker = ""

    def _add_up(self, function, arguments):
        if self.n_passes == 5:
            return super()._add_up(kill_once, (self.marker, function, arguments))
        return super()._add_up(function, arguments)


def kill_once(block, marker, function, arguments):
    """Kill the executor if nobody has done so before; otherwise apply the function."""
    executor = executor_of_this_process()
    if not claim_once(marker, executor):
        return function(block, *arguments)
    os.kill(executor, signal.SIGKILL)
    os._exit(1)


def claim_once(marker, executor):
    """Return True for the first call with this marker, and write the executor into it."""
    try:
        place = os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return False
    os.write(place, str(executor).encode())
    os.close(place)
    return True


def executor_of_this_process():
    return parent_of(os.getppid())  # a Python process is forked by a daemon, which belongs to the executor


def parent_of(process):
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
