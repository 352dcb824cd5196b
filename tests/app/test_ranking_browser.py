"""The Ranking and Nomogram pages in a real browser: what-if by dragging, by keys and by a field; pickers and keys."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import glassrank as gr
from glassrank.studies.views.saved_study import SavedStudy
from tests.app.conftest import STUDY

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def study(workspace):
    return SavedStudy.open(workspace / STUDY)


@pytest.fixture(scope="module")
def data(study):
    return study.measured.pick_features(study.kept_features)


def assert_accessible(tab):
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()


def parameters(tab):
    return parse_qs(urlsplit(tab.url).query)


def listed(tab):
    return [text.strip() for text in tab.locator(".document .name a").all_inner_texts()]


def ranked_with(study, data, query, changes):
    """Names of the documents as the model ranks them after some changes, and NDCG@10."""
    rows = data.pick_queries([query])
    X = np.array(rows.X)
    for change in changes:
        name, feature, value = change.split(":")
        X[rows.doc_ids.tolist().index(name), data.feature_index(feature)] = float(value)
    scores = study.model.predict(X)
    quality = gr.evaluate(rows.y, scores, measures=["ndcg@10"])["ndcg@10"]
    return rows.doc_ids[np.argsort(-scores, kind="stable")].tolist(), quality


def test_a_dragged_dot_ranks_the_list_at_once_and_on_release_as_the_model_does(tab, site, study, data):
    query = data.qid[0]
    tab.goto(f"{site}/s/{STUDY}/ranking?q={query}&all=1")
    before, _ = ranked_with(study, data, query, [])
    assert listed(tab) == before
    b = tab.locator("#choose-b").input_value()
    dot = tab.locator("[data-dot=b][role=slider]").first
    box = dot.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 70, y, steps=5)
    expect(tab.locator("#what-if-said")).to_contain_text("NDCG@10")
    live = tab.locator("[data-part=probability]").inner_text(), tab.locator("[data-part=place-b]").inner_text()
    tab.mouse.up()
    tab.locator("#undo").wait_for()
    (change,) = parameters(tab)["set"]
    assert change.startswith(f"{b}:")
    after, quality = ranked_with(study, data, query, [change])
    assert listed(tab) == after
    assert f"{quality:.3f}" in tab.locator("#what-if-said").inner_text()
    # The curve between its samples is so exact that the numbers shown while dragging do not change on release.
    assert (
        tab.locator("[data-part=probability]").inner_text(),
        tab.locator("[data-part=place-b]").inner_text(),
    ) == live
    assert tab.complaints == []


def test_keys_change_undo_redo_and_reset(tab, site, study, data):
    query = data.qid[0]
    tab.goto(f"{site}/s/{STUDY}/ranking?q={query}")
    slider = tab.locator("[data-dot=a][role=slider]").first
    name = slider.get_attribute("id")
    slider.focus()
    tab.keyboard.press("End")
    tab.locator("#undo").wait_for()
    assert tab.evaluate("document.activeElement.id") == name
    high = float(parameters(tab)["set"][0].split(":")[2])
    assert high == pytest.approx(float(slider.get_attribute("aria-valuemax")), rel=1e-5)
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("z")
    expect(tab.locator("#undo")).to_have_count(0)
    tab.keyboard.press("Shift+Z")
    tab.locator("#undo").wait_for()
    assert len(parameters(tab)["set"]) == 1
    tab.go_back()
    expect(tab.locator("#undo")).to_have_count(0)
    tab.go_forward()
    tab.locator("#undo").wait_for()
    tab.keyboard.press("j")
    tab.get_by_text("Changes to 1 document were put aside").wait_for()
    assert "set" not in parameters(tab)
    tab.locator(".put-aside a").click()
    tab.locator("#undo").wait_for()
    tab.keyboard.press("z")
    expect(tab.locator("#redo")).to_be_visible()
    tab.reload()
    tab.go_back()
    tab.locator("#undo").wait_for()
    tab.keyboard.press("0")
    expect(tab.locator("#undo")).to_have_count(0)


def test_steps_of_one_query_are_not_repeated_in_another(tab, site, data):
    tab.goto(f"{site}/s/{STUDY}/ranking?q={data.qid[0]}")
    tab.locator("[data-dot=a][role=slider]").first.focus()
    tab.keyboard.press("End")
    tab.locator("#undo").wait_for()
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("z")
    expect(tab.locator("#redo")).to_be_visible()
    title = tab.title()
    tab.keyboard.press("j")
    expect(tab).not_to_have_title(title)
    expect(tab.locator("#redo")).to_be_hidden()
    assert tab.complaints == []


def test_the_field_of_a_bar_takes_a_value_and_refuses_a_word(tab, site, study, data):
    query = data.qid[0]
    tab.goto(f"{site}/s/{STUDY}/ranking?q={query}")
    cell = tab.locator(".document").nth(3).locator(".bar[data-k]").first
    name, k = listed(tab)[3], int(cell.get_attribute("data-k"))
    cell.click()
    field = tab.locator("#value-field")
    assert float(field.input_value()) == data.X[data.row_of(query, name), k]
    field.fill("much")
    field.press("Enter")
    tab.get_by_text("must be a number").wait_for()
    assert_accessible(tab)
    field.fill(str(data.X[:, k].max()))
    field.press("Enter")
    tab.locator("#undo").wait_for()
    after, _ = ranked_with(study, data, query, parameters(tab)["set"])
    shown = listed(tab)
    assert shown == [one for one in after if one in shown]


def test_rows_pickers_and_keys_choose_query_and_documents(tab, site, data):
    tab.goto(f"{site}/s/{STUDY}/ranking?q={data.qid[0]}")
    names = listed(tab)
    tab.locator(".document").nth(4).locator(".judged").click()
    expect(tab.locator("#choose-a")).to_have_value(names[4])
    tab.locator(".document").nth(5).locator(".judged").click(modifiers=["Shift"])
    expect(tab.locator("#choose-b")).to_have_value(names[5])
    tab.keyboard.press("x")
    expect(tab.locator("#choose-a")).to_have_value(names[5])
    tab.locator(".document").first.focus()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("b")
    expect(tab.locator("#choose-b")).to_have_value(names[1])
    tab.locator("#choose-b").click()
    tab.keyboard.type(names[2])
    expect(tab.locator("#choose-b-list [role=option]")).to_have_count(1)
    assert_accessible(tab)
    tab.keyboard.press("Enter")
    expect(tab.locator(".document.b .name a")).to_have_text(names[2])
    other = str(data.groups.ids[7])
    tab.locator("#query").fill(other)
    tab.locator("#query-list [role=option]").first.wait_for()
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"**q={other}*")
    tab.locator("#query").fill("no such query")
    tab.get_by_text("No query contains “no such query”").wait_for()
    tab.keyboard.press("Escape")
    expect(tab.locator("#query")).to_have_value(other)
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("/")
    target = tab.locator("ul.targets a").get_by_text(f"Query {data.qid[0]}")
    tab.get_by_role("textbox", name="Go to").fill(str(data.qid[0]))
    target.click()
    expect(tab.locator("#query")).to_have_value(str(data.qid[0]))
    assert tab.complaints == []


def test_the_pages_are_accessible_and_fit_every_width(tab, site, data):
    change = f"{data.doc_ids[0]}:{data.feature_names[0]}:1"
    for page in ("ranking", "nomogram"):
        tab.goto(f"{site}/s/{STUDY}/{page}?q={data.qid[0]}&a={data.doc_ids[0]}&set={change}")
        if page == "nomogram":
            # The nomogram says which value was changed as soon as it is live.
            expect(tab.locator(".nomogram .what-if")).to_contain_text(data.feature_names[0])
        assert_accessible(tab)
        for width in (900, 1280, 2560):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.complaints == []
