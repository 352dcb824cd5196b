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


@pytest.fixture(scope="module")
def open_page(chromium):
    """Open a file in a fresh context: ``open_page(path, scheme="dark", width=480)``; all close with the module."""
    contexts = []

    def opened(path, *, scheme="light", width=1280):
        contexts.append(chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}))
        result = Opened(contexts[-1].new_page())
        result.page.on("request", lambda request: result.requests.append(request.url))
        result.page.on("console", lambda message: result.complaints.append(message.text))
        result.page.on("pageerror", lambda error: result.complaints.append(str(error)))
        result.page.on("dialog", lambda dialog: (result.dialogs.append(dialog.message), dialog.dismiss()))
        result.page.goto(path.as_uri())
        if result.page.locator(".nomogram").count():
            result.page.wait_for_selector(".nomogram [data-live] svg .handles path[tabindex]", state="attached")
        return result

    yield opened
    for context in contexts:
        context.close()
