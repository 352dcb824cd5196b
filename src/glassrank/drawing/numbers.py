"""Round tick values, and the formatting of numbers with one notation per axis or column."""

import math
from dataclasses import dataclass
from itertools import pairwise

MINUS = "\u2212"
MAX_PLACES = 15
MIN_EXPONENT = -300


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return the multiples of a step 1, 2 or 5 · 10^k within [low, high], at most ``most``, with the smallest step.

    >>> round_ticks(0.0, 30.0, 6)
    [0.0, 10.0, 20.0, 30.0]
    """
    finest = (high / (most + 1) - low / (most + 1)) if most > 0 else math.nan
    if not high > low or not finest > 0:
        return []
    power = math.floor(math.log10(finest))
    for factor, exponent in ((f, power + up) for up in range(MAX_PLACES) for f in (1, 2, 5)):
        ticks = _multiples(factor, exponent, low, high, most)
        if ticks is not None:
            return ticks
    return []


def _multiples(factor: int, exponent: int, low: float, high: float, most: int) -> list[float] | None:
    """Multiples of factor · 10^exponent within the range; None if there are too many or they are equal as floats."""
    step = factor * 10.0**exponent
    if exponent < MIN_EXPONENT or not math.isfinite(low / step) or not math.isfinite(high / step):
        return None
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last - first >= most:
        return None
    # Integers are exact and a division rounds once, whereas 3 · 0.1 is 0.30000000000000004.
    counts = [count * factor for count in range(first, last + 1)]
    ticks = [float(n * 10**exponent) if exponent >= 0 else n / 10.0**-exponent for n in counts]
    # Far from zero the quotients above are already rounded to integers.
    slack = 1e-9 * (high - low)
    ticks = [tick for tick in ticks if low - slack <= tick <= high + slack]
    return ticks if all(a < b for a, b in pairwise(ticks)) else None


@dataclass(frozen=True)
class Notation:
    """Number format of one axis or column: ``decimals`` decimal places, in units of 10^power."""

    decimals: int
    power: int = 0

    @property
    def resolution(self) -> float:
        """The value of the last place."""
        return 10.0 ** (self.power - self.decimals)

    def __call__(self, value: float, *, sign: bool = False) -> str:
        """Format a number with a true minus sign and, optionally, a plus sign.

        >>> Notation(2)(-1234.5), Notation(1, power=9)(1.7e9), Notation(2)(0.001, sign=True)
        ('−1,234.50', '1.7e9', '0.00')
        """
        mantissa = value / 10.0**self.power
        shown = f"{mantissa:{'+' if sign else ''},.{self.decimals}f}"
        if float(shown.replace(",", "")) == 0:
            # A value that rounds to zero gets no sign: "−0.00" and "+0.00" would suggest a direction.
            return "0" if self.power else f"{0:.{self.decimals}f}"
        return (shown + (f"e{self.power}" if self.power else "")).replace("-", MINUS)


def notation_for(largest: float, step: float, max_characters: int = 10) -> Notation:
    """Return a notation that distinguishes values ``step`` apart, up to ``largest``: plain, or with 10^k if too long.

    >>> notation_for(30.0, 5.0)(25.0), notation_for(1.7e9, 1e5)(1.7e9), notation_for(4e-9, 1e-9)(3e-9)
    ('25', '1.7000e9', '3e−9')
    """
    if not (step > 0 and math.isfinite(step) and math.isfinite(largest)):
        return Notation(2)
    lowest_place = math.floor(math.log10(step) + 1e-9)
    highest_place = math.floor(math.log10(max(abs(largest), step)) + 1e-9)
    decimals = min(max(0, -lowest_place), MAX_PLACES)
    whole_digits = max(0, highest_place) + 1
    if whole_digits + (whole_digits - 1) // 3 + (decimals + 1 if decimals else 0) <= max_characters:
        return Notation(decimals)
    return Notation(min(max(0, highest_place - lowest_place), MAX_PLACES), highest_place)
