"""Counts in words."""


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun; without ``many``, the plural is formed with an s.

    >>> counted(1, "query", "queries"), counted(1200, "row")
    ('1 query', '1,200 rows')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
