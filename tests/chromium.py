"""A real browser: this machine's Chromium, started once, and pages opened from disk."""

import shutil
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@dataclass
class Opened:
    """A page with all that happened while it was open."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def open_page(chromium):
    """Open a file: ``open_page(path, scheme="dark", width=480, fragment="#query=q1")``.

    All files open in one page, one after the other: starting a window for each takes longer than most tests.
    """
    window = Window(chromium.new_page())

    def opened(path, **options):
        window.page.goto("about:blank")
        window.page.mouse.move(0, 0)
        return window.load(path, **options)

    return opened


@pytest.fixture(scope="module")
def read_page(chromium):
    """Open a file like ``open_page``, but only to read: tests of one module that ask for the same share a page.

    Such a test must leave the page as it was: no pointer, no key, no other size. Each page is loaded once.
    """
    with chromium.new_context() as context:
        load_once = cache(lambda path, scheme, width: Window(context.new_page()).load(path, scheme=scheme, width=width))
        yield lambda path, *, scheme="light", width=1280: load_once(path, scheme, width)


class Window:
    """A page of the browser, which shows one file after the other."""

    def __init__(self, page):
        self.page, self.now = page, Opened(page)
        page.on("request", lambda request: self.now.requests.append(request.url))
        page.on("console", lambda message: self.now.complaints.append(message.text))
        page.on("pageerror", lambda error: self.now.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.now.dialogs.append(dialog.message), dialog.dismiss()))

    def load(self, path, *, scheme="light", width=1280, fragment=""):
        """Show a file, and return when its nomogram is live, if it has one."""
        self.page.emulate_media(media="null", color_scheme=scheme)
        self.page.set_viewport_size({"width": width, "height": 900})
        self.now = Opened(self.page)
        self.page.goto(path.as_uri() + fragment)
        if self.page.locator(".nomogram").count():
            # A picture of two documents that are alike has no dots.
            dots = ".nomogram [data-live] svg .handles"
            self.page.wait_for_selector(f"{dots} path[tabindex], {dots}:empty", state="attached")
        return self.now
