"""The Vega runtime as one script, bundled offline by the renderer and cached."""

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
    """Return JavaScript that defines ``window.vegaEmbed``; built once per version of the renderer (about 2 s)."""
    import vl_convert

    digest = hashlib.sha256(f"{version('vl-convert-python')} {SNIPPET}".encode()).hexdigest()[:16]
    cached = cache_folder() / f"vega-{digest}.js"
    try:
        return cached.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        script = str(vl_convert.javascript_bundle(SNIPPET))
    _store(cached, script)
    return script


def _store(path: Path, script: str) -> None:
    """Write the script to the cache; without a writable cache, every process builds it again."""
    with suppress(DataError):
        make_folder(path.parent)
        write_atomically(path, script.encode())
