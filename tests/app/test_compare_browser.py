"""The Compare and Ship pages in a real browser: keys, dragging, and what the scripts add."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

import glassrank as gr
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.study_comparison import compare_with
from tests.app.conftest import STUDY, socket_on_free_port
from tests.app.test_home_browser import assert_accessible

pytestmark = pytest.mark.browser
SIZE = 3


@pytest.fixture(scope="module")
def study(workspace):
    return SavedStudy.open(workspace / STUDY)


@pytest.fixture(scope="module")
def found(study):
    return compare_with(study, str(SIZE))


def chosen(page, key):
    return parse_qs(urlsplit(page.url).query).get(key, [None])[0]


def assert_fits(page):
    for width in (900, 1280, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1280, "height": 900})


def test_another_model_query_and_pair_are_chosen_by_mouse_and_keys(tab, site, study, found):
    tab.goto(f"{site}/s/{STUDY}/compare")
    tab.get_by_label("Model 2", exact=True).select_option(str(SIZE))
    tab.wait_for_url(f"**/compare?with={SIZE}")
    assert_accessible(tab)
    assert_fits(tab)
    ordered = [one.query for one in found.measured.counted]
    now = ordered.index(found.shown_query(None).query)
    key, after = ("j", ordered[now + 1]) if now + 1 < len(ordered) else ("k", ordered[now - 1])
    tab.keyboard.press(key)
    tab.wait_for_url(f"**q={after}*")
    expect(tab.get_by_role("heading", name=f"{after}: what moved")).to_be_visible()
    a, b = found.telling_pair(after)
    expected = found.explain(after, a, b).probabilities
    expect(tab.locator("p.big")).to_have_text(f"{expected[0]:.2f} → {expected[1]:.2f}")
    other = next(one.name for one in found.lists.first_documents(after, 1, 12) if one.name not in (a, b))
    tab.get_by_role("list", name="First documents by model 2").get_by_role("link", name=other, exact=True).click()
    tab.wait_for_url(f"**b={other}*")
    own = study.measured.pick_features(study.kept_features)
    before = gr.explain_pair(study.model, own, query=after, document=a, against=other).probability
    expect(tab.locator("p.big")).to_have_text(f"{before:.2f} → {found.explain(after, a, other).probabilities[1]:.2f}")
    assert tab.complaints == []


def test_dots_are_walked_by_arrows_and_dragging_lists_their_queries(tab, site, found):
    worst = found.measured.hurt[0]
    tab.goto(f"{site}/s/{STUDY}/compare?with={SIZE}&q={worst.query}")
    first = tab.locator("svg.dots a[tabindex='0']")
    first.focus()
    assert first.get_attribute("aria-label").startswith(f"{worst.query}: −")
    tab.keyboard.press("ArrowRight")
    focused = tab.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith(f"{found.measured.counted[1].query}: ")
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"**q={found.measured.counted[1].query}*")
    box = tab.locator("svg.dots").bounding_box()
    zero = float(tab.locator("svg.dots").get_attribute("data-zero")) / 736 * box["width"]
    height = box["y"] + box["height"] / 2
    tab.mouse.move(box["x"] + 1, height)
    tab.mouse.down()
    tab.mouse.move(box["x"] + zero - 3, height, steps=4)
    tab.mouse.up()
    tab.wait_for_url("**low=*")
    shown = tab.locator("table.queries tbody a").all_inner_texts()
    assert shown == [one.query for one in found.between(float(chosen(tab, "low")), float(chosen(tab, "high")))]
    assert set(shown) <= {one.query for one in found.measured.hurt}
    assert tab.complaints == []


def test_ship_says_of_every_format_how_exact_it_is_and_of_an_engine_that_it_does_not_run(tab, site, study):
    tab.goto(f"{site}/s/{STUDY}/ship")
    made = gr.export_model(study.model, "ranklib", feature_names=study.kept_features, rename="auto")
    expect(tab.locator("tr[data-format=javascript] .state")).to_contain_text("Scores differ by", timeout=60_000)
    told = tab.locator("tr[data-format=ranklib] .state").inner_text()
    assert float(told.removeprefix("Scores differ by at most ").removesuffix(".")) == pytest.approx(
        made.bound, rel=0.06
    )
    assert_accessible(tab)
    assert_fits(tab)
    assert tab.complaints == []
    with socket_on_free_port() as closed:
        tab.get_by_label("Address").fill(f"http://127.0.0.1:{closed.getsockname()[1]}/solr/shop")
        tab.get_by_label("Query").fill("blue")
        tab.get_by_role("button", name="Check").click()
        expect(tab.get_by_role("alert")).to_contain_text("the engine cannot be reached")
    assert tab.get_by_label("Query").input_value() == "blue"
    assert_accessible(tab)
