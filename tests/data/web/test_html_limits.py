"""Pages with excessive nesting or attributes are counted and skipped; pages that are only long are read."""

import pytest

from glassrank.data.web.html_limits import has_too_many_attributes, nests_too_deep
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


MANY = " ".join(f"a{number}" for number in range(20_000))
ATTRIBUTES = {
    "bare": f"<p {MANY}>",
    "with values": "<p " + " ".join(f"a{number}='>'" for number in range(20_000)) + ">",
    "separated by slashes": f"<p/{MANY.replace(' ', '/')}>",
    "after a quotation mark": f"<p ' {MANY}>",
    "of a script": f"<script {MANY}></script>",
    "in several elements": f"<p {' '.join(MANY.split()[:2000])}>" * 20,
    "unfinished": f"<p {MANY}",
}
FEW = {
    "as text": f"<p>{MANY}</p>",
    "in a script": f"<script>a<b {MANY}</script>",
    "in a comment": f"<!-- <p {MANY}> -->",
    "in a value": f'<p a="{MANY}">',
    "after an apostrophe": "<p don't>" + f"{MANY} <b>it's</b>" * 3,
    "usual": "<p class=x id='y' title=\"z\">x</p>" * 20_000,
}


@pytest.mark.parametrize("page", ATTRIBUTES)
def test_elements_with_thousands_of_attributes_are_too_many(page):
    assert has_too_many_attributes(ATTRIBUTES[page])


@pytest.mark.parametrize("page", FEW)
def test_words_that_are_no_attributes_do_not_count(page):
    assert not has_too_many_attributes(FEW[page])


def test_a_page_with_300_000_attributes_is_counted_and_the_others_are_read(tmp_path):
    huge = "<p " + " ".join(f"a{number}=1" for number in range(300_000)) + ">hello"
    site = write_site(tmp_path / "site", {"huge.html": huge, "good.html": "<p>good"})
    collection = open_collection(site, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == ["good.html"]
    assert collection.reading.skipped["element with too many attributes"].examples == ("huge.html",)
