"""The declaration of a feature of a query and a result: name, category and required sources."""

from dataclasses import dataclass

CATEGORIES = ("click", "url", "anchor", "other")


@dataclass(frozen=True)
class Feature:
    """One of the 197 features, declared in the file that computes it.

    >>> Feature("rk_rel", "other", ("results", "score"), "score / score of the first result").needs
    ('results', 'score')
    """

    name: str
    category: str
    needs: tuple[str, ...]
    """Required sources, and the columns and kinds of events that they must contain."""
    formula: str


def declare(category: str, needs: str, formulas: dict[str, str]) -> tuple[Feature, ...]:
    """Declare features with the same category and requirements.

    >>> [one.name for one in declare("other", "results score", {"rk_score": "score"})]
    ['rk_score']
    """
    return tuple(Feature(name, category, tuple(needs.split()), formula) for name, formula in formulas.items())
