"""Intents of queries from judgements of addresses: a query is navigational if it has exactly one perfect site."""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame, TableLike
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.column_table import Column, ColumnTable
from glassrank.data.hosts import domain_of, host_of, normalise_url
from glassrank.data.search_results import SearchResults
from glassrank.data.web.table_source import read_table

MAX_SHOWN = 3


@dataclass(frozen=True, eq=False, repr=False)
class UrlJudgements(ColumnTable):
    """Grades of addresses for queries, one row per judgement; an address may be judged several times.

    >>> print(UrlJudgements(query_id=[7, 7], url=["http://zen.org/", "http://b.org/x"], grade=[4, 1]).describe())
    UrlJudgements: 2 rows, 1 query
      query_id  1 different
      url       2 different
      grade     1 to 4
    """

    query_id: Annotated[Any, Column("identifier", "query for which the address was judged")]
    url: Annotated[Any, Column("name", "address that was judged")]
    grade: Annotated[Any, Column("number", "grade of the address, higher is better; unknown if it was not judged")]
    engine: Annotated[Any, Column("identifier", "engine that returned the address")] = None
    rank: Annotated[Any, Column("position", "position of the address in the list of the engine, from 1")] = None

    def _facts(self) -> tuple[str, ...]:
        return (counted(len(set(self.query_id)), "query", "queries"),)


@dataclass(frozen=True)
class QueryLabel:
    """The intent of one query, and what it follows from."""

    query_id: str
    perfect_sites: tuple[str, ...]
    """The perfect sites, in the order of the judgements."""
    n_perfect_urls: int
    """Number of perfect addresses; a site may have several."""
    n_judged: int
    """Number of addresses with a grade."""
    n_unjudged: int
    """Number of addresses without a grade."""

    @property
    def intent(self) -> int:
        """1 if there is exactly one perfect site (navigational), otherwise 0 (informational)."""
        return int(len(self.perfect_sites) == 1)

    @property
    def label(self) -> str:
        """Navigational or informational, in words."""
        return "navigational" if self.intent else "informational"

    @property
    def reason(self) -> str:
        """The number of perfect sites, and the first of them."""
        if not self.perfect_sites:
            return f"no perfect site among {counted(self.n_judged, 'judged address', 'judged addresses')}"
        more = ", …" if len(self.perfect_sites) > MAX_SHOWN else ""
        listed = f"{', '.join(self.perfect_sites[:MAX_SHOWN])}{more}"
        return f"{counted(len(self.perfect_sites), 'perfect site')}: {listed}"


@dataclass(frozen=True)
class GradeConflict:
    """An address with different grades for the same query, and the grade that was used."""

    query_id: str
    url: str
    grades: tuple[float, ...]
    used: float


@dataclass(frozen=True, eq=False, repr=False)
class IntentLabels:
    """Intents of queries with their reasons; prints a summary."""

    labels: tuple[QueryLabel, ...]
    unjudged: tuple[str, ...]
    """Queries without any grade, which get no intent."""
    conflicts: tuple[GradeConflict, ...]
    n_duplicates: int
    """Number of rows that repeat query, address and engine of an earlier row."""
    perfect: float
    site: str
    conflict: str

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def intents(self) -> dict[str, int]:
        """Query → 1 (navigational) or 0 (informational), as ``study_intent`` takes them."""
        return {one.query_id: one.intent for one in self.labels}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on missing, repeated and different grades, and on sites with several perfect addresses."""
        return tuple(_notes(self))

    def __str__(self) -> str:
        n = sum(one.intent for one in self.labels)
        of_kind = {"url": "address", "host": "host", "domain": "domain"}[self.site]
        rule = f"navigational: exactly one perfect {of_kind}, of grade {self.perfect:g} or more"
        queries = counted(len(self.labels), "query", "queries")
        return "\n".join([f"{queries}: {n:,} navigational, {len(self.labels) - n:,} informational", rule, *self.notes])

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per query."""
        return [
            {
                "query_id": one.query_id,
                "label": one.label,
                "perfect_sites": len(one.perfect_sites),
                "perfect_urls": one.n_perfect_urls,
                "judged_urls": one.n_judged,
                "unjudged_urls": one.n_unjudged,
                "reason": one.reason,
            }
            for one in self.labels
        ]

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per query."""
        rows = self.rows()
        return make_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def to_json(self) -> str:
        """Return labels, conflicts and queries without judgements as JSON."""
        return json.dumps(
            {
                "perfect": self.perfect,
                "site": self.site,
                "conflict": self.conflict,
                "labels": self.rows(),
                "conflicts": [vars(one) | {"grades": list(one.grades)} for one in self.conflicts],
                "unjudged": list(self.unjudged),
                "duplicates": self.n_duplicates,
            }
        )


def _address(url: str) -> str:
    try:
        return normalise_url(url) if host_of(url) else url
    except ValueError as error:
        raise DataError(f"{url!r} is not an address: {error}.", remedy="Correct or drop it.") from error


def _bare_address(url: str) -> str:
    """Return the address without the scheme of the web and a leading ``www.``, which lead to the same page."""
    scheme, mark, rest = _address(url).partition("://")
    return rest.removeprefix("www.") if mark and scheme in ("http", "https") else url


# Kind of site → the site of an address; an address without a host is a site of its own.
SITES: dict[str, Callable[[str], str]] = {
    "url": _bare_address,
    "host": lambda url: host_of(url).removeprefix("www.") or url,
    "domain": lambda url: domain_of(url) or url,
}


def _lower_median(grades: Sequence[float]) -> float:
    return sorted(grades)[(len(grades) - 1) // 2]


# Rule → the grade that is used for an address with different grades.
CONFLICTS: dict[str, Callable[[Sequence[float]], float]] = {
    "median": _lower_median,
    "highest": max,
    "lowest": min,
}
REFUSE = "error"
RULES = (*CONFLICTS, REFUSE)


def intents_from_judgements(
    judgements: TableLike | Iterable[Mapping[str, Any]],
    *,
    perfect: float,
    site: str = "url",
    top: int | None = None,
    conflict: str = "median",
    queries: SearchResults | Iterable[str] | None = None,
) -> IntentLabels:
    """Derive the intent of each query from judged addresses: navigational if exactly one site is perfect.

    Lu, Peng, Li and Ahmed (2006), section 6: the addresses that four engines return among their first 5 are judged, and
    a query is navigational if one and only one of them is perfect. A grade of ``perfect`` or more is perfect. ``site``
    says what is counted: ``"url"``, as in section 6, compares addresses without fragment, default port and case of the
    host; ``"host"`` and ``"domain"`` (the registered domain) follow the definition in section 2, one perfect *site*.
    ``http`` and ``https``, and a host with and without ``www.``, are one site; the notes count such queries.
    ``top`` ignores rows below that rank.

    ``judgements`` is a ``UrlJudgements``, a table with its columns, the path of a CSV, TSV or Parquet file, or records
    (dicts). If an address has different grades for a query, by several engines or judges, ``conflict`` decides:
    ``"median"`` (the lower one of two), ``"highest"``, ``"lowest"`` or ``"error"``. All conflicts are in the result. A
    row without a grade is an address that was not judged. Queries without any grade get no intent; ``queries`` names
    those that should have one, so that the result lists them too.

    >>> judged = [("q1", "http://nestanet.org/", 4), ("q1", "http://a.org/", 2), ("q2", "http://b.org/", 4)]
    >>> judged += [("q2", "http://c.org/x", 4), ("q3", "http://d.org/", 3)]
    >>> found = intents_from_judgements([dict(zip(("query_id", "url", "grade"), row)) for row in judged], perfect=4)
    >>> found.intents
    {'q1': 1, 'q2': 0, 'q3': 0}
    >>> for one in found.labels:
    ...     print(one.query_id, one.reason)
    q1 1 perfect site: http://nestanet.org/
    q2 2 perfect sites: http://b.org/, http://c.org/x
    q3 no perfect site among 1 judged address
    """
    check_positive("perfect", perfect)
    check_choice("site", site, SITES)
    check_choice("conflict", conflict, RULES)
    table = _first_ranks(as_judgements(judgements), top)
    grades = _grades_by_address(table)
    conflicts = tuple(_conflicts(grades, conflict))
    used = {(one.query_id, one.url): one.used for one in conflicts}
    labels, unjudged = [], []
    for query_id, addresses in grades.items():
        known = {url: used.get((query_id, url), own[0]) for url, own in addresses.items() if own}
        if not known:
            unjudged.append(query_id)
            continue
        urls = [url for url, grade in known.items() if grade >= perfect]
        labels.append(QueryLabel(query_id, _sites(urls, site), len(urls), len(known), len(addresses) - len(known)))
    unjudged += [query for query in dict.fromkeys(_query_ids(queries)) if query not in grades]
    if not labels:
        raise DataError("judgements must contain a grade: got none.", parameter="judgements")
    return IntentLabels(tuple(labels), tuple(unjudged), conflicts, _n_duplicates(table), float(perfect), site, conflict)


def _sites(urls: Iterable[str], kind: str) -> tuple[str, ...]:
    """The distinct sites of the addresses; if an address is a site, the first of those that mean the same."""
    found: dict[str, str] = {}
    for url in urls:
        own = SITES[kind](url)
        found.setdefault(own, url if kind == "url" else own)
    return tuple(found.values())


def as_judgements(judgements: Any) -> UrlJudgements:
    """Return judgements given as a container, a table, a path, or records.

    >>> as_judgements([{"query_id": "q1", "url": "http://a.org/", "grade": 4, "engine": "A"}])
    UrlJudgements(1 row: query_id, url, grade, engine)
    """
    if isinstance(judgements, UrlJudgements):
        return judgements
    if isinstance(judgements, str | os.PathLike):
        table: UrlJudgements = read_table(UrlJudgements, Path(judgements))
        return table
    if isinstance(judgements, list | tuple):
        return _from_records(judgements)
    return UrlJudgements.from_frame(judgements)


def _from_records(records: Sequence[Any]) -> UrlJudgements:
    declared = UrlJudgements.declared()
    for row, record in enumerate(records):
        unknown = [name for name in record if name not in declared] if isinstance(record, Mapping) else [record]
        lacking = [] if unknown else [name for name in UrlJudgements.required() if name not in record]
        if unknown or lacking:
            found = f"no {lacking[0]!r}" if lacking else repr(unknown[0])
            raise DataError(
                f"judgements must be records with query_id, url and grade, and optionally engine and rank: got {found} "
                f"at row {row}.",
                parameter="judgements",
            )
    given = [name for name in declared if any(name in record for record in records)]
    columns = {name: [record.get(name) for record in records] for name in {*UrlJudgements.required(), *given}}
    for name in {"grade", "rank"} & columns.keys():
        columns[name] = [np.nan if value is None else value for value in columns[name]]
    return UrlJudgements(**columns)


def _first_ranks(table: UrlJudgements, top: int | None) -> UrlJudgements:
    if top is None:
        return table
    check_positive("top", top, whole=True)
    if table.rank is None or np.isnan(table.rank).any():
        where = "have no column rank" if table.rank is None else "have rows without a rank"
        raise DataError(
            f"top needs the rank of every row: the judgements {where}.",
            parameter="top",
            remedy=("Add it", f"leave {setting('top')} out"),
        )
    return table.pick_rows(table.rank <= top)


def _grades_by_address(table: UrlJudgements) -> dict[str, dict[str, list[float]]]:
    """Query → address → its grades, in the order of the rows; addresses that mean the same are one."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for query_id, url, grade in zip(table.query_id, table.url, table.grade.tolist(), strict=True):
        own = found[query_id][_address(url)]
        if grade == grade:
            own.append(grade)
    return found


def _conflicts(grades: Mapping[str, Mapping[str, list[float]]], rule: str) -> Iterable[GradeConflict]:
    for query_id, addresses in grades.items():
        for url, own in addresses.items():
            if len(set(own)) > 1:
                if rule == REFUSE:
                    raise DataError(
                        f"{url} has different grades for query {query_id!r}: {', '.join(f'{one:g}' for one in own)}.",
                        parameter="conflict",
                        remedy=("Correct the judgements", f"use another rule, such as {setting('conflict', 'median')}"),
                    )
                yield GradeConflict(query_id, url, tuple(own), CONFLICTS[rule](own))


def _n_duplicates(table: UrlJudgements) -> int:
    engines = [None] * len(table) if table.engine is None else table.engine
    addresses = map(_address, table.url)
    return len(table) - len(set(zip(table.query_id, addresses, engines, strict=True)))


def _query_ids(queries: SearchResults | Iterable[str] | None) -> Iterable[str]:
    if isinstance(queries, SearchResults):
        return list(queries.query_id)
    return () if queries is None else map(str, queries)


def _notes(found: IntentLabels) -> Iterable[str]:
    if found.unjudged:
        are = counted(len(found.unjudged), "query has", "queries have")
        yield f"{are} no judgement and no label, such as {found.unjudged[0]}."
    if found.conflicts:
        first = found.conflicts[0]
        has = counted(len(found.conflicts), "address has", "addresses have")
        values = ", ".join(f"{grade:g}" for grade in first.grades)
        yield (
            f"{has} different grades for one query; the {found.conflict} counts, such as {first.used:g} of {values} "
            f"for {first.url} ({first.query_id})."
        )
    if found.n_duplicates:
        repeat = counted(found.n_duplicates, "row repeats", "rows repeat")
        yield f"{repeat} query, address and engine of an earlier row."
    partly = [one for one in found.labels if one.n_unjudged]
    if partly:
        have = counted(len(partly), "query has", "queries have")
        yield f"{have} addresses without a grade, such as {partly[0].query_id}."
    if found.site == "url":
        merged = [one for one in found.labels if one.n_perfect_urls > len(one.perfect_sites)]
        if merged:
            have = counted(len(merged), "query has", "queries have")
            which = "perfect addresses that differ in http, https or www. only and count as one"
            yield f"{have} {which}, such as {merged[0].query_id}."
        several = [one for one in found.labels if len(one.perfect_sites) > 1 and _one_domain(one)]
        if several:
            are = counted(len(several), "informational query has", "informational queries have")
            yield f"{are} several perfect addresses of one domain, such as {several[0].query_id}."


def _one_domain(one: QueryLabel) -> bool:
    return len(set(map(SITES["domain"], one.perfect_sites))) == 1
