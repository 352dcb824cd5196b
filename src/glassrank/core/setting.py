"""Settings in messages, shown as an argument in Python and as an option on the command line."""

import os
from typing import Any, NamedTuple

# Random in each process, so that no file, name or value in a message can contain it.
_MARK = f"\0{os.urandom(8).hex()}\0"
_BETWEEN = "\1"
_NO_VALUE = object()


class Setting(NamedTuple):
    """A setting in a message: the key by which an interface finds its own wording, and the wording in Python."""

    key: str
    python: str


def setting(name: str, value: Any = _NO_VALUE, *, python: str = "") -> str:
    """Name a setting, optionally with a value, inside the text of a :class:`~glassrank.DataError`.

    Python shows the argument, a command its own option. ``...`` is a placeholder for a value, and ``python`` replaces
    the wording in Python.

    >>> parts = in_parts(f"Take {setting('kernel', 'linear')}, or name the {setting('features', [...])}.")
    >>> [part if isinstance(part, str) else part.python for part in parts]
    ['Take ', "kernel='linear'", ', or name the ', 'features=[...]', '.']
    """
    key = name if value is _NO_VALUE else f"{name}={_shown(value)}"
    return f"{_MARK}{key}{_BETWEEN}{python or key}{_MARK}"


def _shown(value: Any) -> str:
    if value is ...:
        return "..."
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, list) else repr(value)


def in_parts(text: str) -> tuple[str | Setting, ...]:
    """Split a text into plain parts and settings."""
    pieces = text.split(_MARK)
    return tuple(
        Setting(*piece.split(_BETWEEN, 1)) if number % 2 else piece for number, piece in enumerate(pieces) if piece
    )
