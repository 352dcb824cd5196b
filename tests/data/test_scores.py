"""Score files contain one number per line, and faults are reported with their line."""

import gzip

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.scores import load_scores


def test_every_number_is_read_bit_for_bit(tmp_path):
    scores = np.random.default_rng(0).normal(scale=1e-3, size=500)
    (tmp_path / "scores.txt").write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    assert np.array_equal(load_scores(tmp_path / "scores.txt", 500), scores)


@pytest.mark.parametrize("content", [b"1\n-2.5\n3e4\n", b"1\r\n-2.5\r\n3e4\r\n", b" 1 \n-2.5\t\n3e4"])
def test_line_endings_and_blanks_around_a_number_do_not_matter(content, tmp_path):
    (tmp_path / "scores.txt").write_bytes(content)
    assert load_scores(tmp_path / "scores.txt").tolist() == [1.0, -2.5, 30000.0]


def test_compressed_files_are_decompressed(tmp_path):
    (tmp_path / "scores.gz").write_bytes(gzip.compress(b"0.5\n0.25\n"))
    assert load_scores(tmp_path / "scores.gz").tolist() == [0.5, 0.25]


@pytest.mark.parametrize("line", ["", "high", "1,5", "1 2", "nan", "inf", "1_000", "٣", "0x10"])
def test_lines_without_exactly_one_finite_number_are_rejected(line, tmp_path):
    path = tmp_path / "scores.txt"
    path.write_text(f"0.5\n{line}\n0.25\n")
    with pytest.raises(DataError) as caught:
        load_scores(path)
    assert str(caught.value) == f"{path}:2: expected one finite number, got {line!r}."


def test_a_long_line_is_shortened_in_the_message(tmp_path):
    (tmp_path / "scores.txt").write_text("x" * 1000)
    with pytest.raises(DataError, match=r"got 'x{39}…'\.$"):
        load_scores(tmp_path / "scores.txt")


@pytest.mark.parametrize(("content", "lines"), [("1\n", "1 line"), ("1\n2\n3\n", "3 lines"), ("", "0 lines")])
def test_a_wrong_number_of_scores_is_rejected(content, lines, tmp_path):
    (tmp_path / "scores.txt").write_text(content)
    with pytest.raises(DataError, match=f"expected one score per row of the data, 2 in total, got {lines}\\."):
        load_scores(tmp_path / "scores.txt", n_rows=2)
