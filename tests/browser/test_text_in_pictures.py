"""Nothing overlaps and nothing is cut off in a nomogram, as a browser draws it."""

from dataclasses import dataclass

import pytest

from tests.browser.boxes import Box, bar_boxes, collisions, picture_size, text_boxes
from tests.nomograms.figure.examples import (
    class_picture,
    curved_picture,
    curved_samples,
    difference_picture,
    random_picture,
    random_weights,
)
from tests.nomograms.figure.shop import brand_picture, shop_picture, small_shop_picture

pytestmark = pytest.mark.browser

LINE_LEFT = 240
SENTENCE = "weighted distance of the query's words in the document's body text"


def names_of(beginning):
    """Five names of 60 characters that differ in the last one."""
    return [f"{beginning * 60:.59}{letter}" for letter in "abcde"]


PICTURES = {
    "5 features": lambda: random_picture(5),
    "25 features": lambda: random_picture(25),
    "136 features": lambda: random_picture(136),
    "names of 60 letters": lambda: random_picture(5, names=names_of("abcdefghij")),
    "names of 60 characters in words": lambda: random_picture(5, names=names_of(f"{SENTENCE} ")),
    "names of 60 capitals": lambda: random_picture(5, names=names_of("LMIR.ABS OF WHOLE DOCUMENT MOMENTUM ")),
    "names of 60 wide letters": lambda: random_picture(5, names=names_of("WM")),
    "names of 60 Chinese characters": lambda: random_picture(5, names=names_of("检索排序特征")),
    "addresses as documents": lambda: random_picture(
        5, doc_ids=[f"https://WWW.SHOP.EXAMPLE/CATALOGUE/HEATING/HEAT-PUMPS/{row:05d}" for row in range(120)]
    ),
    "a long title": lambda: random_picture(5, title="Why the first document stands above the second one: " * 3),
    "few rows and the rest in one entry": lambda: random_picture(12, rows=5),
    "one feature": lambda: random_picture(1),
    "huge values": lambda: random_picture(5, scale=3e6),
    "values far from zero": lambda: random_picture(5, offset=-1e6, scale=0.5),
    "tiny values": lambda: random_picture(5, scale=1e-5),
    "scores in the thousands": lambda: random_picture(5, weights=2e3 * random_weights(5)),
    "scores in the millions": lambda: random_picture(5, weights=2e6 * random_weights(5)),
    "scores in the millions the other way": lambda: random_picture(5, weights=-2e6 * random_weights(5)),
    "small scores": lambda: random_picture(5, weights=2e-5 * random_weights(5)),
    "probabilities with bands": lambda: curved_picture(samples=curved_samples()),
    "probabilities with bands, folded": lambda: curved_picture(samples=curved_samples(), lines="folded"),
    "lines aligned at zero": lambda: curved_picture(align="zero"),
    "certain": lambda: curved_picture(strength=9.0),
    "one document": lambda: curved_picture(against=None),
    "differences": lambda: difference_picture(8),
    "a row and its class": lambda: class_picture(),
    "a shop with 136 features": lambda: shop_picture(),
    "a shop, all kinds of features": lambda: small_shop_picture(),
    "many levels": lambda: brand_picture(),
    "no effect": lambda: random_picture(5, weights=[0.0] * 5),
}


@dataclass(frozen=True)
class Drawn:
    """What a browser has drawn of a picture."""

    width: float
    height: float
    texts: list[Box]
    bars: list[Box]


@pytest.fixture(params=PICTURES, scope="module")
def drawn(request, tmp_path_factory, open_page):
    path = PICTURES[request.param]().save(tmp_path_factory.mktemp("picture") / "why.html")
    page = open_page(path).page
    return Drawn(*picture_size(page), text_boxes(page), bar_boxes(page))


def test_no_two_texts_overlap(drawn):
    assert collisions(drawn.texts) == []


def test_every_text_lies_inside_the_picture(drawn):
    outside = [box.says for box in drawn.texts if box.left < -1 or box.top < -1]
    outside += [box.says for box in drawn.texts if box.right > drawn.width + 1 or box.bottom > drawn.height + 1]
    assert outside == []


def test_names_end_before_the_lines_begin(drawn):
    beside = [box for box in drawn.texts if box.left < 60 and 100 < box.top < drawn.height - 130]
    assert beside
    assert [box.says for box in beside if box.right > LINE_LEFT - 2] == []


def test_texts_of_the_contributions_do_not_touch_their_bars(drawn):
    assert drawn.bars
    panel = [box for box in drawn.texts if 880 < box.left < 1140]
    assert [(text.says, bar.says) for text in panel for bar in drawn.bars if text.overlaps(bar, slack=0.0)] == []
