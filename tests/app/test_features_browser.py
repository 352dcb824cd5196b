"""Features and Data in a real browser: keys along the curve, noted transforms, widths and contrast."""

import re

import pytest
from playwright.sync_api import expect

from glassrank.studies.views.saved_study import SavedStudy
from tests.app.conftest import STUDY
from tests.app.test_home_browser import assert_accessible

pytestmark = pytest.mark.browser


def assert_fits_every_width(tab):
    for width in (900, 1280, 2560):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_arrows_and_points_choose_the_model_that_is_shown(tab, site, workspace):
    saved = SavedStudy.open(workspace / STUDY)
    tab.goto(f"{site}/s/{STUDY}/features?n=4&sort=gain")
    heading = tab.get_by_role("heading", name="The model with")
    expect(heading).to_have_text("The model with 4 features")
    tab.keyboard.press("ArrowLeft")
    expect(heading).to_have_text("The model with 3 features")
    assert tab.url.endswith("?n=3&sort=gain")
    assert sorted(tab.locator("table.bars tbody th").all_inner_texts()) == sorted(saved.features_with(3))
    tab.get_by_role("link", name=re.compile("^2 features: ")).focus()
    tab.keyboard.press("Enter")
    expect(heading).to_have_text("The model with 2 features")
    tab.get_by_role("link", name="One point to the right").click()
    expect(heading).to_have_text("The model with 3 features")
    tab.get_by_role("link", name=re.compile("^6 features: ")).click()
    expect(heading).to_have_text("The model with 6 features")
    tab.go_back()
    expect(heading).to_have_text("The model with 3 features")
    tab.get_by_role("link", name="Nomogram", exact=True).click()
    expect(tab.get_by_role("columnheader", name="Nomogram")).to_have_attribute("aria-sort", "ascending")
    expect(heading).to_have_text("The model with 3 features")
    assert_accessible(tab)
    assert_fits_every_width(tab)
    assert tab.complaints == []


def test_a_changed_transform_is_noted_in_the_address_until_it_is_run(tab, site):
    tab.goto(f"{site}/s/{STUDY}/data")
    button = tab.get_by_role("button", name="Rerun with these changes")
    expect(button).to_be_disabled()
    tab.get_by_label("Transform of BM25 title").select_option("log")
    expect(button).to_be_enabled()
    expect(tab.locator("#rerun-hint")).to_have_text("1 transform changed.")
    tab.get_by_role("searchbox", name="Filter features").fill("url")
    tab.get_by_role("button", name="Filter", exact=True).click()
    expect(tab.locator("table.features tbody tr")).to_have_count(2)
    expect(button).to_be_enabled()
    assert "transform=BM25+title%3Dlog" in tab.url
    tab.get_by_role("link", name=re.compile("^With warnings")).click()
    assert "transform=BM25+title%3Dlog" in tab.url
    tab.goto(f"{site}/s/{STUDY}/data?transform=BM25+title%3Dlog")
    expect(tab.get_by_label("Transform of BM25 title")).to_have_value("BM25 title=log")
    tab.get_by_label("Transform of BM25 title").select_option("standard")
    expect(button).to_be_disabled()
    assert_accessible(tab)
    assert_fits_every_width(tab)
    assert tab.complaints == []
