"""Turns texts into the terms of an index: words, pairs of Chinese, Japanese and Korean characters, stems."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.text.tokens import tokenise

# Algorithm of snowballstemmer → name of the stop words in bm25s, '' if it has none.
LANGUAGES = {
    "arabic": "",
    "danish": "DANISH",
    "dutch": "DUTCH",
    "english": "EN_PLUS",
    "finnish": "",
    "french": "FRENCH",
    "german": "GERMAN",
    "greek": "",
    "hindi": "",
    "hungarian": "",
    "italian": "ITALIAN",
    "norwegian": "NORWEGIAN",
    "polish": "",
    "portuguese": "PORTUGUESE",
    "romanian": "",
    "russian": "RUSSIAN",
    "spanish": "SPANISH",
    "swedish": "SWEDISH",
    "turkish": "TURKISH",
}
"""Languages whose words can be stemmed."""
# Han, Hiragana, Katakana and Hangul, which are written without blanks between words, or with long compounds.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_RUNS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_HAS_CJK = re.compile(f"[{_CJK}]")
_QUOTED = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')

Analyse = Callable[[str], list[str]]


def terms_of(text: str) -> list[str]:
    """Split a text into words; runs of Chinese, Japanese and Korean characters become overlapping pairs.

    >>> terms_of("Zen: 禅宗佛教")
    ['zen', '禅宗', '宗佛', '佛教']
    """
    words = tokenise(text)
    if not _HAS_CJK.search(text):
        return words
    return [term for word in words for run in _RUNS.findall(word) for term in _pairs(run)]


def _pairs(run: str) -> list[str]:
    if not _HAS_CJK.match(run) or len(run) < 2:
        return [run]
    return [run[place : place + 2] for place in range(len(run) - 1)]


@cache
def analysis_of(language: str | None) -> Analyse:
    """Return the function that splits texts of a language into terms, without stop words and as stems; None: words.

    >>> analysis_of("english")("the teachers of meditation")
    ['teacher', 'medit']
    """
    if language is None:
        return terms_of
    check_choice("language", language, LANGUAGES)
    stem, stop = _stemmer(language), stop_words(language)
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


@cache
def stop_words(language: str | None) -> frozenset[str]:
    """Return frequent words without a meaning of their own; none for a language without a list.

    >>> "the" in stop_words("english"), len(stop_words(None))
    (True, 0)
    """
    name = LANGUAGES.get(language or "", "")
    return frozenset(getattr(_extra("bm25s.stopwords"), f"STOPWORDS_{name}")) if name else frozenset()


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


def _stemmer(language: str) -> Callable[[str], str]:
    return _extra("snowballstemmer").stemmer(language).stemWord


def _extra(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise DataError(
            f"Stems and stop words need the library {module.partition('.')[0]}, which is not installed.",
            remedy="Install it: pip install glassrank[languages].",
        ) from error
