"""Offline rendering of Vega specifications."""

import struct
import zlib
from xml.etree import ElementTree

import pytest

from glassrank.core.checks import DataError
from glassrank.drawing.marks import field, rect, rule, specification, symbol, text
from glassrank.drawing.png import recompress
from glassrank.drawing.render import render, to_pdf, to_png, to_svg
from tests.drawing.svg import named_marks, place, texts


@pytest.fixture(scope="module")
def spec():
    marks = [
        rect("boxes", x=field("x"), x2=field("x2"), y=10, y2=20, fill="#0B669F", description=field("says")),
        rule("boxes", x=field("x"), x2=field("x2"), y=30, y2=30, stroke="#17202B"),
        symbol("boxes", x=field("x"), y=40, shape="diamond", size=100, fill="#AD480E", description="a diamond"),
        text("boxes", x=field("x"), y=60, text=field("says"), fill="#17202B"),
    ]
    return specification(200, 80, {"boxes": [{"x": 30, "x2": 90, "says": "a < b & “c”"}]}, marks, background="#FFFFFF")


def chunks(png):
    """Return the chunks of a PNG as (kind, content), and check their checksums."""
    found, position = [], 8
    while position < len(png):
        length, kind = struct.unpack(">I4s", png[position : position + 8])
        content = png[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack(">I", png[position + 8 + length : position + 12 + length])
        assert checksum == zlib.crc32(kind + content)
        found.append((kind, content))
        position += 12 + length
    return found


def pixels(png):
    return zlib.decompress(b"".join(content for kind, content in chunks(png) if kind == b"IDAT"))


def test_marks_are_at_the_positions_of_their_channels(spec):
    svg = to_svg(spec)
    assert [(found.says, found.x, found.fill) for found in texts(svg)] == [("a < b & “c”", 30, "#17202B")]
    assert place(named_marks(svg)["a diamond"]) == (30, 40)
    assert named_marks(svg)["a < b & “c”"].get("d") == "M30,10h60v10h-60Z"


def test_only_marks_with_descriptions_are_accessible(spec):
    assert set(named_marks(to_svg(spec))) == {"a diamond", "a < b & “c”"}


def test_a_png_has_twice_the_nominal_size_and_a_pdf_is_valid(spec):
    png = to_png(spec)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (400, 160)
    assert to_pdf(spec).startswith(b"%PDF-")


def test_render_follows_the_suffix(spec):
    assert render(spec, ".svg") == to_svg(spec).encode()
    assert render(spec, ".png") == to_png(spec)
    with pytest.raises(DataError, match=r"'\.svg', '\.png', '\.pdf': got '\.gif'"):
        render(spec, ".gif")


def test_recompression_keeps_every_pixel(spec):
    import vl_convert

    original = vl_convert.vega_to_png(spec, scale=2.0)
    smaller = recompress(original)
    assert pixels(smaller) == pixels(original)
    assert len(smaller) <= len(original)
    kinds = [kind for kind, _ in chunks(smaller)]
    assert kinds[0] == b"IHDR"
    assert kinds[-1] == b"IEND"
    assert kinds.count(b"IDAT") == 1
    others = [chunk for chunk in chunks(original) if chunk[0] not in (b"IDAT", b"IEND")]
    assert chunks(smaller)[: len(others)] == others


def test_a_mark_with_an_address_is_a_link_relative_to_the_page():
    marks = [symbol("dots", x=field("x"), y=20, size=100, href=field("to"), description=field("to"))]
    rows = [{"x": 10, "to": "?n=6&sort=gain"}, {"x": 40, "to": "/s/shop/features?n=7"}]
    drawn = to_svg(specification(60, 40, {"dots": rows}, marks, description="Two links"))
    links = [one for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("}a")]
    assert [one.get("href") for one in links] == ["?n=6&sort=gain", "/s/shop/features?n=7"]
    assert drawn.startswith('<svg role="group" aria-label="Two links"')
