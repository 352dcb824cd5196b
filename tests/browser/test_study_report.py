"""The report of a study, opened from disk in a real browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

import glassrank as gr
from glassrank.studies.ranking import page_files
from glassrank.studies.ranking import study as module
from tests.browser.boxes import READ_BOXES, Box, collisions
from tests.browser.live import LiveNomogram
from tests.quick_study import tune_little
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
        tune_little(patch)
        return gr.study(data, folder=tmp_path_factory.mktemp("study"), command="glassrank study data.csv")


@pytest.fixture(scope="module")
def path(made):
    return made.folder / "report.html"


@pytest.fixture(scope="module")
def split(made, tmp_path_factory):
    """The same report with its documents in files beside it, several queries in each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_files, "MOST_BYTES", 1_000_000)
        patch.setattr(page_files, "CHUNK_BYTES", 20_000)
        return gr.report(made, tmp_path_factory.mktemp("split") / "r.html")


class Picker:
    """The search for a query and the two choices above the live nomogram."""

    def __init__(self, page):
        self.page, self.live = page, LiveNomogram(page)
        self.query = page.get_by_role("combobox", name="Query", exact=True)
        self.first, self.second = (page.get_by_label(f"Document {letter}", exact=True) for letter in "AB")
        self.message = page.locator(".picker .message")
        # The selects are filled by the script.
        page.wait_for_selector("#document-b option", state="attached")

    def find(self, text):
        """Type a query's text and take the first match."""
        self.query.fill(text)
        self.query.press("Enter")
        self.page.wait_for_function("name => location.hash.startsWith('#query=' + name)", arg=text)
        self.live.settle()

    def choose(self, select, place):
        select.select_option(str(place))
        self.live.settle()

    def shown(self):
        """Query and documents that are chosen, by name."""
        texts = [select.locator("option:checked").inner_text() for select in (self.first, self.second)]
        return self.query.input_value(), *(re.fullmatch(r"\d+\. (.*), judged \d", text)[1] for text in texts)

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
def test_the_page_opens_without_a_complaint_and_loads_nothing_else(path, read_page, scheme):
    opened = read_page(path, scheme=scheme)
    assert (opened.complaints, opened.requests, opened.dialogs) == ([], [path.as_uri()], [])


def test_the_picker_opens_at_the_pair_of_the_picture(made, data, path, read_page):
    picker = Picker(read_page(path).page)
    pair = made.nomogram.pair
    assert picker.shown() == (pair.query, pair.a.name, pair.b.name)
    assert picker.probability() == pytest.approx(probability(made, data, *picker.shown()), abs=1e-3)


@pytest.mark.parametrize("kind", ["path", "split"])
def test_picked_documents_show_the_probability_of_the_saved_model(made, data, kind, request, open_page):
    opened = open_page(request.getfixturevalue(kind))
    picker = Picker(opened.page)
    seen = set()
    for query, a, b in (("q03", 2, 1), ("q11", 0, 4), ("q11", 4, 0), ("q30", 3, 1)):
        picker.find(query)
        picker.choose(picker.first, a)
        picker.choose(picker.second, b)
        assert picker.shown()[0] == query
        expected = probability(made, data, *picker.shown())
        assert picker.probability() == pytest.approx(expected, abs=1e-3)
        assert picker.live.signal("name_a") == f"A  {picker.shown()[1]}"
        assert picker.live.signal("name_b") == f"B  {picker.shown()[2]}"
        assert picker.shown()[0] in picker.live.signal("subtitle")
        seen.add(round(expected, 4))
    assert len(seen) == 4
    assert opened.complaints == []


def test_every_query_can_be_found_and_the_number_of_matches_is_said(data, path, open_page):
    page = open_page(path).page
    picker = Picker(page)
    picker.query.fill("2")
    names = [str(query) for query in data.groups.ids]
    matching = [name for name in names if "2" in name]
    assert page.get_by_role("option").locator("span:first-child").all_inner_texts() == matching
    said = page.locator(".matches p").inner_text()
    assert said == f"{len(matching)} of {len(names)} match “2”."
    picker.query.fill("nothing like it")
    assert page.locator(".matches p").inner_text() == f"0 of {len(names)} match “nothing like it”."
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert picker.query.input_value() in names


def test_a_document_that_is_best_judged_or_wrongly_placed_can_be_picked(made, data, path, open_page):
    picker = Picker(open_page(path).page)
    for query in made.hardest[:2]:
        picker.find(query.query)
        offered = picker.first.locator("option").all_inner_texts()
        for name in (query.pair.above.name, query.pair.below.name):
            assert any(f". {name}, judged" in text for text in offered)
        labels = data.y[data.qid == query.query]
        assert any(text.endswith(f", judged {labels.max():g}") for text in offered)


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
    page.keyboard.type("q1")
    assert picker.query.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    active = page.locator(f"#{picker.query.get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-selected") == "true"
    name = active.locator("span").first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_function("name => location.hash.startsWith('#query=' + name)", arg=name)
    picker.live.settle()
    assert picker.query.get_attribute("aria-expanded") == "false"
    assert picker.shown()[0] == name
    assert picker.probability() == pytest.approx(probability(made, data, *picker.shown()), abs=1e-3)
    for letter in "ab":
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == f"document-{letter}"


def test_a_failure_opens_its_pair_and_moves_the_focus_to_it(made, data, path, open_page):
    page = open_page(path).page
    picker = Picker(page)
    query = next(one for one in made.hardest if one.pair is not None)
    link = page.get_by_role("link", name=f"{query.query}: show {query.pair.above.name} above {query.pair.below.name}")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.closest('.nomogram')")
    picker.live.settle()
    assert picker.shown() == (query.query, query.pair.above.name, query.pair.below.name)
    assert picker.probability() == pytest.approx(probability(made, data, *picker.shown()), abs=1e-3)
    assert abs(page.locator("#why-is-a-above-b").bounding_box()["y"]) < 2
    page.get_by_role("link", name=query.query).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.closest('.nomogram')")


def test_an_address_opens_its_pair(made, path, open_page):
    pair = made.hardest[1].pair
    address = f"#query={made.hardest[1].query}&a={pair.below.name}&b={pair.above.name}"
    page = open_page(path, fragment=address).page
    page.wait_for_function("() => document.activeElement.closest('.nomogram')")
    picker = Picker(page)
    assert picker.shown() == (made.hardest[1].query, pair.below.name, pair.above.name)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("#query=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "does not have"),
        ("#query=q01&a=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&b=x", "does not offer"),
        ("#query=__proto__&a=constructor&b=toString", "does not have"),
        ("#query=%E0%A4%A&a=%", "does not have"),
    ],
)
def test_a_hostile_address_is_answered_and_does_nothing(made, path, open_page, address, said):
    opened = open_page(path)
    opened.page.evaluate("address => { location.hash = address; }", address)
    picker = Picker(opened.page)
    opened.page.wait_for_selector(".picker .message:not(:empty)")
    assert said in picker.message.inner_text()
    assert picker.shown()[0] == made.nomogram.pair.query
    assert (opened.complaints, opened.dialogs) == ([], [])
    assert opened.page.locator(".picker .message *").count() == 0


def test_a_report_in_several_files_loads_only_what_is_picked(split, open_page):
    opened = open_page(split)
    picker = Picker(opened.page)
    picker.find("q22")
    folder = split.with_name("r-data")
    names = [request.removeprefix(folder.as_uri() + "/") for request in opened.requests[1:]]
    assert names[0] == "queries.js"
    assert len(names) == 2 < len(list(folder.iterdir()))
    assert opened.complaints == []


def test_a_missing_folder_is_named_and_the_first_pair_stays(made, split, tmp_path, open_page):
    alone = tmp_path / "moved.html"
    alone.write_bytes(split.read_bytes())
    page = open_page(alone).page
    page.wait_for_selector(".picker .message:not(:empty)")
    picker = Picker(page)
    assert "“r-data”" in picker.message.inner_text()
    assert picker.shown() == (made.nomogram.pair.query, made.nomogram.pair.a.name, made.nomogram.pair.b.name)


def test_the_folder_of_another_report_is_not_used(split, tmp_path, open_page):
    page = tmp_path / "r.html"
    page.write_bytes(split.read_bytes())
    folder = tmp_path / "r-data"
    folder.mkdir()
    content = split.with_name("r-data").joinpath("queries.js").read_text(encoding="utf-8")
    folder.joinpath("queries.js").write_text(re.sub(r'\("\w+"', '("0123456789abcdef"', content), encoding="utf-8")
    opened = open_page(page).page
    opened.wait_for_selector(".picker .message:not(:empty)")
    assert "another version of the report" in opened.locator(".picker .message").inner_text()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 480])
def test_axe_finds_no_violation(path, read_page, scheme, width):
    found = Axe().run(read_page(path, scheme=scheme, width=width).page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


@pytest.mark.parametrize("width", [1280, 768, 480])
def test_the_page_does_not_scroll_sideways(path, read_page, width):
    assert read_page(path, width=width).page.evaluate("document.documentElement.scrollWidth") <= width


def test_links_lead_to_sections(path, open_page):
    page = open_page(path).page
    links = page.locator("nav.sections a").all()
    assert len(links) == page.locator("section").count() == 8
    for link in links:
        link.click()
        assert page.locator(":target h2").inner_text() == link.inner_text()


def test_numbers_of_the_scales_lie_inside_their_drawings(path, read_page):
    page = read_page(path).page
    outside = page.evaluate("""() => [...document.querySelectorAll('svg.axis text')].filter(text => {
      const [own, svg] = [text, text.ownerSVGElement].map(element => element.getBoundingClientRect());
      return own.left < svg.left - 0.5 || own.right > svg.right + 0.5;
    }).length""")
    assert page.locator("svg.axis text").count() >= 10
    assert outside == 0


def test_print_hides_what_only_a_screen_can_do_fits_the_paper_and_is_light(path, open_page):
    page = open_page(path, scheme="dark", width=700).page
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator(".picker").is_visible()
    assert not page.locator("nav.sections").is_visible()
    assert background(page) == (255, 255, 255)
    wide = page.evaluate("""() => [...document.querySelectorAll('table, figure svg')]
      .filter(element => element.getBoundingClientRect().right > 701)
      .map(element => element.className?.baseVal ?? element.className)""")
    assert wide == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_of_the_page_and_its_pictures_keeps_its_contrast(path, read_page, scheme):
    page = read_page(path, scheme=scheme).page
    found = page.evaluate(READ_TEXT_COLOURS)
    assert len(found) > 150
    assert [text for text, colour, ground in found if contrast(rgb(colour), rgb(ground)) < 4.5] == []


def test_the_dark_scheme_changes_the_background(path, read_page):
    light, dark = (background(read_page(path, scheme=scheme).page) for scheme in SCHEMES)
    assert contrast(light, (0, 0, 0)) > 15
    assert contrast(dark, (255, 255, 255)) > 15


@pytest.mark.parametrize("width", [1280, 480])
@pytest.mark.parametrize("place", [0, 1, 2], ids=["reliability", "nomogram", "elimination"])
def test_texts_of_the_figures_do_not_overlap(path, read_page, width, place):
    page = read_page(path, width=width).page
    figure = page.locator("figure").nth(place)
    found = figure.evaluate(f"figure => (({READ_BOXES.replace('document.', 'figure.')})('svg text'))")
    assert collisions([Box(**box) for box in found if box["says"]]) == []


def test_a_screen_reader_hears_who_wins(made, path, read_page):
    """Beside single dots and bars there must be words for the whole picture."""
    heard = read_page(path).page.locator(".nomogram figure").aria_snapshot()
    assert made.nomogram.pair.a.name in heard
    assert made.nomogram.pair.b.name in heard
    assert re.search(r"P\(A above B\) 0\.\d{2}", heard)
