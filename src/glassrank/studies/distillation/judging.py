"""Blind judging: the top pages of all methods, pooled in an order that does not reveal which method found them."""

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
from glassrank.distillation.options import Options
from glassrank.studies.distillation.judgement_files import Judgement, Pair, read_judgements, write_judgements
from glassrank.studies.distillation.steps import DEPTH, methods_step
from glassrank.studies.distillation.topics import Topic, document_name

LABELS = {2: "one of the best pages for it", 1: "about it", 0: "not about it"}


@dataclass(frozen=True)
class PooledPage:
    """A page to judge for a topic, without the methods that found it or their ranks."""

    topic: Topic
    page: int
    document: str

    @property
    def pair(self) -> Pair:
        """Topic and document, as written in the file of judgements."""
        return self.topic.name, self.document


def pool_pages(
    collection: Collection,
    topics: Sequence[Topic],
    *,
    depth: int = 10,
    options: dict[str, Any] | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> tuple[PooledPage, ...]:
    """Pool the first ``depth`` pages of every method on root and base set, once each and shuffled within a topic.

    Topics are shuffled too, so that judges are not tired for the same topics every time.
    """
    check_positive("depth", depth, whole=True)
    if depth > DEPTH:
        raise DataError(parameter="depth", expected=f"at most {DEPTH}, the stored length of each list", got=depth)
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
        # Use the base set of a study with the default seed; the pool's seed only changes the order.
        lists = methods_step(collection, query, Options(**{"random_state": 0, **options, "candidates": candidates}))
        pages |= {page for one in lists.values() for page in one.ranking[:depth]}
    return pages


class Judging:
    """A session of judging a pool: every answer is saved at once and can be undone.

    The file contains TREC judgements, which ``gr.load_qrels`` reads. ``FILE.who.csv`` beside it records who judged and
    when. Judged pages are not asked again; skipped pages are asked again in the next session.
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
        """The topic of every judgement in the file, including topics that are not in the pool."""
        return [topic for topic, _ in self._given]

    @property
    def current(self) -> PooledPage | None:
        """The page to judge now; None if this session has none left."""
        asked = (page for page in self._pool if page.pair not in self._given and page.pair not in self._skipped)
        return next(asked, None)

    def answer(self, label: int) -> None:
        """Label the current page and save the judgement."""
        page = self._needed()
        self.label(page, label)
        self._history.append(page)

    def label(self, page: PooledPage, label: int) -> None:
        """Label any page, or change its label, and save the judgement."""
        check_choice("label", label, LABELS)
        self._given[page.pair] = Judgement(label, self._judge, self._clock().isoformat(timespec="seconds"))
        self._save()

    def withdraw(self, page: PooledPage) -> None:
        """Delete the label of a page, if it has one."""
        if self._given.pop(page.pair, None) is not None:
            self._save()

    def label_of(self, page: PooledPage) -> int | None:
        """Return the label of a page; None if it is not judged."""
        given = self._given.get(page.pair)
        return None if given is None else given.label

    def skip(self) -> None:
        """Leave the current page for another session."""
        page = self._needed()
        self._skipped.add(page.pair)
        self._history.append(page)

    def undo(self) -> bool:
        """Undo the last answer or skip of this session, so that its page is asked again. False if there is none."""
        if not self._history:
            return False
        page = self._history.pop()
        if page.pair in self._skipped:
            self._skipped.discard(page.pair)
        else:
            self.withdraw(page)
        return True

    def _needed(self) -> PooledPage:
        page = self.current
        if page is None:
            raise DataError("No page is left to judge: all pages of the pool are judged or skipped.")
        return page

    def _save(self) -> None:
        write_judgements(self._given, self._path)
