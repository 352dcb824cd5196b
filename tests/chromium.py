"""A real browser: this machine's Chromium, started once, and pages opened from disk."""

import shutil
from dataclasses import dataclass, field
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
    """Open a file: ``open_page(path, scheme="dark", width=480)``.

    All files open in one page, one after the other: starting a window for each takes longer than most tests.
    """
    page = chromium.new_page()
    now = Opened(page)
    page.on("request", lambda request: now.requests.append(request.url))
    page.on("console", lambda message: now.complaints.append(message.text))
    page.on("pageerror", lambda error: now.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (now.dialogs.append(dialog.message), dialog.dismiss()))

    def opened(path, *, scheme="light", width=1280):
        nonlocal now
        page.goto("about:blank")
        page.mouse.move(0, 0)
        page.emulate_media(media="null", color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        now = Opened(page)
        page.goto(path.as_uri())
        if page.locator(".nomogram").count():
            # A picture of two documents that are alike has no dots.
            dots = ".nomogram [data-live] svg .handles"
            page.wait_for_selector(f"{dots} path[tabindex], {dots}:empty", state="attached")
        return now

    return opened
