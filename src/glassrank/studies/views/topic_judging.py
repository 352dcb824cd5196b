"""Blind judging of a topic by several people, in the files of ``glassrank distill judge``, and their agreement."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from glassrank.core.checks import DataError, check_choice
from glassrank.data.collection import Collection
from glassrank.data.hosts import host_of
from glassrank.files.atomic_files import make_folder
from glassrank.metrics.agreement import Agreement
from glassrank.studies.distillation.judges import Judges, load_judges, merged_label
from glassrank.studies.distillation.judging import Judging, PooledPage, pool_pages
from glassrank.studies.distillation.topics import Topic, load_topics, save_topics
from glassrank.studies.views.topic_views import snippet

TOPICS, SUFFIX = "topics.csv", ".txt"
LONGEST_NAME = 60
UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class PageToJudge:
    """A page of the pool as a judge sees it: without method, score and rank."""

    document: str
    title: str
    url: str
    snippet: str
    label: int | None
    """The judge's own label; None if the page is not judged."""


@dataclass(frozen=True)
class DisputedPage:
    """A page that got different labels."""

    topic: str
    document: str
    labels: dict[str, float]
    """Judge → label."""
    merged: float
    """The label that a study uses: the median, of two the lower."""


@dataclass(frozen=True, eq=False)
class JudgesView:
    """All judgements of a collection: who judged how much, how far they agree, and where they differ."""

    judges: Judges
    agreement: Agreement
    disputed: tuple[DisputedPage, ...]


def topic_of(query: str) -> Topic:
    """Return the topic of a query, named as ``glassrank distill judge`` names it.

    >>> topic_of("zen  buddhism").name
    'zen_buddhism'
    """
    words = query.split()
    if not words:
        raise DataError(parameter="query", expected="words", got=query)
    return Topic("_".join(words), " ".join(words))


def pool_of(collection: Collection, query: str) -> tuple[PooledPage, ...]:
    """Return the best pages of all methods for a query, in an order that does not reveal the methods."""
    return pool_pages(collection, [topic_of(query)])


def judgement_file(folder: str | Path, judge: str) -> Path:
    """Return the file of a judge in a folder of judgements; the name must have a letter or digit.

    >>> judgement_file("judgements", "Ann Lee").name
    'Ann-Lee.txt'
    """
    name = " ".join(judge.split())
    stem = UNSAFE.sub("-", name).strip("-._")
    if not stem or len(name) > LONGEST_NAME:
        raise DataError(
            parameter="judge", expected=f"a name with letters or digits, at most {LONGEST_NAME} long", got=judge[:80]
        )
    path = Path(folder) / f"{stem}{SUFFIX}"
    known = list(load_judges(path).by_name) if path.exists() else [name]
    if name not in known:
        raise DataError(
            f"The file {path.name} contains the judgements of {', '.join(known)}, not of {name!r}.",
            remedy="Choose another name.",
        )
    return path


def pages_to_judge(
    collection: Collection, pool: Sequence[PooledPage], folder: str | Path, judge: str
) -> tuple[PageToJudge, ...]:
    """Return the pages of a pool with the judge's own labels."""
    session, pages = Judging(pool, judgement_file(folder, judge), judge), collection.pages
    return tuple(
        PageToJudge(
            document=one.document,
            title=" ".join(pages.title[one.page].split()) or host_of(pages.url[one.page]) or pages.url[one.page],
            url=pages.url[one.page],
            snippet=snippet(pages.text[one.page], one.topic.query),
            label=session.label_of(one),
        )
        for one in pool
    )


def give_label(pool: Sequence[PooledPage], folder: str | Path, judge: str, document: str, label: int | None) -> None:
    """Save a judge's label of a page of the pool, or delete it if the label is None; the topic is listed too."""
    name = " ".join(judge.split())
    page = next((one for one in pool if one.document == document), None)
    if page is None:
        raise DataError(f"There is no page {document[:200]!r} among the pages to judge.", remedy="Reload the page.")
    session = Judging(pool, judgement_file(make_folder(folder), name), name)
    if label is None:
        session.withdraw(page)
    else:
        session.label(page, label)
    _list_topic(Path(folder) / TOPICS, page.topic)


def judged_topics(folder: str | Path) -> tuple[Topic, ...]:
    """Return the topics that somebody judged or began to judge."""
    path = Path(folder) / TOPICS
    return load_topics(path) if path.is_file() else ()


def judges_view(folder: str | Path, level: str = "ordinal") -> JudgesView | None:
    """Return what all judges of a collection said, and how far they agree; None if nobody judged.

    ``level`` is how labels are compared: as ordered grades ("ordinal"), unordered names ("nominal") or numbers
    ("interval").
    """
    check_choice("level", level, ("ordinal", "nominal", "interval"))
    files = sorted(Path(folder).glob(f"*{SUFFIX}")) if Path(folder).is_dir() else []
    if not files:
        return None
    judges = load_judges(files)
    disputed = tuple(
        DisputedPage(topic, document, dict(labels), merged_label(labels.values()))
        for (topic, document), labels in judges.labels.items()
        if len(set(labels.values())) > 1
    )
    # The largest differences first: they are worth a talk.
    ordered = sorted(disputed, key=lambda one: min(one.labels.values()) - max(one.labels.values()))
    return JudgesView(judges, judges.agreement(level), tuple(ordered))


def _list_topic(path: Path, topic: Topic) -> None:
    known = judged_topics(path.parent)
    if topic.name not in {one.name for one in known}:
        save_topics((*known, topic), path)
