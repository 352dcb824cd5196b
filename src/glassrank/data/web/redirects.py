"""Addresses that lead to other addresses."""

from collections.abc import Container


class Redirects:
    """Where addresses lead; the first that is said of an address holds.

    >>> redirects = Redirects()
    >>> for address, target in [("a", "b"), ("b", "c"), ("x", "y"), ("y", "x")]:
    ...     redirects.add(address, target)
    >>> redirects.follow("a"), redirects.follow("x")
    (('c', False), ('x', True))
    """

    def __init__(self) -> None:
        self._target_of: dict[str, str] = {}

    def __contains__(self, address: str) -> bool:
        return address in self._target_of

    def add(self, address: str, target: str) -> None:
        """Say that an address leads to another."""
        self._target_of.setdefault(address, target)

    def follow(self, address: str, stop: Container[str] = ()) -> tuple[str, bool]:
        """Return where an address leads in the end, and whether it leads in a circle (then: the address itself).

        The way ends at an address of ``stop``, even if that was also seen to lead on.
        """
        seen = {address}
        current = address
        while current in self._target_of and current not in stop:
            current = self._target_of[current]
            if current in seen:
                return address, True
            seen.add(current)
        return current, False
