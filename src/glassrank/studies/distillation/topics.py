"""Topics of a distillation study: a query and, if pages were judged, their labels."""

import io
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_vector, read_only
from glassrank.core.wording import counted
from glassrank.data.collection import Collection
from glassrank.data.csv_dialect import CsvText
from glassrank.data.trec import Qrels
from glassrank.files.atomic_files import read_bytes, write_atomically
from glassrank.files.csv_text import csv_text
from glassrank.studies.distillation.judges import Judges, merged_label


@dataclass(frozen=True, eq=False)
class Topic:
    """A broad query, its name without white space, and the labels of the collection's pages (NaN: not judged).

    >>> Topic("zen", "zen buddhism", [2, 0, float("nan")]).judgements.tolist()
    [2.0, 0.0, nan]
    """

    name: str
    query: str
    judgements: FloatArray | None = None
    by_judge: Mapping[str, FloatArray] | None = None
    """Labels of each judge, if they are known; ``judgements`` are their medians."""

    def __post_init__(self) -> None:
        if self.name.split() != [self.name]:
            raise DataError(f"A topic's name must be one word, as TREC files require: got {self.name!r}.")
        if not self.query.strip():
            raise DataError(f"Topic {self.name!r} has an empty query.", remedy="Write what a person would search for.")
        if self.judgements is not None:
            labels = as_vector(f"judgements of {self.name!r}", self.judgements, finite=False)
            object.__setattr__(self, "judgements", read_only(labels))
        if self.by_judge is not None and self.judgements is None:
            raise DataError(
                f"Topic {self.name!r} has labels of judges but no judgements.",
                parameter="by_judge",
                remedy="Merge them with judge_topics, or pass their medians as judgements.",
            )
        if self.by_judge is not None:
            own = {
                judge: read_only(as_vector(f"judgements of {self.name!r} by {judge!r}", labels, finite=False))
                for judge, labels in self.by_judge.items()
            }
            object.__setattr__(self, "by_judge", own)


def load_topics(path: str | os.PathLike[str]) -> tuple[Topic, ...]:
    """Read topics from a CSV or TSV table with the column ``query`` (and ``topic``), or from text, one query per line.

    The name of a topic defaults to the words of its query.

    >>> from pathlib import Path
    >>> _ = Path("queries.txt").write_text("zen buddhism\\nvintage cars\\n")
    >>> [(topic.name, topic.query) for topic in load_topics("queries.txt")]
    [('zen_buddhism', 'zen buddhism'), ('vintage_cars', 'vintage cars')]
    """
    text = _decoded(path)
    rows = _table_rows(path, text) if str(path).lower().endswith((".csv", ".tsv")) else _lines(text)
    if not rows:
        raise DataError(f"{path}: the file contains no query: expected one per line.")
    named = [Topic(name or "_".join(query.split()), query) for name, query in rows]
    seen: set[str] = set()
    for topic in named:
        if topic.name in seen:
            raise DataError(f"{path}: topic {topic.name!r} appears twice.", remedy="Rename or drop one.")
        seen.add(topic.name)
    return tuple(named)


def judge_topics(
    topics: tuple[Topic, ...],
    qrels: Qrels | Judges,
    collection: Collection,
    *,
    note: Callable[[str], None] = warnings.warn,
) -> tuple[Topic, ...]:
    """Add the labels of TREC judgements to topics; documents are named by ``document_name``.

    ``qrels`` are the judgements of one person, or of several from :func:`load_judges`; the label of a page is then the
    median of its judges, the lower of two. Judgements of other topics are left out, and ``note`` is called with their
    number.

    >>> from glassrank.data.collection import Links, Pages
    >>> pages = Pages(url=["a b.htm", "c.htm"], title=["", ""], text=["", ""])
    >>> web = Collection(pages, Links(source=[], target=[], anchor=[]))
    >>> judged = judge_topics((Topic("zen", "zen buddhism"),), Qrels(["zen"], ["a%20b.htm"], [2]), web)
    >>> judged[0].judgements.tolist()
    [2.0, nan]
    """
    people = qrels.by_name if isinstance(qrels, Judges) else {"": qrels}
    find, n_pages = row_finder(collection), len(collection.pages)
    labels = {judge: _labels_of(own, topics, find, n_pages) for judge, own in people.items()}
    judged = [str(name) for own in people.values() for name in own.qid]
    known = {topic.name for topic in topics}
    if known.isdisjoint(judged):
        raise DataError(
            f"No topic has judgements: the judgements start with {judged[0]!r}, the topics with {topics[0].name!r}.",
            remedy="Give the queries that were judged.",
        )
    if others := judgements_of_others(topics, judged):
        note(f"{others}: left out.")
    named = isinstance(qrels, Judges)
    return tuple(_judged(topic, {judge: own[topic.name] for judge, own in labels.items()}, named) for topic in topics)


def _labels_of(
    qrels: Qrels, topics: tuple[Topic, ...], find: Callable[[str], int], n_pages: int
) -> dict[str, FloatArray]:
    """Topic → one person's labels of all pages, NaN where there is none."""
    labels = {topic.name: np.full(n_pages, np.nan) for topic in topics}
    unknown = []
    for name, document, label in zip(qrels.qid, qrels.doc_ids, qrels.labels, strict=True):
        row = find(str(document))
        if row < 0:
            unknown.append(str(document))
        elif name in labels:
            labels[name][row] = label
    if unknown:
        raise DataError(
            f"{counted(len(unknown), 'judgement names', 'judgements name')} a page that the collection does not have, "
            f"the first {unknown[0]!r}.",
            remedy="Give the collection that was judged.",
        )
    return labels


def _judged(topic: Topic, by_judge: dict[str, FloatArray], named: bool) -> Topic:
    """Add labels to a topic; it stays without judgements if nobody judged it."""
    own = {judge: labels for judge, labels in by_judge.items() if not np.isnan(labels).all()}
    if not own:
        return topic
    table = np.array(list(own.values()))
    merged = np.full(table.shape[1], np.nan)
    for row in np.flatnonzero(~np.isnan(table).all(axis=0)):
        merged[row] = merged_label(label for label in table[:, row] if not np.isnan(label))
    return replace(topic, judgements=merged, by_judge=own if named else None)


def judgements_of_others(topics: Iterable[Topic], judged: Iterable[str]) -> str:
    """Report how many of the ``judged`` topic names are not among ``topics``; '' if all are.

    >>> judgements_of_others([Topic("zen", "zen buddhism")], ["cars", "zen", "cars", "bees"])
    "3 judgements are of 2 topics that are not among the queries, such as 'cars'"
    """
    known = {topic.name for topic in topics}
    others = Counter(str(name) for name in judged if name not in known)
    if not others:
        return ""
    judgements = counted(others.total(), "judgement is", "judgements are")
    of_topics = counted(len(others), "topic that is", "topics that are")
    return f"{judgements} of {of_topics} not among the queries, such as {next(iter(others))!r}"


def save_topics(topics: tuple[Topic, ...], path: str | os.PathLike[str]) -> None:
    """Write names and queries as a CSV table that :func:`load_topics` reads."""
    write_atomically(path, csv_text(("topic", "query"), ((one.name, one.query) for one in topics)).encode())


def topic_qrels(topics: tuple[Topic, ...], collection: Collection) -> Qrels:
    """Return the labels of all judged pages as TREC judgements; pages are named by ``document_name``."""
    names = np.array([document_name(url) for url in collection.pages.url])
    judged = [(topic.name, topic.judgements) for topic in topics if topic.judgements is not None]
    known = [~np.isnan(labels) for _, labels in judged]
    return Qrels(
        qid=np.concatenate([np.repeat(name, mask.sum()) for (name, _), mask in zip(judged, known, strict=True)]),
        doc_ids=np.concatenate([names[mask] for mask in known]),
        labels=np.concatenate([labels[mask] for (_, labels), mask in zip(judged, known, strict=True)]),
    )


def document_name(url: str) -> str:
    """Return the address as one word for a TREC file, with white space percent-encoded.

    >>> document_name("wp/a b.htm")
    'wp/a%20b.htm'
    """
    return "".join(quote(letter) if letter.isspace() else letter for letter in url)


def addresses_of(documents: Iterable[str], collection: Collection) -> list[str]:
    """Return the addresses of documents in a TREC file, which are given as ``document_name`` or as the address.

    >>> from glassrank.data.collection import Links, Pages
    >>> pages = Pages(url=["a b.htm", "c%20d.htm"], title=["", ""], text=["", ""])
    >>> web = Collection(pages, Links(source=[], target=[], anchor=[]))
    >>> addresses_of(["c%20d.htm", "a%20b.htm", "elsewhere.htm"], web)
    ['c%20d.htm', 'a b.htm', 'elsewhere.htm']
    """
    find, urls = row_finder(collection), collection.pages.url
    rows = [(document, find(document)) for document in documents]
    return [str(urls[row]) if row >= 0 else document for document, row in rows]


def row_finder(collection: Collection) -> Callable[[str], int]:
    """Return a function that finds the page of a document in a TREC file: its row, or −1."""
    named = {document_name(url): row for row, url in enumerate(collection.pages.url)}

    def find(document: str) -> int:
        row = collection.rows.find(document)
        return row if row >= 0 else named.get(document, -1)

    return find


def _decoded(path: str | os.PathLike[str]) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: expected text in UTF-8, got an invalid byte at {error.start}.", remedy="Save it as UTF-8."
        ) from error


def _lines(text: str) -> list[tuple[str, str]]:
    return [("", line.strip()) for line in text.splitlines() if line.strip()]


def _table_rows(path: str | os.PathLike[str], text: str) -> list[tuple[str, str]]:
    delimiter = "\t" if str(path).lower().endswith(".tsv") else ","
    table = CsvText(io.BytesIO(text.encode()), delimiter, path)
    if "query" not in table.names:
        raise DataError(f"{path}: expected a column 'query', got {', '.join(map(repr, table.names))}.")
    rows = (dict(zip(table.names, fields, strict=True)) for _, fields in table.records())
    return [(row.get("topic", ""), row["query"]) for row in rows]
