"""Turns texts into the terms of an index: words, stems, pairs of Chinese, Japanese and Korean characters."""

import re
from collections.abc import Callable
from functools import cache

from glassrank.core.checks import check_choice
from glassrank.text.language_libraries import language_library, library_version
from glassrank.text.segmentation import EXTRA, LOCALES, segmenter, segmenter_version
from glassrank.text.stop_words import stop_words, stop_words_version
from glassrank.text.tokens import tokenise

# Algorithms of snowballstemmer.
STEMMED = (
    *("arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hindi", "hungarian", "italian"),
    *("norwegian", "polish", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish"),
)
"""Languages whose words are compared by their stems."""
LANGUAGES = tuple(sorted((*STEMMED, *LOCALES)))
"""Languages with stop words, and with stems or a dictionary of words."""
# Han with its iteration marks, Hiragana, Katakana and Hangul: written without spaces, or with long compounds.
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_RUNS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_HAS_CJK = re.compile(f"[{_CJK}]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_QUOTED = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')

Analyse = Callable[[str], list[str]]


def terms_of(text: str) -> list[str]:
    """Split a text into words; runs of Chinese, Japanese and Korean characters become overlapping pairs.

    >>> terms_of("Zen: 禅宗佛教")
    ['zen', '禅宗', '宗佛', '佛教']
    """
    return _split(text, _pairs)


def _split(text: str, split_run: Analyse) -> list[str]:
    """Split a text into words, and their runs of Chinese, Japanese and Korean characters by a function."""
    words = tokenise(text)
    # Only normalised words: wide forms of narrow characters are found here.
    if text.isascii() or not any(map(_HAS_CJK.search, words)):
        return words
    runs = (run for word in words for run in _RUNS.findall(word))
    return [term for run in runs for term in (split_run(run) if _HAS_CJK.match(run) else (run,))]


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(max(1, len(run) - 1))]


@cache
def analysis_of(language: str | None) -> Analyse:
    """Return the function that splits texts of a language into terms: stems or dictionary words, without stop words.

    Without a language, the terms are those of :func:`terms_of`.

    >>> analysis_of("english")("the teachers of meditation")
    ['teacher', 'medit']
    >>> analysis_of("chinese")("佛教的历史")
    ['佛教', '历史']
    """
    if language is None:
        return terms_of
    check_choice("language", language, LANGUAGES)
    return _stems(language) if language in STEMMED else _dictionary_words(language)


def _stems(language: str) -> Analyse:
    stop, stem = stop_words(language), language_library("snowballstemmer", "languages").stemmer(language).stemWord
    stems: dict[str, str] = {}

    def analyse(text: str) -> list[str]:
        found = []
        for word in terms_of(text):
            if word in stop:
                continue
            known = stems.get(word)
            if known is None:
                known = stems[word] = stem(word)
            found.append(known)
        return found

    return analyse


def _dictionary_words(language: str) -> Analyse:
    words_of_run, stop = segmenter(language), stop_words(language, EXTRA)

    def split_run(run: str) -> list[str]:
        # The dictionary has no Korean words, whose endings differ from phrase to phrase: they stay pairs.
        return [term for word in words_of_run(run) for term in (_pairs(word) if _HANGUL.match(word) else (word,))]

    return lambda text: [word for word in _split(text, split_run) if word not in stop]


def analyser_version(language: str | None) -> str:
    """Return the libraries that make the terms of a language, with their versions; terms of others may differ.

    >>> analyser_version("english").split(",")[0].split()[0]
    'snowballstemmer'
    """
    if language is None:
        return ""
    library = library_version("snowballstemmer") if language in STEMMED else segmenter_version()
    return f"{library}, {stop_words_version(language)}"


def phrases_of(query: str) -> list[str]:
    """Return the quoted parts of a query.

    >>> phrases_of('"zen buddhism" in “old japan”')
    ['zen buddhism', 'old japan']
    """
    return _QUOTED.findall(query)


def contains_phrase(terms: list[str], phrase: list[str]) -> bool:
    """Return whether terms follow each other in a text.

    >>> contains_phrase(["old", "zen", "temple"], ["zen", "temple"])
    True
    """
    if not phrase:
        return True
    return any(terms[start : start + len(phrase)] == phrase for start, term in enumerate(terms) if term == phrase[0])
