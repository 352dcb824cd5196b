"""Decodes the bytes of a page to text, by the rules that browsers follow."""

import codecs
import re
from dataclasses import dataclass

_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_DECLARED = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_INSPECTED_BYTES = 4096

# Labels that on the web mean a larger character set than their name says (WHATWG Encoding Standard, section 4.2).
_LARGER_CHARSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
# Labels that Python does not know.
_OTHER_NAMES = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-gbk": "gb18030",
    "x-x-big5": "big5hkscs",
    "ks_c_5601-1989": "cp949",
    "windows-949": "cp949",
    "unicode-1-1-utf-8": "utf-8",
    "windows-874": "cp874",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso8859-8",
    "x-euc-jp": "euc_jp",
}
# Python codecs that no page is written in; some would even evaluate escapes.
_NOT_CHARSETS = {
    "utf-7",
    "idna",
    "punycode",
    "unicode-escape",
    "raw-unicode-escape",
    "undefined",
    "palmos",
    "mbcs",
    "oem",
}


@dataclass(frozen=True)
class DecodedPage:
    """Text of a page, the codec that decoded it, and the number of characters that replace invalid bytes."""

    text: str
    charset: str
    n_replaced: int = 0


def decode_page(raw: bytes, header_label: str | None = None) -> DecodedPage:
    """Decode a page by the first of: byte-order mark, HTTP header, meta element, UTF-8 if valid, windows-1252.

    >>> decode_page("<meta charset=latin1>caf\\xe9".encode("cp1252"))
    DecodedPage(text='<meta charset=latin1>café', charset='cp1252', n_replaced=0)
    >>> decode_page(b"caf\\xe9", header_label="utf-8")
    DecodedPage(text='caf\\ufffd', charset='utf-8', n_replaced=1)
    """
    for mark, charset in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _decode(raw[len(mark) :], charset)
    declared = find_codec(header_label or "") or _declared_in(raw)
    if declared is not None:
        return _decode(raw, declared)
    try:
        return DecodedPage(raw.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _decode(raw, "cp1252")


def find_codec(label: str) -> str | None:
    """Return the name of Python's codec for a charset label of the web; None for an unknown label.

    >>> find_codec("ISO-8859-1"), find_codec("gb2312"), find_codec("utf-7")
    ('cp1252', 'gb18030', None)
    """
    plain = label.strip().lower()
    if plain in _OTHER_NAMES:
        return _OTHER_NAMES[plain]
    try:
        codec = codecs.lookup(plain)
    # A label may contain any character: zero bytes raise ValueError, non-ASCII characters UnicodeError.
    except (LookupError, ValueError):
        return None
    if codec.name in _NOT_CHARSETS or not codec._is_text_encoding:
        return None
    return _LARGER_CHARSETS.get(codec.name, codec.name)


def _declared_in(raw: bytes) -> str | None:
    found = _DECLARED.search(_COMMENT.sub(b"", raw[:_INSPECTED_BYTES]))
    if found is None:
        return None
    charset = find_codec(found[1].decode("ascii", "replace"))
    # A page whose declaration is readable as ASCII is not in UTF-16 or UTF-32.
    return "utf-8" if charset and charset.startswith(("utf-16", "utf-32")) else charset


def _decode(raw: bytes, charset: str) -> DecodedPage:
    try:
        return DecodedPage(raw.decode(charset), charset)
    except UnicodeDecodeError:
        text = raw.decode(charset, "replace")
    # The page itself may contain the replacement character.
    own = raw.count("\ufffd".encode()) if charset == "utf-8" else 0
    return DecodedPage(text, charset, text.count("\ufffd") - own)
