"""Numbers and names as the Ranking page writes them."""

from html import escape

from glassrank.drawing.numbers import Notation
from glassrank.drawing.small_marks import label_steps
from glassrank.studies.views.ranked_list import RankedList

TWO, THREE = Notation(2), Notation(3)


def signed(value: float) -> str:
    """Return a contribution, with its sign.

    >>> signed(-0.5), signed(0.0)
    ('−0.50', '0.00')
    """
    return TWO(value, sign=True)


def probability_text(value: float) -> str:
    """Return a probability with two digits, never rounded to certainty.

    >>> probability_text(0.632), probability_text(0.9999), probability_text(0.001)
    ('0.63', '> 0.99', '< 0.01')
    """
    return "> 0.99" if value >= 0.995 else "< 0.01" if value < 0.005 else f"{value:.2f}"


def ordinal(number: int) -> str:
    """Return a number as a place.

    >>> [ordinal(n) for n in (1, 2, 3, 11, 22, 104)]
    ['1st', '2nd', '3rd', '11th', '22nd', '104th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def label_text(label: float) -> str:
    """Return a label; whole ones without a decimal point."""
    return f"{label:g}"


def measure_text(value: float | None) -> str:
    """Return a value of the measure; a dash for a query that is left out of it."""
    return "–" if value is None else THREE(value)


def document_mark(letter: str) -> str:
    """Return the mark of document A (disc) or B (diamond) as SVG; empty for other documents."""
    shape = {"a": '<circle cx="7" cy="7" r="4.5"/>', "b": '<path d="M7 1.5L12.5 7L7 12.5L1.5 7Z"/>'}.get(letter)
    if shape is None:
        return ""
    return (
        f'<svg class="mark {letter}" viewBox="0 0 14 14" width="14" height="14" role="img" '
        f'aria-label="{letter.upper()}">{shape}</svg>'
    )


def label_mark(ranked: RankedList, label: float) -> str:
    """Return the label as steps, against the highest label of the data."""
    return label_steps(label, float(ranked.view.data.y.max()))


def hidden(name: str, value: object) -> str:
    """Return a hidden field of a form."""
    return f'<input type="hidden" name="{name}" value="{escape(str(value))}">'
