"""Detects excessively nested pages before parsing, because parsing time grows with the square of the depth."""

import re

# A start tag that closes a paragraph searches all open elements; a million steps take milliseconds.
_MAX_STEPS = 20_000_000
# Real pages nest a few dozen levels deep; browsers stop at 512.
_USUAL_DEPTH = 256
# Text that is not markup is skipped, up to its end or the end of the page.
_TAGS = re.compile(
    r"<!--(?:.*?-->|.*)|<(script|style|textarea|title|xmp)\b(?:.*?</\1|.*)|<(/?)([a-z][^\s/>]*)",
    re.IGNORECASE | re.DOTALL,
)
# Elements that are empty, or that end implicitly where the next one begins.
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
    """Return whether a page nests so many elements that parsing it would take seconds or hours.

    Each tag costs as many steps as there are open elements beyond the usual depth; the limit is 20 million steps.

    >>> nests_too_deep("<div>" * 5_000 + "deep"), nests_too_deep("<div>" * 100_000)
    (False, True)
    """
    # So few tags cannot reach the limit.
    if html.count("<") ** 2 < 2 * _MAX_STEPS:
        return False
    depth = steps = 0
    for found in _TAGS.finditer(html):
        name = found[3]
        if name is None or name.lower() in _FLAT:
            continue
        depth = max(depth - 1, 0) if found[2] else depth + 1
        steps += max(depth - _USUAL_DEPTH, 0)
        if steps > _MAX_STEPS:
            return True
    return False
