"""Strings compared in bulk equal strings compared one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.navigational.features.common_substring import common_substring_lengths
from glassrank.navigational.features.edit_likeness import likeness
from glassrank.navigational.features.page.body_positions import BodyPositions
from glassrank.navigational.features.vocabulary import Vocabulary
from glassrank.navigational.normal_text import MAX_LENGTH, normal_query, normal_text
from tests.reference.navigational import page, text

FEW_LETTERS = st.text(alphabet="ab é\ud800😀", max_size=12)
FEW_WORDS = st.lists(st.sampled_from(["a", "b", "zen"]), max_size=12).map(" ".join)


@settings(deadline=None)
@given(st.lists(FEW_LETTERS, min_size=1, max_size=3), st.lists(FEW_LETTERS, min_size=1, max_size=4))
def test_common_substrings_and_similarity_equal_the_twin(ones, others):
    one_of = np.repeat(np.arange(len(ones)), len(others))
    other_of = np.tile(np.arange(len(others)), len(ones))
    lengths = common_substring_lengths(ones, others, one_of, other_of)
    likes = likeness(ones, others, one_of, other_of)
    for i, j, length, like in zip(one_of, other_of, lengths, likes, strict=True):
        assert length == text.lcs(ones[i], others[j])
        expected = text.likeness(ones[i], others[j])
        assert np.isnan(like) if expected is None else like == pytest.approx(expected, rel=1e-15)


@settings(deadline=None)
@given(st.lists(FEW_WORDS, min_size=1, max_size=3), st.lists(FEW_WORDS, min_size=1, max_size=3))
def test_positions_of_words_equal_the_twin(queries, bodies):
    vocabulary = Vocabulary()
    asked, texts = vocabulary.read(queries), vocabulary.read(bodies)
    query_of = np.repeat(np.arange(len(queries)), len(bodies))
    text_of = np.tile(np.arange(len(bodies)), len(queries))
    found = BodyPositions.of(asked, texts, query_of, text_of)
    for pair, (i, j) in enumerate(zip(query_of, text_of, strict=True)):
        if text.tokens(queries[i]):
            q, body = queries[i], {"text": bodies[j]}
            assert (1 / (1 + found.first[pair]) if found.first[pair] >= 0 else 0) == page.first_hit(q, body, None)
            n_terms, span = len(text.terms(q)), found.span[pair]
            assert (n_terms / span if span else 0) == page.span(q, body, None)
            assert np.log(1 + found.phrases[pair]) == pytest.approx(page.phrases(q, body, None), rel=1e-15)


@given(st.text())
def test_normalised_text_equals_the_twin(written):
    assert normal_text(written) == text.normal(written)


def test_long_queries_are_cut_off():
    assert normal_query("Zen  Garden") == "zen garden"
    assert normal_query("x" * 10**6) == "x" * MAX_LENGTH
    # One character becomes 18 when normalised.
    assert len(normal_query("ﷺ" * 10**6)) <= MAX_LENGTH
    # A cut within white space leaves none at the end.
    assert normal_query("ﷺ " * 10**4) == normal_query("ﷺ " * 10**4).strip()


def test_a_text_is_cut_off_for_its_edit_distance():
    assert likeness(["a" * MAX_LENGTH], ["a" * 10**6], [0], [0]).tolist() == [1.0]
