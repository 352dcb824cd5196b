"""The user's cache folder, for files that can be recreated."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for cached files: ``$XDG_CACHE_HOME/glassrank`` or else ``~/.cache/glassrank``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "glassrank"
