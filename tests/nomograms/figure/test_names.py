"""Names of features, documents, queries and units come from files: the picture is safe for any content."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.drawing.svg import SVG, says
from tests.nomograms.figure.examples import HARD_NAMES, named_picture, random_picture

ROOT = Path(__file__).resolve().parents[3]


class Tags(HTMLParser):
    """The elements of a page and its attributes."""

    def __init__(self, page):
        super().__init__()
        self.names, self.attributes = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]


@pytest.mark.parametrize("name", HARD_NAMES)
def test_an_svg_is_well_formed_and_shows_the_name_as_text(tmp_path, name):
    svg = named_picture(name).save(tmp_path / "why.svg").read_text()
    tree = ElementTree.fromstring(svg)
    kinds = {element.tag.removeprefix(SVG) for element in tree.iter()}
    assert kinds <= {"svg", "g", "rect", "path", "text", "tspan", "line", "defs", "clipPath", "title", "desc"}
    shown = " ".join(name.split())
    cut = shown if len(shown) <= 25 else shown[:20]
    assert any(text.startswith(f"1 {cut}") for text in says(svg))
    assert any(text.startswith(f"A {cut}") for text in says(svg))


@pytest.mark.parametrize("name", HARD_NAMES)
def test_a_page_has_no_element_and_no_handler_from_a_name(tmp_path, name):
    tags = Tags(named_picture(name).save(tmp_path / "why.html").read_text())
    assert not {"img", "iframe", "object", "a", "link"} & set(tags.names)
    assert tags.names.count("script") == 3
    assert not [attribute for attribute in tags.attributes if attribute.startswith("on")]


def test_a_png_and_a_pdf_can_be_made_of_all_of_them(tmp_path):
    picture = random_picture(len(HARD_NAMES), names=HARD_NAMES, doc_ids=HARD_NAMES[:12] * 10)
    assert picture.save(tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    assert picture.save(tmp_path / "why.pdf").read_bytes().startswith(b"%PDF-")


def test_characters_that_a_picture_cannot_contain_do_not_break_it(tmp_path):
    """In a separate process, because a fault in the renderer ends the whole interpreter."""
    names = ["a\x0bb", "a\uffffb"]
    paths = [tmp_path / f"{number}.svg" for number in range(len(names))]
    script = "from tests.nomograms.figure.examples import named_picture\n" + "\n".join(
        f"named_picture({name!a}).save({str(path)!r})" for name, path in zip(names, paths, strict=True)
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-300:]
    for path in paths:
        ElementTree.fromstring(path.read_text())


def test_long_names_are_shortened_in_the_picture_and_whole_in_the_string_form(tmp_path):
    names = [f"{letter * 30} {letter * 29}" for letter in "abcde"]
    doc_ids = [f"https://shop.example/a/very/long/path/to/a/document/{row:04d}" for row in range(120)]
    picture = random_picture(5, names=names, doc_ids=doc_ids)
    said = says(picture.save(tmp_path / "why.svg").read_text())
    assert not [text for text in said if any(name in text for name in (*names, *doc_ids))]
    # Each feature and both documents.
    assert sum(text.endswith("…") for text in said) == 5 + 2
    assert all(name in str(picture) for name in names)


def test_names_that_share_a_long_beginning_are_distinguished_by_their_number(tmp_path):
    names = [f"{'the same long beginning of a name ' * 2}{letter}" for letter in "abcde"]
    said = says(random_picture(5, names=names).save(tmp_path / "why.svg").read_text())
    assert len({text for text in said if "the same long" in text and text[0].isdigit()}) == 5
