"""Number the queries of a log: spellings with the same normalised text share a number; results' queries come first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from glassrank.data.engine import Engine
from glassrank.navigational.features.log.event_tables import count_typed, distinct_rows, number_after
from glassrank.navigational.features.log.log_words import LogWords
from glassrank.navigational.features.log_source import LogFacts, Table, hand_over, rows_of
from glassrank.navigational.normal_text import normal_query

PART = 500_000
"""Number of rows in memory at a time."""


@dataclass(frozen=True, eq=False)
class NumberedQueries:
    """``keys`` (typed, query) and ``names`` (normal, query) in the engine; ``terms`` (query, term) on request."""

    keys: Table
    names: Table
    terms: Table | None


def number_queries(
    engine: Engine, log: Table, facts: LogFacts, words: LogWords, *, with_terms: bool, part: int
) -> NumberedQueries:
    """Number the queries of a log and count their words.

    Engines cannot normalise Unicode, so the distinct queries are read into memory, ``part`` at a time.
    """
    typed = engine.materialise(engine.number(count_typed(log), "number"), "typed_queries")
    issued = "searches" if facts.n_searches else "clicks"
    normals, terms = [], []
    for place, columns in enumerate(parts_of(engine, typed, "number", part)):
        queries = [normal_query(query) for query in columns["query"]]
        found = [
            words.add(*row) for row in zip(queries, columns["clicks"].tolist(), columns[issued].tolist(), strict=True)
        ]
        numbers = columns["number"].astype(np.int64)
        normal = np.array(queries, dtype=object)
        normals.append(hand_over(engine, {"number": numbers, "normal": normal}, f"normal_queries_{place}"))
        if with_terms:
            owner = np.repeat(numbers, [len(one) for one in found])
            term = np.array([number for one in found for number in one], dtype=np.int64)
            terms.append(hand_over(engine, {"number": owner, "term": term}, f"said_terms_{place}"))
    numbered = _number_normals(engine, typed, nw.concat(normals, how="vertical"), words.queries, terms)
    passing = ("typed_queries", "wanted_queries", "different_normals", "number_keys")
    engine.drop(
        *(name for name in engine.names if name.startswith(("normal_queries_", "said_terms_")) or name in passing)
    )
    return numbered


def _number_normals(engine: Engine, typed: Table, normals: Table, queries: Any, terms: list[Table]) -> NumberedQueries:
    wanted = {"normal": np.array(queries, dtype=object), "place": np.arange(len(queries))}
    places = hand_over(engine, wanted, "wanted_queries")
    different = engine.materialise(engine.number(distinct_rows(normals, "normal"), "number"), "different_normals")
    names = engine.materialise(number_after(different, places, "normal", len(queries), "query"), "query_names")
    by_number = normals.join(names, on="normal", how="inner").select("number", "query")
    by_number = engine.materialise(by_number, "number_keys")
    spelt = typed.select(nw.col("query").alias("typed"), "number")
    keys = engine.materialise(spelt.join(by_number, on="number", how="inner").select("typed", "query"), "query_keys")
    if not terms:
        return NumberedQueries(keys, names, None)
    of_query = nw.concat(terms, how="vertical").join(by_number, on="number", how="inner")
    return NumberedQueries(keys, names, engine.materialise(distinct_rows(of_query, "query", "term"), "query_terms"))


def parts_of(engine: Engine, table: Table, number: str, part: int) -> Iterator[dict[str, Any]]:
    """Read a table into memory in parts, by the remainder of an integer; yields at least one part, even if empty."""
    n_parts = max(1, -(-rows_of(engine, table) // part))
    for remainder in range(n_parts):
        chosen = table if n_parts == 1 else table.filter(nw.col(number) % n_parts == remainder)
        yield engine.columns(chosen)
