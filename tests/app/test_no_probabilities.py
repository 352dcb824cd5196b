"""The pages of a study whose model has no probabilities: they show scores, and nothing that looks like a P."""

import pytest
from fastapi.testclient import TestClient

import glassrank as gr
from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.studies.views.saved_study import SavedStudy
from tests.quick_study import resample_seldom
from tests.reversing import reversing_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workspace")
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        gr.study(reversing_data(), folder=folder / "shop", C=1.0, tune=0, title="Shop")
    return folder


@pytest.fixture(scope="module")
def client(folder):
    with TestClient(create_app(folder, Access(port=80)), base_url="http://127.0.0.1") as one:
        yield one


PAGES = ("ranking", "ranking?q=3", "nomogram", "features", "features?n=1", "compare?with=1", "data", "ship", "report")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(client, page):
    assert client.get(f"/s/shop/{page}").status_code == 200


def test_the_pair_shows_the_difference_of_the_scores(client, folder):
    answer = client.get("/api/studies/shop/ranking").json()
    assert answer["probability"] is None
    assert answer["probability_interval"] is None
    page = client.get("/s/shop/ranking", params={"q": answer["query"], "a": answer["a"], "b": answer["b"]}).text
    assert "P(A above B)" not in page
    assert "log-odds" not in page
    assert "Score of A − B, of a model without probabilities" in page
    assert "Total, score" in page
    saved = SavedStudy.open(folder / "shop")
    why = gr.explain_pair(
        saved.model, saved.measured, query=int(answer["query"]), document=answer["a"], against=answer["b"]
    )
    assert answer["total"] == pytest.approx(why.total)
    assert f">{why.total:+.2f}".replace("-", "−") in page


def test_two_models_without_probabilities_are_compared_by_their_scores(client):
    page = client.get("/s/shop/compare", params={"with": 1}).text
    assert "Total, score" in page
    assert "in score</p>" in page
    assert "P(A above B)" not in page


def test_an_export_that_needs_probabilities_is_refused_and_the_others_are_written(client):
    assert client.get("/s/shop/export/solr.zip", params={"format": "solr"}).status_code == 200
    refused = client.get("/s/shop/export/solr.zip", params={"format": "solr", "scale": "logit"})
    assert refused.status_code == 422
    assert "need probabilities of pairs" in refused.text
