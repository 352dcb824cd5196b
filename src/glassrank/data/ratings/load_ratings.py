"""Loads ratings of items by users as ranking data, with features from a table of items or from reference users."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import Frame, RandomState
from glassrank.core.randomness import random_generator
from glassrank.core.setting import setting
from glassrank.data.delimited import DelimitedFile
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.ranking_columns import read_ranking_columns
from glassrank.data.ranking_data import RankingData
from glassrank.data.ratings.rating_table import RatingTable, read_rating_columns
from glassrank.data.ratings.rating_tasks import LeftOut, RatingTasks, eligible, make_tasks
from glassrank.data.tables import read_table

FILLS = ("median", "keep")
_Read = TypeVar("_Read")
_Table = str | os.PathLike[str] | Frame


def load_ratings(
    ratings: _Table,
    items: _Table | None = None,
    *,
    format: str | None = None,  # noqa: A002
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    weight: str | None = "auto",
    reference_users: int | Sequence[str | int] | None = None,
    fill: str = "median",
    users: Sequence[str | int] | None = None,
    min_ratings: int = 2,
    min_different: int = 2,
    features: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    missing_values: Sequence[str] = (),
    exclude: Sequence[str] = (),
    random_state: RandomState = None,
) -> RatingTasks:
    """Load ratings as ranking data with one query per user: documents are items, labels the user's own ratings.

    ``ratings`` is a CSV, TSV or Parquet file or a data frame with one rating per row, in the columns ``user``, ``item``
    and ``rating``, optionally with a ``weight``; other columns are not read. The features of an item come from one of
    two sources.

    - ``items``, a table with one row per item, in the column ``item``. ``features``, ``categorical``,
      ``missing_values`` and ``exclude`` select its columns, as in ``RankingData.from_frame``.
    - ``reference_users``, whose ratings of the item are its features: a list of users, or a number of users to draw
      with ``random_state``. They are never tasks. A rating that a reference user has not given becomes the median of
      the ratings that the user has given or, with ``fill="keep"``, a missing value.

    ``users`` selects users by name, by default all of them. Users with fewer ratings than ``min_ratings``, or fewer
    different ones than ``min_different``, are left out and counted, and so are ratings of items without features. Two
    ratings of an item by one user are an error.

    >>> import polars
    >>> rows = [("ann", "a", 5), ("ann", "b", 1), ("bob", "a", 4), ("bob", "b", 2), ("eve", "a", 3)]
    >>> ratings = polars.DataFrame(rows, schema=["user", "item", "rating"], orient="row")
    >>> tasks = load_ratings(ratings, reference_users=["bob"])
    >>> print(tasks)
    2 ratings: 1 user, 2 items, 1 feature
    features: the ratings of 1 reference user
    left out 1 user with fewer than 2 ratings: 1 rating
    >>> tasks.data.feature_names, tasks.data.X.tolist(), tasks.data.y.tolist()
    (('user bob',), [[4.0], [2.0]], [5.0, 1.0])
    """
    check_choice("fill", fill, FILLS)
    for name, least in {"min_ratings": min_ratings, "min_different": min_different}.items():
        check_positive(name, least, whole=True)
    if (items is None) == (reference_users is None):
        raise DataError(
            "The features of the items are either columns of a table of items or the ratings of reference users: give "
            f"one of {setting('items')} and {setting('reference_users')}."
        )
    table = _read(ratings, format, lambda source: read_rating_columns(source, user, item, rating, weight))
    counts: dict[str, LeftOut] = {}
    if items is not None:
        options = (features, categorical, missing_values, exclude)
        described = _read(items, format, lambda source: _item_features(source, item, *options))
        return make_tasks(eligible(table, min_ratings, min_different, counts), described, (), users, counts)
    _refuse_item_options(features=features, categorical=categorical, missing_values=missing_values, exclude=exclude)
    tasks = eligible(table, min_ratings, min_different, counts)
    chosen = _reference_users(table, tasks, reference_users, random_state)
    described = _ratings_as_features(table.pick_rows(np.isin(table.users, chosen)), chosen, fill)
    return make_tasks(tasks.pick_rows(~np.isin(tasks.users, chosen)), described, chosen, users, counts)


def _read(table: Any, format: str | None, make: Callable[[FrameColumns | DelimitedFile], _Read]) -> _Read:  # noqa: A002
    if isinstance(table, str | os.PathLike):
        return read_table(table, format, make)
    return make(FrameColumns(table))


def _item_features(
    source: FrameColumns | DelimitedFile,
    item: str,
    features: Sequence[str] | None,
    categorical: Sequence[str],
    missing_values: Sequence[str],
    exclude: Sequence[str],
) -> RankingData:
    columns = read_ranking_columns(source, None, None, item, None, features, categorical, missing_values, exclude)
    found = RankingData(**columns)
    names, counts = np.unique(found.doc_ids, return_counts=True)
    if (counts > 1).any():
        repeated = str(names[np.argmax(counts > 1)])
        raise DataError(
            f"Item {repeated!r} appears {counts.max()} times in the table of items: expected one row per item.",
            remedy="Keep one of them.",
        )
    return found


def _refuse_item_options(**given: Any) -> None:
    for name, value in given.items():
        if value:
            raise DataError(
                f"{name} selects columns of a table of items, which reference users replace.",
                parameter=name,
                remedy=("Leave it out", f"give the table: {setting('items')}"),
            )


def _reference_users(table: RatingTable, tasks: RatingTable, given: Any, random_state: RandomState) -> list[str]:
    """Return the named reference users, or draw some of those who could be tasks, in alphabetical order."""
    possible = np.unique(tasks.users)
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        if not 1 <= given < len(possible):
            raise DataError(
                f"reference_users must be between 1 and {len(possible) - 1:,}, because reference users are not tasks "
                f"and {len(possible):,} users have enough different ratings: got {given}.",
                parameter="reference_users",
                got=given,
            )
        return [str(name) for name in possible[random_generator(random_state).permutation(len(possible))[:given]]]
    if isinstance(given, str):
        raise DataError(parameter="reference_users", expected="a number or a list of users", got=given)
    chosen = [str(name) for name in as_identifiers("reference_users", list(given))]
    for name in chosen:
        if not (table.users == name).any():
            raise DataError(f"reference_users has a user without ratings: {name!r}.", parameter="reference_users")
    if not chosen or len(set(chosen)) < len(chosen):
        raise DataError(parameter="reference_users", expected="a number or a list of different users", got=given)
    return chosen


def _ratings_as_features(table: RatingTable, users: Sequence[str], fill: str) -> RankingData:
    """Return the rated items in alphabetical order, with the rating of each reference user as a feature."""
    items, of_item = np.unique(table.items, return_inverse=True)
    place = {name: column for column, name in enumerate(users)}
    X = np.full((len(items), len(users)), np.nan)
    X[of_item, [place[name] for name in table.users.tolist()]] = table.ratings
    if fill == "median":
        X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    return RankingData(X, None, doc_ids=items, feature_names=[f"user {name}" for name in users])
