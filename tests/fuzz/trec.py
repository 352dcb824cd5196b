"""TREC runs and judgements, compared with the readers of ir-measures."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ir_measures

from glassrank.data.trec import load_qrels, load_run
from tests.fuzz.cases import Case, odd_files, text_bombs
from tests.fuzz.reader import Reader, same

_RUN, _QRELS = "bm25.run", "qrels.txt"
_TOKENS = (b" ", b"\t", b"Q0", b"301 Q0 d1 1 2.5 bm25\n", b"301 0 d1 2\n", b"0", b"-1", b"1.5", b"\xc2\xa0", b"\x0b")
_LARGEST_COMPARED = 50_000


def _run_corpus() -> list[Case]:
    line = b"301 Q0 %s 1 2.5 bm25\n"
    many = b"".join(b"301 Q0 d%d 1 2.5 bm25\n" % number for number in range(100_000))
    return [
        Case("run", {_RUN: line % b"d1" + line % b"d2"}),
        Case("long id among many", {_RUN: line % (b"x" * 50_000) + many}),
        Case("19-digit query", {_RUN: b"9223372036854775808 Q0 9223372036854775807 1 1 t\n"}),
        *text_bombs(_RUN, line % b"d1", b"301 Q0 d1 1 2.5 bm25\n"),
        *odd_files(_RUN),
    ]


def _qrels_corpus() -> list[Case]:
    return [
        Case("judgements", {_QRELS: b"301 0 d1 2\n301 0 d3 -2\n302 0 d1 0\n"}),
        *odd_files(_QRELS),
    ]


def _read_run(folder: Path, options: Mapping[str, Any]) -> None:
    run = load_run(folder / _RUN)
    if _is_comparable(folder / _RUN):
        theirs = ir_measures.read_trec_run(str(folder / _RUN))
        ours = zip(run.qid.tolist(), run.doc_ids.tolist(), run.scores.tolist(), strict=True)
        same("run", list(ours), [(row.query_id, row.doc_id, row.score) for row in theirs])


def _read_qrels(folder: Path, options: Mapping[str, Any]) -> None:
    qrels = load_qrels(folder / _QRELS)
    if _is_comparable(folder / _QRELS):
        theirs = ir_measures.read_trec_qrels(str(folder / _QRELS))
        ours = zip(qrels.qid.tolist(), qrels.doc_ids.tolist(), qrels.labels.tolist(), strict=True)
        same("judgements", list(ours), [(row.query_id, row.doc_id, row.relevance) for row in theirs])


def _is_comparable(path: Path) -> bool:
    """Return whether to compare: ir-measures also splits at Unicode white space and at carriage returns."""
    if path.stat().st_size > _LARGEST_COMPARED:
        return False
    content = path.read_bytes()
    return content.isascii() and not any(sign in content for sign in b"\r\x0b\x0c\x1c\x1d\x1e\x1f")


def _make_run(generator: random.Random) -> Case:
    lines = [
        f"{generator.randint(1, 3)} Q0 d{number} {number} {generator.gauss(0, 10 ** generator.randint(-5, 200))!r} tag"
        for number in range(generator.randint(1, 6))
    ]
    return Case("run", {_RUN: "\n".join(lines).encode() + b"\n"})


RUN = Reader("TREC run", _run_corpus, _read_run, share=8, make=_make_run, tokens=_TOKENS)
QRELS = Reader("TREC qrels", _qrels_corpus, _read_qrels, share=5, tokens=_TOKENS)
