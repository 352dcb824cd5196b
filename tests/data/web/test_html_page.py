"""The text of a page is what a browser shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.data.web.html_page import check_selectors, read_html
from tests.reference.plain_html import PlainPage


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Budd<b>hism</b> is</p><p>old", "Buddhism is old"),
        ("one<br>two<hr>three", "one two three"),
        ("<?php echo 1; ?><p>one<?two?>", "one"),
        ("<?<b>one<?", "one"),
        ("a cell<td>without a table", "a cellwithout a table"),
        ("<table><tr><td>a<td>b</table>", "a b"),
        ("a<script>no</script><style>no</style><noscript>no</noscript><template>no</template><!-- no -->b", "ab"),
        ("<p>seen<p hidden>no<p style='Display : None'>no<p style='visibility:hidden'>no", "seen"),
        ("a &amp; b&nbsp;c &#x4e00;", "a & b c 一"),
        ("<title>no</title><svg><title>no</title><text>drawn</text></svg>", "drawn"),
        ("<b><i>x</b>y</i>", "xy"),
        ("<ul><li>a<li>b</ul>", "a b"),
        ("", ""),
        ("<frameset><frame src=a.htm></frameset>", ""),
        ("just text", "just text"),
    ],
)
def test_the_text_is_what_is_shown(html, text):
    assert read_html(html).text == text


def test_links_keep_their_order_anchor_and_flag():
    page = read_html(
        "<a href=1>one <b>two</b></a><a name=x>no link</a><a href=2 rel='UGC x'><img alt='a picture'></a>"
        "<a href=3 rel=noopener>word <img alt=no></a><map><area href=4 alt='an area' rel=nofollow></map>"
        "<a href='5'> </a><noscript><a href=6>x</a></noscript><a href=7 hidden>unseen</a>"
    )
    assert [(link.href, link.anchor, link.nofollow) for link in page.links] == [
        ("1", "one two", False),
        ("2", "a picture", True),
        ("3", "word", False),
        ("4", "an area", True),
        ("5", "", False),
        ("7", "unseen", False),
    ]
    assert page.link_words == 3
    assert page.images == 2


@pytest.mark.parametrize("content", ["nofollow", "index, NOFOLLOW", "none"])
def test_robots_directives_apply_to_all_links_of_a_page(content):
    assert read_html(f"<meta name=robots content='{content}'><a href=x>y</a>").links[0].nofollow


def test_metadata_of_the_page_is_read():
    page = read_html(
        "<html lang=de><head><title> A \n B </title><title>no</title><base href=/x/><base href=/no/>"
        "<meta name=Description content=' about  a '><meta property=og:site_name content=Site>"
        "<meta property=article:modified_time content=2020-01-02T03:04:05Z></head>"
        "<h1>First</h1><h3>Third</h3><h4>no</h4><h2>Second <a href=x>link</a></h2>"
    )
    assert (page.title, page.language, page.base, page.description) == ("A B", "de", "/x/", "about a")
    assert (page.site_name, page.modified) == ("Site", "2020-01-02T03:04:05Z")
    assert (page.h1, page.headings) == ("First", "First\nThird\nSecond link")


@pytest.mark.parametrize(
    ("html", "asks"),
    [
        ("<form><input></form>", True),
        ("<form><input type=PASSWORD></form>", True),
        ("<form><textarea></textarea></form>", True),
        ("<form><input type=submit><input type=hidden></form>", False),
        ("<input>", False),
    ],
)
def test_a_form_with_a_text_field_is_detected(html, asks):
    assert read_html(html).has_form is asks


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=b.html", "b.html"),
        ("0;URL='b.html'", "b.html"),
        ("0, b.html", "b.html"),
        (" 0.0 ; url = b.html ", "b.html"),
        ("5; url=b.html", ""),
        ("0", ""),
        ("", ""),
        ("url=b.html", ""),
    ],
)
def test_only_a_refresh_without_delay_is_a_redirect(content, target):
    assert read_html(f'<meta http-equiv="Refresh" content="{content}">').refresh == target


def test_dropped_elements_leave_no_trace():
    html = (
        "<title>T</title><div class=sub><h1>label</h1><h3 id=s>label <a href=x>label</a><img></h3></div><p>rest"
        "<div hidden class=sub>label</div>"
    )
    page = read_html(html, drop=["h3#s", ".sub"])
    assert (page.text, page.h1, page.headings, page.links, page.images) == ("rest", "", "", (), 0)
    assert page.hidden_share == 0
    assert page.dropped == {"h3#s": 1, ".sub": 2}
    assert read_html(html, drop=["title"]).title == ""


@pytest.mark.parametrize("drop", ["h3", ["p[["], [""], [3]])
def test_invalid_selectors_are_rejected(drop):
    with pytest.raises(DataError, match="drop must"):
        check_selectors(drop)


WORDS = st.text(st.sampled_from("ab \u00e9&<>\n"), max_size=6).map(
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
)


def element(inner):
    tag = st.sampled_from(
        ["div", "p1", "b", "i", "h1", "h2", "h3", "span", "div hidden", "span style='display:none'", "script"]
    )
    return st.tuples(tag, inner).map(lambda pair: _closed(*pair)) | st.tuples(inner, inner).map("".join)


def _closed(tag, inner):
    name = tag.split()[0]
    if name == "script":
        return "<script>x</script>"
    if name == "p1":
        return f"<section>{inner}</section><img>"
    return f"<{tag}>{inner}</{name}>"


BODY = st.recursive(WORDS | WORDS.map(lambda text: f"<a href=x>{text}</a>"), element, max_leaves=12)


def nests_headings(html):
    depth = 0
    for piece in html.split("<"):
        depth += piece.startswith(("h1", "h2", "h3")) - piece.startswith(("/h1", "/h2", "/h3"))
        if depth > 1:
            return True
    return False


@given(BODY)
def test_well_formed_pages_are_read_as_by_the_slow_twin(body):
    # Browsers repair a heading inside a heading, and blocks inside b and i; the twin does not.
    if nests_headings(body):
        return
    html = f"<html><head></head><body>{body}</body></html>"
    page, twin = read_html(html), PlainPage(html)
    assert page.text == twin.text()
    assert page.hidden_share == twin.hidden_share()
    assert [link.anchor for link in page.links] == [" ".join(text.split()) for _, text in twin.links]
    assert page.images == twin.images
    squeezed = [(level, " ".join(text.split())) for level, text in twin.headings]
    assert page.headings == "\n".join(text for _, text in squeezed if text)
    assert page.h1 == "\n".join(text for level, text in squeezed if text and level == 1)


FRAGMENTS = (
    "<a href=x>|</a>|<p|>|<table>|</table>|<td>|<h1>|</h2>|<svg>|<math>|<template>|<form>|<!--|-->|<![CDATA[|]]>|<?php"
    "|<title>|</title>|<body>|</html>|<select><option>|\0|&#xD800;|<plaintext>|<div hidden>|</div>|<frameset>"
    "|<img alt='|'|\"|é|<meta http-equiv=refresh content=0;"
)
TAGS = st.sampled_from(FRAGMENTS.split("|"))


@given(st.lists(TAGS | st.text(max_size=5), max_size=40).map("".join))
def test_broken_html_never_raises(html):
    page = read_html(html.encode("utf-8", "replace").decode(), drop=["h1", "td"])
    assert 0 <= page.hidden_share <= 1
    for text in (page.title, page.text, page.headings, *(link.anchor for link in page.links)):
        text.encode()


def test_deep_nesting_needs_no_deep_stack():
    assert read_html("<div>" * 5000 + "deep").text == "deep"
