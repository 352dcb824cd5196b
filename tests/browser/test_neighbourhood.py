"""The live picture of a neighbourhood: pages answer to pointer, keyboard, search and list."""

from dataclasses import dataclass
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from glassrank.distillation.figure.neighbourhood_chart import draw_neighbourhood
from tests.browser.boxes import collisions, picture_size, text_boxes
from tests.distillation.figure.neighbourhoods import NEIGHBOURHOODS, simulated, small
from tests.drawing.svg import says

pytestmark = pytest.mark.browser

READY = ".neighbourhood [data-live] svg .nodes path[tabindex]"
INVITATION = "Point at a page"


@dataclass
class LiveNeighbourhood:
    """The picture of a page that holds one."""

    opened: Any

    @property
    def page(self):
        return self.opened.page

    def node(self, title):
        return self.page.locator(f".nodes path[aria-label^='{title}: ']")

    def hover(self, title):
        box = self.node(title).bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def facts(self, beginning):
        """Text about the selected page, once it starts like this."""
        found = self.page.locator(".page-facts", has_text=beginning)
        found.wait_for()
        return found.inner_text()

    def clear(self):
        """Titles of the pages that are not faded."""
        labels = self.page.locator(".nodes path").evaluate_all(
            "marks => marks.filter(mark => (mark.getAttribute('opacity') ?? 1) > 0.5)"
            ".map(mark => mark.getAttribute('aria-label'))"
        )
        return {label.split(": ")[0] for label in labels}

    def lit(self):
        """How many links are lit, solid and dashed."""
        dashes = self.page.locator(".neighbourhood svg path[stroke-width='1.3']").evaluate_all(
            "marks => marks.filter(mark => mark.getAttribute('d')).map(mark => mark.getAttribute('stroke-dasharray'))"
        )
        return sum(dash == "1,0" for dash in dashes), sum(dash == "5,3" for dash in dashes)

    def focused(self):
        return self.page.evaluate("document.activeElement.getAttribute('aria-label')?.split(': ')[0]")

    def listed(self):
        """Titles of the rows that the list shows."""
        return self.page.locator(".list tbody tr:visible button").all_inner_texts()


@pytest.fixture
def live(tmp_path, open_page):
    """Save a picture, open it, and take hold of it."""

    def opened(pages, **options):
        page = open_page(draw_neighbourhood(pages).save(tmp_path / "pages.html"), **options)
        page.page.wait_for_selector(READY, state="attached")
        assert page.complaints == []
        assert page.requests == [(tmp_path / "pages.html").as_uri()]
        return LiveNeighbourhood(page)

    return opened


def test_pointing_at_a_page_tells_it_and_lights_its_links_and_neighbours(live):
    figure = live(small())
    assert figure.facts(INVITATION)
    assert len(figure.clear()) == 9
    figure.hover("Temple")
    said = figure.facts("Temple")
    assert said.startswith("Temple: authority and hub; authority score 0.300 (rank 3); hub score 0.300 (rank 3)")
    assert "distance 0.850" in said
    assert said.endswith("https://e.example/")
    assert figure.clear() == {"Temple", "Zen", "Links", "Garden"}
    assert figure.lit() == (1, 2)
    figure.page.mouse.move(2, 2)
    figure.facts(INVITATION)
    assert len(figure.clear()) == 9
    assert figure.lit() == (0, 0)


def test_pointing_at_a_label_means_its_page(live):
    figure = live(small())
    box = figure.page.locator(".neighbourhood svg text", has_text="Guide").bounding_box()
    figure.page.mouse.move(box["x"] + 3, box["y"] + 3)
    figure.facts("Guide: hub")
    assert figure.clear() == {"Guide", "Zen", "Koan", "Garden"}


def test_a_page_without_a_label_shows_its_title_while_it_is_pointed_at(live):
    figure = live(small())
    title = figure.page.locator(".neighbourhood svg text", has_text="Garden")
    assert title.count() == 0
    figure.hover("Garden")
    title.wait_for()
    assert figure.page.locator(".neighbourhood svg text", has_text="Temple").count() == 1


def test_a_click_keeps_a_page_until_escape(live):
    figure = live(small())
    figure.hover("Koan")
    figure.page.mouse.down()
    figure.page.mouse.up()
    figure.page.mouse.move(2, 2)
    figure.facts("Koan")
    assert figure.node("Koan").get_attribute("aria-pressed") == "true"
    figure.page.keyboard.press("Tab")
    figure.page.keyboard.press("Escape")
    figure.page.locator(".nodes path[aria-pressed='true']").wait_for(state="detached")


def test_keys_go_through_the_pages_in_the_order_of_the_list(live):
    figure = live(small())
    assert figure.page.locator(".nodes path[tabindex='0']").count() == 1
    figure.page.locator(".neighbourhood figure").focus()
    figure.page.keyboard.press("Tab")
    assert figure.focused() == "Zen"
    walked = [figure.focused()]
    for _ in range(8):
        figure.page.keyboard.press("ArrowRight")
        walked.append(figure.focused())
    assert walked == figure.listed()
    figure.facts("Cans: pruned page")
    for key, title in (
        ("ArrowDown", "Cans"),
        ("Home", "Zen"),
        ("ArrowLeft", "Zen"),
        ("End", "Cans"),
        ("ArrowUp", "Cars"),
    ):
        figure.page.keyboard.press(key)
        assert figure.focused() == title
    figure.page.keyboard.press("Enter")
    assert figure.node("Cars").get_attribute("aria-pressed") == "true"
    figure.page.keyboard.press("Shift+Tab")
    figure.facts("Cars")


def test_the_search_finds_titles_and_addresses_in_picture_and_list(live):
    figure = live(small())
    search = figure.page.get_by_role("searchbox", name="Find a page")
    search.fill("G")
    figure.page.get_by_role("status").filter(has_text="of 9").wait_for()
    search.fill("GARD")
    figure.page.get_by_role("status").filter(has_text="1 of 9 pages").wait_for()
    assert figure.clear() == {"Garden"}
    assert figure.listed() == ["Garden"]
    search.fill("a.example")
    figure.page.get_by_role("status").filter(has_text="1 of 9 pages").wait_for()
    assert figure.clear() == {"Zen"}
    search.fill("")
    figure.page.wait_for_function("document.querySelectorAll('.list tbody tr[hidden]').length === 0")
    assert len(figure.clear()) == len(figure.listed()) == 9


def test_pruned_pages_can_be_hidden(live):
    figure = live(small())
    figure.page.get_by_role("checkbox", name="Show the 2 pruned pages").uncheck()
    figure.node("Cars").wait_for(state="detached")
    assert figure.page.locator(".nodes path").count() == 7
    assert figure.listed() == ["Zen", "Koan", "Temple", "Links", "Guide", "Notes", "Garden"]
    assert figure.page.locator(".neighbourhood svg text", has_text="Pruned pages").count() == 0
    figure.hover("Zen")
    figure.facts("Zen")
    assert figure.lit() == (0, 4)
    figure.node("Zen").focus()
    figure.page.keyboard.press("End")
    assert figure.focused() == "Garden"
    figure.page.get_by_role("checkbox").check()
    figure.node("Cars").wait_for()
    assert figure.page.locator(".nodes path[tabindex]").count() == 9
    figure.hover("Zen")
    figure.facts("Zen")
    assert figure.lit() == (0, 5)


def test_the_list_points_into_the_picture(live):
    figure = live(small())
    figure.page.get_by_role("button", name="Links", exact=True).focus()
    figure.facts("Links: hub")
    assert figure.clear() == {"Links", "Zen", "Koan", "Temple", "Cans"}
    assert figure.page.locator("tr.lit button").all_inner_texts() == ["Links"]
    figure.page.keyboard.press("Enter")
    figure.page.keyboard.press("Tab")
    figure.facts("Guide: hub")
    figure.page.mouse.move(2, 2)
    figure.page.get_by_role("searchbox").focus()
    figure.facts("Links: hub")


def test_only_addresses_of_the_web_become_links(live):
    addresses = ["javascript:alert(1)", "wp/z/Zen.htm", *(f"http://{name}.example/" for name in "cdefghi")]
    figure = live(small(urls=addresses))
    figure.hover("Zen")
    assert figure.facts("Zen: authority").endswith("javascript:alert(1)")
    assert figure.page.locator(".page-facts a").count() == 0
    figure.hover("Koan")
    figure.facts("Koan: authority")
    assert figure.page.locator(".page-facts a").get_attribute("href") == "http://c.example/"


def test_the_page_forbids_every_script_but_its_own(live):
    figure = live(simulated(60, hard=True))
    figure.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hurt = 1\">')")
    figure.page.wait_for_timeout(100)
    assert figure.page.evaluate("window.hurt") is None
    assert figure.opened.dialogs == []
    assert figure.page.locator("script").count() == 3


def test_the_still_picture_and_the_live_one_say_the_same(live):
    figure = live(small())
    still = says(draw_neighbourhood(small())._repr_svg_())
    shown = [" ".join(text.split()) for text in figure.page.locator(".neighbourhood svg text").all_text_contents()]
    assert [text for text in shown if text] == still


def test_the_title_is_seen_once_and_still_heads_the_outline(live):
    heading = live(small()).page.get_by_role("heading", level=1)
    assert heading.text_content() == draw_neighbourhood(small()).title
    box = heading.bounding_box()
    assert (box["width"], box["height"]) == (1, 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["by hand", "60 pages with hard titles", "one page"])
def test_axe_finds_no_violation(live, scheme, name):
    figure = live(NEIGHBOURHOODS[name](), scheme=scheme)
    figure.page.locator(".list button").first.focus()
    found = Axe().run(figure.page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


def test_on_a_narrow_page_the_figure_scrolls_and_the_page_does_not(live):
    figure = live(simulated(60, hard=True), width=480)
    assert figure.page.evaluate("document.documentElement.scrollWidth") <= 480


def test_in_print_the_picture_is_light_and_the_list_is_whole(live):
    figure = live(simulated(60), scheme="dark", width=700)
    figure.page.emulate_media(media="print", color_scheme="dark")
    assert figure.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert figure.page.locator("svg").bounding_box()["width"] <= 700
    assert figure.page.evaluate("(box => box.scrollHeight <= box.clientHeight + 1)(document.querySelector('.list'))")


@pytest.mark.parametrize("name", NEIGHBOURHOODS)
def test_no_two_texts_overlap_and_none_is_cut(live, name):
    figure = live(NEIGHBOURHOODS[name]())
    texts, (width, height) = text_boxes(figure.page), picture_size(figure.page)
    assert texts
    assert collisions(texts) == []
    outside = [box.says for box in texts if min(box.left, box.top) < -1 or box.right > width + 1 or box.bottom > height]
    assert outside == []
