"""Languages and phrases of a query, and the names of pages and words in reasons."""

import pytest

from glassrank.core.checks import DataError
from glassrank.distillation.distill import distill
from tests.distillation.small_web import collection

WEB = {
    "http://a.org/": ("", "zen temples and gardens of kyoto"),
    "http://b.org/": ("B", "a temple, not zen"),
    "http://c.org/": ("C", "gardening in temples"),
}
LINKS = [("http://a.org/", "http://b.org/"), ("http://c.org/", "http://b.org/"), ("http://b.org/", "http://a.org/")]


def test_a_distillation_in_a_language_compares_stems():
    web = collection(WEB, LINKS)
    assert len(distill(web, "temple", "bm25").pages) == 1
    assert len(distill(web, "temple", "bm25", language="english").pages) == 3


def test_quoted_words_are_a_phrase():
    web = collection(WEB, LINKS)
    found = distill(web, '"zen temples"', "bm25")
    assert [page.url for page in found.authorities] == ["http://a.org/"]
    found = distill(web, '"zen temple"', "bm25", language="english")
    assert [page.url for page in found.authorities] == ["http://a.org/"]


def test_a_page_without_a_title_is_named_by_its_address():
    found = distill(collection(WEB, LINKS), "zen temples", "in-degree")
    votes = next(page.votes for page in found.authorities if page.title == "B")
    assert [vote.title for vote in votes] == ["http://a.org/", "C"]
    assert [line.split()[2:4] for line in str(found).splitlines() if "(no title)" in line] == [["(no", "title)"]]


def test_words_of_most_pages_are_no_reasons():
    pages = {f"http://{k}.org/": (f"P{k}", f"the zen of word{k}" if k < 10 else "the tea") for k in range(25)}
    links = [(f"http://{k}.org/", f"http://{(k * 7 + 1) % 10}.org/") for k in range(10)]
    found = distill(collection(pages, links), "zen", "bharat-henzinger", threshold="max/10")
    reasons = {word for page in found.authorities for word in (*page.topicality.towards, *page.topicality.away)}
    assert "zen" in reasons
    assert "the" not in reasons


def test_an_unknown_language_is_an_error():
    with pytest.raises(DataError, match="language must be one of 'arabic', 'danish'"):
        distill(collection(WEB, LINKS), "zen", language="klingon")
