"""Links are resolved to normalised addresses."""

from itertools import product
from urllib.parse import unquote_to_bytes, urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.data.collection import Pages
from glassrank.data.hosts import LINKED_BEGINNINGS, comparable_address, domain_of, normalise_url
from glassrank.data.web.addresses import (
    FileAddresses,
    WebAddresses,
    join_address,
    readable_name,
    unquote_path,
)


# RFC 3986, section 5.4, where the address keeps its host; fragments are removed here.
@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"),
        (";x", "http://a/b/c/;x"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
    ],
)
def test_relative_links_are_resolved_as_in_rfc_3986(href, target):
    assert join_address("http://a/b/c/d;p?q", href) == target


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("https://example.org:80/a", "https://example.org:80/a"),
        ("http://example.org/%7Ea%2fb%c3%a9", "http://example.org/~a%2Fb%C3%A9"),
        ("http://example.org/é b?q=ü", "http://example.org/%C3%A9%20b?q=%C3%BC"),
        ("http://example.org/100%", "http://example.org/100%"),
        ("http://münchen.de/", "http://xn--mnchen-3ya.de/"),
        ("http://example.org./", "http://example.org/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://example.org/a/b/c/./../../g", "http://example.org/a/g"),
        ("http://example.org/../g/%2E%2E", "http://example.org/"),
        ("http://example.org/a/..b/.c/d..?x/../y", "http://example.org/a/..b/.c/d..?x/../y"),
    ],
)
def test_equivalent_addresses_are_written_the_same_way(url, normal):
    assert normalise_url(url) == normal
    assert normalise_url(normal) == normal
    assert comparable_address(url) == comparable_address(normal) == normal


@pytest.mark.parametrize(
    "name", ["wp/a/../b.htm", "B076YX2LML", "", "http://", "http://[::1/", "http://a.org:99999/", "c:x"]
)
def test_names_that_are_no_addresses_are_equal_only_to_themselves(name):
    assert comparable_address(name) == name


@pytest.mark.parametrize(
    "href",
    ["mailto:a@b.org", "javascript:void(0)", " JavaScript:x", "tel:1", "data:text/html,x", "http://", "http://[::1/"],
)
def test_links_that_cannot_be_pages_are_ignored(href):
    assert join_address("http://a.org/x", href) is None


def test_spaces_and_backslashes_are_read_as_in_browsers():
    assert join_address("http://a.org/x/y", " ..\\z\n.html ") == "http://a.org/z.html"


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("../c/Caf%C3%A9.htm#top", "wp/c/Café.htm"),
        ("Bongo_%2528antelope%2529.htm", "wp/b/Bongo_%28antelope%29.htm"),
        ("Bongo_%28antelope%29.htm", "wp/b/Bongo_(antelope).htm"),
        ("caf%E9.htm", "wp/b/caf%E9.htm"),
        ("/top.htm", "top.htm"),
        ("../../../../top.htm", "top.htm"),
        ("x.htm?a=1", "wp/b/x.htm?a=1"),
        ("http://en.wikipedia.org/wiki/Zen", "http://en.wikipedia.org/wiki/Zen"),
        ("mailto:x@y.org", None),
    ],
)
def test_links_between_files_are_unquoted_once(href, target):
    assert FileAddresses().resolve("wp/b/Buddhism.htm", href) == target


def test_files_with_a_base_address_have_web_addresses():
    addresses = FileAddresses("http://a.org/site")
    assert addresses.of_file("b/é 1%.htm") == "http://a.org/site/b/%C3%A9%201%25.htm"
    assert addresses.resolve("http://a.org/site/b/x.htm", "y.htm") == "http://a.org/site/b/y.htm"
    assert "b/é.htm" in addresses.names("http://a.org/site/b/%C3%A9.htm")


@pytest.mark.parametrize("base_url", ["a.org", "/x", "mailto:a@b.org", "http://", "http://[::1/"])
def test_an_invalid_base_address_is_rejected(base_url):
    with pytest.raises(DataError, match="base_url must be an absolute address"):
        FileAddresses(base_url)


def test_a_folder_falls_back_to_its_index_and_a_file_ignores_the_query():
    assert FileAddresses().alternatives("a/") == ("a/", "a/index.html", "a/index.htm")
    assert FileAddresses().alternatives("x.htm?a=1")[0] == "x.htm"
    assert FileAddresses().alternatives("http://a.org/?a") == ()
    assert WebAddresses().alternatives("http://a.org/?a") == ()


# From the tests of the Public Suffix List (publicsuffix.org, test_psl.txt).
@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("b.example.com", "example.com"),
        ("a.b.example.uk.com", "example.uk.com"),
        ("www.test.k12.ak.us", "test.k12.ak.us"),
        ("a.b.c.kobe.jp", "b.c.kobe.jp"),
        ("www.city.kobe.jp", "city.kobe.jp"),
        ("com", "com"),
        ("localhost", "localhost"),
        ("192.168.0.1", "192.168.0.1"),
    ],
)
def test_the_domain_is_the_registrable_part_of_the_host(host, domain):
    assert domain_of(f"http://{host}/x") == domain


def test_pages_have_domains():
    pages = Pages(url=["http://www.bbc.co.uk/a", "x/y.htm"], title=["", ""], text=["", ""])
    assert pages.domains.tolist() == ["bbc.co.uk", ""]


@given(st.text(), st.text())
def test_any_text_gives_a_normalised_address_or_none(base, href):
    found = join_address("http://a.org/" + base, href)
    assert found is None or (found.startswith(LINKED_BEGINNINGS) and found == normalise_url(found))


@given(st.text())
def test_any_link_of_a_file_and_any_path_give_text_without_broken_characters(href):
    resolved = FileAddresses().resolve("a/b.htm", href) or ""
    assert [char for char in resolved + unquote_path(href) if char == "\0" or "\ud800" <= char <= "\udfff"] == []


@given(st.binary().filter(lambda raw: b"%" not in raw))
def test_any_file_name_can_be_written_without_losing_a_byte(raw):
    name = readable_name(raw.decode("utf-8", "surrogateescape"))
    assert unquote_to_bytes(name.encode()) == raw


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1))
def test_a_quoted_path_resolves_to_the_file(name):
    from urllib.parse import quote

    if name not in (".", ".."):
        assert FileAddresses().resolve("a.htm", "/" + quote(name, safe="")) == name


def test_every_link_of_every_page_is_joined_as_by_urllib():
    """What is remembered for one page must not be used for a page of another folder, query or scheme."""
    hosts = ("http://a.org", "https://a.org", "http://b.org:8080")
    paths = ("/", "/x", "/x/", "/x/y.html", "/x/y/z;p", "/x/y.html?q=/z/1")
    links = (
        "c",
        "./c?d",
        "../c",
        "/c",
        "//c/d",
        "?q=2",
        "#e",
        ";r",
        "c;r",
        "http://a.org/c",
        "https://d",
        "",
    )
    pages = [f"{host}{path}" for host, path in product(hosts, paths)]
    found = {(page, link): join_address(page, link) for link, page in product(links, pages)}
    assert found == {(page, link): normalise_url(urljoin(page, link)) for page, link in found}
