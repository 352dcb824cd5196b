"""Where the user's cache is: what can be made again, kept between runs."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Folder for what glassrank keeps between runs: ``$XDG_CACHE_HOME/glassrank``, else ``~/.cache/glassrank``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "glassrank"
