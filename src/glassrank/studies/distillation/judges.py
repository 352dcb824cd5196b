"""Judgements of several people: read from their files, merged, and compared."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.trec import Qrels, load_qrels
from glassrank.metrics.agreement import Agreement, judge_agreement
from glassrank.studies.distillation.judgement_files import Pair, read_who

PathLike = str | os.PathLike[str]
Paths = PathLike | Sequence[PathLike | tuple[str, PathLike]]
"""A file, several files, or pairs of a judge's name and a file."""


@dataclass(frozen=True, eq=False, repr=False)
class Judges:
    """The judgements of one or more people, each with at most one label per topic and page.

    >>> ann, bob = Qrels(["zen", "zen"], ["a", "b"], [2, 1]), Qrels(["zen", "zen"], ["a", "c"], [1, 0])
    >>> judges = Judges({"ann": ann, "bob": bob})
    >>> merged = judges.merged
    >>> list(zip(merged.doc_ids.tolist(), merged.labels.tolist()))
    [('a', 1), ('b', 1), ('c', 0)]
    """

    by_name: Mapping[str, Qrels]

    def __post_init__(self) -> None:
        if not self.by_name:
            raise DataError("Judges need at least one person with judgements: got none.", parameter="by_name")

    def __str__(self) -> str:
        names = ", ".join(f"{name} ({len(qrels):,})" for name, qrels in self.by_name.items())
        return f"{counted(len(self.by_name), 'judge')}, {counted(len(self.merged), 'judged page')}: {names}"

    __repr__ = __str__

    @cached_property
    def labels(self) -> dict[Pair, dict[str, float]]:
        """Topic and document → judge → label, in the order in which the pages first appear."""
        found: dict[Pair, dict[str, float]] = {}
        for name, qrels in self.by_name.items():
            for topic, document, label in _rows(qrels):
                found.setdefault((topic, document), {})[name] = label
        return found

    @cached_property
    def merged(self) -> Qrels:
        """One label per page: the median of its judges; of the two middle labels of an even number, the lower one.

        A page thus has at least a label if more than half of its judges gave it at least that label.
        """
        pairs = list(self.labels)
        middle = [merged_label(own.values()) for own in self.labels.values()]
        return Qrels([topic for topic, _ in pairs], [document for _, document in pairs], middle)

    def agreement(self, level: str = "ordinal") -> Agreement:
        """Return how far the judges agree; units are pages of topics."""
        table = {name: [own.get(name, np.nan) for own in self.labels.values()] for name in self.by_name}
        return judge_agreement(table, level)


def merged_label(labels: Iterable[float]) -> float:
    """Return the median label; of the two middle labels of an even number, the lower one.

    >>> merged_label([2, 0, 1]), merged_label([2, 1])
    (1, 1)
    """
    ordered = sorted(labels)
    return ordered[(len(ordered) - 1) // 2]


def load_judges(paths: Paths) -> Judges:
    """Read judgements of one or more people from TREC files.

    Names of judges come from ``FILE.who.csv``, which ``glassrank distill judge`` writes beside each file, or else from
    the name of the file. Pairs of a name and a file set them; an empty name leaves it to the file. A file in which
    several people judged is separated.

    >>> from glassrank.data.trec import save_qrels
    >>> save_qrels(Qrels(["zen", "zen"], ["a", "b"], [2, 0]), "ann.txt")
    >>> save_qrels(Qrels(["zen", "zen"], ["a", "b"], [2, 1]), "bob.txt")
    >>> load_judges(["ann.txt", "bob.txt"])
    2 judges, 2 judged pages: ann (2), bob (2)
    """
    files = _named_files(paths)
    if not files:
        raise DataError("paths must contain at least one file of judgements: got none.", parameter="paths")
    given: dict[str, dict[Pair, tuple[float, Path]]] = {}
    for name, path in files:
        for judge, pair, label in _judged(name, path):
            known = given.setdefault(judge, {})
            if pair in known:
                raise _judged_twice(judge, pair, known[pair][1], path)
            known[pair] = label, path
    return Judges({judge: _qrels(pages) for judge, pages in given.items()})


def _named_files(paths: Paths) -> list[tuple[str, Path]]:
    """Names and files; '' if the file names its judges."""
    if isinstance(paths, str | os.PathLike):
        return [("", Path(paths))]
    return [("", Path(one)) if isinstance(one, str | os.PathLike) else (one[0], Path(one[1])) for one in paths]


def _judged(name: str, path: Path) -> Iterator[tuple[str, Pair, float]]:
    """Judge, page and label of each judgement of a file."""
    who = {} if name else read_who(path)
    for topic, document, label in _rows(load_qrels(path)):
        judge, _ = who.get((topic, document), (name, ""))
        yield judge or path.stem, (topic, document), label


def _rows(qrels: Qrels) -> Iterator[tuple[str, str, float]]:
    yield from zip(qrels.qid.tolist(), qrels.doc_ids.tolist(), qrels.labels.tolist(), strict=True)


def _qrels(pages: dict[Pair, tuple[float, Path]]) -> Qrels:
    topics, documents = zip(*pages, strict=True)
    return Qrels(topics, documents, [label for label, _ in pages.values()])


def _judged_twice(judge: str, pair: Pair, first: Path, second: Path) -> DataError:
    topic, document = pair
    files = f"{first} and {second}" if first != second else f"{first}, which is given twice"
    return DataError(
        f"Judge {judge!r} has two judgements of page {document!r} for topic {topic!r}: in {files}.",
        remedy=(
            f"If they are two people, name them with {setting('judgements', python='pairs of a name and a file')}",
            "leave one file out",
        ),
    )
