"""A document as a source yields it, and checks that its content is HTML."""

import re
from dataclasses import dataclass

HTML_SUFFIXES = frozenset(
    (".html", ".htm", ".xhtml", ".xht", ".shtml", ".phtml", ".php", ".asp", ".aspx", ".jsp", ".cgi")
)
# What browsers recognise as the beginning of HTML (WHATWG MIME Sniffing Standard, section 7.1).
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)"
    rb"(?:[\s>]|--)",
    re.IGNORECASE,
)
# A page may begin with words, a comment or a CGI script's output; then an element of every HTML page must follow soon.
_SKELETON = re.compile(rb"<(?:html|head|title|body)[\s>]", re.IGNORECASE)
_COMMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*<!--")
# Their content may quote HTML without being a page.
_QUOTING_SUFFIXES = frozenset(
    (".css", ".js", ".json", ".txt", ".csv", ".tex", ".c", ".h", ".java", ".pl", ".py", ".log")
)
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_INSPECTED_BYTES = 1445
# No real page is larger, but a compressed one can expand to any size.
MAX_PAGE_BYTES = 1 << 26
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Document:
    """The bytes of a page and its metadata from the source; with ``redirect``, an address that redirects to another."""

    address: str
    raw: bytes = b""
    charset: str | None = None
    language: str = ""
    modified: str = ""
    redirect: str | None = None


def fault_of_content(raw: bytes) -> str:
    """Return why content declared as HTML cannot be HTML; '' if it can.

    >>> fault_of_content(b""), fault_of_content(b"\\x89PNG\\r\\n\\x1a\\n\\x00"), fault_of_content(b"just text")
    ('empty file', 'not HTML (binary)', '')
    """
    if not raw.strip():
        return "empty file"
    if len(raw) > MAX_PAGE_BYTES:
        return "page larger than 64 MB"
    is_wide = raw.startswith(_WIDE_MARKS)
    return "not HTML (binary)" if not is_wide and _BINARY.search(raw[:_INSPECTED_BYTES]) else ""


def begins_like_html(raw: bytes) -> bool:
    """Return whether content of unknown type begins like HTML.

    >>> begins_like_html(b"\\n<!DOCTYPE html><p>"), begins_like_html(b"plain")
    (True, False)
    """
    return _BEGINNING.match(raw) is not None


def is_html(beginning: bytes, suffix: str) -> bool:
    """Return whether a file is HTML by its first bytes; the suffix decides only if they do not.

    >>> is_html(b"<HTML><HEAD>", ".edu"), is_html(b"Welcome <title>to</title>", ""), is_html(b"plain", ".html")
    (True, True, True)
    >>> is_html(b"<!-- p { color: red } -->", ".css"), is_html(b"\\x89PNG\\r\\n\\x1a\\n\\x00", ".png")
    (False, False)
    """
    if suffix in HTML_SUFFIXES:
        return True
    if _BINARY.search(beginning[:_INSPECTED_BYTES]) and not beginning.startswith(_WIDE_MARKS):
        return False
    if begins_like_html(beginning) and not _COMMENT.match(beginning):
        return True
    return suffix not in _QUOTING_SUFFIXES and _SKELETON.search(beginning[:_INSPECTED_BYTES]) is not None
