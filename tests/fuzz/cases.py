"""An input: files in a folder, some of them very large or no files at all, and the options of the call."""

import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

FILES = "files"
ABOUT = "case.json"
# Pieces of content and how often each is repeated
Parts = tuple[tuple[bytes, int], ...]


class Content(Protocol):
    """What a file consists of when it is more than a few bytes."""

    def write(self, path: Path) -> None:
        """Create the file."""


@dataclass(frozen=True)
class Long:
    """A long file, described by its repetitions."""

    parts: Parts

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            for piece, times in self.parts:
                file.write(piece * times)


@dataclass(frozen=True)
class Packed:
    """A gzip bomb: one member, whose content is mostly repetition."""

    parts: Parts

    def write(self, path: Path) -> None:
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        with path.open("wb") as file:
            file.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff")
            for piece, times in self.parts:
                # After a full flush nothing refers to what came before: the packed piece can be repeated too.
                file.write((packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)) * times)
            # The checksum is wrong, to save time: a reader that comes to see it has read too much already.
            file.write(packer.flush() + bytes(8))


@dataclass(frozen=True)
class Pipe:
    """A named pipe that nobody writes to."""

    def write(self, path: Path) -> None:
        os.mkfifo(path)


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str

    def write(self, path: Path) -> None:
        path.symlink_to(self.target)


@dataclass(frozen=True)
class Case:
    """An input of a reader: the files by name, and the options of the call, as JSON can hold them.

    ``expected`` is what must come out of it, as its reader understands it; of a damaged copy nothing is expected.
    ``is_base`` says whether it is worth damaging.
    """

    name: str
    files: Mapping[str, bytes | Content]
    options: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    is_base: bool = True

    @property
    def told(self) -> dict[str, Any]:
        """What the reader is told: options and expectations."""
        return {**self.options, **self.expected}

    def write(self, folder: Path, **about: Any) -> None:
        """Write the files, and beside them what is needed to replay the case."""
        shutil.rmtree(folder, ignore_errors=True)
        (folder / FILES).mkdir(parents=True)
        for name, content in self.files.items():
            path = folder / FILES / name
            if isinstance(content, bytes):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            else:
                content.write(path)
        (folder / ABOUT).write_text(json.dumps({"name": self.name, "options": self.told, **about}))


def odd_files(name: str, beside: Mapping[str, bytes] | None = None) -> Iterator[Case]:
    """Things that may be where a reader expects the file of this name, ``beside`` other files."""
    others = dict(beside or {})
    yield Case("empty file", {**others, name: b""})
    yield Case("missing file", others)
    yield Case("folder instead of a file", {**others, f"{name}/inside": b""})
    yield Case("named pipe", {**others, name: Pipe()})
    yield Case("link to /dev/zero", {**others, name: Link("/dev/zero")})
    yield Case("link to itself", {**others, name: Link(name)})


def text_bombs(name: str, head: bytes, line: bytes, beside: Mapping[str, bytes] | None = None) -> Iterator[Case]:
    """1.5 GB in few bytes: many lines, and one line without end."""
    chunk = 1 << 20
    lines = line * (chunk // len(line))
    yield Case("gzip bomb of lines", {**(beside or {}), name: Packed(((head, 1), (lines, 1500)))})
    yield Case("gzip bomb of one line", {**(beside or {}), name: Packed(((head, 1), (b"7" * chunk, 1500)))})
