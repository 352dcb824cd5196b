"""Addresses as people read and type them: in their own letters instead of escapes and Punycode."""

import re

_ESCAPED_LETTERS = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
# Characters of a label (RFC 1035, section 2.3.4).
MAX_LABEL = 63
_HOST = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?([^/?#]*)")


def readable_address(url: str) -> str:
    """Write an address in its own letters, as browsers show it (RFC 3987, section 3.2).

    Escaped ASCII characters such as ``%20`` stay escaped, as do bytes that are not valid UTF-8. Labels of the host that
    are not valid Punycode stay as they are.

    >>> readable_address("https://xn--bcher-kva.de/caf%C3%A9%20%E9?q=%D0%B4%D0%B0")
    'https://bücher.de/café%20%E9?q=да'
    """
    if "%" in url:
        url = _ESCAPED_LETTERS.sub(_letters, url)
    if "xn--" not in url.lower():
        return url
    return _HOST.sub(lambda found: (found[1] or "") + readable_host(found[2]), url, count=1)


def readable_host(host: str) -> str:
    """Write a host in its own letters.

    >>> readable_host("www.xn--bcher-kva.de"), readable_host("xn--a\\xe9")
    ('www.bücher.de', 'xn--aé')
    """
    if "xn--" not in host.lower():
        return host
    return ".".join(_readable_label(label) for label in host.split("."))


def _readable_label(label: str) -> str:
    # Longer labels are invalid, and decoding takes quadratic time.
    if len(label) > MAX_LABEL or not label.lower().startswith("xn--"):
        return label
    try:
        letters = label[4:].encode("ascii").decode("punycode")
        letters.encode()  # Half a surrogate pair is no letter.
    except UnicodeError:
        return label
    return letters


def _letters(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]
