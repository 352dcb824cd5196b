"""Detects pages that would take minutes to parse: time grows with the square of the depth and of the attributes."""

import re

# A start tag that closes a paragraph searches all open elements; a million steps take milliseconds.
_MAX_STEPS = 20_000_000
# Attributes of shorter tags are too few to matter.
_LONG_TAG = 1000
# Real pages nest a few dozen levels deep; browsers stop at 512.
_USUAL_DEPTH = 256
# The parser compares each attribute of an element with all before it. Real elements have a few dozen.
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>]*+))?+"""
_START_TAGS = re.compile(
    rf"<!--(?:.*?-->|.*)|<(script|style|textarea|title|xmp)\b((?:{_ATTRIBUTE})*+)(?:.*?</\1|.*)"
    rf"|<[a-z][^\s/>]*+((?:{_ATTRIBUTE})*+)",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
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


def fault_of_markup(html: str) -> str:
    """Return why a page is not parsed; '' if nothing is against it."""
    if nests_too_deep(html):
        return "page nested too deeply"
    return "element with too many attributes" if has_too_many_attributes(html) else ""


def has_too_many_attributes(html: str) -> bool:
    """Return whether a page has elements with so many attributes that parsing it would take seconds or hours.

    An element with n attributes costs n²/2 steps; the limit is 20 million steps.

    >>> many = " ".join(f"a{number}" for number in range(300_000))
    >>> has_too_many_attributes(f"<p {many}>"), has_too_many_attributes(f"<p>{many}</p>")
    (True, False)
    """
    # So few characters cannot reach the limit: an attribute has at least two.
    if len(html) ** 2 < 8 * _MAX_STEPS:
        return False
    steps = 0
    for found in _START_TAGS.finditer(html):
        attributes = found[2] or found[3]
        if attributes and len(attributes) > _LONG_TAG:
            steps += sum(1 for _ in _ATTRIBUTES.finditer(attributes)) ** 2 // 2
            if steps > _MAX_STEPS:
                return True
    return False


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
