"""How tests are handed to pytest-xdist's workers: a file goes to one of them whole, and what takes long starts first.

A file's fixtures are then made once, and no long test is left for the end, when the other workers would wait for it.
pytest-xdist's own groups do not serve: they are written into the names of tests, which pytest 9.2 no longer lets
change, so that they silently group nothing.
"""

import pytest
from xdist.scheduler import LoadScopeScheduling

# Tests of these files share no fixture and take many seconds each: each of them is a piece of work of its own.
PIECES = ("tests/house/test_docs.py", "tests/house/test_examples.py")
# Costly fixtures and commands stand in these folders; the quick tests of the others fill the gaps at the end.
LONG = ("tests/house", "tests/studies", "tests/cli", "tests/browser", "tests/navigational", "tests/data/web")


class WholeFiles(LoadScopeScheduling):
    """Hands out whole files, or single tests of the files in ``PIECES``, in the order of collection."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        # xdist would start with the files that have most tests, and these are quick ones.
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
    """What is handed to a worker together with this test: its file, or the test alone."""
    file = nodeid.partition("::")[0]
    return nodeid if file in PIECES else file


def place(nodeid):
    """The smaller, the earlier a test is handed out."""
    if piece_of(nodeid) == nodeid:
        return 0
    return next((number for number, folder in enumerate(LONG, 1) if nodeid.startswith(f"{folder}/")), len(LONG) + 1)
