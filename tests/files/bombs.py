"""Packed files that unpack to far more than they take, made without packing all of it."""

import zlib


def gzip_of_repeated(block: bytes, count: int, head: bytes = b"") -> bytes:
    """Return a gzip file of ``head`` and ``count`` blocks.

    The blocks are packed independently of each other, so that packing one is enough.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    first, once = (packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH) for piece in (head, block))
    checksum = zlib.crc32(head)
    for _ in range(count):
        checksum = zlib.crc32(block, checksum)
    size = (len(head) + count * len(block)) % 2**32
    trailer = checksum.to_bytes(4, "little") + size.to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + first + once * count + packer.flush() + trailer
