"""TREC runs and qrels, and the two joined."""

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, as_vector, check_length, read_only
from glassrank.core.frames import make_frame
from glassrank.core.groups import group_rows
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted, listed, shortened
from glassrank.files.atomic_files import write_atomically
from glassrank.files.escaped_names import escape, mark, restored
from glassrank.files.input_files import input_lines, open_input

RUN_FIELDS = ("query", "Q0", "document", "rank", "score", "tag")
QRELS_FIELDS = ("query", "iteration", "document", "label")

MAX_EXACT = 2**53
_SHOWN = 40


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Documents retrieved for queries, each with its score; a document appears once per query.

    >>> Run(qid=["301", "301"], doc_ids=["d1", "d2"], scores=[2.5, 1.0], tag="bm25")
    Run('bm25': 2 documents, 1 query)
    """

    qid: Any
    doc_ids: Any
    scores: Any
    tag: str = "glassrank"

    def __post_init__(self) -> None:
        _set_names(self)
        object.__setattr__(
            self, "scores", read_only(as_vector("scores", self.scores, len(self.qid), per="entry of qid"))
        )

    def __repr__(self) -> str:
        return f"Run({self.tag!r}: {_counted(self.qid)})"

    def __len__(self) -> int:
        return len(self.qid)

    def ranked(self, query: str) -> list[str]:
        """Return the documents of one query, best first; ties keep the order of the run.

        >>> Run(qid=["301", "301"], doc_ids=["d1", "d2"], scores=[1.0, 2.5]).ranked("301")
        ['d2', 'd1']
        """
        rows = np.flatnonzero(self.qid == query)
        if not len(rows):
            raise DataError(f"The run has no query {query!r}: its first is {str(self.qid[0])!r}.")
        return self.doc_ids[rows[np.argsort(-self.scores[rows], kind="stable")]].tolist()

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns qid, doc_id and score."""
        return make_frame({"qid": self.qid, "doc_id": self.doc_ids, "score": self.scores}, backend)


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgements of documents for queries, as whole numbers; negative ones (spam) are allowed.

    >>> Qrels(qid=["301", "301"], doc_ids=["d1", "d3"], labels=[2, 0])
    Qrels(2 documents, 1 query)
    """

    qid: Any
    doc_ids: Any
    labels: Any

    def __post_init__(self) -> None:
        _set_names(self)
        labels = as_vector("labels", self.labels, len(self.qid), per="entry of qid")
        whole = (labels == np.round(labels)) & (np.abs(labels) <= 2**53)
        if not whole.all():
            row = int(np.argmin(whole))
            raise DataError(
                f"labels must be whole numbers, as in TREC files: got {labels[row]:g} at position {row}.",
                parameter="labels",
            )
        object.__setattr__(self, "labels", read_only(labels.astype(np.int64)))

    def __repr__(self) -> str:
        return f"Qrels({_counted(self.qid)})"

    def __len__(self) -> int:
        return len(self.qid)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns qid, doc_id and label."""
        return make_frame({"qid": self.qid, "doc_id": self.doc_ids, "label": self.labels}, backend)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRun:
    """A run joined with judgements, ready for evaluation.

    ``y`` is NaN for an unjudged document, and ``scores`` is NaN for a judged document that was not retrieved.
    """

    qid: Any
    doc_ids: Any
    y: Any
    scores: Any
    unjudged_queries: tuple[str, ...]
    """Queries of the run without judgements: left out, as in trec_eval."""
    unretrieved_queries: tuple[str, ...]
    """Judged queries for which the run has no document: they count as 0."""

    def __repr__(self) -> str:
        judged, retrieved = ~np.isnan(self.y), ~np.isnan(self.scores)
        parts = [
            f"{int((judged & retrieved).sum()):,} judged and retrieved",
            f"{int((~judged).sum()):,} not judged",
            f"{int((~retrieved).sum()):,} not retrieved",
            f"{counted(len(self.unjudged_queries), 'query', 'queries')} left out",
        ]
        return f"JudgedRun({_counted(self.qid)}: {', '.join(parts)})"

    def __len__(self) -> int:
        return len(self.qid)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns qid, doc_id, label and score."""
        columns = {"qid": self.qid, "doc_id": self.doc_ids, "label": self.y, "score": self.scores}
        return make_frame(columns, backend)


def load_run(path: str | os.PathLike[str]) -> Run:
    """Load a run with six columns separated by white space: query, Q0, document, rank, score, tag.

    Documents are ordered by score only, as in trec_eval; the rank must be a whole number but is not used. Names that
    ``save_run`` has percent-encoded are restored; all others are read as they are.

    >>> from pathlib import Path
    >>> _ = Path("bm25.run").write_text("301 Q0 d1 1 2.5 bm25\\n301 Q0 d2 2 1.0 bm25\\n")
    >>> load_run("bm25.run")
    Run('bm25': 2 documents, 1 query)
    """
    lines, (qid, _, doc_ids, ranks, scores, tags) = _read_fields(path, RUN_FIELDS)
    for line, tag in zip(lines, tags, strict=True):
        if tag != tags[0]:
            raise DataError(
                f"{path}:{line}: the tag is {tag!r}, but {tags[0]!r} on line {lines[0]}: expected one run per file.",
                remedy="Split the file, or give all lines the same tag.",
            )
    _parse(path, lines, "rank", ranks, _whole_number)
    return Run(qid, doc_ids, _parse(path, lines, "score", scores, _finite_number), tags[0])


def load_qrels(path: str | os.PathLike[str]) -> Qrels:
    """Load judgements with four columns separated by white space: query, iteration (not used), document, label.

    Names that ``save_qrels`` has percent-encoded are restored; all others are read as they are.

    >>> from pathlib import Path
    >>> _ = Path("qrels.txt").write_text("301 0 d1 2\\n301 0 d3 0\\n")
    >>> load_qrels("qrels.txt").labels.tolist()
    [2, 0]
    """
    lines, (qid, _, doc_ids, labels) = _read_fields(path, QRELS_FIELDS)
    return Qrels(qid, doc_ids, _parse(path, lines, "label", labels, _whole_number))


def save_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Save a run with each query's documents by descending score, ties by descending name, as in trec_eval.

    Names with white space or control characters are percent-encoded, and marked in the second column for ``load_run``.

    >>> from pathlib import Path
    >>> save_run(Run(qid=[7, 7], doc_ids=["a", "b"], scores=[0.5, 2], tag="bm25"), "bm25.run")
    >>> print(Path("bm25.run").read_text(), end="")
    7 Q0 b 1 2.0 bm25
    7 Q0 a 2 0.5 bm25
    """
    write_atomically(path, format_run(run).encode())


def format_run(run: Run) -> str:
    """Return the lines that ``save_run`` writes."""
    _check_written("tag", [run.tag])
    _check_names(run)
    groups = group_rows(run.qid, len(run))
    lines = []
    for query, name in enumerate(groups.ids):
        rows = groups.rows(query)
        documents = run.doc_ids[rows].tolist()
        written = zip(run.scores[rows].tolist(), map(escape, documents), documents, strict=True)
        lines += [
            f"{escape(str(name))} {mark('Q0', query=str(name), document=doc, tag=run.tag)} {text} {rank} {score!r} "
            f"{escape(run.tag)}\n"
            for rank, (score, text, doc) in enumerate(sorted(written, reverse=True), start=1)
        ]
    return "".join(lines)


def save_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    """Save judgements in their order.

    Names with white space or control characters are percent-encoded, and marked in the second column for
    ``load_qrels``.

    >>> from pathlib import Path
    >>> save_qrels(Qrels(qid=[7, 7], doc_ids=["a", "b"], labels=[0, 2]), "qrels.txt")
    >>> print(Path("qrels.txt").read_text(), end="")
    7 0 a 0
    7 0 b 2
    """
    _check_names(qrels)
    lines = [
        f"{escape(qid)} {mark('0', query=qid, document=doc)} {escape(doc)} {label}\n"
        for (qid, doc), label in zip(_pairs(qrels), qrels.labels.tolist(), strict=True)
    ]
    write_atomically(path, "".join(lines).encode())


def judge_run(run: Run, qrels: Qrels) -> JudgedRun:
    """Join a run with judgements: all documents that were retrieved or judged for a query with judgements.

    >>> run = Run(qid=["301", "301", "999"], doc_ids=["d1", "d2", "d1"], scores=[2.5, 1.0, 3.0])
    >>> judged = judge_run(run, Qrels(qid=["301", "301"], doc_ids=["d1", "d3"], labels=[2, 0]))
    >>> judged.doc_ids.tolist(), judged.y.tolist(), judged.scores.tolist()
    (['d1', 'd2', 'd3'], [2.0, nan, 0.0], [2.5, 1.0, nan])
    >>> judged.unjudged_queries
    ('999',)
    """
    retrieved = dict(zip(_pairs(run), run.scores.tolist(), strict=True))
    labels = dict(zip(_pairs(qrels), qrels.labels.tolist(), strict=True))
    asked, judged = dict.fromkeys(run.qid.tolist()), dict.fromkeys(qrels.qid.tolist())
    if asked.keys().isdisjoint(judged):
        raise DataError(
            f"The run and the judgements share no query: the run has {listed(map(repr, asked), 3)}, the judgements "
            f"{listed(map(repr, judged), 3)}."
        )
    pairs = [pair for pair in retrieved if pair[0] in judged] + [pair for pair in labels if pair not in retrieved]
    return JudgedRun(
        qid=read_only(np.array([qid for qid, _ in pairs], dtype=np.str_)),
        doc_ids=read_only(np.array([doc for _, doc in pairs], dtype=np.str_)),
        y=read_only(np.array([labels.get(pair, np.nan) for pair in pairs], dtype=np.float64)),
        scores=read_only(np.array([retrieved.get(pair, np.nan) for pair in pairs], dtype=np.float64)),
        unjudged_queries=tuple(qid for qid in asked if qid not in judged),
        unretrieved_queries=tuple(qid for qid in judged if qid not in asked),
    )


def _read_fields(path: str | os.PathLike[str], fields: Sequence[str]) -> tuple[list[int], list[list[str]]]:
    """Return the line numbers of the lines that are not blank, and the columns; stop at the first invalid line."""
    lines: list[int] = []
    columns: list[list[str]] = [[] for _ in fields]
    first: dict[tuple[str, str], int] = {}
    known: dict[str, str] = {}
    with open_input(path) as stream:
        for number, line in enumerate(input_lines(stream, path), start=1):
            if not line:
                continue
            # Bytes, because only ASCII white space separates: a name may contain a no-break space.
            row = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).split()
            if not row:
                continue
            if b"\0" in line or len(row) != len(fields):
                raise _wrong_line(f"{path}:{number}", line, row, fields)
            # Repeated names are stored once.
            decoded = restored(fields, _decoded(f"{path}:{number}", row), f"{path}:{number}")
            names = [known.setdefault(name, name) for name in decoded]
            query, document = names[0], names[2]
            if first.setdefault((query, document), number) != number:
                raise _repeated((query, document), f"{path}:{number}", f"{path}:{first[query, document]}")
            lines.append(number)
            for column, name in zip(columns, names, strict=True):
                column.append(name)
    if not lines:
        raise DataError(f"{path}: the file is empty: expected lines of {len(fields)} columns ({', '.join(fields)}).")
    return lines, columns


def _wrong_line(place: str, line: bytes, row: Sequence[bytes], fields: Sequence[str]) -> DataError:
    if b"\0" in line:
        return _no_text(place, b"\0")
    return DataError(f"{place}: expected {len(fields)} columns ({', '.join(fields)}), got {len(row)}.")


def _decoded(place: str, row: Sequence[bytes]) -> list[str]:
    try:
        return [name.decode() for name in row]
    except UnicodeDecodeError as error:
        raise _no_text(place, error.object[error.start : error.start + 1]) from error


def _no_text(place: str, byte: bytes) -> DataError:
    return DataError(f"{place}: expected UTF-8 text, got the byte 0x{byte[0]:02x}.", remedy="Save it as UTF-8.")


def _parse(
    path: str | os.PathLike[str], lines: Sequence[int], name: str, column: Sequence[str], parse: Callable[[str], float]
) -> list[float]:
    values = []
    for line, text in zip(lines, column, strict=True):
        try:
            values.append(parse(text))
        except ValueError as error:
            kind = "whole number up to 2⁵³" if parse is _whole_number else "finite number"
            raise DataError(f"{path}:{line}: the {name} must be a {kind}: got {shortened(text, _SHOWN)!r}.") from error
    return values


def _whole_number(text: str) -> int:
    value = int(_plain(text))
    # Labels and ranks become floats, which are exact up to this number.
    if abs(value) > MAX_EXACT:
        raise ValueError(text)
    return value


def _finite_number(text: str) -> float:
    value = float(_plain(text))
    if not np.isfinite(value):
        raise ValueError(text)
    return value


def _plain(text: str) -> str:
    """Reject numbers that Python accepts and other tools do not: 1_000, or non-ASCII digits."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text


def _set_names(table: Run | Qrels) -> None:
    """Convert the names to text, so that query 301 of a run matches query '301' of the judgements."""
    qid = as_identifiers("qid", table.qid).astype(np.str_)
    doc_ids = as_identifiers("doc_ids", table.doc_ids).astype(np.str_)
    check_length("doc_ids", doc_ids, len(qid), per="entry of qid")
    _check_repeats(qid.tolist(), doc_ids.tolist())
    object.__setattr__(table, "qid", read_only(qid))
    object.__setattr__(table, "doc_ids", read_only(doc_ids))


def _check_repeats(qid: Sequence[str], doc_ids: Sequence[str]) -> None:
    first: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(zip(qid, doc_ids, strict=True)):
        if first.setdefault(pair, row) != row:
            raise _repeated(pair, f"position {row}", f"position {first[pair]}")


def _repeated(pair: tuple[str, str], place: str, first_place: str) -> DataError:
    return DataError(
        f"{place}: document {pair[1]!r} appears in query {pair[0]!r} already, at {first_place}.",
        remedy="Keep one of them.",
    )


def _check_names(table: Run | Qrels) -> None:
    for name, values in (("qid", table.qid), ("doc_ids", table.doc_ids)):
        _check_written(name, dict.fromkeys(values.tolist()))


def _check_written(name: str, values: Iterable[str]) -> None:
    """Raise an error for a name that is empty, or that is written like another one."""
    written: dict[str, str] = {}
    for value in values:
        if not value:
            raise DataError(f"{name} must not be empty in a TREC file: got ''.", parameter=name, got="")
        other = written.setdefault(escape(value), value)
        if other != value:
            raise DataError(
                f"{name} must differ in a TREC file: {other!r} and {value!r} are both written as {escape(value)!r}.",
                parameter=name,
                got=value,
                remedy="Rename one of them.",
            )


def _pairs(table: Run | Qrels) -> Iterator[tuple[str, str]]:
    return zip(table.qid.tolist(), table.doc_ids.tolist(), strict=True)


def _counted(qid: Any) -> str:
    return f"{counted(len(qid), 'document')}, {counted(len(np.unique(qid)), 'query', 'queries')}"
