"""Chinese and Japanese words: where they begin and end, in sentences whose words no reader would split differently."""

import sys

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.text.analysis import analyser_version, analysis_of
from glassrank.text.segmentation import segmenter
from glassrank.text.text_index import build_text_index, load_text_index


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("japanese", "京都 の 寺院 は 美しい"),
        ("japanese", "禅宗 は 仏教 の 宗派"),
        ("japanese", "日本語 の 文章 を 単語 に 分ける"),
        ("japanese", "人々 は 時々 会う"),
        ("chinese", "我们 研究 佛教 禅宗 的 历史"),
        # 研究生 (graduate student) is also a word, but then 命 would be left over.
        ("chinese", "研究 生命 的 起源"),
        ("chinese", "上海 自来水 来自 海上"),
        # Traditional characters; 和尚 (monk) is also a word.
        ("chinese", "結婚 的 和 尚未 結婚 的"),
    ],
)
def test_sentences_are_split_into_words(language, words):
    assert segmenter(language)(words.replace(" ", "")) == words.split()


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("japanese", "京都の寺院は、美しいです。", ["京都", "寺院", "美しい"]),
        ("japanese", "ﾗｰﾒﾝとSushi", ["ラーメン", "sushi"]),
        ("japanese", "京都まで333メートル", ["京都", "333", "メートル"]),
        ("chinese", "Zen是佛教的禅宗", ["zen", "佛教", "禅宗"]),
        ("chinese", "禅", ["禅"]),
        # A Japanese page may quote Korean, which has no dictionary here.
        ("japanese", "韓国(한국어)", ["韓国", "한국", "국어"]),
        ("japanese", "", []),
        ("chinese", "的，了。", []),
        # A character without a word, half of a surrogate pair, an emoji, a selector of a form.
        ("chinese", "\U0002a6d6 \ud842 🍜 佛教\ufe00", ["\U0002a6d6", "佛教"]),
    ],
)
def test_terms_are_words_without_stop_words_and_other_scripts_stay(language, text, terms):
    assert analysis_of(language)(text) == terms


def test_a_word_is_not_found_across_the_borders_of_words():
    titles, texts = ["", ""], ["東京都の美術館", "京都の寺院"]
    pairs, words = (build_text_index(titles, texts, language=language) for language in (None, "japanese"))
    assert pairs.search("京都", 10)[0].tolist() == [1, 0]
    assert words.search("京都", 10)[0].tolist() == [1]


def test_bm25_counts_words():
    index = build_text_index(["", ""], ["寺院の寺院", "東京都の寺院"], language="japanese")
    # 寺院 twice among 2 words, and once among 3 (東京, 都, 寺院); k1 = 1.2, b = 0.75, mean length 2.5.
    idf = np.log(1 + 0.5 / 2.5)
    expected = [idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * n / 2.5)) for tf, n in ((2, 2), (1, 3))]
    np.testing.assert_allclose(index.scores("寺院"), expected, rtol=1e-12)


def test_an_index_shows_words_and_keeps_what_made_them(tmp_path):
    index = build_text_index(["京都"], ["寺院の歴史"], language="japanese")
    index.save(tmp_path / "i.npz")
    again = load_text_index(tmp_path / "i.npz")
    assert [again.word(column) for column in range(3)] == ["京都", "寺院", "歴史"]
    assert again.analyser == analyser_version("japanese")
    assert again.analyser.startswith("icu4py ")


def test_a_language_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    with pytest.raises(DataError, match=r"needs the library icu4py, .* Install it: pip install glassrank\[cjk\]\."):
        segmenter("chinese")
