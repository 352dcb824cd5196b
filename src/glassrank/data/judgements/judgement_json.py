"""Judgement lists as JSON: ratings files of RRE, and lists of the Search Relevance Workbench."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassrank.core.checks import DataError
from glassrank.data.judgements.grades import as_grade
from glassrank.data.judgements.judgements import JudgedRow

# RRE: the keys of its levels, from the outermost to the queries; outer levels may be left out.
_LEVELS = ("topics", "query_groups", "queries")
_GAINS = ("gain", "rating")


def is_rre(content: Any) -> bool:
    """Return whether a value is an RRE ratings file."""
    return isinstance(content, dict) and any(isinstance(content.get(level), list) for level in _LEVELS)


def is_workbench(content: Any) -> bool:
    """Return whether a value is a response with judgement lists of the workbench, or a list to be imported there."""
    return isinstance(content, dict) and ("judgmentRatings" in content or isinstance(content.get("hits"), dict))


def read_rre(content: Mapping[str, Any], path: str) -> Iterator[JudgedRow]:
    """Yield the judgements of an RRE file; a query without documents of its own has those of its group."""
    yield from _rre_level(content, path, {})


def _rre_level(part: Mapping[str, Any], place: str, documents: Any) -> Iterator[JudgedRow]:
    own = part.get("relevant_documents", documents)
    for level in _LEVELS:
        for number, inner in enumerate(_list(part.get(level, []), f"{place}, {level}")):
            where = f"{place}, {level}[{number}]"
            inner = _object(inner, where)
            if level != "queries":
                yield from _rre_level(inner, where, own)
                continue
            yield from _rre_query(inner, where, inner.get("relevant_documents", own))


def _rre_query(query: Mapping[str, Any], place: str, documents: Any) -> Iterator[JudgedRow]:
    text = _object(query.get("placeholders", {}), f"{place}, placeholders").get("$query")
    if not isinstance(text, str):
        raise DataError(f'{place}: expected the text of the query in placeholders["$query"], got {text!r}.')
    found = _object(documents, f"{place}, relevant_documents")
    if not found:
        yield JudgedRow(place, text, None, None)
    for name, value in found.items():
        where = f"{place}, relevant_documents[{name!r}]"
        if isinstance(value, list):  # grade → documents
            for document in value:
                yield JudgedRow(where, text, as_document(document, where), as_grade(name, where))
            continue
        given = [key for key in _GAINS if key in _object(value, where)]
        if len(given) != 1:
            raise DataError(f"{where}: expected either gain or rating, got {', '.join(value) or 'nothing'}.")
        yield JudgedRow(where, text, name, as_grade(value[given[0]], where))


def read_workbench(content: Mapping[str, Any], path: str) -> Iterator[JudgedRow]:
    """Yield the judgements of the one list in a response of the workbench."""
    source, place = content, path
    if "judgmentRatings" not in content:
        hits = _list(_object(content.get("hits"), f"{path}, hits").get("hits"), f"{path}, hits.hits")
        if len(hits) != 1:
            raise DataError(
                f"{path}: expected one judgement list, got {len(hits)}.",
                remedy="Ask for one of them: GET _plugins/_search_relevance/judgments/ID.",
            )
        place = f"{path}, hits.hits[0]._source"
        source = _object(_object(hits[0], f"{path}, hits.hits[0]").get("_source"), place)
    for number, entry in enumerate(_list(source.get("judgmentRatings"), f"{place}, judgmentRatings")):
        where = f"{place}, judgmentRatings[{number}]"
        query = _object(entry, where).get("query")
        if not isinstance(query, str):
            raise DataError(f"{where}: expected the text of a query, got {query!r}.")
        ratings = _list(entry.get("ratings", []), f"{where}, ratings")
        if not ratings:
            yield JudgedRow(where, query, None, None)
        for rating in ratings:
            one = _object(rating, f"{where}, ratings")
            document = as_document(one.get("docId"), f"{where}, ratings")
            at = f"{where}, document {document!r}"
            yield JudgedRow(at, query, document, as_grade(one.get("rating"), at))


def as_document(value: Any, place: str) -> str:
    """Return the identifier of a document as text; whole numbers are written out.

    >>> as_document(17, "ratings.json"), as_document("B07", "ratings.json")
    ('17', 'B07')
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"{place}: the identifier of a document must be text or a whole number: got {value!r}.")


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{place}: expected an object, got {type(value).__name__}.")
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"{place}: expected a list, got {type(value).__name__}.")
    return value
