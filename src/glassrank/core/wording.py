"""Counts, names and long texts in words."""

from collections.abc import Iterable


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


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters; an ellipsis replaces the end of a longer one.

    >>> shortened("trail shoes", 11), shortened("trail shoes", 7)
    ('trail shoes', 'trail …')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
