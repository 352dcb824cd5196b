"""LETOR and LightGBM text, compared with a slow reader (refusals and values) and scikit-learn's (values)."""

import io
import math
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from glassrank.core.checks import DataError
from glassrank.data.letor.lightgbm_text import load_lightgbm
from glassrank.data.letor.load_letor import load_letor
from glassrank.data.ranking_data import RankingData
from tests.fuzz.cases import Case, odd_files, text_bombs
from tests.fuzz.reader import DifferenceError, Reader, same
from tests.reference.letor import RefusedError, Rules, Table, parse

_PLACE = re.compile(r".*?:(\d+):(\d+): ", re.DOTALL)
_PACKED = (b"\x1f\x8b", b"\xfd7zXZ\x00")
# The slow reader implements the rules of the format, but not the limits on its size.
_LARGEST_COMPARED, _LONGEST_LINE = 50_000, 900
_MOST_VALUES = 100_000
_TOKENS = (
    *(bytes([byte]) for byte in b"0123456789:.-+eE# \t\r\n\0=_,qidnax"),
    *(b"qid:", b"qid:1", b"1:", b"0:1", b"2147483648:1", b"#docid = ", b"# feature 2 = x\n", b"1" * 25),
    *(b"qid:9223372036854775807 ", b"qid:-9223372036854775808 ", b"qid:9223372036854775808 "),
)
_NUMBERS = ("-0", ".5", "1.", "nan", "1e22", "1e23", "4.9e-324", "2.2250738585072011e-308", "1E+2")
_COMMENTS = ("", "", " #docid = d7", "# docid=GX0 inc = 1", " # two words", " #", " #docid =", " # docid x")
_LETOR, _LIGHTGBM, _SIZES = "train.txt", "rank.train", "rank.train.query"


def _corpus() -> list[Case]:
    """Return valid texts, and texts that once took too much time or memory."""
    line = b"1 qid:1 1:0.5 2:3 #docid = d7\n"
    long_id = b"1 qid:1 1:0.5 #docid = " + b"x" * 50_000 + b"\n"
    return [
        Case("two lines", {_LETOR: line + b"0 qid:2 1:.25 #docid = d9\n"}),
        Case("long id among many", {_LETOR: long_id + line * 100_000}),
        Case("id with NUL", {_LETOR: b"1 qid:1 1:0.5 #docid = a\0\n"}),
        Case("many features", {_LETOR: b"1 qid:1 " + b" ".join(b"%d:1" % n for n in range(1, 100_001)) + b"\n"}),
        Case("feature number without end", {_LETOR: b"1 qid:1 2147483647:1\n0 qid:1 1:1\n"}),
        *text_bombs(_LETOR, line, line),
        *odd_files(_LETOR),
    ]


def _lightgbm_corpus() -> list[Case]:
    text, sizes = {_LIGHTGBM: b"1 1:0.5 2:3\n0 1:0.25\n0 1:1\n"}, {_SIZES: b"2\n1\n"}
    return [
        Case("two queries", text | sizes),
        Case("two queries with weights", {**text, **sizes, f"{_LIGHTGBM}.weight": b"1\n0.5\n2\n"}),
        Case("query of many rows", {**text, _SIZES: b"999999999999999999\n"}),
        *odd_files(_LIGHTGBM, beside=sizes),
        *odd_files(_SIZES, beside=text),
        next(text_bombs(_SIZES, b"1\n", b"1\n", beside=text)),
    ]


def _read_letor(folder: Path, options: Mapping[str, Any]) -> None:
    rules = Rules(
        options.get("n_features"), options.get("zero_based", "auto"), options.get("missing", "keep") == "keep"
    )
    _compare(folder / _LETOR, rules, lambda: load_letor(folder / _LETOR, **options))


def _read_lightgbm(folder: Path, options: Mapping[str, Any]) -> None:
    rules = Rules(
        options.get("n_features"), options.get("zero_based", "auto"), options.get("missing", "keep") == "keep", False
    )
    _compare(folder / _LIGHTGBM, rules, lambda: load_lightgbm(folder / _LIGHTGBM, **options))


def _compare(path: Path, rules: Rules, load: Any) -> None:
    """Compare the result, or the position of the error, with the slow reader.

    The slow reader does not read LightGBM's companion files, so refusals are only compared for LETOR.
    """
    try:
        data, refusal = load(), None
    except DataError as error:
        data, refusal = None, error
    expected = _slowly(path, rules)
    if expected is not None and data is not None:
        if isinstance(expected, RefusedError):
            raise DifferenceError(f"accepted a text with an error at line and column {expected.place}")
        if not rules.has_qid:
            sizes = path.with_name(_SIZES).read_text().split()
            expected.qids = [query for query, size in enumerate(sizes, start=1) for _ in range(int(size))]
        _same_as_slow_reader(data, expected)
        _same_as_scikit_learn(path.read_bytes(), data, expected, rules.has_qid)
    elif expected is not None and rules.has_qid:
        if not isinstance(expected, RefusedError):
            raise DifferenceError(f"refused a valid text: {refusal}")
        found = _PLACE.match(str(refusal))
        same("position of the error", (int(found[1]), int(found[2])) if found else None, expected.place)
    if refusal is not None:
        raise refusal


def _slowly(path: Path, rules: Rules) -> Table | RefusedError | None:
    """Return the result of the slow reader; None if the file is too large for it, packed or missing."""
    if not path.is_file() or path.stat().st_size > _LARGEST_COMPARED:
        return None
    content = path.read_bytes()
    if content.startswith(_PACKED) or max(map(len, content.split(b"\n"))) > _LONGEST_LINE:
        return None
    try:
        return parse(content, rules)
    except RefusedError as refusal:
        return refusal


def _same_as_slow_reader(data: RankingData, table: Table) -> None:
    """Labels, queries, identifiers, names and every value agree bit for bit."""
    same("queries", data.qid.tolist(), table.qids)
    same("names", list(data.feature_names), table.names)
    same("identifiers", None if data.doc_ids is None else data.doc_ids.tolist(), table.doc_ids)
    same("labels", _bits(data.y.tolist()), _bits(table.labels))
    for row, expected in enumerate(table.rows):
        same(f"row {row}", _row(data.X, row, table.first), _expected_row(expected, table, sparse.issparse(data.X)))


def _row(X: Any, row: int, first: int) -> list[tuple[int, str]]:
    """Return the feature numbers and values of a row; for a sparse matrix, the stored ones."""
    if not sparse.issparse(X):
        return list(enumerate(_bits(X[row].tolist()), start=first))
    stored = slice(X.indptr[row], X.indptr[row + 1])
    return list(zip((X.indices[stored] + first).tolist(), _bits(X.data[stored].tolist()), strict=True))


def _expected_row(row: dict[int, float], table: Table, only_stored: bool) -> list[tuple[int, str]]:
    numbers = list(row) if only_stored else range(table.first, table.last + 1)
    return list(zip(numbers, _bits([row.get(number, 0.0) for number in numbers]), strict=True))


def _same_as_scikit_learn(content: bytes, data: RankingData, table: Table, has_qid: bool) -> None:
    """If scikit-learn's reader also accepts the text, both read the same values.

    It rejects byte-order marks and loses the sign of zero in sparse matrices, so these are not compared.
    """
    n_features = data.X.shape[1]
    try:
        read = load_svmlight_file(
            io.BytesIO(content), n_features=n_features, zero_based=table.first == 0, query_id=has_qid
        )
    except ValueError:
        return
    same("shape by scikit-learn", data.X.shape, read[0].shape)
    same("labels by scikit-learn", data.y.tolist(), read[1].tolist())
    if has_qid:
        same("queries by scikit-learn", data.qid.tolist(), read[2].tolist())
    if data.X.size <= _MOST_VALUES and n_features <= _MOST_VALUES:
        ours, theirs = (X.toarray() if sparse.issparse(X) else X for X in (data.X, read[0]))
        if not np.array_equal(ours, theirs, equal_nan=True):
            raise DifferenceError(f"values by scikit-learn: read {ours.tolist()}, expected {theirs.tolist()}")


def _bits(values: list[float]) -> list[str]:
    """Return numbers as text, in which −0 differs from 0 and all NaNs are equal."""
    return [repr(value) if not math.isnan(value) else "nan" for value in values]


def _make_letor(generator: random.Random) -> Case:
    return Case("text", {_LETOR: _text(generator, with_qid=True)}, _options(generator))


def _make_lightgbm(generator: random.Random) -> Case:
    text = _text(generator, with_qid=False)
    n_rows = sum(1 for line in text.split(b"\n") if line.strip() and not line.strip().startswith(b"#"))
    first = generator.randint(1, n_rows)
    sizes = b"\n".join(b"%d" % size for size in (first, n_rows - first) if size)
    return Case("text", {_LIGHTGBM: text, _SIZES: sizes + b"\n"}, _options(generator))


def _options(generator: random.Random) -> dict[str, Any]:
    return {
        "n_features": generator.choice([None, None, 2, 5, 40]),
        "zero_based": generator.choice(["auto", "auto", True, False]),
        "missing": generator.choice(["keep", "refuse"]),
        "layout": generator.choice(["auto", "csr"]),
    }


def _text(generator: random.Random, *, with_qid: bool) -> bytes:
    """Make a small text that follows the rules."""
    first = generator.choice([0, 1, 1, 1])
    end = generator.choice(["\n", "\n", "\r\n"])
    gap = generator.choice([" ", " ", "\t", "  "])
    n_features = generator.randint(1, 4)
    lines = [f"# feature {first + generator.randrange(n_features)} = bm 25"] if generator.random() < 0.3 else []
    for _ in range(generator.randint(1, 4)):
        pairs = [f"{first + k}:{_number(generator)}" for k in range(n_features) if generator.random() < 0.9]
        query = [f"qid:{generator.randint(-1, 12)}"] if with_qid else []
        fields = [generator.choice(["0", "1", "2", "0.5", "-1", "+1"]), *query, *pairs]
        lines.append(gap.join(fields) + generator.choice(_COMMENTS))
        if generator.random() < 0.1:
            lines.append(generator.choice(["", "  ", "# remark"]))
    return (end.join(lines) + generator.choice([end, end, ""])).encode()


def _number(generator: random.Random) -> str:
    kind = generator.randrange(6)
    if kind == 0:
        return str(generator.randint(-3, 30))
    if kind == 1:
        return repr(generator.gauss(0, 1) * 10 ** generator.uniform(-320, 300))
    if kind == 2:
        return f"{generator.gauss(0, 1):.{generator.randint(0, 25)}{generator.choice('feg')}}"
    if kind == 3:
        return "".join(generator.choices("0123456789", k=generator.randint(1, 24))) + generator.choice(["", "."])
    if kind == 4:
        return generator.choice(_NUMBERS)
    return f"{generator.random():.4g}"


LETOR = Reader("LETOR", _corpus, _read_letor, share=25, short=150, make=_make_letor, tokens=_TOKENS)
LIGHTGBM = Reader("LightGBM text", _lightgbm_corpus, _read_lightgbm, share=8, make=_make_lightgbm, tokens=_TOKENS)
