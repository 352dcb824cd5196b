"""Settings named in messages: an argument to a caller in Python, an option to someone at the command line."""

import os
from typing import Any, NamedTuple

# Drawn when Python starts, so that no file, name or value in a message can contain it.
_MARK = f"\0{os.urandom(8).hex()}\0"
_BETWEEN = "\1"
_NO_VALUE = object()


class Setting(NamedTuple):
    """A setting in a message: the key that an interface finds its own words by, and the words of Python."""

    key: str
    python: str


def setting(name: str, value: Any = _NO_VALUE, *, python: str = "") -> str:
    """Name a setting inside the text of a :class:`~glassrank.DataError`, with a value where one is meant.

    Python reads the argument; a command reads its own option. ``...`` is a value for the reader to fill in, and
    ``python`` says it in Python's words where the argument alone would not do.

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
    """Take a text apart into what is said and the settings in it."""
    pieces = text.split(_MARK)
    return tuple(
        Setting(*piece.split(_BETWEEN, 1)) if number % 2 else piece for number, piece in enumerate(pieces) if piece
    )
