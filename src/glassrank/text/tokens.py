"""Normalisation of text and splitting into words."""

import re
import unicodedata
from functools import cache

# Letters and digits of any script; an apostrophe inside a word belongs to it.
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

# Combining marks; normalising takes quadratic time in the length of a run of them.
_MARKS = (
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_LONG_RUN = re.compile(f"({_MARKS}{{30}}){_MARKS}+")
# Planes of Unicode with scripts, and characters that only select the form of a letter or an emoji.
_SCRIPTS = range(0x20000)
_FORM_SELECTORS = range(0xFE00, 0xFE10)


def normalise(text: str) -> str:
    """Return the text in lower case and Unicode normalisation form NFKC.

    Runs of combining marks are cut after 30, as in Unicode's stream-safe text format; no language needs more.

    >>> normalise("Ｚｅｎ ﬁne")
    'zen fine'
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", _LONG_RUN.sub(r"\1", text)).lower()


def tokenise(text: str) -> list[str]:
    """Split a text into normalised words.

    A combining mark, such as a vowel sign of Hindi, belongs to the word before it. In scripts without spaces between
    words (Chinese, Thai), each run of characters becomes one word.

    >>> tokenise("Zen Buddhism: the teacher's way, since 1191.")
    ['zen', 'buddhism', 'the', "teacher's", 'way', 'since', '1191']
    >>> tokenise("हिन्दी में")
    ['हिन्दी', 'में']
    """
    normal = normalise(text)
    return _WORD.findall(normal) if normal.isascii() else _word_with_marks().findall(normal)


@cache
def _word_with_marks() -> re.Pattern[str]:
    """Words with combining marks, which are no letters; found out once, when a text needs it."""
    marks = "".join(
        chr(code)
        for code in _SCRIPTS
        if unicodedata.category(chr(code)) in ("Mn", "Mc") and code not in _FORM_SELECTORS
    )
    part = rf"[^\W_]+(?:[{marks}]+[^\W_]*)*"
    return re.compile(rf"{part}(?:['’]{part})*")
