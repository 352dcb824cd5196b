"""Round tick values, and numbers as text in one notation per axis or column."""

import math
from dataclasses import dataclass
from itertools import pairwise

MINUS = "\u2212"
MOST_PLACES = 15
SMALLEST_EXPONENT = -300


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2 or 5 · 10^k within [low, high]: the finest that are at most ``most``.

    >>> round_ticks(0.0, 30.0, 6)
    [0.0, 10.0, 20.0, 30.0]
    """
    finest = (high / (most + 1) - low / (most + 1)) if most > 0 else math.nan
    if not high > low or not finest > 0:
        return []
    power = math.floor(math.log10(finest))
    for factor, exponent in ((f, power + up) for up in range(MOST_PLACES) for f in (1, 2, 5)):
        ticks = _multiples(factor, exponent, low, high, most)
        if ticks is not None:
            return ticks
    return []


def _multiples(factor: int, exponent: int, low: float, high: float, most: int) -> list[float] | None:
    """Multiples of factor · 10^exponent within the range; None when there are too many, or floats cannot tell them."""
    step = factor * 10.0**exponent
    if exponent < SMALLEST_EXPONENT or not math.isfinite(low / step) or not math.isfinite(high / step):
        return None
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last - first >= most:
        return None
    # Whole numbers are exact, and one division rounds once: 3 · 0.1 would be 0.30000000000000004.
    counts = [count * factor for count in range(first, last + 1)]
    ticks = [float(n * 10**exponent) if exponent >= 0 else n / 10.0**-exponent for n in counts]
    # Far from zero the quotients above are themselves rounded to whole numbers.
    slack = 1e-9 * (high - low)
    ticks = [tick for tick in ticks if low - slack <= tick <= high + slack]
    return ticks if all(a < b for a, b in pairwise(ticks)) else None


@dataclass(frozen=True)
class Notation:
    """How the numbers of one axis or column are written: ``decimals`` places, of units of 10^power."""

    decimals: int
    power: int = 0

    @property
    def resolution(self) -> float:
        """The value of the last place."""
        return 10.0 ** (self.power - self.decimals)

    def __call__(self, value: float, *, sign: bool = False) -> str:
        """A number with a real minus sign and, on demand, a plus sign.

        >>> Notation(2)(-1234.5), Notation(1, power=9)(1.7e9), Notation(2)(0.001, sign=True)
        ('−1,234.50', '1.7e9', '0.00')
        """
        mantissa = value / 10.0**self.power
        shown = f"{mantissa:{'+' if sign else ''},.{self.decimals}f}"
        if float(shown.replace(",", "")) == 0:
            # A rounded zero has no sign: "−0.00" and "+0.00" would claim a direction.
            return "0" if self.power else f"{0:.{self.decimals}f}"
        return (shown + (f"e{self.power}" if self.power else "")).replace("-", MINUS)


def notation_for(largest: float, step: float, most_characters: int = 10) -> Notation:
    """Notation that tells values ``step`` apart up to ``largest`` in size: plain while short enough, else with 10^k.

    >>> notation_for(30.0, 5.0)(25.0), notation_for(1.7e9, 1e5)(1.7e9), notation_for(4e-9, 1e-9)(3e-9)
    ('25', '1.7000e9', '3e−9')
    """
    if not (step > 0 and math.isfinite(step) and math.isfinite(largest)):
        return Notation(2)
    lowest_place = math.floor(math.log10(step) + 1e-9)
    highest_place = math.floor(math.log10(max(abs(largest), step)) + 1e-9)
    decimals = min(max(0, -lowest_place), MOST_PLACES)
    whole_digits = max(0, highest_place) + 1
    if whole_digits + (whole_digits - 1) // 3 + (decimals + 1 if decimals else 0) <= most_characters:
        return Notation(decimals)
    return Notation(min(max(0, highest_place - lowest_place), MOST_PLACES), highest_place)
