"""Stop words: frequent words without a meaning of their own, by language."""

from functools import cache

from glassrank.text.language_libraries import language_library, library_version
from glassrank.text.tokens import normalise

# The lists of stopwords-iso are long. For these languages bm25s has shorter ones, which keep words such as "home".
_OF_BM25S = {
    "danish": "DANISH",
    "dutch": "DUTCH",
    "english": "EN_PLUS",
    "french": "FRENCH",
    "german": "GERMAN",
    "italian": "ITALIAN",
    "norwegian": "NORWEGIAN",
    "portuguese": "PORTUGUESE",
    "russian": "RUSSIAN",
    "spanish": "SPANISH",
    "swedish": "SWEDISH",
    "turkish": "TURKISH",
}
# ISO 639-1 codes of the languages whose words stopwords-iso lists.
_OF_ISO = {
    "arabic": "ar",
    "chinese": "zh",
    "finnish": "fi",
    "greek": "el",
    "hindi": "hi",
    "hungarian": "hu",
    "japanese": "ja",
    "polish": "pl",
    "romanian": "ro",
}


@cache
def stop_words(language: str, extra: str = "languages") -> frozenset[str]:
    """Return the stop words of a language, normalised as words of texts are; ``extra`` installs the library.

    >>> "the" in stop_words("english"), "です" in stop_words("japanese")
    (True, True)
    """
    if language in _OF_BM25S:
        words = getattr(language_library("bm25s.stopwords", extra), f"STOPWORDS_{_OF_BM25S[language]}")
    else:
        words = language_library("stopwordsiso", extra).stopwords(_OF_ISO[language])
    return frozenset(map(normalise, words))


def stop_words_version(language: str) -> str:
    """Return the library of a language's stop words and its version."""
    return library_version("bm25s" if language in _OF_BM25S else "stopwordsiso")
