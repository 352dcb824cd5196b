"""Text becomes words."""

import pytest

from glassrank.text.tokens import normalise, tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("…!?", []),
        ("Snake_case and dash-ed", ["snake", "case", "and", "dash", "ed"]),
        ("the monk's bowl", ["the", "monk's", "bowl"]),
        ("'quoted'", ["quoted"]),
        ("Ｆｕｌｌ ｗｉｄｔｈ", ["full", "width"]),
        ("naïve Ελλάδα 東京", ["naïve", "ελλάδα", "東京"]),
    ],
    ids=["empty", "punctuation", "joined", "apostrophe", "quotes", "full width", "scripts"],
)
def test_words_are_runs_of_letters_and_digits_in_lower_case(text, words):
    assert tokenise(text) == words


def test_composed_and_decomposed_letters_are_equal():
    assert normalise("café") == normalise("café")
