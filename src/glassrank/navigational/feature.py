"""What a feature of a query and a result is called, what kind it is, and what it needs."""

from dataclasses import dataclass

CATEGORIES = ("click", "url", "anchor", "other")


@dataclass(frozen=True)
class Feature:
    """One of the 197 features; declared once, in the file that computes it.

    >>> Feature("rk_rel", "other", ("results", "score"), "score / score of the first result").needs
    ('results', 'score')
    """

    name: str
    category: str
    needs: tuple[str, ...]
    """Sources, and what these must hold: columns, kinds of events."""
    formula: str


def declare(category: str, needs: str, formulas: dict[str, str]) -> tuple[Feature, ...]:
    """Declare features that share a category and what they need.

    >>> [one.name for one in declare("other", "results score", {"rk_score": "score"})]
    ['rk_score']
    """
    return tuple(Feature(name, category, tuple(needs.split()), formula) for name, formula in formulas.items())
