"""Normalisation of text and splitting into words."""

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


def test_a_million_combining_marks_do_not_hang():
    marked = "a" + "\u0301\u0316" * 500_000 + " b"
    assert len(normalise(marked)) <= 40
    assert tokenise("cafe\u0301") == ["café"]
