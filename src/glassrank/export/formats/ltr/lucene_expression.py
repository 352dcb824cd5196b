"""Lucene expressions: texts with the brackets they need, and the size of the method into which Lucene compiles them."""

from collections.abc import Sequence
from dataclasses import dataclass

from glassrank.export.export_form import CurveTerm, StepTerm

# Bytes of compiled code, at most: a variable's place takes up to three of its eight.
VARIABLE, CONSTANT, OPERATION, CALL, CONDITIONAL, RETURN = 8, 3, 1, 3, 15, 1
MAX_BYTES = 8_000
"""The Java virtual machine does not compile larger methods, so that they stay slow."""

MAX_PIECES = 140
"""Pieces of a curve in one expression: each takes at most 50 bytes."""

CONDITION, SUM, PRODUCT, ATOM = range(4)


@dataclass(frozen=True)
class Expression:
    """A text, how tightly its parts are bound, and the size of its compiled code in bytes, at most."""

    text: str
    binding: int = ATOM
    size: int = VARIABLE

    def bracketed(self, binding: int) -> str:
        """Return the text as an operand of an operation that binds this tightly."""
        return self.text if self.binding >= binding else f"({self.text})"

    def __add__(self, other: "Expression") -> "Expression":
        return self._joined("+", other, SUM)

    def __sub__(self, other: "Expression") -> "Expression":
        return self._joined("-", other, SUM)

    def __mul__(self, other: "Expression") -> "Expression":
        return self._joined("*", other, PRODUCT)

    def __truediv__(self, other: "Expression") -> "Expression":
        return self._joined("/", other, PRODUCT)

    def _joined(self, operator: str, other: "Expression", binding: int) -> "Expression":
        # Operations group from the left, so that the right operand must bind more tightly.
        text = f"{self.bracketed(binding)}{operator}{other.bracketed(binding + 1)}"
        return Expression(text, binding, self.size + other.size + OPERATION)


def variable(name: str) -> Expression:
    """Return a variable."""
    return Expression(name)


def number(value: float) -> Expression:
    """Return a constant that Lucene reads as exactly this value; a negative one has brackets.

    >>> number(0.1).text, number(-1e-7).text
    ('0.1', '(-1e-07)')
    """
    text = repr(float(value))
    return (
        Expression(f"({text})", size=CONSTANT + OPERATION) if text.startswith("-") else Expression(text, size=CONSTANT)
    )


ZERO = number(0.0)


def call(function: str, *arguments: Expression) -> Expression:
    """Return a function of expressions."""
    size = CALL + sum(argument.size for argument in arguments)
    return Expression(f"{function}({', '.join(argument.text for argument in arguments)})", ATOM, size)


def choice(x: Expression, comparison: str, limit: Expression, yes: Expression, no: Expression) -> Expression:
    """Return ``x comparison limit ? yes : no``."""
    text = f"{x.bracketed(SUM)} {comparison} {limit.bracketed(SUM)} ? {yes.bracketed(SUM)} : {no.bracketed(SUM)}"
    return Expression(text, CONDITION, x.size + limit.size + yes.size + no.size + CONDITIONAL)


def total(parts: Sequence[Expression]) -> Expression:
    """Return the sum of expressions as a balanced tree: a long flat sum would need deep recursion to compile.

    >>> total([variable(name) for name in "abcd"]).text
    '(a+b)+(c+d)'
    """
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    left, right = total(parts[:middle]), total(parts[middle:])
    brackets = [one if one.binding > SUM else Expression(f"({one.text})", ATOM, one.size) for one in (left, right)]
    return brackets[0] + brackets[1]


def curve(term: CurveTerm, x: Expression) -> list[Expression]:
    """Return the straight lines of a curve as nested conditionals, which find the segment by binary search.

    A long curve is the sum of several expressions, of which one is not 0.

    >>> import numpy as np
    >>> curve(CurveTerm(0, None, np.array([0.0, 2.0]), np.array([1.0, 5.0])), variable("x"))[0].text
    'x < 0.0 ? 1.0 : (x < 2.0 ? 1.0+2.0*(x-0.0) : 5.0)'
    """
    knots, values, slopes = term.knots.tolist(), term.values.tolist(), term.slopes.tolist()
    starts = [0, *range(len(knots))]
    lines = [_line(values[start], slope, x, knots[start]) for start, slope in zip(starts, slopes, strict=True)]
    return _in_parts(x, "<", knots, lines)


def steps(term: StepTerm, x: Expression) -> list[Expression]:
    """Return steps as nested conditionals, as several expressions if there are many."""
    return _in_parts(x, "<=", term.thresholds.tolist(), [number(level) for level in term.levels.tolist()])


def _in_parts(x: Expression, comparison: str, limits: list[float], pieces: list[Expression]) -> list[Expression]:
    """Return expressions that each contain some neighbouring pieces and are 0 elsewhere."""
    parts = []
    for start in range(0, len(pieces), MAX_PIECES):
        end = min(start + MAX_PIECES, len(pieces))
        first, last = max(start - 1, 0), min(end, len(limits))
        before, after = [ZERO] if start else [], [ZERO] if end < len(pieces) else []
        parts.append(_searched(x, comparison, limits[first:last], [*before, *pieces[start:end], *after]))
    return parts


def _line(value: float, slope: float, x: Expression, start: float) -> Expression:
    return number(value) if slope == 0.0 else number(value) + number(slope) * (x - number(start))


def _searched(x: Expression, comparison: str, limits: Sequence[float], pieces: Sequence[Expression]) -> Expression:
    """Return the piece whose number is the number of limits for which the comparison is false."""
    if len(pieces) == 1:
        return pieces[0]
    middle = len(pieces) // 2
    before = _searched(x, comparison, limits[: middle - 1], pieces[:middle])
    after = _searched(x, comparison, limits[middle:], pieces[middle:])
    return choice(x, comparison, number(limits[middle - 1]), before, after)
