"""One self-contained page."""

import re
from html.parser import HTMLParser

import pytest

from glassrank.drawing.self_contained_page import Section, build_page, figure, table

SCRIPT = "<script>alert(1)</script>"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Outline(HTMLParser):
    """Elements in order, their attributes, and whether every one is closed."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.words = [], [], {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.words.setdefault(self.open[-1], []).append(data)

    def tags(self, *names):
        return [tag for tag, _ in self.elements if tag in names]


@pytest.fixture(scope="module")
def page():
    rows = [["a", "1.0"], [SCRIPT, "2.0"]]
    sections = [
        Section("First", "<p>text</p>" + table(["name", "value"], rows, numeric={1}, chosen=1)),
        Section("Second & last", figure("<svg></svg>", 'A "picture" & more')),
    ]
    return build_page(f"Title {SCRIPT} & more", sections, lead="<p>Lead</p>")


def references(page):
    """Return everything that a browser would load."""
    attributes = re.findall(r"\b(?:src|srcset|href|xlink:href|action|data|poster)\s*=\s*[\"']?([^\"'\s>]+)", page)
    return attributes + re.findall(r"url\(([^)]*)\)", page) + re.findall(r"@import[^;]*", page)


def test_a_page_loads_nothing(page):
    assert references(page) == []
    assert re.findall(r"https?:|//\w+\.", page) == []


@pytest.mark.parametrize(
    "planted", ['<img src="http://x.example/a.png">', "<style>p{background:url(a.png)}</style>", "@import 'a.css';"]
)
def test_a_planted_reference_is_found(page, planted):
    assert len(references(page + planted)) == 1


def test_the_title_is_escaped_everywhere(page):
    outline = Outline(page)
    assert "script" not in outline.tags("script")
    title = f"Title {SCRIPT} & more"
    assert "".join(outline.words["title"]) == title
    assert "".join(outline.words["h1"]) == title


def test_every_element_is_closed_in_order(page):
    assert Outline(page).open == []


def test_the_page_names_its_language_encoding_and_viewport(page):
    elements = Outline(page).elements
    assert page.startswith("<!doctype html>")
    assert ("html", {"lang": "en"}) in elements
    assert ("meta", {"charset": "utf-8"}) in elements
    assert any(attributes.get("name") == "viewport" for _, attributes in elements)
    assert [tag for tag, _ in elements].count("main") == 1


def test_one_h1_precedes_the_h2_headings(page):
    assert Outline(page).tags("h1", "h2", "h3", "h4") == ["h1", "h2", "h2"]


def test_a_page_without_section_headings_still_has_its_title_as_heading():
    assert Outline(build_page("Why", [Section("", "<p>text</p>")])).tags("h1", "h2") == ["h1"]


def test_a_table_has_scoped_header_cells_and_right_aligned_numbers(page):
    elements = Outline(page).elements
    heads = [attributes for tag, attributes in elements if tag == "th"]
    assert heads == [{"scope": "col"}, {"scope": "col", "class": "number"}]
    cells = [attributes for tag, attributes in elements if tag == "td"]
    assert cells == [{}, {"class": "number"}] * 2
    rows = [attributes for tag, attributes in elements if tag == "tr"]
    assert rows == [{}, {}, {"class": "chosen"}]


def test_cells_are_escaped(page):
    assert SCRIPT in Outline(page).words["td"]


def test_a_figure_can_be_focused_and_carries_its_caption(page):
    attributes = next(attributes for tag, attributes in Outline(page).elements if tag == "figure")
    assert attributes["tabindex"] == "0"
    assert attributes["aria-label"] == 'A "picture" & more'
    assert 'A "picture" & more' in Outline(page).words["p"]


def test_every_used_variable_is_declared_for_light_dark_and_print(page):
    used = set(re.findall(r"var\((--[\w-]+)\)", page))
    declared = re.findall(r"(--[\w-]+):", page)
    assert used
    assert all(declared.count(name) == 3 for name in used)
