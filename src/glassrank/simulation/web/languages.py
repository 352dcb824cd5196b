"""Languages of the simulated web: invented words, written in the letters of each language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from glassrank.core.checks import IntArray

ENGLISH = "en"
_FINAL_SIGMA = re.compile(r"σ\b")
# Public suffixes that sites of every language use; the others are replaced by the suffix of the country.
_SHARED_SUFFIXES = ("org", "net", "io")


@dataclass(frozen=True)
class Language:
    """How a language is written, and the public suffix of its country."""

    suffix: str
    letters: Mapping[str, str] = field(default_factory=dict)
    """Latin letter → letters of the language; other characters stay as they are."""
    signs: Mapping[str, str] = field(default_factory=dict)
    """Latin vowel → the sign that writes it after a consonant, for a script that has such signs."""
    virama: str = ""
    """Sign between two consonants, for a script in which a consonant includes a vowel."""


def _pairs(latin: str, written: str) -> dict[str, str]:
    return dict(zip(latin.split(), written.split(), strict=True))


# No two words are written alike, and each script differs in something that programs tend to get wrong: Cyrillic in the
# letters, French in the diacritics, Greek in the final sigma, Devanagari in signs that are no letters.
LANGUAGES = {
    "en": Language("com"),
    "ru": Language(
        "ru",
        _pairs(
            "a b c d e f g h i k l m n o p r s t u v w x y z j q",
            "а б ц д е ф г х и к л м н о п р с т у в щ кс ы з ж ч",
        ),
    ),
    "fr": Language("fr", _pairs("e o u c", "é ô û ç")),
    "el": Language(
        "gr",
        _pairs(
            "a b c d e f g h i k l m n o p r s t u v w x y z j q",
            "α μπ χ δ έ φ γ θ ι κ λ μ ν ο π ρ σ τ ού β ω ξ υ ζ η ψ",
        ),
    ),
    "hi": Language(
        "in",
        _pairs(
            "a b c d e f g h i k l m n o p r s t u v w x y z j q",
            "आ ब च द ए फ ग ह इ क ल म न ओ प र स त उ व ड ट य ज झ ख",
        ),
        _pairs("a e i o u", "ा े ि ो ु"),
        virama="्",
    ),
}
_NUMBER_OF = {code: number for number, code in enumerate(LANGUAGES)}


@lru_cache(maxsize=1 << 16)
def write_in(text: str, code: str) -> str:
    """Write a text of lower-case Latin letters in the letters of a language.

    >>> [write_in("drohind seas", code) for code in ("en", "ru", "fr", "el")]
    ['drohind seas', 'дрохинд сеас', 'drôhind séas', 'δροθινδ σέας']
    >>> write_in("drohind", "hi")
    'द्रोहिन्द'
    """
    language, written, after_consonant = LANGUAGES[code], [], False
    for character in text:
        letter = language.letters.get(character, character)
        if after_consonant and language.virama:
            sign = language.signs.get(character)
            letter = sign or (language.virama + letter if character in language.letters else letter)
        written.append(letter)
        after_consonant = character in language.letters and character not in "aeiou"
    return _FINAL_SIGMA.sub("ς", "".join(written))


def language_numbers(codes: list[str]) -> IntArray:
    """Return the number of each language.

    >>> language_numbers(["en", "fr"]).tolist()
    [0, 2]
    """
    return np.array([_NUMBER_OF[code] for code in codes], dtype=np.int64)


def national_suffix(suffix: str, code: str) -> str:
    """Return the public suffix of a site in this language, given that of an English one.

    >>> [national_suffix(suffix, "el") for suffix in ("com", "org", "co.uk")]
    ['gr', 'org', 'gr']
    """
    return suffix if code == ENGLISH or suffix in _SHARED_SUFFIXES else LANGUAGES[code].suffix


def host_label(label: str) -> str:
    """Return a label as hosts have it: Punycode (RFC 3492) if it has other letters than ASCII.

    >>> host_label("bücher"), host_label("zen-garden")
    ('xn--bcher-kva', 'zen-garden')
    """
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
