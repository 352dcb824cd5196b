"""What tests share: the folder of real data."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of public data sets that ``GLASSRANK_DATA`` names; without it the test is skipped."""
    folder = os.environ.get("GLASSRANK_DATA")
    if not folder:
        pytest.skip("GLASSRANK_DATA is unset: no real data here")
    if not Path(folder).is_dir():
        pytest.skip(f"GLASSRANK_DATA names a folder that does not exist: {folder}")
    return Path(folder)
