"""Reads LightGBM's ranking text: LibSVM lines, with the query sizes in a second file."""

import os
from collections.abc import Iterator

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice
from glassrank.data.letor.combine_parts import LAYOUTS, combine
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.letor_text import parse_text
from glassrank.data.letor.names_file import FeatureNames, read_names_file, rules_for
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import read_bytes
from glassrank.files.input_files import check_unpacked_size, input_lines, open_input


def load_lightgbm(
    path: str | os.PathLike[str],
    query_path: str | os.PathLike[str] | None = None,
    *,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    layout: str = "auto",
    missing: str = "keep",
    feature_names: FeatureNames | None = None,
) -> RankingData:
    """Read LightGBM's ``rank.train`` with the group sizes in ``rank.train.query``; queries are numbered from 1.

    If there is a ``rank.train.weight``, its numbers become the rows' weights. The other parameters are those of
    ``load_letor``.

    >>> from pathlib import Path
    >>> _ = Path("rank.train").write_text("1 1:0.5 2:3\\n0 1:0.25 2:1\\n0 1:0.5 2:2\\n")
    >>> _ = Path("rank.train.query").write_text("2\\n1\\n")
    >>> load_lightgbm("rank.train").qid.tolist()
    [1, 1, 2]
    """
    names = read_names_file(feature_names)
    rules = rules_for(names, LetorRules(n_features, zero_based, missing, has_qid=False))
    check_choice("layout", layout, LAYOUTS)
    text = parse_text(read_bytes(path), os.fspath(path), rules)
    # LightGBM's naming scheme; a compressed copy of the data has the same companion files.
    stem = os.fspath(path).removesuffix(".gz").removesuffix(".xz")
    sizes = _group_sizes(os.fspath(query_path or f"{stem}.query"), os.fspath(path), text.n_rows)
    weight_path = f"{stem}.weight"
    weights = _weights(weight_path, os.fspath(path), text.n_rows) if os.path.exists(weight_path) else None
    qid = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    return combine([text], rules, layout, qid=qid, weights=weights, feature_names=names)


def _group_sizes(path: str, data_path: str, n_rows: int) -> IntArray:
    sizes = []
    for number, line in _filled_lines(path):
        if not line.isdigit() or len(line) > 18 or int(line) == 0:
            raise DataError(
                f"{path}:{number}:1: a line must contain the number of rows of a query, a positive whole number: "
                f"got {_shown(line)}."
            )
        sizes.append(int(line))
    if sum(sizes) != n_rows:
        raise DataError(
            f"{path}: the group sizes must add up to the rows of {data_path}: expected {n_rows:,}, got {sum(sizes):,}.",
            remedy="Check that the two files belong together.",
        )
    return np.array(sizes, dtype=np.int64)


def _weights(path: str, data_path: str, n_rows: int) -> FloatArray:
    weights = []
    for number, line in _filled_lines(path):
        try:
            weight = float(line)
        except ValueError:
            weight = np.nan
        if not 0 <= weight < np.inf:
            raise DataError(
                f"{path}:{number}:1: a line must contain the weight of a row, a non-negative number: "
                f"got {_shown(line)}."
            )
        weights.append(weight)
    if len(weights) != n_rows:
        raise DataError(
            f"{path}: there must be a weight for each row of {data_path}: expected {n_rows:,}, got {len(weights):,}.",
            remedy="Check that the two files belong together.",
        )
    return np.array(weights, dtype=np.float64)


def _filled_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers from 1."""
    check_unpacked_size(path)
    with open_input(path) as stream:
        for number, line in enumerate(input_lines(stream, path), start=1):
            if line.strip():
                yield number, line.strip()


def _shown(line: bytes) -> str:
    return repr(line[:40].decode("utf-8", "backslashreplace"))
