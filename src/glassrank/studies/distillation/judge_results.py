"""Results of each judge on their own, and how far the judges agree."""

from collections.abc import Sequence

import numpy as np

from glassrank.metrics.agreement import Agreement, judge_agreement
from glassrank.metrics.compare_values import compare_values
from glassrank.studies.distillation.list_measures import MIN_TOPICS, Lists, judged_shares, topic_values
from glassrank.studies.distillation.result import JudgedBy
from glassrank.studies.distillation.topics import Topic


def judges_of(topics: Sequence[Topic]) -> list[str]:
    """Names of all judges, in the order in which they first appear.

    >>> judges_of([Topic("zen", "zen buddhism"), Topic("cars", "cars", [1.0], {"ann": [1.0]})])
    ['ann']
    """
    return list(dict.fromkeys(judge for topic in topics for judge in topic.by_judge or ()))


def topics_agreement(topics: Sequence[Topic], level: str = "ordinal") -> Agreement | None:
    """Agreement of the judges over the pages of all topics; None with fewer than two judges."""
    judges = judges_of(topics)
    if len(judges) < 2:
        return None
    labels: dict[str, list[float]] = {judge: [] for judge in judges}
    for topic in topics:
        own = topic.by_judge or {}
        judged = np.zeros(0 if topic.judgements is None else len(topic.judgements), dtype=bool)
        for values in own.values():
            judged |= ~np.isnan(values)
        for judge in judges:
            labels[judge] += own[judge][judged].tolist() if judge in own else [np.nan] * int(judged.sum())
    return judge_agreement(labels, level)


def results_by_judge(
    topics: Sequence[Topic], lists: Sequence[Lists], k: int, relevant: float, seed: int
) -> tuple[JudgedBy, ...]:
    """Precision at k of every method by the labels of each judge alone; () with fewer than two judges."""
    judges = judges_of(topics)
    return tuple(_judged_by(judge, topics, lists, k, relevant, seed) for judge in judges) if len(judges) > 1 else ()


def _judged_by(
    judge: str, topics: Sequence[Topic], lists: Sequence[Lists], k: int, relevant: float, seed: int
) -> JudgedBy:
    own = [
        (one, topic.by_judge[judge])
        for topic, one in zip(topics, lists, strict=True)
        if topic.by_judge is not None and judge in topic.by_judge
    ]
    per_topic = [topic_values(one, labels, k, relevant)[f"p@{k}"] for one, labels in own]
    values = {method: [topic[method] for topic in per_topic] for method in lists[0]}
    enough = sum(np.isfinite(list(topic.values())).all() for topic in per_topic) >= MIN_TOPICS
    shares = judged_shares([one for one, _ in own], [labels for _, labels in own], k)
    return JudgedBy(
        judge=judge,
        n_topics=len(own),
        n_pages=sum(int((~np.isnan(labels)).sum()) for _, labels in own),
        judged=min(shares.values(), default=0.0),
        comparison=compare_values(values, measure=f"p@{k}", baseline="bm25", asked=(), random_state=seed)
        if enough
        else None,
    )
