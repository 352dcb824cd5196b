"""Columns of text and amounts in printed explanations."""

import math
from collections.abc import Collection, Sequence

from glassrank.drawing.numbers import Notation, notation_for


def notation_of(amounts: Sequence[float]) -> Notation:
    """Return a notation with three significant digits of the largest amount.

    >>> notation_of([0.5, -12.345])(-12.345)
    '−12.3'
    """
    largest = max(abs(amount) for amount in amounts)
    if largest == 0 or not math.isfinite(largest):
        return Notation(2)
    return notation_for(largest, 10.0 ** (math.floor(math.log10(largest)) - 2))


def aligned(rows: Sequence[Sequence[str]], right: Collection[int], centred: Collection[int] = ()) -> list[str]:
    """Align cells in columns with two spaces between them; columns in ``right`` are right-aligned.

    >>> aligned([("a", "1"), ("b", "20")], right={1})
    ['a   1', 'b  20']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ways = [str.rjust if k in right else str.center if k in centred else str.ljust for k in range(len(widths))]
    cells = ([way(cell, width) for way, cell, width in zip(ways, row, widths, strict=True)] for row in rows)
    return ["  ".join(row).rstrip() for row in cells]
