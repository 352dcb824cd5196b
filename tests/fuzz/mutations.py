"""Damage to bytes, as caused by a bad disk, an interrupted download, a careless script or an attacker."""

import random
from collections.abc import Callable, Sequence
from typing import Any

# Bytes and words with a special meaning for some reader.
HOSTILE = (
    *(b'"', b'""', b'",', b"'", b"\0", b"\r", b"\n", b"\r\n", b"\n\n", b"\t", b",", b":", b"#", b"\\", b" "),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", b"\xed\xa0\x80", b"\\ud800", "é".encode(), "\u2028".encode(), b"\x1b[31m"),
    *(b"nan", b"inf", b"-0", b"1e999", b"1e-320", b"0x10", b"1_000", b"9" * 400, b"9007199254740993"),
    *(b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"2147483648", b"null", b"NaT"),
    *(b"[" * 3000, b'{"a":' * 2000, b"<div>" * 600, b"(" * 3000, b"x" * 2000, b"x" * 20_000, b"a," * 2000),
    *(b"http://a/#x", b"http://[", b"../../etc/passwd", b"%00", b"<!--", b"<?php ?>", b"\x1f\x8b\x08", b"PAR1"),
)


def damage(generator: random.Random, content: bytes, others: Sequence[Any], tokens: Sequence[bytes] = ()) -> bytes:
    """Damage content in up to four places, or leave it unchanged.

    ``others`` are contents to take pieces from, ``tokens`` the words of the format.
    """
    for _ in range(generator.choice([0, 1, 1, 1, 2, 4])):
        change = generator.choice(_CHANGES)
        at = generator.randint(0, len(content))
        until = min(len(content), at + generator.choice([1, 1, 2, 5, 20, 200]))
        content = change(generator, content, at, until, _inserted(generator, others, tokens))
    return content


def _inserted(generator: random.Random, others: Sequence[Any], tokens: Sequence[bytes]) -> bytes:
    """Return something to insert: a hostile token, a word of the format, or a piece of another input."""
    kind = generator.randrange(4)
    other = generator.choice(others) if others else b""
    if kind == 0 and isinstance(other, bytes) and other:
        start = generator.randrange(len(other))
        return other[start : start + generator.choice([10, 100, 1000])]
    if kind < 3 and tokens:
        return generator.choice(tokens)
    return generator.choice(HOSTILE)


def _flip(generator: random.Random, content: bytes, at: int, until: int, inserted: bytes) -> bytes:
    changed = bytes(byte ^ 1 << generator.randrange(8) for byte in content[at : at + 1])
    return content[:at] + changed + content[at + 1 :]


def _cut(generator: random.Random, content: bytes, at: int, until: int, inserted: bytes) -> bytes:
    return content[:at] if generator.random() < 0.3 else content[:until]


_CHANGES: tuple[Callable[[random.Random, bytes, int, int, bytes], bytes], ...] = (
    _flip,
    _flip,
    _cut,
    lambda generator, content, at, until, inserted: content[:at] + content[until:],
    lambda generator, content, at, until, inserted: content[:until] + content[at:],
    lambda generator, content, at, until, inserted: content[:at] + inserted + content[at:],
    lambda generator, content, at, until, inserted: content[:at] + inserted + content[until:],
)
