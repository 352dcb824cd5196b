"""Round tick values and numbers as text."""

import math

MINUS = "\u2212"


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """At most ``most`` multiples of 1, 2 or 5 · 10^k within [low, high].

    >>> round_ticks(0.0, 30.0, 6)
    [0.0, 10.0, 20.0, 30.0]
    """
    if not high > low or most < 1:
        return []
    step = _round_step((high - low) / most)
    while True:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return [float(f"{count * step:.12g}") for count in range(first, last + 1)]
        step = _round_step(step * 1.5)


def _round_step(smallest: float) -> float:
    """The smallest of 1, 2, 5 · 10^k that is not below ``smallest``."""
    power = 10.0 ** math.floor(math.log10(smallest))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= smallest * (1 - 1e-9))


def decimals_for(step: float) -> int:
    """Decimals that tell values ``step`` apart.

    >>> decimals_for(0.05), decimals_for(20.0)
    (2, 0)
    """
    if step <= 0 or not math.isfinite(step):
        return 2
    return max(0, min(6, -math.floor(math.log10(step) + 1e-9)))


def number(value: float, decimals: int, *, sign: bool = False) -> str:
    """A number with a real minus sign, thousands separators and, on demand, a plus sign.

    >>> number(-1234.5, 1), number(0.25, 2, sign=True)
    ('−1,234.5', '+0.25')
    """
    if value != 0 and abs(value) >= 1e7:
        return f"{value:+.3g}".replace("-", MINUS) if sign else f"{value:.3g}".replace("-", MINUS)
    shown = f"{value:{'+' if sign else ''},.{decimals}f}"
    # A rounded zero has no sign: "−0.00" and "+0.00" would claim a direction.
    return f"{0:.{decimals}f}" if float(shown.replace(",", "")) == 0 else shown.replace("-", MINUS)


def shortened(name: str, most: int) -> str:
    """A name cut to ``most`` characters with an ellipsis."""
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"
