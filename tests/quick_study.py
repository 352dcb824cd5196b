"""Studies with few resamples and picks, for tests that do not depend on their number."""

import pytest

from glassrank.studies.ranking import shown_documents, study


@pytest.fixture(scope="module", autouse=True)
def few_resamples_and_picks():
    with pytest.MonkeyPatch.context() as patch:
        for kernel in study.RESAMPLES:
            patch.setitem(study.RESAMPLES, kernel, 4)
        patch.setattr(shown_documents, "QUERIES_TO_PICK", 2)
        yield
