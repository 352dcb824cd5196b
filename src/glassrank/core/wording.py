"""Counts, names and long texts in words."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# Control characters except line feeds and tabs, surrogates, which cannot be encoded, and characters that are invisible
# or turn the text around them: a name could look like another one. Joiners of letters and emoji (U+200C, U+200D) stay.
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun; without ``many``, the plural is formed with an s.

    >>> counted(1, "query", "queries"), counted(1200, "row")
    ('1 query', '1,200 rows')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: Iterable[object], most: int = 5) -> str:
    """Return the first names, and how many more there are.

    >>> listed(["price", "site", "age"]), listed(["price", "site", "age"], most=2)
    ('price, site, age', 'price, site and 1 more')
    """
    every = list(names)
    return ", ".join(map(str, every[:most])) + (f" and {len(every) - most:,} more" if len(every) > most else "")


def printable(text: str) -> str:
    """Replace characters by their codes that a terminal would execute, or that a reader could not see.

    >>> print(printable("\x1b[2Jd7"), printable("gnp.\u202exls"))
    \\x1b[2Jd7 gnp.\\u202exls
    """
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a mistyped one resembles, in any case of letters; None if there is none.

    >>> nearest("ranksvm", ["rank_features", "RankSVM"]), nearest("pandas", ["RankSVM"])
    ('RankSVM', None)
    """
    spelt = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), spelt, n=1)
    return spelt[found[0]] if found else None


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters; an ellipsis replaces the end of a longer one.

    >>> shortened("trail shoes", 11), shortened("trail shoes", 7)
    ('trail shoes', 'trail …')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
