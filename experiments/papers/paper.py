"""A source document, what it shows, and the commands that make the same here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = "{folder}"
"""Stands for a part's own folder in its command."""


@dataclass(frozen=True)
class Item:
    """A numbered table or figure of a document, or an analysis that it names."""

    name: str
    """``Figure 2``, ``Table 1`` or the document's own name of an analysis."""
    subject: str

    @property
    def key(self) -> str:
        """Name for files and for the marks of results on the pages."""
        return self.name.lower().replace(" ", "-").replace("'", "")


@dataclass(frozen=True)
class Shown:
    """What a part shows for an item: one line for the summary, and text and a picture for the page."""

    line: str
    text: str = ""
    """Markdown."""
    picture: bytes | None = None
    """PNG."""
    caption: str = ""


@dataclass(frozen=True)
class Part:
    """A command that makes some of the items, from public data or from simulated ones."""

    name: str
    command: tuple[str, ...]
    """The program is ``python`` or ``glassrank``; ``{folder}`` stands for the part's folder."""
    items: tuple[str, ...]
    """Keys of the items that it makes."""
    show: Callable[[Path], Mapping[str, Shown]]
    """Reads the folder: key of each item → what to show."""
    data: str | None = None
    """What the part measures, as a path below ``GLASSRANK_DATA``; None if it needs no data."""
    simulates: bool = False
    """Whether the command uses simulated data if there are no others."""

    def typed(self, folder: str = "FOLDER") -> str:
        """The command as a reader types it."""
        return " ".join(word.replace(FOLDER, folder) for word in self.command)


@dataclass(frozen=True)
class Paper:
    """A source document."""

    name: str
    """Name of its page: ``docs/papers/NAME.md``."""
    title: str
    citation: str
    items: tuple[Item, ...]
    parts: tuple[Part, ...]


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table.

    >>> print(table(("C", "radius"), [("0.4", ".956")]))
    | C | radius |
    | --- | --- |
    | 0.4 | .956 |
    """
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def decimal(value: float, places: int = 3, *, signed: bool = False) -> str:
    """A number without its leading zero, and with a real minus sign.

    >>> decimal(0.5), decimal(-0.0123, signed=True), decimal(1.0)
    ('.500', '−.012', '1.000')
    """
    text = f"{value:{'+' if signed else ''}.{places}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(value) < 1 else text
