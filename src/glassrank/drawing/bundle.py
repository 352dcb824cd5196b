"""The Vega runtime as one script, made offline by the renderer and kept in the user's cache."""

import hashlib
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.cache_folder import cache_folder

SNIPPET = "window.vegaEmbed = vegaEmbed;"


@cache
def vega_script() -> str:
    """JavaScript that defines ``window.vegaEmbed``; made once per version of the renderer (about 2 s), then read."""
    import vl_convert

    made_of = hashlib.sha256(f"{version('vl-convert-python')} {SNIPPET}".encode()).hexdigest()[:16]
    kept = cache_folder() / f"vega-{made_of}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        script = str(vl_convert.javascript_bundle(SNIPPET))
    _keep(kept, script)
    return script


def _keep(path: Path, script: str) -> None:
    """Write the script for the next process; a machine without a writable cache makes it anew each time."""
    with suppress(DataError):
        make_folder(path.parent)
        write_atomically(path, script.encode())
