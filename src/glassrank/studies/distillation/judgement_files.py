"""Files of judgements: TREC judgements, and beside them who judged and when."""

import io
from dataclasses import dataclass
from pathlib import Path

from glassrank.core.checks import DataError
from glassrank.data.csv_dialect import CsvText
from glassrank.data.trec import Qrels, load_qrels, save_qrels
from glassrank.files.atomic_files import read_bytes, write_atomically
from glassrank.files.csv_text import csv_text

WHO_COLUMNS = ("topic", "document", "label", "judge", "time")
Pair = tuple[str, str]
"""Topic and document, as written in the file of judgements."""


@dataclass(frozen=True)
class Judgement:
    """A label, the judge and the time."""

    label: int
    judge: str
    time: str


def who_path(path: str | Path) -> Path:
    """The file that records who judged and when.

    >>> who_path("judgements.txt").name
    'judgements.txt.who.csv'
    """
    path = Path(path)
    return path.with_name(f"{path.name}.who.csv")


def read_judgements(path: str | Path) -> dict[Pair, Judgement]:
    """Read (topic, document) → judgement; empty if the file does not exist."""
    path = Path(path)
    if not path.exists():
        return {}
    qrels = load_qrels(path)
    who = read_who(path)
    given = {}
    for topic, document, label in zip(qrels.qid.tolist(), qrels.doc_ids.tolist(), qrels.labels.tolist(), strict=True):
        judge, time = who.get((topic, document), ("", ""))
        given[topic, document] = Judgement(int(label), judge, time)
    return given


def read_who(path: str | Path) -> dict[Pair, tuple[str, str]]:
    """Read (topic, document) → judge and time from the file beside the judgements; empty if there is none."""
    path = who_path(path)
    if not path.exists():
        return {}
    table = CsvText(io.BytesIO(read_bytes(path)), ",", path)
    if table.names != WHO_COLUMNS:
        raise DataError(
            f"{path}: expected the columns {', '.join(WHO_COLUMNS)}, got {', '.join(table.names)}.",
            remedy="Move it away.",
        )
    rows = (dict(zip(WHO_COLUMNS, fields, strict=True)) for _, fields in table.records())
    return {(row["topic"], row["document"]): (row["judge"], row["time"]) for row in rows}


def write_judgements(given: dict[Pair, Judgement], path: str | Path) -> None:
    """Write the judgements and who gave them; without any, delete both files."""
    path = Path(path)
    if not given:
        # An empty file of judgements could not be read again.
        path.unlink(missing_ok=True)
        who_path(path).unlink(missing_ok=True)
        return
    # Judgements are written last: after an interruption, who.csv has at most an extra line, which is ignored.
    write_atomically(who_path(path), _who_table(given))
    names, documents = zip(*given, strict=True)
    labels = [one.label for one in given.values()]
    save_qrels(Qrels(names, documents, labels), path)


def _who_table(given: dict[Pair, Judgement]) -> bytes:
    return csv_text(WHO_COLUMNS, ((*pair, one.label, one.judge, one.time) for pair, one in given.items())).encode()
