"""Helpers for tests of report pages: a hostile text, and a parser of pages."""

import re
from html.parser import HTMLParser

SCRIPT = "</script><script>alert(1)</script>"
LOADING = {"script", "link", "iframe", "img", "object"}


class Page(HTMLParser):
    """Tags of a page with their attributes, and its tables as rows of cells."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.tables, self.in_cell = [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.in_cell:
            self.tables[-1][-1][-1] += data


def assert_runs_and_loads_nothing(html):
    """Assert that a page has no scripts, loads nothing from outside, and has a policy that forbids both."""
    tags = Page(html).tags
    assert {tag for tag, _ in tags}.isdisjoint(LOADING)
    assert "default-src 'none'" in next(a["content"] for tag, a in tags if tag == "meta" and "http-equiv" in a)
    assert not any(value.startswith(("http:", "https:")) for _, a in tags for n, value in a.items() if n == "href")


def without_times(page):
    """Return a ranking report without the section of computing times, which differ from run to run."""
    found = re.sub('<section id="computing-time">.*?</section>', "", page, flags=re.DOTALL)
    assert len(found) < len(page)
    return found
