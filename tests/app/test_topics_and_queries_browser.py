"""Topics and Queries in a real browser: the live neighbourhood, judging by keyboard, intents; axe finds nothing."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import glassrank as gr
from glassrank.data.web.open_collection import open_collection
from tests.app.conftest import served
from tests.app.web_folder import WEB

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(chromium, web_folder):
    with served(web_folder[0]) as address:
        page = chromium.new_page(base_url=address, viewport={"width": 1280, "height": 900})
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        yield page
        page.close()


@pytest.fixture(scope="module")
def query(web_folder):
    """A word of the first page's title."""
    return open_collection(web_folder[0] / WEB).pages.title[0].split()[0]


def violations(page):
    return [one["id"] for one in Axe().run(page).response["violations"]]


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_topic_is_asked_and_its_neighbourhood_is_live(page, web_folder, query):
    page.goto("/topics")
    page.get_by_label("Topic").fill(query)
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="hits", exact=True).click()
    page.wait_for_selector(".neighbourhood [data-live] svg .nodes path[tabindex]")
    found = gr.distill(open_collection(web_folder[0] / WEB), query, "hits", random_state=0)
    assert page.locator(".neighbourhood .nodes path").count() == len(found.pages)
    own = page.locator("ol.pages").first.locator("li strong").all_inner_texts()
    assert own == [" ".join(one.title.split()) for one in found.authorities]
    for scheme, width in (("light", 900), ("dark", 2560), ("dark", 1280)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert fits(page)
        assert violations(page) == []
    assert page.complaints == []


def test_pages_are_judged_by_keys_and_the_next_one_becomes_current(page, web_folder, query):
    page.goto(f"/topics?collection={WEB}&q={query}")
    page.get_by_role("link", name="Judge this topic").click()
    page.get_by_label("Your name").fill("Eve")
    page.get_by_role("button", name="Start").click()
    page.locator("#current").wait_for()
    total = page.locator("ol.judge > li").count()
    first = page.locator("#current input[name=document]").get_attribute("value")
    for done, keys in enumerate(("2", "1", "j0"), start=1):
        page.wait_for_load_state("load")  # scripts have run
        for key in keys:
            page.keyboard.press(key)
        page.get_by_text(f"{done} of {total} pages judged.").wait_for()
    qrels = gr.load_qrels(web_folder[0] / "judgements" / WEB / "Eve.txt")
    assert (qrels.doc_ids[0], qrels.labels.tolist()) == (first, [2, 1, 0])
    # The fourth page was labelled, so the third is still open.
    states = [one.get_attribute("class") for one in page.locator("ol.judge > li").all()[:4]]
    assert states == ["judged", "judged", "current", "judged"]
    assert violations(page) == []
    assert fits(page)
    assert page.complaints == []


def test_pasted_queries_are_answered_and_the_matrix_is_readable(page, web_folder):
    sources = web_folder[1]
    page.goto("/queries")
    assert page.locator("table.heat td").count() == 4
    assert violations(page) == []
    page.get_by_role("textbox", name="Queries").fill(f"{sources.results.query[0]}\nnobody asked this")
    page.get_by_role("button", name="Predict intents").click()
    page.get_by_role("heading", name="Intents").wait_for()
    rows = page.locator("table.intents tbody tr").all_inner_texts()
    assert rows[0].split("\t")[:2] == ["1", sources.results.query[0]]
    assert "no results for the query" in rows[1]
    for scheme, width in (("dark", 900), ("light", 1280)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert fits(page)
        assert violations(page) == []
    assert page.complaints == []
