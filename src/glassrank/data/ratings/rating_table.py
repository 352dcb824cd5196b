"""A table of ratings: who rated what, and how."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_weights
from glassrank.core.identifiers import as_identifiers
from glassrank.core.wording import counted
from glassrank.data.delimited import DelimitedFile, check_delimiter
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.ranking_columns import check_present, listed


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Ratings by row, with users and items as text; at most one rating for a user and an item."""

    users: Any
    items: Any
    ratings: FloatArray
    weights: FloatArray | None

    def pick_rows(self, rows: Any) -> "RatingTable":
        """Return these rows (indices or a mask)."""
        weights = None if self.weights is None else self.weights[rows]
        return RatingTable(self.users[rows], self.items[rows], self.ratings[rows], weights)

    def __len__(self) -> int:
        return len(self.ratings)


def read_rating_columns(
    source: FrameColumns | DelimitedFile, user: str, item: str, rating: str, weight: str | None
) -> RatingTable:
    """Return the ratings in the named columns of a table; ``weight="auto"`` is the column weight, if there is one."""
    if weight == "auto":
        weight = "weight" if "weight" in source.names else None
    kinds = {user: "identifier", item: "identifier", rating: "number"} | ({} if weight is None else {weight: "number"})
    for parameter, name in {"user": user, "item": item, "rating": rating, "weight": weight}.items():
        if name is not None and name not in source.names:
            raise _no_column(source, parameter, name)
    if len(kinds) < 3 + (weight is not None):
        raise DataError("The user, the item, the rating and the weight must be different columns.")
    arrays = source.fetch(kinds)
    if not len(arrays[rating]):
        raise DataError("The table has no rows: expected one per rating.")
    for name, values in arrays.items():
        check_present(source, name, values, slice(None))
    ids = {name: as_identifiers(f"Column {name!r}", arrays[name]).astype(np.str_) for name in (user, item)}
    found = RatingTable(
        ids[user],
        ids[item],
        _finite(source, rating, arrays[rating]),
        None if weight is None else as_weights(f"Column {weight!r}", arrays[weight], len(arrays[rating])),
    )
    _check_single(source, found)
    return found


def _no_column(source: FrameColumns | DelimitedFile, parameter: str, name: str) -> DataError:
    if isinstance(source, DelimitedFile):
        check_delimiter(source.path, source.names)
    return DataError(
        f"{parameter} must be a column of the ratings: there is no column {name!r}; the columns are "
        f"{listed(source.names)}.",
        parameter=parameter,
        got=name,
    )


def _finite(source: FrameColumns | DelimitedFile, name: str, ratings: FloatArray) -> FloatArray:
    wrong = np.flatnonzero(~np.isfinite(ratings))
    if len(wrong):
        raise DataError(f"{source.at(int(wrong[0]))}: column {name!r} must contain finite numbers.")
    return ratings


def _check_single(source: FrameColumns | DelimitedFile, table: RatingTable) -> None:
    """Raise an error if a user has rated an item twice: which rating counts is not for a reader to decide."""
    order = np.lexsort((np.arange(len(table)), table.items, table.users))
    users, items = table.users[order], table.items[order]
    again = np.flatnonzero((users[1:] == users[:-1]) & (items[1:] == items[:-1])) + 1
    if len(again):
        row = int(order[again].min())
        raise DataError(
            f"{source.at(row)}: user {str(table.users[row])!r} has already rated item {str(table.items[row])!r} "
            f"({counted(len(again), 'such row')}).",
            remedy="Keep one rating for each user and item, such as the last one or their mean.",
        )
