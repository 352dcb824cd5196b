"""Judging pages blind: the first pages of all methods, pooled, in an order that says nothing of who found them."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.randomness import random_generator
from glassrank.data.collection import Collection
from glassrank.data.csv_dialect import CsvText
from glassrank.data.trec import Qrels, load_qrels, save_qrels
from glassrank.distillation.options import Options
from glassrank.files.atomic_files import read_bytes, write_atomically
from glassrank.studies.distillation.steps import DEPTH, methods_step
from glassrank.studies.distillation.topics import Topic, document_name

LABELS = {2: "one of the best pages for it", 1: "about it", 0: "not about it"}
WHO_COLUMNS = ("topic", "document", "label", "judge", "time")
Pair = tuple[str, str]


@dataclass(frozen=True)
class PooledPage:
    """A page to judge for a topic; which methods found it, and where, is not kept."""

    topic: Topic
    page: int
    document: str

    @property
    def pair(self) -> Pair:
        """Topic and document, as they stand in the file of judgements."""
        return self.topic.name, self.document


@dataclass(frozen=True)
class Judgement:
    """A label, who gave it, and when."""

    label: int
    judge: str
    time: str


def pool_pages(
    collection: Collection,
    topics: Sequence[Topic],
    *,
    depth: int = 10,
    options: dict[str, Any] | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> tuple[PooledPage, ...]:
    """The first ``depth`` pages of every method on root and base set, once each, in random order within a topic.

    Topics are shuffled too, so that tiredness does not always meet the same one.
    """
    check_positive("depth", depth, whole=True)
    if depth > DEPTH:
        raise DataError(parameter="depth", expected=f"at most {DEPTH}, the ranks that are kept of each list", got=depth)
    rng = random_generator(random_state)
    start = counted_steps(progress, total=len(topics))
    pooled: list[PooledPage] = []
    for number in rng.permutation(len(topics)):
        topic = topics[number]
        start(f"Pooling: {topic.query}")
        pages = _found_by_any(collection, topic.query, depth, dict(options or {}))
        chosen = rng.permutation(np.array(sorted(pages), dtype=np.int64)).tolist()
        pooled += [PooledPage(topic, page, document_name(collection.pages.url[page])) for page in chosen]
    return tuple(pooled)


def _found_by_any(collection: Collection, query: str, depth: int, options: dict[str, Any]) -> set[int]:
    pages: set[int] = set()
    for candidates in ("root", "base"):
        # The base set is that of a study with its default seed: the seed of the pool decides the order alone.
        lists = methods_step(collection, query, Options(**{"random_state": 0, **options, "candidates": candidates}))
        pages |= {page for one in lists.values() for page in one.ranking[:depth]}
    return pages


class Judging:
    """A judge's way through a pool: every answer is saved at once, and the last ones can be taken back.

    The file holds TREC judgements, as ``gr.load_qrels`` reads them; beside it, ``FILE.who.csv`` holds who judged and
    when. Pages that are judged already are not asked again, skipped ones are asked the next time.
    """

    def __init__(
        self,
        pool: Sequence[PooledPage],
        path: str | Path,
        judge: str,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._pool, self._path, self._judge, self._clock = tuple(pool), Path(path), judge, clock
        self._given = read_judgements(self._path)
        self._history: list[PooledPage] = []
        self._skipped: set[Pair] = set()

    @property
    def total(self) -> int:
        """Pages in the pool."""
        return len(self._pool)

    @property
    def n_judged(self) -> int:
        """Pages of the pool that have a label."""
        return sum(page.pair in self._given for page in self._pool)

    @property
    def judged_topics(self) -> list[str]:
        """The topic of every judgement in the file, also of those that are not in the pool."""
        return [topic for topic, _ in self._given]

    @property
    def current(self) -> PooledPage | None:
        """The page to judge now; None when there is none left in this session."""
        asked = (page for page in self._pool if page.pair not in self._given and page.pair not in self._skipped)
        return next(asked, None)

    def answer(self, label: int) -> None:
        """Give the current page a label, and save it."""
        check_choice("label", label, LABELS)
        page = self._needed()
        self._given[page.pair] = Judgement(label, self._judge, self._clock().isoformat(timespec="seconds"))
        self._history.append(page)
        self._save()

    def skip(self) -> None:
        """Leave the current page for another session."""
        page = self._needed()
        self._skipped.add(page.pair)
        self._history.append(page)

    def undo(self) -> bool:
        """Take the last answer or skip of this session back: its page is asked again. False if there is none."""
        if not self._history:
            return False
        page = self._history.pop()
        if page.pair in self._skipped:
            self._skipped.discard(page.pair)
        else:
            del self._given[page.pair]
            self._save()
        return True

    def _needed(self) -> PooledPage:
        page = self.current
        if page is None:
            raise DataError("There is no page left to judge: all of the pool are judged or skipped.")
        return page

    def _save(self) -> None:
        who = who_path(self._path)
        if not self._given:
            # A file of judgements that holds none could not be read again.
            self._path.unlink(missing_ok=True)
            who.unlink(missing_ok=True)
            return
        # The judgements themselves come last: a stop in between leaves an extra line that the next reading ignores.
        write_atomically(who, _who_table(self._given))
        names, documents = zip(*self._given, strict=True)
        labels = [one.label for one in self._given.values()]
        save_qrels(Qrels(names, documents, labels), self._path)


def who_path(path: str | Path) -> Path:
    """Where it is written who judged, and when.

    >>> who_path("judgements.txt").name
    'judgements.txt.who.csv'
    """
    path = Path(path)
    return path.with_name(f"{path.name}.who.csv")


def read_judgements(path: str | Path) -> dict[Pair, Judgement]:
    """Topic and document → judgement, as far as they were given; nothing where the file does not exist."""
    path = Path(path)
    if not path.exists():
        return {}
    qrels = load_qrels(path)
    who = _read_who(who_path(path))
    given = {}
    for topic, document, label in zip(qrels.qid.tolist(), qrels.doc_ids.tolist(), qrels.labels.tolist(), strict=True):
        judge, time = who.get((topic, document), ("", ""))
        given[topic, document] = Judgement(int(label), judge, time)
    return given


def _read_who(path: Path) -> dict[Pair, tuple[str, str]]:
    if not path.exists():
        return {}
    table = CsvText(io.BytesIO(read_bytes(path)), ",", path)
    if table.names != WHO_COLUMNS:
        raise DataError(
            f"{path}: expected the columns {', '.join(WHO_COLUMNS)}, got {', '.join(table.names)}.",
            remedy="Move it away.",
        )
    rows = (dict(zip(WHO_COLUMNS, fields, strict=True)) for _, fields in table.records())
    return {(row["topic"], row["document"]): (row["judge"], row["time"]) for row in rows}


def _who_table(given: dict[Pair, Judgement]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(WHO_COLUMNS)
    writer.writerows((*pair, one.label, one.judge, one.time) for pair, one in given.items())
    return text.getvalue().encode()
