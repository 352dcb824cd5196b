"""Writes LETOR text that load_letor reads back bit for bit."""

import os
import re
from collections.abc import Iterator

from scipy import sparse

from glassrank.core.checks import DataError, within
from glassrank.core.numbered_features import numbered_name, numbered_names
from glassrank.core.setting import setting
from glassrank.data.letor.feature_names import name_line
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.files.atomic_files import write_atomically

_LINE_BREAKERS = re.compile(r"[\r\n]")
_LIKE_DOCID = re.compile(r"docid[ \t]*=")


def save_letor(data: RankingData, path: str | os.PathLike[str]) -> None:
    """Write LETOR text that ``load_letor`` reads back unchanged, compressed if the name ends in .gz or .xz.

    Numbers are written with as few digits as possible. A dense matrix is written with its zeros, a CSR matrix with its
    stored values. Feature names other than ``feature <number>`` go into comment lines at the top. Data that the format
    cannot store (weights, categories, queries that are not whole numbers) raise an error.

    >>> from pathlib import Path
    >>> data = RankingData([[0.1, 3.0]], y=[1], qid=[7], doc_ids=["d7"], feature_names=["bm25", "age"])
    >>> save_letor(data, "one.txt")
    >>> print(Path("one.txt").read_text(), end="")
    # feature 1 = bm25
    # feature 2 = age
    1 qid:7 1:0.1 2:3 #docid = d7
    """
    check_ranking_data(data)
    with within(path):
        _check_storable(data)
    zero_based = data.feature_names == numbered_names(data.n_features, first=0)
    first = 0 if zero_based else 1
    write_atomically(path, b"".join([*_name_lines(data, first), *_rows(data, first)]))


_DROP_WEIGHTS = setting("drop_weights", python="save_letor(dataclasses.replace(data, weights=None), path)")
_NUMBER_QUERIES = setting(
    "number_queries", python="save_letor(dataclasses.replace(data, qid=data.groups.of_row), path)"
)


def _check_storable(data: RankingData) -> None:
    if data.n_rows == 0 or data.n_features == 0:
        raise DataError(f"LETOR text needs a row and a feature: got {data.n_rows} rows, {data.n_features} features.")
    if data.weights is not None:
        raise DataError(
            "LETOR text cannot store weights.",
            remedy=("Save a table", f"drop them: {_DROP_WEIGHTS}"),
        )
    k = next((k for k, kind in enumerate(data.kinds) if kind.is_category), None)
    if k is not None:
        raise DataError(
            f"LETOR text cannot store categories: feature {data.feature_names[k]!r} is one.",
            remedy=("Save a table", "leave it out with pick_features"),
        )
    if data.qid.dtype.kind != "i":
        raise DataError(
            f"LETOR text needs whole numbers as queries: got {str(data.qid[0])!r}.",
            remedy=("Save a table", f"number them: {_NUMBER_QUERIES}"),
        )


def _name_lines(data: RankingData, first: int) -> Iterator[bytes]:
    """Yield name lines for features with a name, and for a first or last feature that no row lists."""
    ends = {0, data.n_features - 1}
    if not sparse.issparse(data.X):
        ends = set()
    for column, name in enumerate(data.feature_names):
        number = first + column
        if name != numbered_name(number) or (column in ends and not (data.X.indices == column).any()):
            yield name_line(number, name)


def _rows(data: RankingData, first: int) -> Iterator[bytes]:
    data.check_judged("A LETOR file")
    heads = [f" {first + column}:" for column in range(data.n_features)]
    labels, queries = data.y.tolist(), data.qid.tolist()
    for row in range(data.n_rows):
        if sparse.issparse(data.X):
            pairs = slice(data.X.indptr[row], data.X.indptr[row + 1])
            columns, values = data.X.indices[pairs].tolist(), data.X.data[pairs].tolist()
            body = "".join([heads[column] + _shortest(value) for column, value in zip(columns, values, strict=True)])
        else:
            values = data.X[row].tolist()
            body = "".join([head + _shortest(value) for head, value in zip(heads, values, strict=True)])
        comment = b"" if data.doc_ids is None else _comment(str(data.doc_ids[row]))
        yield f"{_shortest(labels[row])} qid:{queries[row]}{body}".encode() + comment + b"\n"


def _shortest(value: float) -> str:
    """Return the shortest text that reads back as the same number."""
    return repr(value).removesuffix(".0")


def _comment(identifier: str) -> bytes:
    """Return the comment for an identifier: after ``docid =``, or as the whole comment if it contains blanks."""
    has_blanks = " " in identifier or "\t" in identifier
    if _LINE_BREAKERS.search(identifier) or (
        has_blanks and (identifier.strip(" \t") != identifier or _LIKE_DOCID.match(identifier))
    ):
        raise DataError(
            f"The document identifier {identifier!r} cannot be written: expected no line breaks, no leading or "
            "trailing blanks, not starting with 'docid ='.",
            remedy="Rename it.",
        )
    return (b" # " if has_blanks else b" #docid = ") + identifier.encode()
