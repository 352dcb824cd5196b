"""Pages that nest without end are counted and passed by; pages that are only long are read."""

import pytest

from glassrank.data.web.html_nesting import nests_too_deep
from glassrank.data.web.open_collection import open_collection
from tests.data.web.sites import write_site

LONG = 60_000
# Many tags, and no depth: the elements end by themselves, or are none.
FLAT = {
    "closed": "<div><b>x</b></div>" * LONG,
    "paragraphs": "<p>x" * LONG,
    "list items": "<ul>" + "<li>x" * LONG,
    "cells": "<table>" + "<tr><td>x" * LONG,
    "named places": "<a name=x>x" * LONG,
    "breaks and images": "<BR><img src=x>" * LONG,
    "fifty deep": ("<div>" * 50 + "x" + "</div>" * 50) * (LONG // 50),
    "script": "<script>" + "'<div>'" * LONG + "</script>",
    "comment": "<!--" + "<div>" * LONG + "-->",
    "comment without end": "<!--" + "<div>" * LONG,
    "signs": "a < b " * LONG,
}
DEEP = {
    "div": "<div>" * LONG,
    "two kinds": "<section><Div class='x'>" * LONG,
    "inline": "<b><span>" * LONG,
    "many at one depth": "<div>" * 2000 + "<i></i>" * LONG,
    "after a comment": "<!-- x -->" + "<div>" * LONG,
}


@pytest.mark.parametrize("page", FLAT)
def test_a_long_page_is_not_deep(page):
    assert not nests_too_deep(FLAT[page])


@pytest.mark.parametrize("page", DEEP)
def test_a_page_that_nests_without_end_is_deep(page):
    assert nests_too_deep(DEEP[page])


def test_a_page_that_is_too_deep_is_counted_and_the_others_are_read(tmp_path):
    site = write_site(tmp_path / "site", {"deep.html": "<div>" * 100_000 + "deep", "good.html": "<p>good"})
    collection = open_collection(site, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == ["good.html"]
    assert collection.reading.skipped["page nested too deep"].examples == ("deep.html",)
