"""The app's archive on a real Solr: uploaded as it is, and checked from the Ship page."""

import io
import zipfile

import numpy as np
import pytest

import glassrank as gr
from tests.app.conftest import STUDY, client, workspace  # noqa: F401 - fixtures

pytestmark = pytest.mark.engine
N = 100


def test_solr_ranks_like_the_model_after_the_upload_of_the_archive(solr, client, workspace):  # noqa: F811
    documents = gr.simulate_ranking(5, 20, random_state=7).data
    kept = gr.load_scorer(workspace / STUDY / "model.json").feature_names
    engine = {name: name.replace(" ", "_").replace("-", "_") for name in documents.feature_names}
    options = {"format": "solr"} | {f"field.{engine[name]}": f"{engine[name]}_f" for name in kept}
    solr.index_rows(np.asarray(documents.X), list(engine.values()))
    with zipfile.ZipFile(io.BytesIO(client.get(f"/s/{STUDY}/export/solr.zip", params=options).content)) as archive:
        solr.accept("PUT", "schema/feature-store", archive.read("features.json"))
        solr.accept("PUT", "schema/model-store", archive.read("model.json"))
    token = {"x-glassrank-token": client.app.state.access.token}
    asked = options | {"url": solr.url, "query": "*:*", "documents": str(N)}
    page = client.post(f"/s/{STUDY}/ship/check", data=asked, headers=token)
    assert page.status_code == 200
    assert "The engine ranks like the model." in page.text
    assert f"{len(documents.y):,} documents" in page.text
    solr.clear_models()
    page = client.post(f"/s/{STUDY}/ship/check", data=asked, headers=token)
    assert page.status_code == 422
    assert "Not checked." in page.text
