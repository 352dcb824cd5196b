"""Smaller PNG files: the renderer's fast compression makes pictures three times as large as necessary."""

import struct
import zlib

SIGNATURE_LENGTH = 8
BEST_COMPRESSION = 9


def recompress(png: bytes) -> bytes:
    """Return the same picture, pixel for pixel, with better compression."""
    chunks = _chunks(png)
    pixels = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    packed = (b"IDAT", zlib.compress(pixels, BEST_COMPRESSION))
    # The renderer writes all IDAT chunks together, just before IEND.
    kept = [chunk for chunk in chunks if chunk[0] not in (b"IDAT", b"IEND")]
    return png[:SIGNATURE_LENGTH] + b"".join(_encoded(*chunk) for chunk in [*kept, packed, (b"IEND", b"")])


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    chunks, position = [], SIGNATURE_LENGTH
    while position < len(png):
        (length,) = struct.unpack_from(">I", png, position)
        chunks.append((png[position + 4 : position + 8], png[position + 8 : position + 8 + length]))
        position += 12 + length
    return chunks


def _encoded(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
