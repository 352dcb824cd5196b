"""Words of Chinese and Japanese, which are written without spaces, by the dictionary of ICU."""

from collections.abc import Callable

from glassrank.text.language_libraries import language_library, library_version

EXTRA = "cjk"
LOCALES = {"chinese": "zh", "japanese": "ja"}
"""Languages that are segmented → their locale in ICU."""


def segmenter(language: str) -> Callable[[str], list[str]]:
    """Return the function that splits a run of characters into words.

    ICU, the library of the Unicode consortium, chooses the most probable words of its dictionary. Search engines use it
    for the same purpose: Lucene's ``ICUTokenizer``, ``icu_tokenizer`` of OpenSearch and Elasticsearch.

    >>> segmenter("japanese")("東京都の寺院")
    ['東京', '都', 'の', '寺院']
    """
    breaker, locale = language_library("icu4py.breakers", EXTRA).WordBreaker, LOCALES[language]
    return lambda run: list(breaker(run, locale))


def segmenter_version() -> str:
    """Return the versions of the binding and of ICU, whose dictionary decides what a word is."""
    return f"{library_version('icu4py')}, ICU {language_library('icu4py', EXTRA).icu_version}"
