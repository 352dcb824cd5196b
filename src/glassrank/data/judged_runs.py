"""Several TREC runs joined with the same judgements, so that they can be compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import read_only, within
from glassrank.data.trec import JudgedRun, Qrels, Run, judge_run


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """Runs over the same rows: all documents judged, or retrieved by any run, for queries with judgements.

    ``y`` is NaN for an unjudged document; a run's score is NaN for a document that it did not retrieve.
    """

    qid: Any
    doc_ids: Any
    y: Any
    scores: dict[str, Any]
    """Run name → scores."""
    joined: dict[str, JudgedRun]
    """Run name → the run joined with the judgements, with the queries that were left out or count as 0."""

    def __repr__(self) -> str:
        names = ", ".join(map(repr, self.scores))
        return f"JudgedRuns({names}: {len(self.y):,} documents, {len(np.unique(self.qid)):,} queries)"

    def __len__(self) -> int:
        return len(self.y)


def judge_runs(runs: Mapping[str, Run], qrels: Qrels) -> JudgedRuns:
    """Join named runs with the same judgements.

    >>> qrels = Qrels(qid=[1, 1], doc_ids=["a", "b"], labels=[1, 0])
    >>> old, new = Run([1, 1], ["a", "b"], [0.5, 0.7]), Run([1, 1], ["a", "c"], [0.9, 0.8])
    >>> judged = judge_runs({"old": old, "new": new}, qrels)
    >>> judged.doc_ids.tolist(), judged.y.tolist()
    (['a', 'b', 'c'], [1.0, 0.0, nan])
    >>> judged.scores["new"].tolist()
    [0.9, nan, 0.8]
    """
    joined = {name: _judge_one(name, run, qrels) for name, run in runs.items()}
    labels = {pair: label for one in joined.values() for pair, label in zip(_pairs(one), one.y.tolist(), strict=True)}
    row = {pair: number for number, pair in enumerate(labels)}
    scores = {name: np.full(len(row), np.nan) for name in joined}
    for name, one in joined.items():
        scores[name][[row[pair] for pair in _pairs(one)]] = one.scores
    return JudgedRuns(
        qid=read_only(np.array([query for query, _ in labels], dtype=np.str_)),
        doc_ids=read_only(np.array([document for _, document in labels], dtype=np.str_)),
        y=read_only(np.array(list(labels.values()), dtype=np.float64)),
        scores={name: read_only(values) for name, values in scores.items()},
        joined=joined,
    )


def _judge_one(name: str, run: Run, qrels: Qrels) -> JudgedRun:
    with within(name):
        return judge_run(run, qrels)


def _pairs(judged: JudgedRun) -> list[tuple[str, str]]:
    return list(zip(judged.qid.tolist(), judged.doc_ids.tolist(), strict=True))
