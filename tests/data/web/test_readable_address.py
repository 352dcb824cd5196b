"""Addresses in their own letters: the inverse of escapes and Punycode, and nothing else is changed."""

import pytest

from glassrank.data.web.addresses import normalise_url
from glassrank.data.web.readable_address import readable_address, readable_host

ADDRESSES = (
    "http://bücher.de/",
    "https://www.пример.рф/да/нет-1.html?q=ёж",
    "http://λόγος.gr/%20/क्षि",
    "ftp://a.org/é",
)


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_ascii_form_is_read_as_it_was_written(url):
    written = normalise_url(url)
    assert written.isascii()
    # IDNA 2003, the encoding of Python's standard library, writes a final sigma as an ordinary one.
    assert readable_address(written) == url.replace("ς.gr", "σ.gr")


@pytest.mark.parametrize("host", ["xn--e1afmkfd.xn--p1ai", "www.xn--bcher-kva.de", "plain.org"])
def test_hosts_equal_those_of_the_standard_library(host):
    assert readable_host(host) == host.encode("ascii").decode("idna")


@pytest.mark.parametrize(
    "url",
    [
        "http://a.org/a%20b%2Fc?d=%26",  # escaped ASCII characters mean something else than the characters
        "http://a.org/caf%E9",  # Latin-1
        "http://a.org/%D0",  # half a letter
        "http://a.org/%ED%A0%80",  # half a surrogate pair
        "http://xn--a-\udc80.org/",
        "http://xn--99999999999.org/",
        f"http://xn--{'a' * 100_000}.org/",
        "http://a.org/xn--bcher-kva",  # a path is no host
        "http://a.org/100%",
        "",
    ],
)
def test_everything_else_stays_as_it_is(url):
    assert readable_address(url) == url
