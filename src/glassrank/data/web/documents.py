"""A document as a source hands it over, and what tells HTML from other content."""

import re
from dataclasses import dataclass

# done, total or None where it is not known, and what is being done

HTML_SUFFIXES = frozenset(
    (".html", ".htm", ".xhtml", ".xht", ".shtml", ".phtml", ".php", ".asp", ".aspx", ".jsp", ".cgi")
)
# What browsers take for the beginning of HTML (WHATWG MIME Sniffing Standard, section 7.1).
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)"
    rb"(?:[\s>]|--)",
    re.IGNORECASE,
)
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_LOOKED_AT = 1445
# Nobody writes such a page; a packed one may pretend to.
LARGEST_PAGE = 1 << 26
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Document:
    """Bytes of a page and what its surroundings say of it; with ``redirect``, an address that leads elsewhere."""

    address: str
    raw: bytes = b""
    charset: str | None = None
    language: str = ""
    modified: str = ""
    redirect: str | None = None


def fault_of_content(raw: bytes) -> str:
    """Say why bytes that are called HTML are none; '' where they may be.

    >>> fault_of_content(b""), fault_of_content(b"\\x89PNG\\r\\n\\x1a\\n\\x00"), fault_of_content(b"just text")
    ('empty file', 'no HTML (binary)', '')
    """
    if not raw.strip():
        return "empty file"
    if len(raw) > LARGEST_PAGE:
        return "page of more than 64 MB"
    is_wide = raw.startswith(_WIDE_MARKS)
    return "no HTML (binary)" if not is_wide and _BINARY.search(raw[:_LOOKED_AT]) else ""


def begins_like_html(raw: bytes) -> bool:
    """Whether content of unknown kind begins as HTML does.

    >>> begins_like_html(b"\\n<!DOCTYPE html><p>"), begins_like_html(b"plain")
    (True, False)
    """
    return _BEGINNING.match(raw) is not None
