"""Rows as the text of a CSV file, with the same line ends on every system."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    r"""Return a line of column names and a line per row.

    >>> csv_text(["feature", "length"], [["price, net", 0.5], ["age", None]])
    'feature,length\n"price, net",0.5\nage,\n'
    """
    return "".join(map(_line, [columns, *rows]))


def csv_of_records(records: Sequence[Mapping[str, Any]]) -> str:
    r"""Return a line of all names in the records, in order of first appearance, and a line per record.

    >>> csv_of_records([{"system": "svdd", "map": 0.5}, {"system": "hits", "note": "fast"}])
    'system,map,note\nsvdd,0.5,\nhits,,fast\n'
    """
    columns = list(dict.fromkeys(name for record in records for name in record))
    return csv_text(columns, ([record.get(name) for name in columns] for record in records))


def _line(values: Iterable[Any]) -> str:
    text = io.StringIO()
    # With this line end, the csv module also quotes a value that contains a bare \r, which readers take for a line end.
    csv.writer(text, lineterminator="\r\n").writerow(values)
    return text.getvalue().removesuffix("\r\n") + "\n"
