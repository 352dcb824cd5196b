"""For the reference: shows the ``>>>`` examples of plain docstrings as code instead of as quotations."""

import re
from typing import Any

from griffe import Extension, Object

# An example begins at its first prompt and ends at the next empty line, as doctest has it.
_EXAMPLE = re.compile(r"(?:^>>> .*\n?)(?:^(?!\s*$).+\n?)*", re.M)


class FenceExamples(Extension):
    """Puts a fence around every example that is not in a separate section."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring and "\nExamples\n---" not in obj.docstring.value:
            obj.docstring.value = fence(obj.docstring.value)


def fence(docstring: str) -> str:
    """Fence the examples of a docstring."""
    return _EXAMPLE.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```\n", docstring)
