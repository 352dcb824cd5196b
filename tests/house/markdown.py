"""Read Markdown pages for tests: code blocks with their output, headings and links."""

import re
from dataclasses import dataclass

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)[^\n]*\n(?P<body>.*?)^(?P=indent)(?P=ticks) *$", re.M | re.S
)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the first line of its text, the text, and the output shown directly below it."""

    language: str
    line: int
    text: str
    output: str | None = None


@dataclass(frozen=True)
class Command:
    """A shell command of a console block and the output shown below it."""

    text: str
    output: str


def code_blocks(page: str) -> list[Block]:
    """Return the fenced blocks in order; a ``text`` block directly after Python is the output of that Python.

    Blocks inside a list or an admonition lose its indentation.
    """
    blocks: list[Block] = []
    end_of_last = -1
    for found in _FENCE.finditer(page):
        body = re.sub(rf"^{found['indent']}", "", found["body"], flags=re.M)
        directly_below = end_of_last >= 0 and not page[end_of_last : found.start()].strip()
        if found["language"] == "text" and directly_below and blocks[-1].language == "python":
            blocks[-1] = Block(blocks[-1].language, blocks[-1].line, blocks[-1].text, body)
        else:
            blocks.append(Block(found["language"], page.count("\n", 0, found.start("body")) + 1, body))
        end_of_last = found.end()
    return blocks


def commands(text: str) -> list[Command]:
    r"""Return the commands of a console block (lines after ``$``, continued by ``\``), each with its output."""
    found: list[Command] = []
    for session in re.split(r"^\$ ", text, flags=re.M)[1:]:
        continued = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n?", session)[0]
        found.append(Command(continued.rstrip("\n"), session[len(continued) :]))
    return found


def shows(expected: str, actual: str) -> bool:
    """Whether output matches a page: an ellipsis matches anything, and spaces at line ends are ignored."""
    expected, actual = (re.sub(r"[ \t]+$", "", text, flags=re.M).strip("\n") for text in (expected, actual))
    pattern = ".*?".join(map(re.escape, re.split(r"…|\.\.\.", expected)))
    return re.fullmatch(pattern, actual, re.S) is not None


def links(page: str) -> list[str]:
    """Return the targets of links and pictures outside code."""
    return _LINK.findall(re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page)))


def anchors(page: str) -> set[str]:
    """Return the anchors of the headings, as code hosts generate them."""
    slugs = set()
    for heading in _HEADING.findall(_FENCE.sub("", page)):
        words = re.sub(r"[^\w\s-]", "", heading.replace("`", "").lower()).strip()
        slugs.add(re.sub(r"\s", "-", words))
    return slugs
