"""The first page and the form of a new study in a real browser."""

import fcntl
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import glassrank as gr
from glassrank.app.study_jobs import LOCK, LOG, Job, JobFiles
from glassrank.data.load_data import save_data
from tests.app.conftest import STUDY, TITLE, served

pytestmark = pytest.mark.browser


@contextmanager
def running_study(folder, lines):
    """A study that runs as long as the block: what the app sees of it is a lock and a log."""
    folder.mkdir()
    job = Job(title="Slow study", kind="form", form={"file": "shop.csv"})
    JobFiles(folder).write(job)
    (folder / LOG).write_text("\n".join(lines) + "\n")
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def assert_accessible(tab):
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()


def test_the_list_of_studies_is_accessible_and_fits_every_width(tab, site):
    tab.goto(site)
    assert tab.get_by_role("link", name=TITLE).get_attribute("href") == f"/s/{STUDY}/ranking"
    assert_accessible(tab)
    for width in (900, 1280, 2560):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.complaints == []


def test_a_hidden_page_keeps_no_connection(tab, site):
    """Browsers open six connections to a server, and the list of studies keeps one."""
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    with tab.expect_request("**/events"):
        tab.goto(site)
    with tab.expect_event("requestfailed", lambda request: request.url.endswith("/events")):
        tab.evaluate(hide, True)
    with tab.expect_request("**/events"):
        tab.evaluate(hide, False)


def test_keys_go_to_a_study_and_show_their_list(tab, site):
    tab.goto(site)
    tab.keyboard.press("?")
    assert tab.get_by_role("dialog", name="Keys").get_by_text("go to a study or page").is_visible()
    tab.keyboard.press("Escape")
    tab.locator("dialog").wait_for(state="detached")
    tab.keyboard.press("/")
    field = tab.get_by_role("textbox", name="Go to")
    field.fill("shop")
    expect(tab.locator("ul.targets a")).to_have_text([TITLE])
    field.fill("nothing like it")
    expect(tab.locator("ul.targets")).to_contain_text("Nothing contains")
    tab.keyboard.press("Escape")
    tab.locator("dialog").wait_for(state="detached")


def test_the_chosen_theme_stays(tab, site):
    tab.emulate_media(color_scheme="light")
    tab.goto(site)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = tab.evaluate(ground)
    tab.get_by_role("button", name="Light or dark").click()
    dark = tab.evaluate(ground)
    assert dark != light
    tab.reload()
    assert tab.evaluate(ground) == dark


def test_progress_is_live_and_the_end_shows_the_list(tab, tmp_path):
    log = ["0 of 4: Choosing C …", "1 of 4: Eliminating features …"]
    with served(tmp_path) as site:
        with running_study(tmp_path / "slow", log):
            tab.goto(site)
            tab.get_by_text("Step 2 of 4: Eliminating features").wait_for()
            assert_accessible(tab)
            with (tmp_path / "slow" / LOG).open("a") as file:
                file.write("2 of 4: Writing <b>the report</b> …\n")
            tab.get_by_text("Step 3 of 4: Writing <b>the report</b>").wait_for()
            assert tab.locator("progress").evaluate("bar => bar.value / bar.max") == 0.5
        tab.get_by_role("cell", name="stopped").wait_for()
        assert tab.get_by_role("button", name="Resume").is_visible()
        tab.goto("about:blank")


def test_the_command_follows_the_form(tab, tmp_path):
    save_data(gr.simulate_ranking(6, 5, random_state=0).data.pick_features([0, 1]), tmp_path / "shop.csv")
    with served(tmp_path) as site:
        tab.goto(site)
        assert tab.get_by_role("heading", name="No studies yet").is_visible()
        tab.get_by_role("link", name="Choose a file").click()
        tab.get_by_role("link", name="shop.csv").click()
        command = tab.locator("#command")
        start = "glassrank study shop.csv --query-column qid --label-column label --document-column doc_id"
        assert command.inner_text() == start
        tab.get_by_label("BM25 title is the").select_option("left out")
        tab.get_by_label("Curves").select_option("lrbf")
        tab.get_by_label("Title", exact=True).fill("It's new")
        shown = f"{start} --exclude 'BM25 title' --kernel lrbf --title 'It'\"'\"'s new'"
        assert command.inner_text() == shown
        tab.get_by_text("More options").click()
        assert_accessible(tab)
        tab.set_viewport_size({"width": 900, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth") <= 900
    assert tab.complaints == []


def test_long_names_fit_the_form_and_the_list(tab, tmp_path):
    column, title = "f" * 300, "t" * 200
    (tmp_path / "long.csv").write_text(f"qid,label,{column},   \n1,2,3,4\n1,0,1,2\n")
    (tmp_path / "long").mkdir()
    JobFiles(tmp_path / "long").write(Job(title=title, kind="form", form={"file": "long.csv"}))
    (tmp_path / "long" / LOG).write_text(f"Error: There is no column {column!r}.\n")
    with served(tmp_path) as site:
        tab.goto(f"{site}/new?file=long.csv")
        box = tab.get_by_label(f"{column} is the").bounding_box()
        table = tab.get_by_role("group", name="Columns").bounding_box()
        assert box["x"] + box["width"] <= table["x"] + table["width"]
        # A name of blanks keeps its width.
        assert tab.locator("code").filter(has_text="   ").last.bounding_box()["width"] > 0
        tab.goto(site)
        expect(tab.get_by_text(title)).to_be_visible()
        for width in (900, 1280):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_the_bar_of_a_study_with_a_long_title_is_one_line(tab, site):
    tab.goto(f"{site}/s/{STUDY}/ship")
    for title in ("Shop search of the year 2026", "t" * 200):
        tab.locator("details.studies summary").evaluate("(one, title) => one.textContent = title", title)
        for width in (900, 1280, 2560):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            assert tab.locator("header.bar").bounding_box()["height"] <= 60
