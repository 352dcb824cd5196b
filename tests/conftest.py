"""What tests share: real data, property tests that are the same in every run, and how workers share the tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cpu_report import pytest_configure  # noqa: F401 - hook
from tests.distribution import pytest_collection_modifyitems, pytest_xdist_make_scheduler  # noqa: F401 - hooks
from tests.spark import spark_engine, spark_session  # noqa: F401 - fixtures

# The same examples every time, so that a red run is about the change.
settings.register_profile("repeatable", derandomize=True)
# `make explore` looks for new ones. Unusual examples may be slow, which is no fault; a failure prints how to repeat it.
settings.register_profile("explore", derandomize=False, max_examples=1000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of public data sets that ``GLASSRANK_DATA`` names; without it the test is skipped."""
    folder = os.environ.get("GLASSRANK_DATA")
    if not folder:
        pytest.skip("GLASSRANK_DATA is unset: no real data here")
    if not Path(folder).is_dir():
        pytest.skip(f"GLASSRANK_DATA names a folder that does not exist: {folder}")
    return Path(folder)
