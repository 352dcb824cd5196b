"""Counts in words."""


def counted(count: int, one: str, many: str | None = None) -> str:
    """Say how many of a thing there are; without ``many``, an s makes the plural.

    >>> counted(1, "query", "queries"), counted(1200, "row")
    ('1 query', '1,200 rows')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
