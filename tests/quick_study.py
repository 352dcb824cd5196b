"""Studies with few resamples, picks and tuned trees, for tests that do not depend on their number."""

import pytest

from glassrank.studies.ranking import shown_documents, study, tuned_lightgbm


@pytest.fixture(scope="module", autouse=True)
def few_resamples_and_picks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(study.RESAMPLES, "linear", 4)
        patch.setattr(shown_documents, "QUERIES_TO_PICK", 2)
        patch.setattr(tuned_lightgbm, "MAX_TREES", 3)
        yield
