"""Addresses that redirect to other addresses."""

from collections.abc import Container


class Redirects:
    """Targets of redirects; the first target recorded for an address counts.

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
        """Record that an address redirects to another."""
        self._target_of.setdefault(address, target)

    def follow(self, address: str, stop: Container[str] = ()) -> tuple[str, bool]:
        """Return the final target of an address, and whether there is a loop (then the target is the address itself).

        Following stops at an address in ``stop``, even if that also redirects.
        """
        seen = {address}
        current = address
        while current in self._target_of and current not in stop:
            current = self._target_of[current]
            if current in seen:
                return address, True
            seen.add(current)
        return current, False
