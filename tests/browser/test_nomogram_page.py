"""A saved nomogram, as a browser shows it."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from glassrank.nomograms.figure.nomogram import nomogram
from tests.browser.boxes import bar_boxes, boxes, text_boxes
from tests.nomograms.figure.examples import (
    HARD_NAMES,
    model_of,
    named_picture,
    random_data,
    random_picture,
    random_weights,
    read_number,
)
from tests.reference.nomogram import chosen_rows, line_ends, pixel, points

pytestmark = pytest.mark.browser

SCHEMES = ["light", "dark"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return random_picture(25).save(tmp_path_factory.mktemp("nomogram") / "why.html")


def test_the_page_opens_without_a_complaint_and_loads_nothing_else(saved, read_page):
    opened = read_page(saved)
    assert opened.complaints == []
    assert opened.requests == [saved.as_uri()]


@pytest.mark.parametrize("n_features", [5, 25, 136])
def test_numbers_in_the_picture_equal_the_contributions(tmp_path, open_page, n_features):
    picture = random_picture(n_features)
    page = open_page(picture.save(tmp_path / "why.html")).page
    texts = text_boxes(page)
    column = sorted(
        (box for box in texts if abs(box.right - 1128) < 2 and box.says[-1].isdigit()), key=lambda box: box.top
    )
    *amounts, total = [read_number(box.says) for box in column]
    X, weights = random_data(n_features).X, random_weights(n_features)
    contributions = weights * (X[0] - X[1])
    shown = chosen_rows(contributions, picture.layout.amounts.resolution)
    expected = [contributions[k] for k in shown]
    if len(shown) < n_features:
        expected.append(sum(contributions[k] for k in range(n_features) if k not in shown))
    half_a_digit = 0.5 * picture.layout.amounts.resolution + 1e-12
    assert amounts == pytest.approx(expected, abs=half_a_digit)
    assert total == pytest.approx(contributions.sum(), abs=half_a_digit)


def test_dots_are_drawn_where_the_points_formula_puts_them(tmp_path, open_page):
    data, weights = random_data(6, offset=2.0), random_weights(6)
    page = open_page(
        nomogram(model_of(weights), data, query="q0", document=0, against=1, rows=6).save(tmp_path / "why.html")
    ).page
    ends = [line_ends(data.X[:, k], data.X[0, k], data.X[1, k]) for k in range(6)]
    longest = max(abs(weights[k]) * np.ptp(ends[k]) for k in range(6))
    dots = boxes(page, "svg path[aria-roledescription='symbol mark']")
    for letter, row in (("A", 0), ("B", 1)):
        for k, name in enumerate(data.feature_names):
            dot = next(dot for dot in dots if dot.says.startswith(f"Document {letter}, {name} "))
            expected = pixel(points(weights[k], ends[k], data.X[row, k], longest), 240, 740)
            assert (dot.left + dot.right) / 2 == pytest.approx(expected, abs=0.1)


def test_no_panel_is_empty(saved, read_page):
    page = read_page(saved).page
    assert len(bar_boxes(page)) == len(random_picture(25).layout.bars)
    assert any(bar.right - bar.left > 38 for bar in bar_boxes(page))
    dots = [box.says for box in boxes(page, "svg path[aria-roledescription='symbol mark']")]
    assert sum(says.startswith("Document A") for says in dots) == len(random_picture(25).layout.rows)
    assert {says[:10] for says in dots} == {"Document A", "Document B"}


@pytest.mark.parametrize("name", HARD_NAMES)
def test_a_name_runs_no_script(tmp_path, open_page, name):
    opened = open_page(named_picture(name).save(tmp_path / "why.html"))
    assert opened.dialogs == []
    assert opened.page.locator("img, iframe").count() == 0
    assert opened.page.locator("script").count() == 3
    assert opened.requests == [(tmp_path / "why.html").as_uri()]
    assert opened.page.title() == " ".join(name.split())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_no_violation(saved, read_page, scheme):
    found = Axe().run(read_page(saved, scheme=scheme).page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


def test_on_a_narrow_screen_only_the_figure_scrolls_sideways(saved, read_page):
    page = read_page(saved, width=480).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 480


def test_tab_reaches_the_figure(saved, open_page):
    page = open_page(saved, width=480).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "FIGURE"
    assert page.evaluate("document.activeElement.querySelector('svg') !== null")


def test_in_print_the_picture_fits_the_paper_and_is_light(saved, open_page):
    page = open_page(saved, scheme="dark", width=700).page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("svg").bounding_box()["width"] <= 700
