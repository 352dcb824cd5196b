"""Boxes of what a browser has drawn, and which of them collide."""

import itertools
from dataclasses import dataclass

READ_BOXES = """selector => {
  const picture = document.querySelector('svg').getBoundingClientRect();
  const scale = document.querySelector('svg').viewBox.baseVal.width / picture.width;
  return [...document.querySelectorAll(selector)].map(element => {
    const box = element.getBoundingClientRect();
    return {
      says: element.getAttribute('aria-label') ?? element.textContent.replace(/\\s+/g, ' ').trim(),
      left: (box.left - picture.left) * scale, right: (box.right - picture.left) * scale,
      top: (box.top - picture.top) * scale, bottom: (box.bottom - picture.top) * scale,
    };
  });
}"""


@dataclass(frozen=True)
class Box:
    """A rectangle of the picture, in the picture's own pixels."""

    says: str
    left: float
    right: float
    top: float
    bottom: float

    def overlaps(self, other, slack=1.0):
        """Whether both boxes share more than ``slack`` pixels in both directions."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > slack and down > slack


def boxes(page, selector):
    return [Box(**found) for found in page.evaluate(READ_BOXES, selector)]


def text_boxes(page):
    """Boxes of every text of the picture that says something."""
    return [box for box in boxes(page, "svg text") if box.says]


def bar_boxes(page):
    """Boxes of the bars of the contributions."""
    return [box for box in boxes(page, "svg path[aria-roledescription='rect mark']") if "contributes" in box.says]


def collisions(found):
    """Pairs of texts whose boxes overlap."""
    return [(one.says, other.says) for one, other in itertools.combinations(found, 2) if one.overlaps(other)]


def picture_size(page):
    """Width and height of the picture, in its own pixels."""
    return tuple(float(part) for part in page.locator("svg").get_attribute("viewBox").split()[2:])
