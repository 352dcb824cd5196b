"""List the test files with the most processor time after a run.

Processor time hardly depends on the load of the machine. Subprocesses count when they end, so a browser counts for the
last test that used it. The list is for information only.
"""

import os
from collections import Counter

import pytest

N_LISTED = 10


class CpuReport:
    """Adds the processor time of each test phase to its report, and sums it by file."""

    def __init__(self):
        self.last = processor_seconds()
        self.seconds = Counter()

    def pytest_collection_finish(self):
        self.last = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        # The time since the previous phase, which includes session fixtures and plugins between two tests.
        now = processor_seconds()
        report.cpu_seconds, self.last = now - self.last, now
        return report

    def pytest_runtest_logreport(self, report):
        # A worker that crashes reports no time.
        self.seconds[report.nodeid.partition("::")[0]] += getattr(report, "cpu_seconds", 0.0)

    def pytest_terminal_summary(self, terminalreporter):
        total = sum(self.seconds.values())
        if len(self.seconds) > 1:
            terminalreporter.section(f"processor time: {total:.0f} s in {len(self.seconds)} files, most of it in")
            for file, seconds in self.seconds.most_common(N_LISTED):
                terminalreporter.line(f"{seconds:7.1f} s  {file}")


def processor_seconds():
    """Return the user and system time of this process and its finished children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_configure(config):
    config.pluginmanager.register(CpuReport())
