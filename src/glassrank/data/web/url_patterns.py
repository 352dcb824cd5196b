"""Glob patterns for addresses."""

import fnmatch
import re
from collections.abc import Callable, Sequence


def left_out_test(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that tests whether a name matches one of the glob patterns; ``*`` also matches slashes.

    >>> is_left_out = left_out_test(["wp/index/*", "*/Image_*"])
    >>> is_left_out("wp/index/a/b.htm"), is_left_out("wp/b/Buddhism.htm")
    (True, False)
    """
    if not patterns:
        return lambda name: False
    matches = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)).match
    return lambda name: matches(name) is not None
