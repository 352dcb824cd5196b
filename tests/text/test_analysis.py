"""Terms of an index: words, pairs of CJK characters, stems without stop words, and phrases."""

import pytest

from glassrank.text.analysis import LANGUAGES, analysis_of, terms_of
from glassrank.text.stop_words import stop_words
from glassrank.text.text_index import build_text_index, load_text_index


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("禅", ["禅"]),
        ("禅宗", ["禅宗"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("Zen禅宗zen", ["zen", "禅宗", "zen"]),
        ("한국어 검색", ["한국", "국어", "검색"]),
        ("人々", ["人々"]),
        ("ﾗｰﾒﾝ", ["ラー", "ーメ", "メン"]),
        ("the 2 words", ["the", "2", "words"]),
    ],
)
def test_runs_of_cjk_characters_become_pairs(text, terms):
    assert terms_of(text) == terms


def test_a_chinese_word_is_found_inside_a_sentence():
    index = build_text_index(["", ""], ["我们研究佛教禅宗的历史", "我们研究汽车"])
    assert index.search("禅宗", 10)[0].tolist() == [0]


# Porter2: the stems of the Snowball project's own vocabulary.
@pytest.mark.parametrize(
    ("language", "words", "stem"),
    [
        ("english", ["connect", "connected", "connecting", "connections"], "connect"),
        ("german", ["katze", "katzen"], "katz"),
        ("french", ["continuer", "continué", "continuait"], "continu"),
    ],
)
def test_words_of_one_stem_are_equal(language, words, stem):
    found = {term for word in words for term in analysis_of(language)(word)}
    assert found == {stem}


def test_stop_words_are_left_out():
    assert analysis_of("english")("the history of the temples") == ["histori", "templ"]
    assert {"und", "der"} <= stop_words("german")


def test_every_language_has_an_analysis():
    assert all(analysis_of(language)("2026") == ["2026"] for language in LANGUAGES)


# "And" in the languages of LANGUAGES, in their order.
AND = "و 和 og en and ja et und και और és e と og i e şi и y och ve"


@pytest.mark.parametrize(("language", "word"), list(zip(LANGUAGES, AND.split(), strict=True)))
def test_every_language_has_stop_words(language, word):
    assert word in stop_words(language)
    assert analysis_of(language)(f"{word} 2026") == ["2026"]


def test_an_index_keeps_its_language_and_shows_words(tmp_path):
    index = build_text_index(["Temples"], ["the temples of meditation"], language="english")
    index.save(tmp_path / "i.npz")
    again = load_text_index(tmp_path / "i.npz")
    assert (again.language, again.terms, again.shown) == ("english", ("templ", "medit"), ("temples", "meditation"))
    assert again.search("a temple", 1)[0].tolist() == [0]
