"""Pages of a run, and the results of a run written into the pages of the documentation.

A page of the documentation marks a result by two comments, ``<!-- result: post figure-1 -->`` and ``<!-- end -->``. A
run writes between them.
"""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import markdown

from experiments.papers.paper import Item, Paper, Part, Shown
from experiments.papers.run import ABSENT, FAILED, SIMULATED, Done
from glassrank.drawing.self_contained_page import Section, build_page
from glassrank.files.atomic_files import write_atomically

_RESULT = re.compile(r"(<!-- result: (\S+) (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
OWN_STYLE = "<style>img { max-width: 100%; height: auto; } td, th { padding-right: 16px; }</style>"


@dataclass(frozen=True)
class Outcome:
    """What a part shows for an item of a paper, or why it shows nothing."""

    paper: Paper
    item: Item
    part: Part
    done: Done
    shown: Shown | None

    @property
    def line(self) -> str:
        """The result in one line."""
        if self.shown is None:
            return f"{self.done.state}: {self.done.reason}"
        return f"simulated: {self.shown.line}" if self.done.state == SIMULATED else self.shown.line

    @property
    def picture_name(self) -> str:
        """File of the picture."""
        return f"{self.paper.name}-{self.part.name}-{self.item.key}.png"

    def text(self, pictures: str) -> str:
        """The result as Markdown; ``pictures`` is the folder of pictures as seen from the page."""
        if self.shown is None:
            return f"*{self.line[0].upper()}{self.line[1:]}.*"
        parts = ["*Simulated data, not a measurement.*"] if self.done.state == SIMULATED else []
        parts += [self.shown.text] if self.shown.text else []
        if self.shown.picture is not None:
            address = f"{pictures}/{self.picture_name}"
            parts.append(f"[![{self.shown.caption}]({address})]({address})")
        return "\n\n".join(parts)

    def save_picture(self, folder: Path) -> None:
        """Write the picture, if there is one."""
        if self.shown is not None and self.shown.picture is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / self.picture_name, self.shown.picture)


def outcomes_of(paper: Paper, part: Part, done: Done, folder: Path) -> list[Outcome]:
    """What a part that ran, or did not, shows for each item: in the order of the paper."""
    shown = {} if done.state in (ABSENT, FAILED) else part.show(folder)
    return [Outcome(paper, item, part, done, shown.get(item.key)) for item in paper.items if item.key in part.items]


def write_page(paper: Paper, outcomes: list[Outcome], folder: Path) -> Path:
    """Write the page of a run: every table and figure of the paper, with the results and the commands."""
    sections = []
    for item in paper.items:
        own = [one for one in outcomes if one.item == item]
        for one in own:
            one.save_picture(folder / "pictures")
        html = "".join(_html(one) for one in own) or "<p>Nothing to run: see the documentation.</p>"
        sections.append(Section(f"{item.name}: {item.subject}", html))
    page = build_page(paper.title, sections, lead=f"<p>{escape(paper.citation)}</p>", head=OWN_STYLE)
    path = folder / f"{paper.name}.html"
    write_atomically(path, page.encode())
    return path


def _html(outcome: Outcome) -> str:
    text = markdown.markdown(outcome.text("pictures"), extensions=["tables"])
    return f'<p class="note">Made by <code>{escape(outcome.done.typed)}</code></p>\n{text}\n'


def write_into(page: Path, outcomes: list[Outcome], pictures: Path) -> list[str]:
    """Write results between their marks on a page of the documentation; return the marks that no part has filled."""
    by_mark = {(one.part.name, one.item.key): one for one in outcomes if one.shown is not None}
    left = []

    def filled(found: re.Match[str]) -> str:
        outcome = by_mark.get((found[2], found[3]))
        if outcome is None:
            left.append(f"{found[2]} {found[3]}")
            return found[0]
        outcome.save_picture(pictures)
        return f"{found[1]}\n{outcome.text('../pictures/papers')}\n\n{found[4]}"

    write_atomically(page, _RESULT.sub(filled, page.read_text(encoding="utf-8")).encode())
    return left


def marks(page: str) -> list[tuple[str, str]]:
    """Part and item of every result on a page of the documentation."""
    return [(found[2], found[3]) for found in _RESULT.finditer(page)]
