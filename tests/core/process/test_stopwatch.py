"""The CPU time of a step."""

import time
from concurrent.futures import ThreadPoolExecutor

from glassrank.core.process.stopwatch import Stopwatch


def work(seconds):
    while time.thread_time() < seconds:
        pass


def test_a_step_counts_the_cpu_time_of_all_threads():
    watch = Stopwatch()
    with watch.step("training"), ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [0.02, 0.02]))
    # One of the threads may have done both pieces of work.
    assert watch.seconds["training"] >= 0.02
