"""The picture of a neighbourhood: texts, marks and refused input."""

import json
import re
import unicodedata
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.distillation.figure.neighbourhood import Neighbourhood
from glassrank.distillation.figure.neighbourhood_chart import draw_neighbourhood
from glassrank.drawing.render import to_svg
from glassrank.drawing.theme import DARK, LIGHT
from tests.distillation.figure.neighbourhoods import NEIGHBOURHOODS, bare, simulated, small
from tests.drawing.svg import SVG, named_marks, place, says, texts


@dataclass(frozen=True)
class TextBox:
    """Approximate position of a text: widths are underestimated, so that found overlaps are real."""

    says: str
    left: float
    right: float
    y: float
    size: float

    def overlaps(self, other):
        across = min(self.right, other.right) - max(self.left, other.left)
        return across > 1 and abs(self.y - other.y) < 0.5 * (self.size + other.size)


def text_boxes(svg):
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        words = "".join(element.itertext())
        if words.strip():
            x, y = place(element)
            size = float(element.get("font-size").removesuffix("px"))
            width = sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.45 for letter in words) * size
            left = x - width if element.get("text-anchor") == "end" else x
            found.append(TextBox(words, left, left + width, y, size))
    return found


@pytest.fixture(scope="module", params=NEIGHBOURHOODS)
def drawn(request):
    """A picture and its SVG."""
    picture = draw_neighbourhood(NEIGHBOURHOODS[request.param]())
    return picture, to_svg(picture.specification())


def test_texts_do_not_overlap_and_lie_inside_the_picture(drawn):
    picture, svg = drawn
    boxes = text_boxes(svg)
    assert [(one.says, two.says) for one, two in combinations(boxes, 2) if one.overlaps(two)] == []
    height = picture.specification()["height"]
    assert [box.says for box in boxes if box.left < 20 or box.right > 1180 or not 12 < box.y < height - 6] == []


def test_every_page_is_drawn_once_with_a_description(drawn):
    picture, svg = drawn
    nodes = [mark for mark in ElementTree.fromstring(svg).iter() if mark.get("aria-roledescription") == "symbol mark"]
    assert len(nodes) == len(picture.drawn)


def test_every_link_between_kept_pages_is_drawn_once(drawn):
    picture, svg = drawn
    kept = {page for page, role in enumerate(picture.drawn.roles) if role != "pruned"}
    expected = sum(s in kept and t in kept for s, t in picture.drawn.links.tolist())
    layers = [mark for mark in ElementTree.fromstring(svg).iter() if mark.get("stroke-opacity") and mark.get("d")]
    assert sum(mark.get("d").count("M") for mark in layers) == expected


def test_the_specification_stays_small(drawn):
    picture, _ = drawn
    assert len(json.dumps(picture.specification())) < 1_000_000


def node(svg, title):
    return next(mark for says, mark in named_marks(svg).items() if says.startswith(f"{title}: "))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_roles_differ_in_colour_and_in_shape(theme):
    svg = to_svg(draw_neighbourhood(small()).specification(theme))
    looks = {title: node(svg, title) for title in ("Zen", "Links", "Temple", "Notes", "Cars")}
    assert len({mark.get("fill") for mark in looks.values()}) == 5
    hollow = {title for title, mark in looks.items() if mark.get("fill") == theme.page}
    outlines = {(re.sub(r"[\d.,\s-]+", "", mark.get("d")), title in hollow) for title, mark in looks.items()}
    turned = "rotate(45" in looks["Cars"].get("transform")
    assert turned
    assert len(outlines) >= 4


def test_a_higher_score_is_drawn_larger():
    svg = to_svg(draw_neighbourhood(small()).specification())

    def extent(title):
        return max(abs(float(value)) for value in re.findall(r"-?\d+\.?\d*", node(svg, title).get("d")))

    assert extent("Zen") > extent("Koan")
    assert extent("Links") > extent("Guide")
    assert extent("Cars") == extent("Cans")


def test_the_picture_says_query_method_and_counts():
    words = says(to_svg(draw_neighbourhood(small()).specification()))
    assert "Hubs and authorities for “zen buddhism”" in words
    assert "method svdd · 9 pages, 2 of them pruned · 11 links" in words
    assert "the sphere’s edge, 1.00" in words
    assert {"1.00", "1.60"} <= set(words)


def test_titles_are_beside_the_best_pages_with_their_scores_and_ranks():
    words = says(to_svg(draw_neighbourhood(small()).specification()))
    assert {"Zen", "Links", "Koan", "Guide", "Temple"} <= set(words)
    assert not {"Notes", "Garden", "Cars", "Cans"} & set(words)
    assert {"authority score 0.800", "hub score 0.700", "authority rank 3, hub rank 3"} <= set(words)


def test_a_page_is_described_with_role_scores_distance_and_links():
    told = named_marks(to_svg(draw_neighbourhood(small()).specification()))
    assert (
        "Temple: authority and hub; authority score 0.300 (rank 3); hub score 0.300 (rank 3); distance 0.850 from "
        "the sphere’s centre (radius 1.00); links to 1 page, linked from 2" in told
    )
    assert (
        "Cars: pruned page; distance 1.20 from the sphere’s centre (radius 1.00); links to 1 page, linked from 0"
        in told
    )


def test_the_legend_names_the_roles_that_occur():
    assert {"authority", "hub", "authority and hub", "other page", "pruned page"} <= set(
        says(to_svg(draw_neighbourhood(small()).specification()))
    )
    words = says(to_svg(draw_neighbourhood(bare(3)).specification()))
    assert "other page" in words
    assert not {"authority", "hub", "authority and hub", "pruned page"} & set(words)


def test_text_has_the_colours_of_the_theme():
    inks = {LIGHT.ink, LIGHT.ink2, LIGHT.ink3}
    assert {text.fill for text in texts(to_svg(draw_neighbourhood(small()).specification()))} <= inks


def test_of_many_pages_the_strongest_are_drawn_and_the_others_are_counted():
    pages = simulated(1200, per_page=8.0)
    picture = draw_neighbourhood(pages)
    drawn, strengths = picture.drawn, np.maximum(pages.authority / pages.authority.max(), pages.hub / pages.hub.max())
    kept = [page for page, role in enumerate(pages.roles) if role != "pruned"]
    with_role = [page for page in kept if pages.roles[page] != "page"]
    plain = sorted((page for page in kept if pages.roles[page] == "page"), key=lambda page: (-strengths[page], page))
    chosen = sorted(with_role + plain[: 200 - len(with_role)])
    assert [url for url, role in zip(drawn.urls, drawn.roles, strict=True) if role != "pruned"] == [
        pages.urls[page] for page in chosen
    ]
    assert picture.left_out == (
        "Drawn: the 200 strongest of 960 pages and 100 of 240 pruned pages, spread evenly by distance; 900 are "
        "omitted, with their links."
    )
    assert picture.left_out in says(to_svg(picture.specification()))
    assert picture.left_out in picture.caption


def test_pruned_pages_are_drawn_from_the_nearest_to_the_farthest():
    pages = simulated(1200, per_page=8.0)
    drawn = pages.strongest()
    all_distances = np.sort(pages.distances[np.array(pages.roles) == "pruned"])
    distances = np.sort(drawn.distances[drawn.pruned])
    assert len(distances) == 100
    assert distances[[0, -1]].tolist() == all_distances[[0, -1]].tolist()
    places = np.searchsorted(all_distances, distances)
    assert set(np.diff(places)) <= {2, 3}


def test_drawn_links_are_those_between_drawn_pages():
    pages = simulated(400)
    drawn = pages.strongest()
    urls = set(drawn.urls)
    expected = {
        (pages.urls[s], pages.urls[t]) for s, t in pages.links.tolist() if {pages.urls[s], pages.urls[t]} <= urls
    }
    assert {(drawn.urls[s], drawn.urls[t]) for s, t in drawn.links.tolist()} == expected


def test_few_pages_are_all_drawn():
    picture = draw_neighbourhood(simulated(300))
    assert picture.drawn is picture.pages
    assert picture.left_out == ""


def test_duplicate_links_count_once_and_links_of_a_page_to_itself_do_not_count():
    pages = small(links=[(1, 0), (1, 0), (0, 0), (3, 2)])
    assert pages.links.tolist() == [[1, 0], [3, 2]]
    assert pages.out_degrees.tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert pages.in_degrees.tolist() == [1, 0, 1, 0, 0, 0, 0, 0, 0]


def test_it_is_saved_in_every_format(tmp_path):
    picture = draw_neighbourhood(small())
    starts = {".html": b"<!doctype html>", ".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF-"}
    for suffix, start in starts.items():
        for theme in ("light", "dark"):
            assert picture.save(tmp_path / f"picture{suffix}", theme).read_bytes().startswith(start)
    assert picture._repr_svg_().startswith("<svg")
    with pytest.raises(DataError, match=r"suffix must be one of '\.html', '\.svg', '\.png', '\.pdf': got '\.gif'"):
        picture.save(tmp_path / "picture.gif")


def test_the_list_contains_every_page_with_its_numbers():
    page = draw_neighbourhood(small()).page()
    rows = re.findall(r"<tr><td>(.*?)</td></tr>", page)
    cells = [re.sub(r"</td><td[^>]*>", "|", row).split("|") for row in rows]
    assert [row[0] for row in cells] == ["Zen", "Koan", "Temple", "Links", "Guide", "Notes", "Garden", "Cars", "Cans"]
    assert cells[0] == ["Zen", "authority", "0.800", "0", "0.700", "0", "5", "https://a.example/"]
    assert cells[-1] == ["Cans", "pruned page", "–", "–", "1.60", "0", "1", "https://i.example/"]


def test_without_distances_none_are_shown():
    picture = draw_neighbourhood(small(distances=None, radius=None))
    words = " ".join([*says(to_svg(picture.specification())), *named_marks(to_svg(picture.specification()))])
    assert "distance" not in words
    assert "sphere" not in words
    assert re.findall(r"<th [^>]*>(\w[\w ]*)</th>", picture.page()) == [
        *("Page", "Role", "Authority", "Hub", "Links to", "Linked from", "Address")
    ]


def test_pruned_pages_that_are_equally_far_are_side_by_side_and_the_picture_says_so():
    few, many = (
        Neighbourhood(
            ["A"] * n, [""] * n, ["pruned"] * n, [0.0] * n, [0.0] * n, [], [1.1] * (n - 1) + [1.2], radius=1.0
        )
        for n in (15, 120)
    )
    told = [" ".join(says(to_svg(draw_neighbourhood(pages).specification()))) for pages in (few, many)]
    assert ["side by side" in words for words in told] == [False, True]


def test_titles_with_markup_are_shown_as_text(tmp_path):
    picture = draw_neighbourhood(simulated(60, hard=True, query="zen \x00 <script>alert(1)</script> \ud800"))
    page = picture.save(tmp_path / "picture.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "\x00" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_very_long_title_is_shortened():
    picture = draw_neighbourhood(small(titles=["Zen " * 10_000, *"bcdefghi"]))
    assert len(picture.page()) < len(draw_neighbourhood(small()).page()) + 5000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"urls": ["a"]}, "urls must have one entry per page: expected 9, got 1."),
        (
            {"roles": ["king"] * 9},
            "A page's role must be one of 'authority', 'hub', 'both', 'page', 'pruned': got 'king'.",
        ),
        ({"authority": [-1.0] * 9}, "authority must not be negative: got -1 at position 0."),
        ({"hub": [np.nan] * 9}, "hub has 9 values that are not finite"),
        ({"distances": [1.0]}, "distances must have one entry per page: expected 9, got 1."),
        ({"radius": -1.0}, "radius must be a positive number: got -1.0."),
        ({"links": [(0, 9)]}, "links must name pages by position from 0 to 8: got 9."),
        ({"links": [(-1, 2)]}, "links must name pages by position from 0 to 8: got -1."),
        ({"links": [(0, 1, 2)]}, "links must be whole numbers in two columns"),
        ({"links": [(0.5, 1.0)]}, "links must be whole numbers in two columns"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "says",
)
def test_invalid_neighbourhoods_are_refused(changes, message):
    with pytest.raises(DataError, match=re.escape(message)):
        small(**changes)


def test_empty_neighbourhoods_and_other_types_are_refused():
    with pytest.raises(DataError, match="at least one page"):
        Neighbourhood([], [], [], [], [], [])
    with pytest.raises(DataError, match="draw_neighbourhood needs a Neighbourhood: got dict"):
        draw_neighbourhood({})
