"""Bars made of characters, for tables in a terminal."""

FULL, LEFT_HALF, RIGHT_HALF, AXIS = "█", "▌", "▐", "│"


def text_bar(value: float, largest: float, width: int = 10) -> str:
    """Return a bar of at most ``width`` characters, in steps of half a character; positive values show at least half.

    >>> text_bar(3.0, 4.0, width=4), text_bar(0.01, 4.0, width=4), text_bar(0.0, 4.0, width=4)
    ('███', '▌', '')
    """
    halves = _halves(value, largest, width)
    return FULL * (halves // 2) + LEFT_HALF * (halves % 2)


def signed_bar(value: float, largest: float, width: int = 8) -> str:
    """Return a bar to the right of an axis for positive values and to the left for negative ones.

    >>> [signed_bar(value, 4.0, width=4) for value in (4.0, -1.5)]
    ['    │████', '  ▐█│    ']
    """
    halves = _halves(abs(value), largest, width)
    if value >= 0:
        return " " * width + AXIS + (FULL * (halves // 2) + LEFT_HALF * (halves % 2)).ljust(width)
    return (RIGHT_HALF * (halves % 2) + FULL * (halves // 2)).rjust(width) + AXIS + " " * width


def _halves(value: float, largest: float, width: int) -> int:
    if not value > 0 or not largest > 0:
        return 0
    return max(1, round(2 * width * min(1.0, value / largest)))
