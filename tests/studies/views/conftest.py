"""One study of dirty data for all tests of views."""

import pytest

from glassrank.studies.views.saved_study import SavedStudy
from tests.dirty_study import make_dirty_study


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A finished study; tests must not change it."""
    return SavedStudy.open(make_dirty_study(tmp_path_factory.mktemp("views") / "dirty"))
