"""The spelling that stands for an address and all that are equivalent to it."""

from collections.abc import Iterable

from glassrank.data.hosts import comparable_address, complete_address

_PUNYCODE = "xn--"


class Spellings:
    """Writes equivalent addresses (RFC 3986, section 6.2) the same way.

    That is their normalised form, except that a host in other letters keeps them, because its Punycode form would be a
    host of its own: the first spelling that was learnt stands for both, and spellings learnt ``before`` come first.
    With ``bare_hosts``, an address without a scheme begins with ``http://``.

    >>> Spellings().of("HTTP://Zen.org:80"), Spellings(bare_hosts=True).of("zen.org")
    ('http://zen.org/', 'http://zen.org/')
    >>> Spellings().learn(["http://été.fr/"]).of("http://xn--t-9fab.fr")
    'http://été.fr/'
    """

    def __init__(self, *, bare_hosts: bool = False, before: "Spellings | None" = None) -> None:
        self._bare_hosts = bare_hosts
        self._before: dict[str, str] = {} if before is None else before._learnt
        self._learnt: dict[str, str] = {}

    def complete(self, url: str) -> str:
        """Return an address with its scheme."""
        return complete_address(url) if self._bare_hosts else url

    def form(self, url: str) -> str:
        """Return the text that all equivalent addresses share, and no others."""
        return comparable_address(self.complete(url))

    def learn(self, *columns: Iterable[str]) -> "Spellings":
        """Remember the first spelling of international hosts."""
        for url in (one for column in columns for one in dict.fromkeys(column)):
            form = self.form(url)
            if _PUNYCODE in form:
                self._learnt.setdefault(form, self._own(url, form))
        return self

    def of(self, url: str) -> str:
        """Return the spelling that stands for an address."""
        form = self.form(url)
        if _PUNYCODE not in form:
            return form
        return self._before.get(form) or self._learnt.get(form) or self._own(url, form)

    def _own(self, url: str, form: str) -> str:
        return form if url.isascii() else self.complete(url)
