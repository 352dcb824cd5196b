"""Plain values as a table in which equal lists, objects and long texts are stored once, for pages with many pairs."""

from typing import Any

NUMBERS = {float, type(None)}
SHORT_TEXT = 8  # a shorter text takes no more room than a reference to it


def share_parts(value: Any) -> list[Any]:
    """Return the value as a table whose last entry is the value itself.

    An entry is a text, a list, or an object as ``{"k": entry of its keys, "v": its values}``. Inside an entry, ``[n]``
    refers to entry n, and everything else is a number, a short text, true, false or null. Numbers keep six significant
    digits.

    >>> share_parts([[0.5, 2.0], {"a": [0.5, 2.0]}])
    [[0.5, 2], ['a'], {'k': 1, 'v': [[0]]}, [[0], [2]]]
    """
    parts = _Parts()
    parts.refer(value)
    return parts.entries


class _Parts:
    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.places: dict[Any, int] = {}
        self.numbers: dict[tuple[float | None, ...], int] = {}
        self.same: dict[int, tuple[int]] = {}

    def refer(self, value: Any) -> Any:
        """Return what stands for a value inside an entry: ``(n,)`` for entry n, or the value itself."""
        if isinstance(value, float):
            return _rounded(value)
        if isinstance(value, str):
            return (self._place(("text", value)),) if len(value) > SHORT_TEXT else value
        if not isinstance(value, (dict, list, tuple)):
            return value
        # Pairs of a query contain the same objects, which exist as long as the whole value does.
        found = self.same.get(id(value))
        if found is None:
            found = self.same[id(value)] = (self._place_parts(value),)
        return found

    def _place_parts(self, value: Any) -> int:
        if isinstance(value, dict):
            keys = self._place(("list", tuple(map(self.refer, value))))
            return self._place(("object", keys, tuple(map(self.refer, value.values()))))
        if set(map(type, value)) <= NUMBERS:
            return self._place_numbers(tuple(value))
        return self._place(("list", tuple(map(self.refer, value))))

    def _place_numbers(self, numbers: tuple[float | None, ...]) -> int:
        """Return the place of a list of numbers, which are rounded only once: most lists of a query are equal."""
        if numbers not in self.numbers:
            rounded = tuple(None if one is None else _rounded(one) for one in numbers)
            self.numbers[numbers] = self._place(("list", rounded))
        return self.numbers[numbers]

    def _place(self, part: tuple[Any, ...]) -> int:
        # 1 == 1.0 == True in Python, so a table of parts that are only equal would turn true into 1.
        key = (part, tuple(map(type, part[-1]))) if part[0] != "text" else part
        if key not in self.places:
            self.places[key] = len(self.entries)
            self.entries.append(_entry(part))
        return self.places[key]


def _entry(part: tuple[Any, ...]) -> Any:
    kind, *content = part
    if kind == "text":
        return content[0]
    values = [list(one) if isinstance(one, tuple) else one for one in content[-1]]
    return values if kind == "list" else {"k": content[0], "v": values}


def _rounded(value: float) -> float | int:
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e6 else rounded
