"""Excessively nested pages are counted and skipped; pages that are only long are read."""

import pytest

from glassrank.data.web.html_nesting import nests_too_deep
from glassrank.data.web.open_collection import open_collection
from tests.data.web.sites import write_site

LONG = 60_000
# Many tags without depth: the elements end implicitly, or are not elements.
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
    "unclosed comment": "<!--" + "<div>" * LONG,
    "less-than signs": "a < b " * LONG,
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
def test_an_excessively_nested_page_is_deep(page):
    assert nests_too_deep(DEEP[page])


def test_a_page_nested_too_deeply_is_counted_and_the_others_are_read(tmp_path):
    site = write_site(tmp_path / "site", {"deep.html": "<div>" * 100_000 + "deep", "good.html": "<p>good"})
    collection = open_collection(site, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == ["good.html"]
    assert collection.reading.skipped["page nested too deeply"].examples == ("deep.html",)
