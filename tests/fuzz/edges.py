"""Text files of links, compared with splitting at blanks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassrank.data.web.edge_list import read_edges
from tests.fuzz.cases import Case, odd_files, text_bombs
from tests.fuzz.reader import Reader, same

_EDGES = "edges.txt"
# Separators that str.split treats in another way.
_OTHER_SEPARATORS = frozenset(b",\t\r\x0b\x0c\x1c\x1d\x1e\x1f\0")
_TOKENS = (b" ", b"\t", b",", b"#", b"%", b"a b\n", b"\r\n", b"\xc2\xa0", b"\xef\xbb\xbf", b"\x0b")


def _corpus() -> list[Case]:
    return [
        Case("edges", {_EDGES: b"# a web\na b\na c\nb c\n"}),
        Case("tabs", {_EDGES: b"http://a.org/x,y\thttp://b.org/\n"}),
        Case("commas", {_EDGES: b"a,b\na, c\n"}),
        Case("lists", {_EDGES: b"a b c\nb\n"}, options={"adjacency": True}),
        *text_bombs(_EDGES, b"a b\n", b"a b\n"),
        *odd_files(_EDGES),
    ]


def _read(folder: Path, options: Mapping[str, Any]) -> None:
    edges = list(read_edges(folder / _EDGES, **options))
    content = (folder / _EDGES).read_bytes()
    if content.isascii() and not _OTHER_SEPARATORS & set(content):
        rows = [line.split() for line in content.decode().split("\n") if line.strip() and line[:1] not in "#%"]
        theirs = [(row[0], target) for row in rows for target in row[1:]]
        same("links", edges, theirs[1:] if theirs[:1] == [("source", "target")] else theirs)


EDGES = Reader("edges", _corpus, _read, share=2, tokens=_TOKENS)
