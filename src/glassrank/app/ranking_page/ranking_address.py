"""The address of the Ranking and Nomogram pages: everything that can be seen is in it, so that it can be linked."""

from dataclasses import dataclass, replace
from html import escape
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Query

from glassrank.core.checks import DataError
from glassrank.studies.ranking.hurtful_pair import find_hurtful_pair
from glassrank.studies.views.model_view import WORST_FIRST, ModelView
from glassrank.studies.views.ranked_list import RankedList, ranked_list
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.what_if import Change

MOST_CHANGES = 200


@dataclass(frozen=True)
class Asked:
    """The parameters of the address, as given."""

    q: str | None = None
    a: str | None = None
    b: str | None = None
    model: int | None = None
    set: tuple[str, ...] = ()
    order: str = WORST_FIRST
    all: bool = False
    """Whether every document is listed."""
    start: int = 0
    """Place in the list, from 0, of the first document of a long list that is shown."""
    others: bool = False
    """Whether every feature has a column."""

    def view(self, study: SavedStudy) -> ModelView:
        return ModelView.of(study, self.model)

    def ranked(self, view: ModelView) -> RankedList:
        """Return the list of the query, with its changes; without a query, the first in the order."""
        query = self.q if self.q is not None else view.query_names[int(view.query_order(self.order)[0])]
        return ranked_list(view, query, [Change.parse(one) for one in self.set])


def asked(
    q: Annotated[str | None, Query(description="Query, by name.")] = None,
    a: Annotated[str | None, Query(description="Document A, by name.")] = None,
    b: Annotated[str | None, Query(description="Document B, by name.")] = None,
    model: Annotated[int | None, Query(description="Number of features of the model.")] = None,
    changes: Annotated[
        list[str] | None, Query(alias="set", description="Changed value, document:feature:value.")
    ] = None,
    order: Annotated[str, Query(description="Order of the queries: worst or data.")] = WORST_FIRST,
    every: Annotated[bool, Query(alias="all", description="Whether every document is listed.")] = False,
    start: Annotated[int, Query(alias="from", ge=0, description="Place in the list of the first document shown.")] = 0,
    others: Annotated[bool, Query(description="Whether every feature has a column.")] = False,
) -> Asked:
    """Read the parameters of an address."""
    made = tuple(changes or ())
    if len(made) > MOST_CHANGES:
        raise DataError(parameter="set", expected=f"at most {MOST_CHANGES} changes", got=len(made))
    # An empty field of a form names nothing.
    return Asked(q or None, a or None, b or None, model, made, order, every, start, others)


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows: the list with its changes, and the two documents that are compared."""

    study: str
    asked: Asked
    ranked: RankedList
    a: int
    b: int | None
    """None if the query has one document only."""

    @property
    def view(self) -> ModelView:
        return self.ranked.view

    def link(self, page: str = "ranking", **changes: Any) -> str:
        """Return the address of a page with some of the parameters changed; defaults are left out."""
        now = replace(self._complete, **changes)
        plain = {"q": now.q, "a": now.a, "b": now.b}
        fields = [(key, value) for key, value in plain.items() if value is not None]
        fields += [("model", str(now.model))] if now.model not in (None, self.view.study.elimination.n_kept) else []
        fields += [("set", one) for one in now.set]
        fields += [("order", now.order)] if now.order != WORST_FIRST else []
        fields += [(name, "1") for name in ("all", "others") if getattr(now, name)]
        fields += [("from", str(now.start))] if now.start else []
        return f"/s/{quote(self.study, safe='')}/{page}?{urlencode(fields, quote_via=quote)}"

    def href(self, page: str = "ranking", **changes: Any) -> str:
        """Return the link as the text of an attribute."""
        return escape(self.link(page, **changes))

    def query_link(self, number: int, page: str = "ranking") -> str:
        """Return the address of another query, without documents and changes, as the text of an attribute."""
        return self.href(page, q=self.view.query_names[number], a=None, b=None, set=(), start=0)

    @property
    def kept(self) -> dict[str, str]:
        """Query and documents, which stay chosen on other pages."""
        now = self._complete
        return {key: value for key, value in (("q", now.q), ("a", now.a), ("b", now.b)) if value is not None}

    @property
    def _complete(self) -> Asked:
        names = self.ranked.names
        b = None if self.b is None else names[self.b]
        return replace(self.asked, q=self.ranked.query, a=names[self.a], b=b, set=tuple(map(str, self.ranked.changes)))


def shown(study: SavedStudy, name: str, asked: Asked) -> Shown:
    """Return what an address shows; documents that it does not name are the pair in the wrong order that hurts most."""
    ranked = asked.ranked(asked.view(study))
    a = None if asked.a is None else ranked.place_of(asked.a)
    b = None if asked.b is None else ranked.place_of(asked.b)
    if a is not None and a == b:
        raise DataError(f"A and B must be two documents: both are {asked.a!r}.", remedy="Choose another B.")
    if a is None or b is None:
        a, b = _completed(ranked, a, b)
    return Shown(name, asked, ranked, a, b)


def _completed(ranked: RankedList, a: int | None, b: int | None) -> tuple[int, int | None]:
    recipe = ranked.view.study.recipe
    if a is None and b is None:
        found = find_hurtful_pair(ranked.labels, ranked.recorded.scores, recipe.measure, recipe.convention)
        if found is not None:
            return found.above, found.below
    order = [int(place) for place in ranked.recorded.order]
    a = next(place for place in order if place != b) if a is None and len(order) > 1 else order[0] if a is None else a
    b = next((place for place in order if place != a), None) if b is None else b
    return a, b
