"""Plain-text tables for printed results."""

from collections.abc import Sequence


def align(rows: Sequence[Sequence[str]]) -> str:
    """Align cells in columns, separated by two spaces.

    >>> print(align([("measure", "mean"), ("map", "0.5")]))
    measure  mean
    map      0.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines)
