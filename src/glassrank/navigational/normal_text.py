"""Normal text: the one form in which queries, anchors, titles and addresses are compared."""

from glassrank.data.query_log import MAX_QUERY_LENGTH
from glassrank.text.tokens import normalise

# Also of a text in an edit distance: the work grows with the product of the lengths.
LONGEST = MAX_QUERY_LENGTH


def normal_text(text: str) -> str:
    """Return a text in Unicode NFKC and lower case, every run of white space one space, none at the ends.

    >>> normal_text("  Ｚｅｎ \\t Garden ")
    'zen garden'
    """
    return " ".join(normalise(text).split())


def normal_query(query: str) -> str:
    """Return the first 4,096 characters of the normal text of the first 4,096 characters of a query.

    Twice, since one character may become 18 in normal text.

    >>> normal_query("Zen  Garden"), len(normal_query("x" * 1_000_000))
    ('zen garden', 4096)
    """
    return normal_text(query[:LONGEST])[:LONGEST].rstrip()
