"""Where the suite's time goes: the files whose tests took most processor time, listed after a run.

Processor time grows with the work and hardly with the load of the machine. Subprocesses count once they have ended: a
browser counts for the last test that used it. The list only informs: no test passes or fails by it.
"""

import os
from collections import Counter

import pytest

LISTED = 10


class CpuReport:
    """Adds the processor time of every phase of a test to its report, and sums it up by file."""

    def __init__(self):
        self.last = processor_seconds()
        self.seconds = Counter()

    def pytest_collection_finish(self):
        self.last = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        # All since the phase before: what a fixture of the session or a plugin took between two tests counts too.
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
            for file, seconds in self.seconds.most_common(LISTED):
                terminalreporter.line(f"{seconds:7.1f} s  {file}")


def processor_seconds():
    """User and system time of this process and of those it started and saw end."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_configure(config):
    config.pluginmanager.register(CpuReport())
