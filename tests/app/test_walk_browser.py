"""A new user walks through the app: the demo, a what-if, the nomogram, features, the shipped model, topics, queries.

With ``GLASSRANK_PICTURES=docs/pictures``, the walk also writes the screenshots of the documentation.
"""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import glassrank as gr
from glassrank.studies.views.saved_study import SavedStudy
from tests.app.conftest import served
from tests.app.web_folder import MODEL, STATISTICS, WEB

pytestmark = pytest.mark.browser


def photograph(tab, name, scheme="light"):
    folder = os.environ.get("GLASSRANK_PICTURES")
    if folder:
        tab.emulate_media(color_scheme=scheme)
        tab.screenshot(path=Path(folder, f"{name}.png"))
        tab.emulate_media(color_scheme="light")


def assert_accessible(tab):
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()


@pytest.fixture(scope="module")
def folder(web_folder, tmp_path_factory):
    """An empty folder beside a collection, statistics of a log and an intent model."""
    place = tmp_path_factory.mktemp("walk")
    for name in (WEB, STATISTICS):
        shutil.copytree(web_folder[0] / name, place / name)
    for file in web_folder[0].glob(f"{Path(MODEL).stem}.*"):  # large vectors of a model have a file of their own
        shutil.copy(file, place)
    return place


def test_a_new_user_walks_from_the_demo_to_the_shipped_model(chromium, folder, web_folder, tmp_path):
    with served(folder) as site:
        tab = chromium.new_page(base_url=site, viewport={"width": 1280, "height": 960}, reduced_motion="reduce")
        complaints = []
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))

        tab.goto("/")
        assert tab.get_by_role("heading", name="No studies yet").is_visible()
        tab.get_by_role("button", name="Try the demo").click()
        tab.get_by_role("heading", name="Demo: a simulated search engine").wait_for()
        tab.get_by_role("cell", name="finished").wait_for(timeout=180_000)
        study = SavedStudy.open(folder / "demo")
        data = study.measured.pick_features(study.kept_features)
        assert f"{study.record.quality.mean:.3f}" in tab.get_by_role("row").nth(1).inner_text()

        tab.get_by_role("link", name="Demo: a simulated search engine").click()
        tab.wait_for_url("**/ranking*")
        query = tab.locator("#choose-query, [name=q]").first.input_value()
        change = _dragged(tab)
        _assert_ranked(tab, study, data, query, change)
        photograph(tab, "app")
        photograph(tab, "app-dark", "dark")
        assert_accessible(tab)

        tab.get_by_role("link", name="Open the full nomogram").click()
        tab.wait_for_selector(".nomogram [data-live] svg .handles path[tabindex]", state="attached")
        a, b = (parse_qs(urlsplit(tab.url).query)[key][0] for key in "ab")
        why = gr.explain_pair(study.model, _changed(data, query, change), query=query, document=a, against=b)
        expect(tab.locator(".nomogram svg").first).to_contain_text(f"{why.probability:.3f}")

        tab.get_by_role("link", name="Features", exact=True).click()
        n_features = study.elimination.n_kept - 1
        tab.goto(f"/s/demo/features?n={n_features}")
        assert tab.get_by_role("heading", name=f"The model with {n_features} features", exact=True).is_visible()
        dropped = set(study.kept_features) - set(study.features_with(n_features))
        assert dropped
        photograph(tab, "app-features")
        tab.get_by_role("link", name="Compare with chosen").click()
        expect(tab.locator("main")).to_contain_text("Compared with model 1, model 2: ")
        photograph(tab, "app-compare")

        tab.get_by_role("link", name="Ship", exact=True).click()
        with tab.expect_download() as saved:
            tab.get_by_role("link", name="model.json").click()
        saved.value.save_as(tmp_path / "model.json")
        shipped = gr.load_model(tmp_path / "model.json")
        np.testing.assert_array_equal(shipped.predict(data.table), study.model.predict(data.table))

        tab.goto("/")
        tab.get_by_role("link", name="Topics", exact=True).click()
        collection = gr.open_collection(folder / WEB)
        topic = collection.pages.title[0].split()[0]
        tab.get_by_label("Topic").fill(topic)
        tab.get_by_role("button", name="Find").click()
        tab.get_by_role("link", name="hits", exact=True).click()
        best = gr.distill(collection, topic, "hits", random_state=0).authorities[0]
        expect(tab.locator("ol.pages").first.locator("li strong").first).to_have_text(" ".join(best.title.split()))

        tab.get_by_role("link", name="Queries", exact=True).click()
        asked = str(web_folder[1].results.query[0])
        tab.get_by_role("textbox", name="Queries").fill(asked)
        tab.get_by_role("button", name="Predict intents").click()
        expect(tab.locator("table.intents tbody tr").first).to_contain_text(asked)
        assert complaints == []
        tab.close()


def _dragged(tab):
    """Drag the first dot of document B to the right, and return the change as the address has it."""
    dot = tab.locator("[data-dot=b][role=slider]").first
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 60, y, steps=4)
    tab.mouse.up()
    tab.locator("#undo").wait_for()
    tab.mouse.move(5, 5)
    (change,) = parse_qs(urlsplit(tab.url).query)["set"]
    return change


def _changed(data, query, change):
    """Return the data with a changed value."""
    name, feature, value = change.split(":")
    X = np.array(data.X)
    X[data.row_of(query, name), data.feature_index(feature)] = float(value)
    return replace(data, X=X)


def _assert_ranked(tab, study, data, query, change):
    """The list shows the first documents as the model ranks them with the change, and NDCG@10 of the whole list."""
    rows = _changed(data, query, change).pick_queries([query])
    scores = study.model.predict(rows.table)
    ranked = rows.doc_ids[np.argsort(-scores, kind="stable")].tolist()
    shown = [text.strip() for text in tab.locator(".document .name a").all_inner_texts()]
    assert shown[:10] == ranked[:10]
    quality = gr.evaluate(rows.y, scores, measures=["ndcg@10"])["ndcg@10"]
    assert f"{quality:.3f}" in tab.locator("#what-if-said").inner_text()
