"""Estimated widths of texts, and texts shortened or wrapped to a width."""

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

# Widths of Arial-like fonts in units of the font size, rather too wide than too narrow.
NARROW, MEDIUM, WIDE, FULL = 0.30, 0.58, 0.82, 1.05
NARROW_LETTERS = frozenset("iljtfrI.,:;'|!()[]{}/\\ ")
BOLD = 1.07
ELLIPSIS = "…"
# A report measures few letters and few short labels very many times.
REMEMBERED_LETTERS, REMEMBERED_TEXTS = 4096, 4096


@lru_cache(REMEMBERED_TEXTS)
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text in pixels at a font size.

    >>> text_width("ill", 10.0) < text_width("WMM", 10.0)
    True
    """
    return _pixels(sum(map(_letter_width, text)), size, bold)


def fitted(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return the text, truncated with an ellipsis if it is wider than ``width`` pixels.

    >>> fitted("BM25 of the title", 65.0, 12.0), fitted("BM25", 65.0, 12.0)
    ('BM25 of…', 'BM25')
    """
    # No letter is narrower than these, so that of a long text only its beginning matters.
    most_letters = 1 + int(max(width, 0.0) / _pixels(NARROW, size, bold))
    head = text[: most_letters + 1]
    units = list(accumulate(map(_letter_width, head)))
    if len(head) == len(text) and (not units or _pixels(units[-1], size, bold) <= width):
        return text
    dots = _letter_width(ELLIPSIS)
    n_kept = bisect_right(units, width, key=lambda so_far: _pixels(so_far + dots, size, bold))
    return head[:n_kept].rstrip() + ELLIPSIS


def _pixels(units: float, size: float, bold: bool) -> float:
    return units * size * (BOLD if bold else 1.0)


@lru_cache(REMEMBERED_LETTERS)
def _letter_width(letter: str) -> float:
    if letter in NARROW_LETTERS:
        return NARROW
    if unicodedata.east_asian_width(letter) in "WF":
        return FULL
    if letter in "mwMW@%—" or letter == ELLIPSIS:
        return WIDE + 0.13
    if letter.isupper():
        return WIDE - 0.08
    return MEDIUM if letter.isascii() else WIDE


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Return the text in lines of at most ``width`` pixels, broken between words.

    >>> wrapped("one line after another", 60.0, 12.0)
    ['one line', 'after', 'another']
    """
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
