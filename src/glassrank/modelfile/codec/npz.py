"""Vectors in an .npz file, which is not trusted: no pickles, no compression, no allocation by unchecked sizes."""

import io
import re
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from glassrank.core.checks import DataError

# Type in NumPy's header, little-endian -> type in memory
VECTOR_TYPES = {b"<f8": np.float64, b"<f4": np.float32, b"<i8": np.int64}
# Magic number and version of NumPy's format 1.0. The header's length (two bytes) and the header follow.
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(rb"\{'descr': '(<f8|<f4|<i8)', 'fortran_order': False, 'shape': \(([0-9]{1,15}),\), \} *\n")
# Errors that zipfile raises for damaged archives.
_ZIP_ERRORS = (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, OSError, struct.error)


def pack_vectors(vectors: Mapping[str, Any]) -> bytes:
    """Return vectors as an uncompressed .npz file; equal vectors give equal bytes.

    >>> unpack_vectors(pack_vectors({"w": np.array([0.1, 2.0])}), "m.npz")
    {'w': array([0.1, 2. ])}
    """
    packed = io.BytesIO()
    np.savez(packed, **{name: _little_endian(vector) for name, vector in vectors.items()})
    return packed.getvalue()


def unpack_vectors(content: bytes, place: str) -> dict[str, Any]:
    """Read vectors of float64, float32 and int64 from an .npz file; messages start with ``place``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            # Compressed members could make a small file large in memory.
            if any(one.compress_type != zipfile.ZIP_STORED or one.file_size > len(content) for one in members):
                raise DataError(f"{place}: expected uncompressed vectors.", remedy="Save the model again.")
            if sum(one.file_size for one in members) > len(content):
                raise DataError(f"{place}: the members of the archive overlap.", remedy="Save the model again.")
            return {one.filename.removesuffix(".npy"): _vector(archive.read(one), place) for one in members}
    except _ZIP_ERRORS as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{place}: not an .npz file: {error}.", remedy="Save the model again.") from error


def _vector(member: bytes, place: str) -> Any:
    start = len(_MAGIC) + 2
    header_end = start + int.from_bytes(member[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(member[start:header_end]) if member.startswith(_MAGIC) else None
    if header is None:
        raise DataError(
            f"{place}: expected vectors of plain numbers, got something else.", remedy="Save the model again."
        )
    values = member[header_end:]
    if len(values) != int(header[1][2:]) * int(header[2]):
        raise DataError(
            f"{place}: expected a vector of {int(header[2])} values, got {len(values)} bytes.",
            remedy="Save the model again.",
        )
    return np.frombuffer(values, dtype=header[1].decode()).astype(VECTOR_TYPES[header[1]])


def _little_endian(vector: Any) -> Any:
    return vector.astype(vector.dtype.newbyteorder("<"), copy=False)
