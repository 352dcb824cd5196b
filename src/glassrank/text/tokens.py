"""Text becomes words."""

import re
import unicodedata

# Letters and digits of any script; an apostrophe inside a word belongs to it.
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def normalise(text: str) -> str:
    """Return the text in lower case and Unicode's normal form NFKC, in which equal characters are equal codes.

    >>> normalise("Ｚｅｎ ﬁne")
    'zen fine'
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def tokenise(text: str) -> list[str]:
    """Split a text into its words, normalised, in their order.

    A script that sets no spaces between words (Chinese, Thai) gives one word for each run of characters.

    >>> tokenise("Zen Buddhism: the teacher's way, since 1191.")
    ['zen', 'buddhism', 'the', "teacher's", 'way', 'since', '1191']
    """
    return _WORD.findall(normalise(text))
