"""Normal text: the one form in which queries, anchors, titles and addresses are compared."""

from glassrank.text.tokens import normalise

LONGEST_QUERY = 2048
"""Characters of a query that are looked at: no search box takes more, and longer ones are pasted or broken text."""


def normal_text(text: str) -> str:
    """Return a text in Unicode NFKC and lower case, every run of white space one space, none at the ends.

    >>> normal_text("  Ｚｅｎ \\t Garden ")
    'zen garden'
    """
    return " ".join(normalise(text).split())


def normal_query(query: str) -> str:
    """Return the normal text of the first 2,048 characters of a query.

    >>> normal_query("Zen  Garden"), len(normal_query("x" * 1_000_000))
    ('zen garden', 2048)
    """
    return normal_text(query[:LONGEST_QUERY])
