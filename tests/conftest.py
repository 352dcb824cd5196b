"""Configuration of all tests: real data, reproducible property tests, and distribution over workers."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.chromium import chromium, open_page, read_page  # noqa: F401 - fixtures
from tests.cpu_report import pytest_configure  # noqa: F401 - hook
from tests.distribution import pytest_collection_modifyitems, pytest_xdist_make_scheduler  # noqa: F401 - hooks
from tests.spark import spark_engine, spark_fits, spark_session  # noqa: F401 - fixtures

# Thousands of tests and modules stay until the end. Without this, the garbage collector looks at them again and again.
gc.disable()

# Use the same examples every time, so that a failure is caused by a change. More of the same examples would find little
# in every run; `make explore` searches for new ones.
settings.register_profile("repeatable", derandomize=True, max_examples=25)
# `make explore` searches for new examples. Unusual ones may be slow; a failure prints how to reproduce it.
settings.register_profile("explore", derandomize=False, max_examples=1000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data sets given by ``GLASSRANK_DATA``; without it, the test is skipped."""
    folder = os.environ.get("GLASSRANK_DATA")
    if not folder:
        pytest.skip("GLASSRANK_DATA is not set: no real data")
    if not Path(folder).is_dir():
        pytest.skip(f"GLASSRANK_DATA is a folder that does not exist: {folder}")
    return Path(folder)
