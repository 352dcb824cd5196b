"""Distribute tests over pytest-xdist's workers: each file goes to one worker as a whole, and slow tests start first.

The fixtures of a file then run once, and no slow test is left for the end while other workers are idle. A folder in
``WHOLE_FOLDERS`` and all tests on Spark also stay together. pytest-xdist's own groups do not work: they are part of the
test names, which pytest 9.2 no longer allows to change, so they have no effect.
"""

import pytest
from xdist.scheduler import LoadScopeScheduling

# The tests of these files share no fixture and take many seconds each, so they are distributed one by one.
SPLIT_FILES = ("tests/house/test_docs.py", "tests/house/test_examples.py")
# The tests of these folders share a search engine or a study, which take seconds to start.
WHOLE_FOLDERS = ("tests/engines", "tests/app")
# Files with this in their name share a Spark cluster of three processes.
SPARK = "spark"
# Folders with slow fixtures and commands; the fast tests of the others come last and fill the gaps.
SLOW_FOLDERS = (
    "tests/engines",
    "tests/app",
    "tests/house",
    "tests/studies",
    "tests/cli",
    "tests/browser",
    "tests/navigational",
    "tests/data/web",
)


class WholeFiles(LoadScopeScheduling):
    """Distributes whole files, or the pieces that `piece_of` returns, in the order of collection."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        # xdist would start with the files that have the most tests, which are fast.
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid):
        return piece_of(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return WholeFiles(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if hasattr(config, "workerinput"):  # a run without workers keeps the order of the files
        items.sort(key=lambda item: place(item.nodeid))


def piece_of(nodeid):
    """Return the unit of distribution of a test: its file, its folder, or the test itself."""
    file = nodeid.partition("::")[0]
    folder = file.rpartition("/")[0]
    if folder in WHOLE_FOLDERS:
        return folder
    if SPARK in file.rpartition("/")[2]:
        return SPARK
    return nodeid if file in SPLIT_FILES else file


def place(nodeid):
    """Return the sort key of a test: smaller keys are distributed earlier."""
    if piece_of(nodeid) in (nodeid, SPARK):
        return 0
    return next(
        (number for number, folder in enumerate(SLOW_FOLDERS, 1) if nodeid.startswith(f"{folder}/")),
        len(SLOW_FOLDERS) + 1,
    )
