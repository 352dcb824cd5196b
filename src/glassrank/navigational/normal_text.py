"""Normalised text: the form in which queries, anchors, titles and addresses are compared."""

from glassrank.data.query_log import LONGEST_QUERY
from glassrank.text.tokens import normalise

# Also used for edit distances, whose cost is the product of the lengths.
MAX_LENGTH = LONGEST_QUERY


def normal_text(text: str) -> str:
    """Return a text in Unicode NFKC and lower case, with single spaces and none at the ends.

    >>> normal_text("  Ｚｅｎ \\t Garden ")
    'zen garden'
    """
    return " ".join(normalise(text).split())


def normal_query(query: str) -> str:
    """Normalise the first 4,096 characters of a query, and return the first 4,096 characters of the result.

    The result is cut again, because one character may become 18.

    >>> normal_query("Zen  Garden"), len(normal_query("x" * 1_000_000))
    ('zen garden', 4096)
    """
    return normal_text(query[:MAX_LENGTH])[:MAX_LENGTH].rstrip()
