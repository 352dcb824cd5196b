"""Which jobs the app of this user started: a signature, with a key that never is in a folder of studies."""

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

KEY = "app-key"
_BYTES = 32
# For a user whose state folder cannot be written: the app then knows only what it started itself.
_KEY_OF_THIS_RUN = secrets.token_bytes(_BYTES)


def sign_job(folder: Path, content: str) -> str:
    """Return the signature of a job in this folder; nobody else can make it, or use it for another folder."""
    return hmac.digest(_key(), f"{os.fspath(folder)}\n{content}".encode(errors="surrogateescape"), "sha256").hex()


def _key() -> bytes:
    """Return the key in ``$XDG_STATE_HOME/glassrank``, or ``~/.local/state/glassrank``; it is made at first use."""
    try:
        # A relative path would lead into the current folder, which may be that of a stranger.
        state = Path(os.environ.get("XDG_STATE_HOME", ""))
        folder = (state if state.is_absolute() else Path.home() / ".local" / "state") / "glassrank"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / KEY).exists():
            with NamedTemporaryFile(dir=folder) as new:  # which only this user can read
                new.write(secrets.token_bytes(_BYTES))
                new.flush()
                with suppress(FileExistsError):  # another app was faster
                    os.link(new.name, folder / KEY)
        key = (folder / KEY).read_bytes()
    except (OSError, RuntimeError):  # no right to write, or no home
        return _KEY_OF_THIS_RUN
    return key if len(key) == _BYTES else _KEY_OF_THIS_RUN
