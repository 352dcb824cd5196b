"""Inputs: files in a folder, some of them very large or not regular files, and the options of the call."""

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
    """Content of a file that is not given as bytes."""

    def write(self, path: Path) -> None:
        """Create the file."""


@dataclass(frozen=True)
class Long:
    """A long file, given by repeated pieces."""

    parts: Parts

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            for piece, times in self.parts:
                file.write(piece * times)


@dataclass(frozen=True)
class Packed:
    """A gzip bomb: one member whose content is mostly repeated pieces."""

    parts: Parts

    def write(self, path: Path) -> None:
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        with path.open("wb") as file:
            file.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff")
            for piece, times in self.parts:
                # After a full flush, nothing refers to earlier data, so the packed piece itself can be repeated.
                file.write((packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)) * times)
            # The checksum is wrong, to save time. A reader that gets this far has already read too much.
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
    """An input of a reader: the files by name, and the options of the call, as values that JSON can store.

    ``expected`` is the expected result, in terms that the reader defines; damaged copies have none. ``is_base`` says
    whether damaged copies are made of it.
    """

    name: str
    files: Mapping[str, bytes | Content]
    options: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    is_base: bool = True

    @property
    def told(self) -> dict[str, Any]:
        """Options and expectations for the reader."""
        return {**self.options, **self.expected}

    def write(self, folder: Path, **about: Any) -> None:
        """Write the files, and next to them what is needed to replay the case."""
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
    """Yield cases with something odd in place of the file with this name, ``beside`` other files."""
    others = dict(beside or {})
    yield Case("empty file", {**others, name: b""})
    yield Case("missing file", others)
    yield Case("folder instead of a file", {**others, f"{name}/inside": b""})
    yield Case("named pipe", {**others, name: Pipe()})
    yield Case("link to /dev/zero", {**others, name: Link("/dev/zero")})
    yield Case("link to itself", {**others, name: Link(name)})


def text_bombs(name: str, head: bytes, line: bytes, beside: Mapping[str, bytes] | None = None) -> Iterator[Case]:
    """Yield small files that unpack to 1.5 GB: many lines, and one endless line."""
    chunk = 1 << 20
    lines = line * (chunk // len(line))
    yield Case("gzip bomb of lines", {**(beside or {}), name: Packed(((head, 1), (lines, 1500)))})
    yield Case("gzip bomb of one line", {**(beside or {}), name: Packed(((head, 1), (b"7" * chunk, 1500)))})
