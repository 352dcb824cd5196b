"""Files of a study as answers: opened once, without following links, and sent from what was opened."""

import mimetypes
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fastapi import HTTPException
from starlette.responses import StreamingResponse

from glassrank.files.unfollowed_links import open_file

CHUNK = 1 << 18


def served_file(path: Path, missing: str, headers: dict[str, str]) -> StreamingResponse:
    """Return the content of a file; ``missing`` is the message if there is none."""
    try:
        file = open(path, "rb", opener=open_file)  # noqa: SIM115 - closed by the last chunk
    except OSError as error:
        raise HTTPException(404, missing) from error
    size = os.fstat(file.fileno()).st_size
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return StreamingResponse(_chunks(file, size), media_type=kind, headers=headers | {"Content-Length": str(size)})


def _chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield so many bytes: a file may grow in the meantime."""
    with file:
        while size > 0 and (chunk := file.read(min(CHUNK, size))):
            size -= len(chunk)
            yield chunk
