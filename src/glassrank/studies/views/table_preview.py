"""What a file of ranking data looks like before a study: its format, its columns, and what each of them may be."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.data.load_data import recognise_format
from glassrank.data.tables import read_table

QUERY, LABEL, DOCUMENT, WEIGHT, SPLIT = "query", "label", "document", "weight", "split"
FEATURE, CATEGORY = "feature", "category"
TABLES = ("csv", "tsv", "parquet")
# Role -> usual names of its column in lower case, the likeliest first.
USUAL_NAMES = {
    QUERY: ("qid", "query_id", "queryid", "query", "q", "srch_id", "search_id", "session_id", "keyword"),
    LABEL: ("label", "relevance", "rel", "grade", "rating", "judgement", "judgment", "gain", "target", "y"),
    DOCUMENT: ("doc_id", "docid", "document", "document_id", "doc", "url", "sku", "product_id", "item_id", "id"),
    WEIGHT: ("weight", "sample_weight"),
    SPLIT: ("split", "fold", "part"),
}
MOST_LEVELS = 6
"""Distinct values of a label or a category that are listed; more are counted."""


@dataclass(frozen=True)
class PreviewedColumn:
    """A column of a table, what it probably is, and what it looks like."""

    name: str
    role: str
    looks_like: str
    is_text: bool


@dataclass(frozen=True)
class TablePreview:
    """A file of ranking data; a LETOR or LightGBM file has no columns to choose."""

    format: str
    n_rows: int | None
    columns: tuple[PreviewedColumn, ...] = ()
    parts: tuple[str, ...] = ()
    """Values of the column that splits the rows, if one is so named."""


def preview_file(path: str | Path) -> TablePreview:
    """Return the format of a file and, of a table, its columns with the roles that their names suggest.

    >>> _ = Path("shop.csv").write_text("query_id,grade,sku,price\\n7,2,a1,3.5\\n7,0,a2,\\n")
    >>> found = preview_file("shop.csv")
    >>> [(one.name, one.role, one.looks_like) for one in found.columns]
    [('query_id', 'query', '1 value'), ('grade', 'label', '0, 2'), ('sku', 'document', '2 values'), \
('price', 'feature', '1 value, 1 missing')]
    """
    name = recognise_format(path)
    if name not in TABLES:
        return TablePreview(name, None)
    return read_table(path, name, lambda source: _preview(source, name))


def _preview(source: Any, file_format: str) -> TablePreview:
    roles = guess_roles(source.names)
    columns, n_rows = [], 0
    parts: tuple[str, ...] = ()
    for name in source.names:
        is_text = source.feature_type(name) not in ("number", "boolean")
        role = roles.get(name, CATEGORY if is_text else FEATURE)
        # Names may have more digits than a number keeps. Numbers as such take a tenth of the time.
        is_number = source.feature_type(name) == "number" and role in (FEATURE, LABEL, WEIGHT)
        kind = "number" if is_number else "level"
        values = source.fetch({name: kind})[name] if source.can_fetch(name, kind) else np.empty(0, dtype=object)
        n_rows = max(n_rows, len(values))
        columns.append(PreviewedColumn(name, role, _looks_like(values, role), is_text))
        if role == SPLIT:
            parts = tuple(sorted({str(one) for one in values if one is not None}))
    if not columns:
        raise DataError("The table has no columns.", remedy="Choose another file.")
    return TablePreview(file_format, n_rows, tuple(columns), parts)


def guess_roles(names: Sequence[str]) -> dict[str, str]:
    """Return the columns whose names are usual for a role, each role once.

    >>> guess_roles(["SKU", "Query_ID", "price", "label"])
    {'Query_ID': 'query', 'label': 'label', 'SKU': 'document'}
    """
    lower = {name.lower().replace(" ", "_"): name for name in reversed(names)}
    found: dict[str, str] = {}
    for role, usual in USUAL_NAMES.items():
        name = next((lower[one] for one in usual if one in lower and lower[one] not in found), None)
        if name is not None:
            found[name] = role
    return found


def _looks_like(values: Any, role: str) -> str:
    if values.dtype == object:
        present = [str(one) for one in values if one is not None]
        distinct = list(set(present))
    else:
        present = values[~np.isnan(values)]
        distinct = np.unique(present).tolist()
    n_missing = len(values) - len(present)
    missing = f", {n_missing:,} missing" if n_missing else ""
    if role in (LABEL, SPLIT, CATEGORY, WEIGHT) and 0 < len(distinct) <= MOST_LEVELS:
        return ", ".join(_short(one) for one in sorted(map(str, distinct), key=_by_number)) + missing
    return f"{len(distinct):,} value{'' if len(distinct) == 1 else 's'}{missing}"


def _short(text: str) -> str:
    return text.removesuffix(".0")


def _by_number(text: str) -> tuple[int, float, str]:
    try:
        return 0, float(text), ""
    except ValueError:
        return 1, 0.0, text
