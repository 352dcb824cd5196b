"""Score files: one number per line, or queries, documents and scores in a table or a TREC run."""

import math
import os
from collections import Counter

import numpy as np

from glassrank.core.checks import DataError, FloatArray, within
from glassrank.core.setting import setting
from glassrank.core.wording import counted, shortened
from glassrank.data.ranking_data import RankingData
from glassrank.data.tables import TABLE_FORMATS, load_table
from glassrank.data.trec import Run, load_run
from glassrank.files.input_files import input_lines, open_input

SCORE = "score"


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


def load_document_scores(path: str | os.PathLike[str], qid: str = "qid", document: str = "doc_id") -> Run:
    """Load the scores of documents for queries: from a table with the columns qid, doc_id and score, or a TREC run.

    Tables are CSV, TSV or Parquet files; ``qid`` and ``document`` are the names of their columns, and other columns are
    ignored. Any other file is read as a TREC run. Every score must be a finite number.

    >>> from pathlib import Path
    >>> _ = Path("prod.csv").write_text("qid,doc_id,score\\nq1,a,0.5\\nq1,b,2\\n")
    >>> load_document_scores("prod.csv").ranked("q1")
    ['b', 'a']
    """
    name = os.fspath(path).lower()
    for packing in (".gz", ".xz"):
        name = name.removesuffix(packing)
    if not name.endswith(tuple(f".{known}" for known in TABLE_FORMATS)):
        return load_run(path)
    found = load_table(path, qid=qid, document=document, label=None, weight=None, features=[SCORE], missing="refuse")
    if found.kinds[0].is_category:
        raise DataError(f"{path}: column {SCORE!r} must contain numbers: got {found.kinds[0].levels[0]!r}.")
    with within(path):
        return Run(found.qid, found.doc_ids, found.X[:, 0])


def match_scores(run: Run, data: RankingData, others: tuple[RankingData, ...] = ()) -> FloatArray:
    """Return the score of each row of the data, found by query and document.

    Every row must have a score. A score for a document that is neither in the data nor in ``others`` is an error, too.

    >>> data = RankingData([[1.0], [2.0]], y=[0, 1], qid=["q1", "q1"], doc_ids=["a", "b"])
    >>> match_scores(Run(["q1", "q1"], ["b", "a"], [2.0, 0.5]), data).tolist()
    [0.5, 2.0]
    """
    keys = _keys(data)
    repeated = next((key for key, times in Counter(keys).items() if times > 1), None)
    if repeated is not None:
        raise DataError(
            f"Document {repeated[1]!r} appears in query {repeated[0]!r} of the data more than once: scores cannot be "
            "matched.",
            remedy="Keep one of them.",
        )
    scores = dict(zip(zip(run.qid.tolist(), run.doc_ids.tolist(), strict=True), run.scores.tolist(), strict=True))
    known = set(keys).union(*(_keys(other) for other in others))
    _refuse([key for key in scores if key not in known], len(scores), "of the scores", "in the data")
    _refuse([key for key in keys if key not in scores], len(keys), "of the data", "among the scores")
    return np.array([scores[key] for key in keys])


def _refuse(unmatched: list[tuple[str, str]], n_rows: int, where: str, missing_from: str) -> None:
    if unmatched:
        query, document = unmatched[0]
        raise DataError(
            f"{len(unmatched):,} of {counted(n_rows, 'row')} {where} are not {missing_from}, the first: query "
            f"{query!r}, document {document!r}.",
            remedy="Give both files the same queries and documents.",
        )


def _keys(data: RankingData) -> list[tuple[str, str]]:
    if data.doc_ids is None:
        raise DataError(
            "Scores are matched by query and document, but the data have no document ids.",
            remedy=f"Give their column: {setting('document_column', python='document=...')}.",
        )
    return list(zip(data.qid.astype(np.str_).tolist(), data.doc_ids.tolist(), strict=True))


def _score(place: str, line: bytes) -> float:
    """Return the number on a line; anything else is an error, including infinity and Python's 1_000."""
    try:
        number = float(line)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or b"_" in line:
        got = line.rstrip(b"\r\n").decode("utf-8", "replace")
        raise DataError(f"{place}: expected one finite number, got {shortened(got, 40)!r}.")
    return number
