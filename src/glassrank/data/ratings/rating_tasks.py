"""RatingTasks: one ranking task for each user, made from ratings and features of the items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import ArrayLike
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.data.ratings.rating_table import RatingTable


class LeftOut(NamedTuple):
    """Users or items that were left out, and the number of their ratings."""

    kind: str
    """``"user"`` or ``"item"``."""
    members: int
    ratings: int


@dataclass(frozen=True, eq=False, repr=False)
class RatingTasks:
    """Ratings as ranking data: a query is a user, its documents are the items that the user has rated.

    Prints what was read and what was left out. ``load_ratings`` makes it.

    >>> import glassrank as gr
    >>> import polars
    >>> rows = [("ann", "a", 5), ("ann", "b", 1), ("bob", "a", 4), ("bob", "b", 2), ("bob", "c", 3)]
    >>> ratings = polars.DataFrame(rows, schema=["user", "item", "rating"], orient="row")
    >>> tasks = gr.load_ratings(ratings, reference_users=["bob"])
    >>> tasks
    RatingTasks(2 ratings, 1 user)
    >>> tasks.unrated(["ann"]).doc_ids.tolist()
    ['c']
    """

    data: RankingData
    """One row per rating: the user as query, the item as document, the rating as label."""
    items: RankingData
    """One row per item, with its features and without a label."""
    reference_users: tuple[str, ...]
    """Users whose ratings are the features of the items; none if the features come from a table of items."""
    left_out: Mapping[str, LeftOut]
    """Reason -> what was left out for it."""

    def __repr__(self) -> str:
        return f"RatingTasks({counted(self.data.n_rows, 'rating')}, {counted(self.data.n_queries, 'user')})"

    def __str__(self) -> str:
        found = [
            counted(self.data.n_queries, "user"),
            counted(self.items.n_rows, "item"),
            counted(self.data.n_features, "feature"),
        ]
        lines = [f"{counted(self.data.n_rows, 'rating')}: {', '.join(found)}"]
        if self.reference_users:
            lines.append(f"features: the ratings of {counted(len(self.reference_users), 'reference user')}")
        lines += [
            f"left out {counted(one.members, one.kind)} {reason}: {counted(one.ratings, 'rating')}"
            for reason, one in self.left_out.items()
        ]
        return "\n".join(lines)

    def unrated(self, users: ArrayLike = None) -> RankingData:
        """Return the items that users have not rated, without labels, to be ranked for them; by default for all users.

        Users who have rated all items are left out.
        """
        wanted = self.data.groups.ids if users is None else self.data.pick_queries(users).groups.ids
        rows, qid = [], []
        for user in wanted.tolist():
            rated = self.data.doc_ids[self.data.qid == user]
            free = np.flatnonzero(~np.isin(self.items.doc_ids, rated))
            rows.append(free)
            qid.append(np.full(len(free), user))
        chosen = np.concatenate(rows)
        if not len(chosen):
            raise DataError("These users have rated all items: there is none left to rank.")
        found = self.items.pick_rows(chosen)
        return RankingData(found.X, None, np.concatenate(qid), found.doc_ids, found.feature_names, kinds=found.kinds)


def make_tasks(
    table: RatingTable,
    items: RankingData,
    reference_users: Sequence[str],
    users: ArrayLike,
    left_out: Mapping[str, LeftOut],
) -> RatingTasks:
    """Join ratings with the features of their items; ratings that cannot be used are left out and counted."""
    counts = dict(left_out)
    has_features = np.isin(table.items, items.doc_ids)
    if not has_features.all():
        known = "rated by no reference user" if reference_users else "without features"
        counts[known] = _counted("item", table.items[~has_features])
        table = table.pick_rows(has_features)
    table = _without(table, tied_users(table, 2), "with fewer than 2 different ratings of items with features", counts)
    if users is not None:
        table = _of_users(table, as_identifiers("users", np.atleast_1d(users)).astype(np.str_))
    if not len(table):
        raise DataError(
            "No user has two different ratings of items with features: there is nothing to rank.", parameter="ratings"
        )
    place = {name: row for row, name in enumerate(items.doc_ids.tolist())}
    rows = np.array([place[name] for name in table.items.tolist()])
    data = RankingData(
        items.X[rows], table.ratings, table.users, table.items, items.feature_names, table.weights, kinds=items.kinds
    )
    return RatingTasks(data, items, tuple(reference_users), counts)


def eligible(table: RatingTable, min_ratings: int, min_different: int, counts: dict[str, LeftOut]) -> RatingTable:
    """Return the ratings of users with enough ratings, and enough different ones; the others are counted."""
    users, sizes = np.unique(table.users, return_counts=True)
    few = users[sizes < min_ratings]
    table = _without(table, few, f"with fewer than {min_ratings} ratings", counts)
    tied = tied_users(table, min_different)
    return _without(table, tied, f"with fewer than {min_different} different ratings", counts)


def tied_users(table: RatingTable, min_different: int) -> ArrayLike:
    """Return the users with fewer different ratings."""
    users, of_row = np.unique(table.users, return_inverse=True)
    order = np.lexsort((table.ratings, of_row))
    ratings, sorted_users = table.ratings[order], of_row[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (ratings[1:] != ratings[:-1]) | (sorted_users[1:] != sorted_users[:-1])
    return users[np.bincount(sorted_users[is_new], minlength=len(users)) < min_different]


def _without(table: RatingTable, users: ArrayLike, reason: str, counts: dict[str, LeftOut]) -> RatingTable:
    out = np.isin(table.users, users)
    if not out.any():
        return table
    counts[reason] = _counted("user", table.users[out])
    return table.pick_rows(~out)


def _counted(kind: str, members: ArrayLike) -> LeftOut:
    return LeftOut(kind, len(np.unique(members)), len(members))


def _of_users(table: RatingTable, users: ArrayLike) -> RatingTable:
    unknown = next(_unknown(users, table.users), None)
    if unknown is not None:
        raise DataError(
            f"users must be users with different ratings who are not reference users: got {unknown!r}.",
            parameter="users",
            got=unknown,
        )
    return table.pick_rows(np.isin(table.users, users))


def _unknown(asked: ArrayLike, known: ArrayLike) -> Iterator[str]:
    return (str(name) for name in asked[~np.isin(asked, known)])
