"""The site builds without a warning and without a network, and is self-contained."""

import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.house.repository import DOCS, ROOT, clean_environment

PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))

# The interpreter's audit hook reports every network access, whichever library makes it.
BUILD = """
import sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
        raise RuntimeError(f"the build reached for the network: {event} {arguments}")

sys.addaudithook(refuse)
from mkdocs.__main__ import cli
cli(["build", "--strict", "--site-dir", sys.argv[1]])
"""


class Resources(HTMLParser):
    """Collects the resources, links and anchors of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        self.ids |= {value for name in ("id", "name") if (value := values.get(name))}
        if "src" in values:
            self.loaded.append(values["src"])
        if "href" in values:
            (self.loaded if tag == "link" else self.linked).append(values["href"])


@pytest.fixture(scope="module")
def build(tmp_path_factory) -> tuple[subprocess.CompletedProcess, Path]:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)],
        cwd=ROOT,
        env=clean_environment(NO_MKDOCS_2_WARNING="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    return done, folder


@pytest.fixture(scope="module")
def site(build) -> Path:
    return build[1]


def html(site: Path, name: str) -> Path:
    return (site / name).with_suffix(".html")


def external(address: str) -> bool:
    return bool(urlsplit(address).netloc)


def test_the_site_builds_without_a_warning_and_without_a_network(build):
    done, _ = build
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr


def test_the_build_finds_every_page(site):
    assert [name for name in PAGES if not html(site, name).is_file()] == []


def test_a_page_loads_nothing_from_elsewhere(site):
    loaded = {name: resources(html(site, name)).loaded for name in PAGES}
    assert all(loaded.values())
    assert [(name, address) for name in PAGES for address in loaded[name] if external(address)] == []


def test_style_sheets_load_nothing_from_elsewhere(site):
    sheets = list(site.rglob("*.css"))
    assert sheets
    assert [sheet.name for sheet in sheets if "url(http" in sheet.read_text() or "@import" in sheet.read_text()] == []


def test_every_link_and_anchor_of_a_page_resolves(site):
    broken = []
    for source in (html(site, name) for name in PAGES):
        found = resources(source)
        broken += [(source.name, address) for address in found.loaded + found.linked if not resolves(source, address)]
    assert broken == []


@pytest.mark.browser
def test_the_search_box_works_from_disk(site, open_page):
    opened = open_page(site / "index.html")
    opened.page.click(".md-search__input")
    opened.page.keyboard.type("LightGBM text")
    found = opened.page.locator(".md-search-result__item a").first
    found.wait_for()
    assert found.get_attribute("href").startswith(site.as_uri())
    assert [address for address in opened.requests if not address.startswith(site.as_uri())] == []
    assert opened.complaints == []


def resolves(page: Path, address: str) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
    if not target.is_file():
        return False
    if not parts.fragment or target.suffix != ".html":
        return True
    return unquote(parts.fragment) in resources(target).ids


@cache
def resources(page: Path) -> Resources:
    """Read a page once for all tests: parsing the whole site takes seconds."""
    return Resources(page.read_text())
