"""Pages that nest without end: told before they are parsed, for a parser's work grows with the square of the depth."""

import re

# A start tag that closes a paragraph looks through all elements that are open: a million steps take milliseconds.
_MOST_STEPS = 20_000_000
# Pages that people write nest a few dozen deep; browsers stop at 512.
_USUAL_DEPTH = 256
# What is no markup is passed by, up to its end or that of the page.
_TAGS = re.compile(
    r"<!--(?:.*?-->|.*)|<(script|style|textarea|title|xmp)\b(?:.*?</\1|.*)|<(/?)([a-z][^\s/>]*)",
    re.IGNORECASE | re.DOTALL,
)
# They hold nothing, or end by themselves where the next one begins.
_FLAT = frozenset(
    {
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *("a", "button", "dd", "dt", "form", "html", "head", "body", "li", "nobr", "option", "optgroup", "p", "rp"),
        *("rt", "select", "tbody", "td", "tfoot", "th", "thead", "tr"),
    }
)


def nests_too_deep(html: str) -> bool:
    """Whether a page opens so many elements inside each other that parsing it would take seconds or hours.

    Each tag costs as many steps as elements are open beyond the usual depth; a page may cost 20 million.

    >>> nests_too_deep("<div>" * 5_000 + "deep"), nests_too_deep("<div>" * 100_000)
    (False, True)
    """
    # Fewer tags cannot do it, however they nest.
    if html.count("<") ** 2 < 2 * _MOST_STEPS:
        return False
    depth = steps = 0
    for found in _TAGS.finditer(html):
        name = found[3]
        if name is None or name.lower() in _FLAT:
            continue
        depth = max(depth - 1, 0) if found[2] else depth + 1
        steps += max(depth - _USUAL_DEPTH, 0)
        if steps > _MOST_STEPS:
            return True
    return False
