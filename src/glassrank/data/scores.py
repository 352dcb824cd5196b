"""Score files: one number per line, as written by prediction tools."""

import math
import os

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.files.input_files import input_lines, open_input


def load_scores(path: str | os.PathLike[str], n_rows: int | None = None) -> FloatArray:
    """Load one finite number per line, optionally compressed with gzip or xz; ``n_rows`` is the expected number.

    >>> from pathlib import Path
    >>> _ = Path("scores.txt").write_text("0.5\\n-1.25e-3\\n")
    >>> load_scores("scores.txt").tolist()
    [0.5, -0.00125]
    >>> load_scores("scores.txt", n_rows=3)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: scores.txt: expected one score per row of the data, 3 in total, got 2 lines.
    """
    with open_input(path) as stream:
        numbers = (_score(f"{path}:{number}", line) for number, line in enumerate(input_lines(stream, path), start=1))
        scores = np.fromiter(numbers, dtype=np.float64)
    if n_rows is not None and len(scores) != n_rows:
        raise DataError(
            f"{path}: expected one score per row of the data, {n_rows:,} in total, got {len(scores):,} "
            f"{'line' if len(scores) == 1 else 'lines'}."
        )
    return scores


def _score(place: str, line: bytes) -> float:
    """Return the number on a line; anything else is an error, including infinity and Python's 1_000."""
    try:
        number = float(line)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or b"_" in line:
        got = line.rstrip(b"\r\n").decode("utf-8", "replace")
        raise DataError(f"{place}: expected one finite number, got {_shortened(got)!r}.")
    return number


def _shortened(text: str, longest: int = 40) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
