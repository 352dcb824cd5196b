"""Languages and phrases of a query, and the names of pages and words in reasons."""

from dataclasses import replace

import pytest

from glassrank.core.checks import DataError
from glassrank.distillation.distill import distill
from glassrank.distillation.prepared_collection import PreparedCollection
from glassrank.text.analysis import analyser_version
from glassrank.text.text_index import build_text_index, load_text_index
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


def test_reasons_of_japanese_pages_are_words():
    pages = {
        f"http://{k}.jp/": (f"寺院{k}", f"{name}の寺院は美しい")
        for k, name in enumerate(("京都", "奈良", "日本", "中国"))
    }
    pages["http://4.jp/"] = ("都庁", "東京都の都庁")
    web = collection(pages, [(source, "http://0.jp/") for source in pages])
    found = distill(web, "京都の寺院", "bharat-henzinger", language="japanese")
    assert found.authorities[0].url == "http://0.jp/"
    assert {"京都", "寺院"} <= set(found.authorities[0].topicality.towards)
    assert 4 not in found.pages


def test_a_phrase_of_japanese_words_begins_and_ends_with_words():
    web = collection({"http://a.jp/": ("", "東京都の美術館"), "http://b.jp/": ("", "京都の美術館")}, [])
    found = distill(web, '"京都の美術館"', "bm25", language="japanese")
    assert [page.url for page in found.authorities] == ["http://b.jp/"]


def test_an_index_of_other_versions_of_the_libraries_is_built_again(tmp_path):
    file = tmp_path / "index-japanese.npz"
    replace(build_text_index(["x"] * 3, ["x"] * 3, language="japanese"), analyser="icu4py 0.1").save(file)
    stored = PreparedCollection(replace(collection(WEB, LINKS), folder=tmp_path), "japanese")
    # Page 0 has six words, page 1 a title and four.
    assert stored.index.search("zen", 5)[0].tolist() == [0, 1]
    assert load_text_index(file).analyser == analyser_version("japanese")


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
    with pytest.raises(DataError, match="language must be one of 'arabic', 'chinese'"):
        distill(collection(WEB, LINKS), "zen", language="klingon")
