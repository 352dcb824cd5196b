"""The verdict on a difference between two systems, from its interval: the only words of reports, tables and JSON."""

from collections.abc import Sequence

from glassrank.drawing.numbers import Notation

BETTER, WORSE, TOO_FEW = "better", "worse", "too few queries"
DECIMALS = 3


def verdict(interval: Sequence[float] | None, *, higher_is_better: bool = True, margin: float | None = None) -> str:
    """Say what the interval of a difference, system minus baseline, shows about the system.

    The system is better or worse if the interval excludes 0, and as good if it lies within ±``margin``. The latter is
    two one-sided tests, each at half the level of the interval. An interval that shows neither says how large the
    difference may be. Without an interval, there are too few queries.

    >>> verdict((0.005, 0.038)), verdict((-0.002, 0.014)), verdict((-0.002, 0.014), margin=0.02)
    ('better', 'undecided, within ±0.014', 'as good within ±0.02')
    """
    if interval is None:
        return TOO_FEW
    above, below, within, _ = _shown(interval, margin)
    said = [BETTER if above == higher_is_better else WORSE] if above or below else []
    said += [f"as good within ±{margin:g}"] if within else []
    return ", ".join(said) or f"undecided, within ±{_notation(interval, margin)(max(map(abs, interval)))}"


def is_different(said: str) -> bool:
    """Whether a verdict is better or worse."""
    return said.startswith((BETTER, WORSE))


def difference_in_words(
    difference: float, interval: Sequence[float] | None, margin: float | None = None
) -> tuple[str, str]:
    """Return a difference and its interval as text; the latter is empty without an interval.

    >>> difference_in_words(0.0222, (0.0054, 0.0381)), difference_in_words(0.0004, (0.0001, 0.0007))
    (('+0.022', '+0.005 to +0.038'), ('+0.0004', '+0.0001 to +0.0007'))
    """
    notation = Notation(DECIMALS) if interval is None else _notation(interval, margin)
    return notation(difference, sign=True), " to ".join(notation(end, sign=True) for end in interval or ())


def _notation(interval: Sequence[float], margin: float | None) -> Notation:
    """Return the fewest decimals, at least three, with which the printed interval shows what the interval does."""
    decimals = DECIMALS
    while _shown([round(end, decimals) for end in interval], margin) != _shown(interval, margin):
        decimals += 1
    return Notation(decimals)


def _shown(interval: Sequence[float], margin: float | None) -> tuple[bool, bool, bool, bool]:
    """Whether an interval is above 0, below 0, within the margin (but for rounding errors), and 0 alone."""
    low, high = interval
    return low > 0, high < 0, margin is not None and max(-low, high) <= margin * (1 + 1e-9), low == high == 0
