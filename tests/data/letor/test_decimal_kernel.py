"""Numbers in LETOR text are rounded exactly as by Python's float and scikit-learn's reader."""

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from glassrank import DataError
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.letor_text import parse_text
from glassrank.data.letor.load_letor import load_letor

FORMATS = ["{!r}", "{:.17g}", "{:.16e}", "{:.3f}", "{:.25f}", "{:.40E}", "{:+.12g}"]

HARD = [
    "9007199254740992",  # 2⁵³ and its neighbours: the odd ones lie half way between two float64
    "9007199254740993",
    "9007199254740995",
    "9007199254740993.0000000000000000000000000000000000000001",
    "90071992547409930000e-4",
    "1e22",
    "1e23",
    "8.5e22",
    "123456789012345678e-2",
    "9999999999999999999",
    "99999999999999999999",
    "18446744073709551615",
    "18446744073709551616",
    "0.0010000000149011612",
    "0.000000000000000000000000000012345678901234567",
    "6.631236846766476e-316",  # subnormal
    "5e-324",
    "2.4703282292062327e-324",  # the last number that rounds to 0
    "2.4703282292062328e-324",
    "2.2250738585072011e-308",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "179769313486231570814527423731704356798070e267",
    "0e99999999999999999999",
    "-0",
    "-0.0",
    "-0e-5",
    "1e-99999999999999999999",
    "0." + "0" * 400 + "1e401",
    "1" + "0" * 400 + "e-400",
    "." + "3" * 800,
    "7" * 300,
    "00000000000000000000000000000000000000012.50",
    "5.",
    ".5e1",
    "1E+2",
]


def read(texts: list[str]) -> list[float]:
    """Read numbers as the features of one line, and the last one as a label too."""
    pairs = " ".join(f"{number}:{text}" for number, text in enumerate(texts, start=1))
    parsed = parse_text(f"{texts[-1]} qid:1 {pairs}\n".encode(), "numbers", LetorRules())
    assert bits([parsed.labels[0]]) == bits([parsed.values[-1]])
    return parsed.values.tolist()


def bits(numbers: list[float]) -> list[int]:
    return np.array(numbers, dtype=np.float64).view(np.int64).tolist()


@pytest.mark.parametrize("text", HARD)
def test_numbers_that_are_hard_to_round_are_read_as_by_float(text):
    assert bits(read([text, "-" + text.lstrip("-")])) == bits([float(text), float("-" + text.lstrip("-"))])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.sampled_from(FORMATS))
@settings(deadline=None, max_examples=300)
def test_any_number_in_any_format_is_read_as_by_float(numbers, form):
    texts = [form.format(number) for number in numbers]
    # Rounding to few digits may exceed the largest float64.
    texts = [text for text in texts if np.isfinite(float(text))] or ["0"]
    assert bits(read(texts)) == bits([float(text) for text in texts])


@given(st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@settings(deadline=None, max_examples=1000)
@example("999999999999999e308")
def test_any_number_like_text_is_read_as_by_float_or_rejected_as_too_large(text):
    if np.isfinite(float(text)):
        assert bits(read([text])) == bits([float(text)])
    else:
        with pytest.raises(DataError, match="must be finite"):
            read([text])


def test_numbers_close_to_half_way_between_two_float64_are_rounded_to_the_right_side():
    generator = random.Random(0)
    texts = []
    for _ in range(3000):
        exponent = generator.randint(-60, 60)
        # An odd 54-bit numerator lies half way; it is written in full, then changed in a late digit.
        middle = (generator.getrandbits(52) | 1 << 53 | 1) * 2**60
        digits = str(middle * 2**exponent if exponent >= 0 else middle * 5**-exponent)
        power = 0 if exponent >= 0 else exponent
        texts += [f"{digits}e{power}", f"{digits}1e{power - 1}", f"{digits[:17]}e{power + len(digits) - 17}"]
    assert bits(read(texts)) == bits([float(text) for text in texts])


def test_a_file_of_many_formats_is_read_bit_for_bit_as_by_scikit_learn(tmp_path):
    generator = random.Random(1)
    lines = []
    for row in range(400):
        values = [
            generator.choice(FORMATS).format(generator.gauss(0, 1) * 10.0 ** generator.randint(-300, 300))
            for _ in range(30)
        ]
        values[generator.randrange(30)] = generator.choice(["-0.0", "0", "1e-310", "5e-324"])
        pairs = " ".join(f"{k}:{value}" for k, value in enumerate(values, start=1))
        lines.append(f"{generator.choice(['0', '1.5', '-1e-5'])} qid:{row // 7} {pairs}")
    path = tmp_path / "mixed.txt"
    path.write_text("\n".join(lines) + "\n")
    X, y, qid = load_svmlight_file(path, query_id=True)
    data = load_letor(path)
    # The stored values: toarray() would turn -0.0 into 0.0.
    assert np.array_equal(data.X.ravel().view(np.int64), X.data.view(np.int64))
    assert np.array_equal(data.y.view(np.int64), y.view(np.int64))
    assert np.array_equal(data.qid, qid)
