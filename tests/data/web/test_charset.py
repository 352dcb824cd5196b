"""Pages are decoded as in browsers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.data.web.charset import decode_page, find_codec


@pytest.mark.parametrize(
    ("raw", "header", "text"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "latin1", "café"),
        ("\ufeffcafé".encode("utf-16-le"), "latin1", "café"),
        ("\ufeffcafé".encode("utf-16-be"), None, "café"),
        ("é<meta charset=utf-8>".encode("koi8-r", "replace"), "koi8-r", "?<meta charset=utf-8>"),
        (b"<meta charset='iso-8859-1'>\x80", None, "<meta charset='iso-8859-1'>€"),
        (b"<meta http-equiv=x content='text/html; charset=Shift_JIS'>\x82\xa0", None, None),
        (b"<!-- <meta charset=koi8-r> -->\xc3\xa9", None, "<!-- <meta charset=koi8-r> -->é"),
        (b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é"),
        (b"<meta charset=nonsense>\xc3\xa9", "more-nonsense", "<meta charset=nonsense>é"),
        (b"caf\xc3\xa9", None, "café"),
        (b"caf\xe9 \x93x\x94", None, "café “x”"),
        (b"", None, ""),
    ],
)
def test_the_charset_is_taken_from_mark_then_header_then_meta_then_utf8_then_windows_1252(raw, header, text):
    decoded = decode_page(raw, header)
    if text is None:
        assert decoded.text.endswith("あ")
    else:
        assert decoded.text == text
    assert decoded.n_replaced == 0


# Label in the WHATWG Encoding Standard -> the Python codec that contains its characters.
@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("US-ASCII", "cp1252"),
        (" latin1 ", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("TIS-620", "cp874"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("euc-kr", "cp949"),
        ("ks_c_5601-1987", "cp949"),
        ("x-sjis", "cp932"),
        ("Shift_JIS", "cp932"),
        ("big5", "big5hkscs"),
        ("UTF8", "utf-8"),
        ("windows-1251", "cp1251"),
        ("koi8-u", "koi8-u"),
    ],
)
def test_a_charset_label_selects_the_codec_that_browsers_use(label, codec):
    assert find_codec(label) == codec


@pytest.mark.parametrize("label", ["", "rot13", "base64", "utf-7", "unicode_escape", "idna", "hex", "a\0b", "é" * 300])
def test_an_unknown_charset_label_is_ignored(label):
    assert find_codec(label) is None


def test_invalid_bytes_are_replaced_and_counted():
    decoded = decode_page(b"a\xff\xfeb \xef\xbf\xbd", "utf-8")
    assert (decoded.text, decoded.n_replaced) == ("a\ufffd\ufffdb \ufffd", 2)
    assert decode_page(b"caf\xe9 \x81").n_replaced == 1


@given(
    st.binary(), st.one_of(st.none(), st.text(max_size=12), st.sampled_from(["utf-8", "big5", "utf-16", "iso-2022-jp"]))
)
def test_any_bytes_become_text(raw, label):
    decoded = decode_page(raw, label)
    assert decoded.n_replaced >= 0
    decoded.text.encode("utf-8", "surrogatepass").decode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf8_round_trips(text):
    assert decode_page(text.encode(), "utf-8").text == text.removeprefix("\ufeff")
