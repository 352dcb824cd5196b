"""Reading LETOR text against scikit-learn's load_svmlight_file: one core, files in the page cache, simulated values."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from glassrank.data.letor.load_letor import load_letor
from harness import Claim, best_side_by_side, main, ratio_claim

N_FEATURES = 136  # as in MSLR-WEB30K
ROWS_PER_QUERY = 120


def claims() -> Iterator[Claim]:
    """Short numbers, as feature extractors print them, and float64 in full, as Python prints them."""
    with tempfile.TemporaryDirectory() as folder:
        yield compare(write_file(Path(folder) / "short.txt", 58_000, ".6g"), "up to 6 digits", at_least=10)
        yield compare(write_file(Path(folder) / "full.txt", 22_000, ".17g"), "17 digits", at_least=10)


def write_file(path: Path, n_rows: int, form: str) -> Path:
    """Write a full file like MSLR's: counts in every other column, skewed values in the others, many zeros."""
    generator = np.random.default_rng(0)
    with path.open("w") as file:
        for row in range(n_rows):
            values = generator.lognormal(1.0, 2.5, N_FEATURES)
            values[::2] = np.floor(values[::2])
            values[generator.random(N_FEATURES) < 0.2] = 0.0
            pairs = " ".join(f"{number}:{value:{form}}" for number, value in enumerate(values.tolist(), start=1))
            file.write(f"{row % 5} qid:{row // ROWS_PER_QUERY + 1} {pairs} \n")
    return path


def compare(path: Path, kind: str, at_least: float) -> Claim:
    """Time both readers and compare every bit of what they read."""
    data = load_letor(path)
    X, y, qid = load_svmlight_file(str(path), query_id=True)
    identical = (
        np.array_equal(data.X.ravel().view(np.int64), X.data.view(np.int64))
        and np.array_equal(data.y, y)
        and np.array_equal(data.qid, qid)
    )
    ours, theirs = best_side_by_side(3, lambda: load_letor(path), lambda: load_svmlight_file(str(path), query_id=True))
    return ratio_claim(
        f"LETOR text, {kind}, against scikit-learn's load_svmlight_file",
        at_least,
        ours.cpu,
        theirs.cpu,
        accuracy=f"bit-identical: {'yes' if identical else 'no'}",
        accurate=identical,
        detail=f"CPU time of one core, {path.stat().st_size / 1e6:.0f} MB, {data.n_rows:,} × {data.n_features}",
    )


if __name__ == "__main__":
    main(claims)
