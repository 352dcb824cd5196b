"""The report of a study, opened from disk in a real browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

import glassrank as gr
from glassrank.studies.ranking import shown_documents, tuned_lightgbm
from glassrank.studies.ranking import study as module
from tests.browser.boxes import READ_BOXES, Box, collisions
from tests.browser.live import LiveNomogram
from tests.reference.contrast import contrast

pytestmark = pytest.mark.browser

SCHEMES = ["light", "dark"]
BIGGEST_TEXT = """() => {
  const size = text => parseFloat(getComputedStyle(text).fontSize);
  return [...document.querySelectorAll('.nomogram svg text')].reduce((a, b) => size(b) > size(a) ? b : a).textContent;
}"""

READ_TEXT_COLOURS = """() => {
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'none';
  };
  const speaks = element => [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  const shown = [...document.body.querySelectorAll('*')].filter(element => !element.closest('script, style'));
  return shown.filter(speaks).map(element => {
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


@pytest.fixture(scope="module")
def data():
    return gr.simulate_ranking(30, 12, random_state=0).data.pick_features([0, 1, 2, 3, 9, 10, 14, 16])


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(module.RESAMPLES, "linear", 10)
        patch.setattr(tuned_lightgbm, "MAX_TREES", 3)
        patch.setattr(shown_documents, "QUERIES_TO_PICK", 8)
        return gr.study(data, folder=tmp_path_factory.mktemp("study"), command="glassrank study data.csv")


@pytest.fixture(scope="module")
def path(made):
    return made.folder / "report.html"


class Picker:
    """The three choices above the live nomogram."""

    def __init__(self, page):
        self.page, self.live = page, LiveNomogram(page)
        self.query = page.locator(".picker select.query")
        self.first, self.second = (page.locator(".picker select.document").nth(place) for place in (0, 1))

    def choose(self, select, place):
        select.select_option(str(place))
        self.live.settle()

    def shown(self):
        """Query and documents that are chosen, by name."""
        said = [select.locator("option:checked").inner_text() for select in (self.query, self.first, self.second)]
        return said[0], *(text.split(", judged")[0] for text in said[1:])

    def probability(self):
        """The big number of the picture."""
        return float(self.page.evaluate(BIGGEST_TEXT))


def probability(made, data, query, a, b):
    """P(A above B) of the saved model."""
    names = [feature.name for feature in made.nomogram.effects.features]
    kept = data.pick_features(names)
    rows = [data.row_of(query, document) for document in (a, b)]
    model = gr.load_model(made.folder / "model.json")
    return float(model.predict_pair_proba(kept.X[rows[:1]], kept.X[rows[1:]])[0])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_opens_without_a_complaint_and_loads_nothing_else(path, open_page, scheme):
    opened = open_page(path, scheme=scheme)
    assert (opened.complaints, opened.requests, opened.dialogs) == ([], [path.as_uri()], [])


def test_the_picker_opens_at_the_pair_of_the_picture(made, data, path, open_page):
    picker = Picker(open_page(path).page)
    pair = made.nomogram.pair
    assert picker.shown() == (pair.query, pair.a.name, pair.b.name)
    assert picker.probability() == pytest.approx(probability(made, data, *picker.shown()), abs=1e-3)


def test_picked_documents_show_the_probability_of_the_saved_model(made, data, path, open_page):
    opened = open_page(path)
    picker = Picker(opened.page)
    seen = set()
    for query, a, b in ((0, 2, 1), (3, 0, 5), (3, 5, 0), (6, 4, 3)):
        picker.choose(picker.query, query)
        picker.choose(picker.first, a)
        picker.choose(picker.second, b)
        assert picker.shown()[0] == made.picker_queries[query].query
        expected = probability(made, data, *picker.shown())
        assert picker.probability() == pytest.approx(expected, abs=1e-3)
        assert picker.live.signal("name_a") == f"A  {picker.shown()[1]}"
        assert picker.live.signal("name_b") == f"B  {picker.shown()[2]}"
        assert picker.shown()[0] in picker.live.signal("subtitle")
        seen.add(round(expected, 4))
    assert len(seen) == 4
    assert opened.complaints == []


def test_swapped_documents_show_what_the_library_shows_for_them(made, data, path, open_page):
    picker = Picker(open_page(path).page)
    picker.choose(picker.query, 2)
    picker.choose(picker.first, 3)
    picker.choose(picker.second, 1)
    query, a, b = picker.shown()
    kept = data.pick_features([feature.name for feature in made.nomogram.effects.features])
    expected = made.nomogram.pair_to_show(kept, query=query, document=a, against=b)
    interval = [picker.live.signal(name) for name in ("interval_low", "interval_high")]
    assert interval == pytest.approx(expected["interval"], abs=1e-9)
    assert interval[0] < picker.live.signal("total") < interval[1]
    for place, letter in enumerate("ab"):
        assert picker.live.signal(f"name_{letter}") == expected["documents"][place]["name"]
        assert picker.live.signal(f"place_{letter}") == expected["documents"][place]["place"]
        assert picker.live.values(letter.upper()) == pytest.approx(expected["dots"][place]["values"])


def test_two_documents_are_never_the_same(path, open_page):
    picker = Picker(open_page(path).page)
    for select, other in ((picker.first, picker.second), (picker.second, picker.first)):
        picker.choose(select, other.input_value())
        assert picker.first.input_value() != picker.second.input_value()


def test_the_picker_is_reached_and_used_by_keyboard(made, data, path, open_page):
    page = open_page(path).page
    picker = Picker(page)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.picker .query')"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    before = picker.shown()
    page.keyboard.press("ArrowUp" if before[0] == made.picker_queries[-1].query else "ArrowDown")
    picker.live.settle()
    after = picker.shown()
    assert after[0] != before[0]
    assert picker.probability() == pytest.approx(probability(made, data, *after), abs=1e-3)
    for letter in "ab":
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.parentElement.className") == letter


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 480])
def test_axe_finds_no_violation(path, open_page, scheme, width):
    found = Axe().run(open_page(path, scheme=scheme, width=width).page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


@pytest.mark.parametrize("width", [1280, 768, 480])
def test_the_page_does_not_scroll_sideways(path, open_page, width):
    assert open_page(path, width=width).page.evaluate("document.documentElement.scrollWidth") <= width


def test_links_lead_to_sections(path, open_page):
    page = open_page(path).page
    links = page.locator("nav.sections a").all()
    assert len(links) == page.locator("section").count() == 7
    for link in links:
        link.click()
        assert page.locator(":target h2").inner_text() == link.inner_text()


def test_numbers_of_the_scales_lie_inside_their_drawings(path, open_page):
    page = open_page(path).page
    outside = page.evaluate("""() => [...document.querySelectorAll('svg.axis text')].filter(text => {
      const [own, svg] = [text, text.ownerSVGElement].map(element => element.getBoundingClientRect());
      return own.left < svg.left - 0.5 || own.right > svg.right + 0.5;
    }).length""")
    assert page.locator("svg.axis text").count() >= 10
    assert outside == 0


def test_print_hides_what_only_a_screen_can_do_and_fits_the_paper(path, open_page):
    page = open_page(path, scheme="dark", width=700).page
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator(".picker").is_visible()
    assert not page.locator("nav.sections").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    wide = page.evaluate("""() => [...document.querySelectorAll('table, figure svg')]
      .filter(element => element.getBoundingClientRect().right > 701)
      .map(element => element.className?.baseVal ?? element.className)""")
    assert wide == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_of_the_page_and_its_pictures_keeps_its_contrast(path, open_page, scheme):
    page = open_page(path, scheme=scheme).page
    found = page.evaluate(READ_TEXT_COLOURS)
    assert len(found) > 150
    assert [text for text, colour, ground in found if contrast(rgb(colour), rgb(ground)) < 4.5] == []


def test_the_dark_scheme_changes_the_background(path, open_page):
    light, dark = (background(open_page(path, scheme=scheme).page) for scheme in SCHEMES)
    assert contrast(light, (0, 0, 0)) > 15
    assert contrast(dark, (255, 255, 255)) > 15


def test_print_is_light_in_a_dark_scheme(path, open_page):
    page = open_page(path, scheme="dark", width=700).page
    page.emulate_media(media="print", color_scheme="dark")
    assert background(page) == (255, 255, 255)


@pytest.mark.parametrize("width", [1280, 480])
@pytest.mark.parametrize("place", [0, 1, 2], ids=["reliability", "nomogram", "elimination"])
def test_texts_of_the_figures_do_not_overlap(path, open_page, width, place):
    page = open_page(path, width=width).page
    figure = page.locator("figure").nth(place)
    found = figure.evaluate(f"figure => (({READ_BOXES.replace('document.', 'figure.')})('svg text'))")
    assert collisions([Box(**box) for box in found if box["says"]]) == []


def test_a_screen_reader_hears_who_wins(made, path, open_page):
    """Beside single dots and bars there must be words for the whole picture."""
    heard = open_page(path).page.locator(".nomogram figure").aria_snapshot()
    assert made.nomogram.pair.a.name in heard
    assert made.nomogram.pair.b.name in heard
    assert re.search(r"P\(A above B\) 0\.\d{2}", heard)
