"""Pages of a study that stored a sample of its queries say so; here 20 of 30 queries are stored."""

import shutil

import numpy as np
import pytest
from fastapi.testclient import TestClient

from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.studies.views.saved_study import SavedStudy
from tests.app.conftest import STUDY


@pytest.fixture(scope="module")
def sampled(tmp_path_factory, workspace):
    """The app on a copy of the study with the first 20 training queries, and with all 30 as its test data."""
    folder = tmp_path_factory.mktemp("sampled")
    shutil.copytree(workspace / STUDY, folder / STUDY)
    data = SavedStudy.open(folder / STUDY).training
    save_partitions(data, folder / STUDY / "test-documents")
    few = data.pick_rows(np.flatnonzero(data.groups.of_row < 20))
    save_partitions(few, folder / STUDY / "documents", overwrite=True)
    with TestClient(create_app(folder, Access(port=80)), base_url="http://127.0.0.1") as one:
        yield one


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("data", "this page describes a random sample of the queries, and a rerun studies that sample"),
        ("ranking", "a random sample of the queries is stored"),
        ("compare", "These queries are a random sample, which the study stored"),
        ("features", "a new study of the documents that this study stored, a random sample of the queries,"),
    ],
)
def test_a_page_of_a_stored_sample_says_so(sampled, client, part, said):
    assert said in sampled.get(f"/s/{STUDY}/{part}").text
    assert "sample" not in client.get(f"/s/{STUDY}/{part}").text
