"""Loads judgement lists in the formats of search teams; the format is recognised by the content."""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from glassrank.core.checks import DataError, check_choice, within
from glassrank.core.setting import setting
from glassrank.data.delimited import check_delimiter
from glassrank.data.judgements.judgement_json import is_rre, is_workbench, read_rre, read_workbench
from glassrank.data.judgements.judgement_texts import (
    NAMED,
    decoded,
    is_quepid_header,
    read_qrels,
    read_quepid_csv,
    read_quepid_ltr,
    read_table_of_grades,
)
from glassrank.data.judgements.judgements import JudgedRow, Judgements, collect_judgements
from glassrank.data.judgements.url_judgements import REFUSE, RULES
from glassrank.data.tables import TABLE_FORMATS
from glassrank.files.input_files import open_input
from glassrank.files.json_files import read_json

_JSON: dict[str, tuple[Callable[[Any], bool], Callable[..., Iterator[JudgedRow]]]] = {
    "rre": (is_rre, read_rre),
    "workbench": (is_workbench, read_workbench),
}
JUDGEMENT_FORMATS = ("quepid", "quepid-ltr", "trec", *_JSON, *TABLE_FORMATS)
_FORMAT = setting("judgement_format", python="format")
_FORMAT_CSV = setting("judgement_format", "csv", python="format='csv'")
_LTR_LINE = re.compile(r"\S+\s+qid:")
_QRELS_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+[+-]?\d+")


def load_judgements(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    query: str = "auto",
    document: str = "auto",
    grade: str = "auto",
    queries: str | os.PathLike[str] | None = None,
    conflict: str = REFUSE,
) -> Judgements:
    """Load a judgement list: the grades of documents for queries, from 0 up, also fractions.

    The format is recognised by the content, unless you give it:

    - ``"quepid"``: Quepid's CSV with the columns query, docid (once doc_id) and rating;
    - ``"quepid-ltr"``: Quepid's lines ``3 qid:7 # doc text``;
    - ``"trec"``: TREC qrels. Their queries are identifiers; ``queries`` is a file with their texts, a CSV or TSV table
      with the columns qid and query, or lines of an identifier and a text;
    - ``"rre"``: a ratings file of Rated Ranking Evaluator (JSON);
    - ``"workbench"``: a response of OpenSearch's Search Relevance Workbench with one judgement list (JSON);
    - ``"csv"``, ``"tsv"``, ``"parquet"``: a table with a query, a document and a grade per row. ``query``, ``document``
      and ``grade`` name its columns; by default query, one of doc_id, docid, doc and document, and one of grade,
      rating and label.

    Documents without a grade, and queries without any, are counted. Two equal grades of a document for a query are
    merged and counted. Different ones are an error, or ``conflict`` chooses: ``"median"`` (the lower one of two),
    ``"highest"`` or ``"lowest"``. Negative grades are an error.

    >>> from pathlib import Path
    >>> _ = Path("ratings.csv").write_text("query,docid,rating\\nblue jeans,d1,3\\nblue jeans,d2,0\\nred dress\\n")
    >>> judgements = load_judgements("ratings.csv")
    >>> print(judgements)
    2 documents, 1 query
    1 query has no grade, such as 'red dress'.
    >>> judgements.grades.tolist()
    [3.0, 0.0]
    """
    check_choice("conflict", conflict, RULES)
    if format is not None:
        check_choice("format", format, JUDGEMENT_FORMATS)
    chosen = format or _recognise(path)
    columns = {"query": query, "document": document, "grade": grade}
    _refuse_unused(chosen, columns, queries)
    with within(path):
        return collect_judgements(_rows(path, chosen, columns, queries), conflict)


def _rows(
    path: str | os.PathLike[str], chosen: str, columns: dict[str, str], queries: str | os.PathLike[str] | None
) -> Iterator[JudgedRow]:
    if chosen == "quepid":
        return read_quepid_csv(path)
    if chosen == "quepid-ltr":
        return read_quepid_ltr(path)
    if chosen == "trec":
        return read_qrels(path, queries)
    if chosen in TABLE_FORMATS:
        return read_table_of_grades(path, chosen, columns)
    is_this, read = _JSON[chosen]
    content = read_json(path)
    if not is_this(content):
        raise DataError(f"{path}: the JSON is not a judgement list of the format {chosen!r}.")
    return read(content, os.fspath(path))


def _refuse_unused(chosen: str, columns: dict[str, str], queries: str | os.PathLike[str] | None) -> None:
    given = [name for name, column in columns.items() if column != "auto"]
    if given and chosen not in TABLE_FORMATS:
        raise DataError(
            f"{NAMED[given[0]]} names a column of a table, and the judgements have the format {chosen!r}.",
            parameter=given[0],
            remedy=("Omit it", f"read them as a table: {_FORMAT_CSV}"),
        )
    if queries is not None and chosen != "trec":
        raise DataError(
            f"{setting('queries')} gives the texts of queries in TREC qrels, and the judgements have the format "
            f"{chosen!r}, which contains the texts.",
            parameter="queries",
            remedy="Omit it.",
        )


def _recognise(path: str | os.PathLike[str]) -> str:
    """Return the format of a file by its first bytes and its first line."""
    with open_input(path) as stream:
        if stream.read(4) == b"PAR1":
            return "parquet"
    first = next(line for line in decoded(path).splitlines() if line.strip())
    if first.lstrip().startswith(("{", "[")):
        content = read_json(path)
        found = next((name for name, (is_this, _) in _JSON.items() if is_this(content)), None)
        if found is None:
            raise _unknown(path, "The JSON has neither topics, query_groups or queries (RRE) nor judgmentRatings.")
        return found
    if _LTR_LINE.match(first):
        return "quepid-ltr"
    if _QRELS_LINE.fullmatch(first.strip()):
        return "trec"
    if is_quepid_header(first.split(",")):
        return "quepid"
    if "\t" in first or "," in first:
        return "tsv" if "\t" in first else "csv"
    if ";" in first or "|" in first:
        check_delimiter(path, [first])
    raise _unknown(path, f"Its first line is {first[:60]!r}.")


def _unknown(path: str | os.PathLike[str], why: str) -> DataError:
    return DataError(
        f"{path}: not a judgement list of a known format. {why}",
        remedy=f"Set {_FORMAT} to one of {', '.join(map(repr, JUDGEMENT_FORMATS))}.",
    )
