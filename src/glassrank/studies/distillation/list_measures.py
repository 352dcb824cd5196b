"""Precision, relative recall and NDCG of ranked lists over judged topics, with paired tests."""

from collections.abc import Mapping, Sequence

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.metrics.compare_values import compare_values
from glassrank.metrics.comparison import Comparison
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.pooling import pooled_precision_recall
from glassrank.studies.distillation.topics import Topic

Lists = Mapping[str, Sequence[int]]
"""Method → rows of the collection, best first."""
MIN_TOPICS = 2  # that a comparison needs
BASELINES = ("bm25", "hits-top")


def compare_lists(
    lists: Sequence[Lists], judgements: Sequence[FloatArray], k: int, relevant: float, seed: int
) -> tuple[Comparison, ...]:
    """Compare methods over topics by each measure, against each baseline: the search, and HITS on its top results.

    A page is relevant if its label is at least ``relevant``. Relative recall divides by the number of relevant pages
    that all methods together have in their first k. NDCG uses the labels themselves, over all judged pages. Topics
    without a relevant page are left out.
    """
    per_topic = [topic_values(one, labels, k, relevant) for one, labels in zip(lists, judgements, strict=True)]
    found: list[Comparison] = []
    for measure in (f"p@{k}", f"relative recall@{k}", f"ndcg@{k}"):
        values = {method: [topic[measure][method] for topic in per_topic] for method in lists[0]}
        if np.isfinite(list(values.values())).all(axis=0).sum() < MIN_TOPICS:
            continue  # no method found a relevant page in more than one topic, so there is no relative recall
        found += [
            compare_values(values, measure=measure, baseline=baseline, asked=(), random_state=seed)
            for baseline in BASELINES
            if baseline in values
        ]
    return tuple(found)


def topic_values(lists: Lists, labels: FloatArray, k: int, relevant: float) -> dict[str, dict[str, float]]:
    """Measure → method → value of one topic; NaN if the topic has no relevant page.

    >>> lists = {"hits": [0, 1], "bm25": [2, 3]}
    >>> found = topic_values(lists, np.array([2.0, 1.0, 0.0, 2.0]), k=2, relevant=2)
    >>> found["p@2"], found["relative recall@2"]
    ({'hits': 0.5, 'bm25': 0.5}, {'hits': 0.5, 'bm25': 0.5})
    """
    wanted = np.flatnonzero(labels >= relevant).tolist()
    pooled = pooled_precision_recall(lists, wanted, k)
    recall = {method: np.nan if value is None else value for method, value in pooled.relative_recall.items()}
    precision = pooled.precision if wanted else dict.fromkeys(lists, np.nan)
    return {f"p@{k}": precision, f"relative recall@{k}": recall, f"ndcg@{k}": _ndcg(lists, labels, k)}


def relevant_pages(topic: Topic, relevant: float) -> set[int] | None:
    """Rows of the pages whose label is at least ``relevant``; None if the topic has no such page."""
    if topic.judgements is None:
        return None
    return set(np.flatnonzero(topic.judgements >= relevant).tolist()) or None


def precision_curves(
    lists: Sequence[Lists], judgements: Sequence[FloatArray], depth: int, relevant: float
) -> dict[str, tuple[float, ...]]:
    """Method → mean precision at 1, 2, … ``depth`` over the topics with a relevant page."""
    curves: dict[str, list[FloatArray]] = {}
    for one, labels in zip(lists, judgements, strict=True):
        if not (labels >= relevant).any():
            continue
        for method, pages in one.items():
            hits = np.zeros(depth)
            hits[: len(pages[:depth])] = labels[list(pages[:depth])] >= relevant
            curves.setdefault(method, []).append(np.cumsum(hits) / np.arange(1, depth + 1))
    return {method: tuple(np.mean(rows, axis=0).tolist()) for method, rows in curves.items()}


def judged_shares(lists: Sequence[Lists], judgements: Sequence[FloatArray], k: int) -> dict[str, float]:
    """Method → share of judged pages among the first k, averaged over the topics with a list."""
    shares: dict[str, list[float]] = {}
    for one, labels in zip(lists, judgements, strict=True):
        for method, pages in one.items():
            if len(pages):
                shares.setdefault(method, []).append(float((~np.isnan(labels[list(pages[:k])])).mean()))
    return {method: float(np.mean(values)) for method, values in shares.items()}


def _ndcg(lists: Lists, labels: FloatArray, k: int) -> dict[str, float]:
    """NDCG of each list over the pages that are in a list or have a label above 0; other pages do not affect it."""
    listed = {page for pages in lists.values() for page in pages[:k]}
    rows = sorted(listed | set(np.flatnonzero(labels > 0).tolist()))
    place = {row: number for number, row in enumerate(rows)}
    found = {}
    for method, pages in lists.items():
        scores = np.full(len(rows), np.nan)
        for rank, page in enumerate(pages[:k]):
            scores[place[page]] = -rank
        found[method] = evaluate(labels[rows], scores, measures=[f"ndcg@{k}"])[f"ndcg@{k}"] if rows else np.nan
    return found
