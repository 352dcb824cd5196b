"""What a file of ranking data looks like before a study: its format, its columns, and what each of them may be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.table_faults import FaultFinder, TableFault
from glassrank.data.load_data import recognise_format
from glassrank.data.read_features import NUMBER, PLAIN_NUMBERS, are_names, feature_columns
from glassrank.data.tables import read_table

QUERY, LABEL, DOCUMENT, WEIGHT, SPLIT = "query", "label", "document", "weight", "split"
FEATURE, CATEGORY, LEFT_OUT = "feature", "category", "left out"
TABLES = ("csv", "tsv", "parquet")
# Role -> usual names of its column in lower case, the likeliest first.
USUAL_NAMES = {
    QUERY: (
        *("qid", "query_id", "queryid", "query", "q", "srch_id", "search_id", "session_id", "keyword"),
        *("search_term", "search_query", "suchwort", "suchbegriff", "suchanfrage"),
    ),
    LABEL: ("label", "relevance", "rel", "grade", "rating", "judgement", "judgment", "gain", "target", "y"),
    DOCUMENT: (
        *("doc_id", "docid", "document", "document_id", "doc", "url", "sku", "product_id", "item_id", "article_id"),
        *("asin", "artikelnummer", "id"),
    ),
    WEIGHT: ("weight", "sample_weight"),
    SPLIT: ("split", "fold", "part"),
}
TRAIN = "train"
"""The value of training rows in the column that splits the rows."""
MOST_LABELS, HIGHEST_LABEL = 6, 10
MOST_DIFFERENT = 1 / 3
"""Text with a larger share of different values is left out, unless somebody says that it is a category."""
MOST_LEVELS = 6
"""Distinct values of a label or a category that are listed; more are counted."""


@dataclass(frozen=True)
class PreviewedColumn:
    """A column of a table, what it probably is, and what it looks like."""

    name: str
    role: str
    looks_like: str
    is_guess: bool = False
    """Whether its values suggest the role, and not its name."""


@dataclass(frozen=True)
class TablePreview:
    """A file of ranking data; a LETOR or LightGBM file has no columns to choose."""

    format: str
    n_rows: int | None
    columns: tuple[PreviewedColumn, ...] = ()
    faults: tuple[TableFault, ...] = ()
    """What a study would refuse."""

    @property
    def roles(self) -> dict[str, str]:
        """The role that each column probably has."""
        return {one.name: one.role for one in self.columns}


Check = Callable[[Any, Mapping[str, str]], Sequence[TableFault]]
"""Finds the faults in the columns of a table, given the roles that they probably have."""


def preview_file(path: str | Path, check: Check = lambda source, roles: ()) -> TablePreview:
    """Return the format of a file and, of a table, its columns with probable roles and the faults that ``check`` finds.

    >>> _ = Path("shop.csv").write_text("query_id,grade,sku,price\\n7,2,a1,3.5\\n7,0,a2,\\n")
    >>> found = preview_file("shop.csv")
    >>> [(one.name, one.role, one.looks_like) for one in found.columns]
    [('query_id', 'query', '1 value'), ('grade', 'label', '0, 2'), ('sku', 'document', '2 values'), \
('price', 'feature', '1 value, 1 missing')]
    """
    name = recognise_format(path)
    if name not in TABLES:
        return TablePreview(name, None)

    def read(source: Any) -> TablePreview:
        found = _preview(source, name)
        return replace(found, faults=tuple(check(source, found.roles)))

    return read_table(path, name, read)


def _preview(source: Any, file_format: str) -> TablePreview:
    if not source.names:
        raise DataError("The table has no columns.", remedy="Choose another file.")
    named = guess_roles(source.names)
    values = {name: _values(source, name, named.get(name)) for name in source.names}
    named = {name: role for name, role in named.items() if _can_be(role, values[name])}
    seen = _roles_by_content(values, named)
    columns = []
    for name in source.names:
        role = named.get(name) or seen.get(name) or _feature_role(source, name, values[name])
        columns.append(PreviewedColumn(name, role, _looks_like(values[name], role), name in seen))
    return TablePreview(file_format, max(map(len, values.values())), tuple(columns))


def _values(source: Any, name: str, role: str | None) -> Any:
    """Return numbers, or else names of levels; a column that cannot be read has no values.

    Names of queries and documents may have more digits than a number keeps.
    """
    is_number = source.feature_type(name) == "number" and role not in (QUERY, DOCUMENT, SPLIT)
    kind = "number" if is_number else "level"
    values = source.fetch({name: kind})[name] if source.can_fetch(name, kind) else np.empty(0, dtype=object)
    if not is_number:
        values[values == ""] = None
    return values


def _can_be(role: str, values: Any) -> bool:
    """Return whether a column that is named like a role can have it."""
    if role in (LABEL, WEIGHT):
        return bool(values.dtype != object)
    return role != SPLIT or TRAIN in values.tolist()


def _roles_by_content(values: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, str]:
    """Return a query and a label that no name tells: rows of a query are adjacent, and labels are a few whole numbers.

    >>> values = {"words": np.array(["b", "b", "a", "a"], dtype=object), "note": np.array([0.0, 1.0, 0.0, 2.0])}
    >>> _roles_by_content(values, {})
    {'words': 'query', 'note': 'label'}
    """
    others = [name for name in values if name not in named and len(values[name])]
    found: dict[str, str] = {}
    if QUERY not in named.values():
        runs = {name: _adjacent(values[name]) for name in others}
        best = max(others, key=lambda name: (runs[name] > 0, values[name].dtype == object, runs[name]), default=None)
        found |= {best: QUERY} if best is not None and runs[best] else {}
    if LABEL not in named.values():
        labels = [name for name in others if name not in found and _are_labels(values[name])]
        found |= {labels[0]: LABEL} if len(labels) == 1 else {}
    return found


def _adjacent(values: Any) -> int:
    """Return the number of different values if equal ones are always adjacent and at least two on average, else 0."""
    if values.dtype != object and (np.isnan(values).any() or (values % 1).any()):
        return 0
    texts = values.astype(np.str_)
    n_different, n_runs = len(np.unique(texts)), 1 + int((texts[1:] != texts[:-1]).sum())
    return n_different if n_runs == n_different and 2 <= n_different <= len(texts) / 2 else 0


def _are_labels(values: Any) -> bool:
    if values.dtype == object or np.isnan(values).any():
        return False
    different = np.unique(values)
    few = 2 <= len(different) <= MOST_LABELS and 0 <= different[0] <= 1 and different[-1] <= HIGHEST_LABEL
    return bool(few and not (different % 1).any())


def _feature_role(source: Any, name: str, values: Any) -> str:
    """Return whether a column is a feature, a category, or better left out: names, texts, times, and nothing at all."""
    kind = source.feature_type(name)
    known = [value for value in values if value is not None] if values.dtype == object else values[~np.isnan(values)]
    if kind is None or not len(known):
        return LEFT_OUT
    if kind != "text":
        return CATEGORY if kind == "level" else FEATURE
    finder = FaultFinder()
    column = feature_columns(source, [name], (), (), finder)[name]
    is_notation = any(one.error.expected == PLAIN_NUMBERS for one in finder.found)
    n_numbers = sum(NUMBER.fullmatch(value) is not None for value in known)
    if is_notation or n_numbers > len(known) / 2 or not (finder.found or column.kind.is_category):
        return FEATURE
    return LEFT_OUT if are_names(len(set(known)), len(known), MOST_DIFFERENT) else CATEGORY


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
