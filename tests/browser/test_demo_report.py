"""The demo's report, opened from disk in a real browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.boxes import bar_boxes, boxes, collisions, picture_size, text_boxes
from tests.nomograms.examples import read_number
from tests.reference.contrast import contrast

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SCHEMES = ["light", "dark"]

READ_TEXT_COLOURS = """() => {
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'none';
  };
  const speaks = element => [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  return [...document.body.querySelectorAll('*')].filter(speaks).map(element => {
    const style = getComputedStyle(element);
    const drawn = element.ownerSVGElement ? style.fill : style.color;
    return [element.textContent.trim(), drawn, ground(element)];
  });
}"""


def rgb(colour):
    """The parts of an opaque ``rgb(…)``."""
    return tuple(int(part) for part in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups())


def background(page):
    return rgb(page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_opens_without_a_complaint_and_loads_nothing_else(demo, open_page, scheme):
    opened = open_page(demo.path, scheme=scheme)
    assert opened.complaints == []
    assert opened.requests == [demo.path.as_uri()]
    assert opened.page.title() == "glassrank demo: simulated data (seed 0)"


@pytest.mark.parametrize("width", [1280, 1024, 480])
def test_texts_of_the_nomogram_lie_inside_it_and_apart(demo, open_page, width):
    page = open_page(demo.path, width=width).page
    found = text_boxes(page)
    right, bottom = picture_size(page)
    assert collisions(found) == []
    assert [box.says for box in found if box.left < -1 or box.top < -1] == []
    assert [box.says for box in found if box.right > right + 1 or box.bottom > bottom + 1] == []


def test_texts_do_not_touch_bars(demo, open_page):
    page = open_page(demo.path).page
    texts, bars = text_boxes(page), bar_boxes(page)
    assert [(text.says, bar.says) for text in texts for bar in bars if text.overlaps(bar, slack=0.0)] == []


def test_no_section_is_empty(demo, open_page):
    page = open_page(demo.path).page
    sections = page.locator("section").all()
    assert [section.locator("h2").inner_text() for section in sections] == [
        "How good is it",
        "Why is A above B",
        "Which features matter",
        "Reproduce",
    ]
    assert all(section.bounding_box()["height"] > 60 for section in sections)
    assert [page.locator("table").nth(place).locator("tbody tr").count() for place in (0, 1)] == [3, 18]
    dots = [box.says for box in boxes(page, "svg path[aria-roledescription='symbol mark']")]
    assert sum(says.startswith("Document A") for says in dots) == 18
    assert len(bar_boxes(page)) == 18


def test_numbers_in_the_picture_equal_the_contributions(demo, open_page):
    pair = demo.report.nomogram.pair
    found = text_boxes(open_page(demo.path).page)
    amounts = [read_number(box.says) for box in found if box.right > 1170 and box.top > 250 and box.says[-1].isdigit()]
    *bars, total = amounts
    assert bars == pytest.approx(sorted(pair.contributions, reverse=True), abs=0.005 + 1e-9)
    assert total == pytest.approx(pair.a.score - pair.b.score, abs=0.005 + 1e-9)
    assert sum(bars) == pytest.approx(total, abs=0.005 * len(amounts))


def test_numbers_in_the_table_equal_the_comparison(demo, open_page):
    page = open_page(demo.path).page
    cells = [cell.inner_text() for cell in page.locator("table").first.locator("tbody tr td:nth-child(2)").all()]
    values = demo.to_dict()["systems"]
    model, baseline = values["linear RankSVM"], values[demo.to_dict()["baseline"]]
    assert [read_number(cell) for cell in cells] == pytest.approx([model, baseline, model - baseline], abs=1e-4)


def test_the_dark_scheme_changes_the_background(demo, open_page):
    light, dark = (background(open_page(demo.path, scheme=scheme).page) for scheme in SCHEMES)
    assert contrast(light, (0, 0, 0)) > 15
    assert contrast(dark, (255, 255, 255)) > 15


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_of_the_page_and_the_picture_keeps_its_contrast(demo, open_page, scheme):
    page = open_page(demo.path, scheme=scheme).page
    found = page.evaluate(READ_TEXT_COLOURS)
    assert len(found) > 150
    assert [text for text, colour, ground in found if contrast(rgb(colour), rgb(ground)) < 4.5] == []


def test_print_is_light_in_a_dark_scheme_and_fits_the_paper(demo, open_page):
    page = open_page(demo.path, scheme="dark", width=700).page
    page.emulate_media(media="print", color_scheme="dark")
    assert background(page) == (255, 255, 255)
    found = page.evaluate(READ_TEXT_COLOURS)
    assert [text for text, colour, ground in found if contrast(rgb(colour), rgb(ground)) < 4.5] == []
    assert page.locator("figure svg").bounding_box()["width"] <= 700


def test_on_a_narrow_screen_only_the_figure_scrolls_sideways(demo, open_page):
    page = open_page(demo.path, width=480).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 480
    inside, shown = page.locator("figure").evaluate("figure => [figure.scrollWidth, figure.clientWidth]")
    assert inside > shown


def test_tab_reaches_the_figure_and_arrows_scroll_it(demo, open_page):
    page = open_page(demo.path, width=480).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "FIGURE"
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('figure').scrollLeft > 0")


def test_focus_is_visible(demo, open_page):
    page = open_page(demo.path).page
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 480])
def test_axe_finds_no_violation(demo, open_page, scheme, width):
    found = Axe().run(open_page(demo.path, scheme=scheme, width=width).page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


def test_a_screen_reader_hears_who_wins_and_by_how_much(demo, open_page):
    """Beside single dots and bars there must be words for the whole picture."""
    pair = demo.report.nomogram.pair
    page = open_page(demo.path).page
    heard = page.locator("figure").aria_snapshot()
    assert pair.a.name in heard
    assert f"+{pair.difference:.2f}" in heard
