"""Slow twins of the measures: definitions for one ordered list, averaged over all orders of tied documents."""

import itertools
import math
import struct

from tests.reference import concordance

# Name: gain, discount, value without a relevant document (None: left out), zero for short lists, ties.
CONVENTIONS = {
    "letor": ("exponential", "letor", 0.0, False, "file"),
    "letor4": ("exponential", "letor", 0.0, True, "file"),
    "standard": ("exponential", "log", None, False, "average"),
    "trec": ("linear", "log", 0.0, False, "id"),
    "xgboost": ("exponential", "log", 1.0, False, "file"),
    "lightgbm": ("exponential", "log", 1.0, False, "file"),
    "sklearn": ("linear", "log", 0.0, False, "average"),
}


def per_query(measure, y, scores, qid, convention, doc_ids=None, k=None, grade=None, rel=None, p=None, gains=None):
    """Return one value per query in order of first appearance, None if it is left out; NaN marks missing input."""
    if grade is None and convention == "trec":
        grade = 4  # as gdeval
    top_grade = max((label for label in y if not math.isnan(label)), default=0.0) if grade is None else grade
    if rel is not None:
        y = [label if math.isnan(label) else float(label >= rel) for label in y]
    if gains is not None:
        y = [label if math.isnan(label) else label_with_gain(gains[label], convention) for label in y]
    result = {}
    for query in dict.fromkeys(qid):
        rows = [row for row in range(len(y)) if qid[row] == query]
        labels = [None if math.isnan(y[row]) else y[row] for row in rows]
        values = [None if math.isnan(scores[row]) else scores[row] for row in rows]
        names = None if doc_ids is None else [str(doc_ids[row]) for row in rows]
        result[query] = one_query(
            measure, labels, values, convention, names, k, max(top_grade, 0.0) if p is None else p
        )
    return result


def one_query(measure, labels, scores, convention, names, k, top_grade):
    """Return the value of one query; missing labels and scores are None."""
    _, _, empty, _, ties = CONVENTIONS[convention]
    if all(label is None for label in labels):
        return None
    if measure in PAIR_MEASURES:
        kept = [i for i in range(len(labels)) if scores[i] is not None]
        return PAIR_MEASURES[measure]([labels[i] or 0.0 for i in kept], [scores[i] for i in kept])
    orders = list(all_orders(scores, ties, names))
    values = [LIST_MEASURES[measure]([labels[i] for i in order], labels, convention, k, top_grade) for order in orders]
    if values[0] is None:
        return empty if measure in ("ndcg", "map") or empty is None else 0.0
    return sum(values) / len(values)


def all_orders(scores, ties, names):
    """Yield every order of the retrieved documents that the treatment of ties allows."""
    retrieved = [i for i in range(len(scores)) if scores[i] is not None]
    if ties == "id":
        single = {i: struct.unpack("f", struct.pack("f", scores[i]))[0] for i in retrieved}
        if names is not None:
            retrieved.sort(key=lambda i: names[i], reverse=True)
        retrieved.sort(key=lambda i: single[i], reverse=True)
        yield retrieved
        return
    retrieved.sort(key=lambda i: scores[i], reverse=True)
    if ties == "file":
        yield retrieved
        return
    tied = [list(group) for _, group in itertools.groupby(retrieved, key=lambda i: scores[i])]
    for choice in itertools.product(*(itertools.permutations(group) for group in tied)):
        yield [i for group in choice for i in group]


def gain(label, convention):
    if label is None:
        return 0.0
    return 2.0**label - 1.0 if CONVENTIONS[convention][0] == "exponential" else max(label, 0.0)


def discount(rank, convention):
    if CONVENTIONS[convention][1] == "log":
        return 1.0 / math.log2(rank + 1)
    return 1.0 if rank <= 2 else 1.0 / math.log2(rank)


def label_with_gain(wanted, convention):
    return math.log2(1.0 + wanted) if CONVENTIONS[convention][0] == "exponential" else wanted


def dcg(ranked, labels, convention, k, top_grade):
    if all(gain(label, convention) == 0 for label in labels):
        return None
    if CONVENTIONS[convention][3] and k is not None and len(ranked) < k:
        return 0.0
    cut = len(ranked) if k is None else k
    return sum(gain(label, convention) * discount(rank, convention) for rank, label in enumerate(ranked[:cut], start=1))


def ndcg(ranked, labels, convention, k, top_grade):
    found = dcg(ranked, labels, convention, k, top_grade)
    if not found:
        return found
    best = sorted(labels, key=lambda label: gain(label, convention), reverse=True)
    return found / dcg(best[:k], labels, convention, None, top_grade)


def is_relevant(label):
    return label is not None and label >= 1


def n_relevant(labels):
    return sum(map(is_relevant, labels))


def average_precision(ranked, labels, convention, k, top_grade):
    if n_relevant(labels) == 0:
        return None
    precisions = [n_relevant(ranked[: j + 1]) / (j + 1) for j in range(len(ranked[:k])) if is_relevant(ranked[j])]
    return sum(precisions) / n_relevant(labels)


def precision(ranked, labels, convention, k, top_grade):
    return n_relevant(ranked[:k]) / k if n_relevant(labels) else None


def recall(ranked, labels, convention, k, top_grade):
    return n_relevant(ranked[:k]) / n_relevant(labels) if n_relevant(labels) else None


def r_precision(ranked, labels, convention, k, top_grade):
    wanted = n_relevant(labels)
    return n_relevant(ranked[:wanted]) / wanted if wanted else None


def reciprocal_rank(ranked, labels, convention, k, top_grade):
    if n_relevant(labels) == 0:
        return None
    return next((1.0 / (j + 1) for j, label in enumerate(ranked[:k]) if is_relevant(label)), 0.0)


def success(ranked, labels, convention, k, top_grade):
    return float(n_relevant(ranked[:k]) > 0) if n_relevant(labels) else None


def rank_biased_precision(ranked, labels, convention, k, p):
    if n_relevant(labels) == 0:
        return None
    return (1.0 - p) * sum(p**j for j, label in enumerate(ranked[:k]) if is_relevant(label))


def expected_reciprocal_rank(ranked, labels, convention, k, top_grade):
    if all(label is None or label <= 0 for label in labels):
        return None
    total, alive = 0.0, 1.0
    for j, label in enumerate(ranked[:k], start=1):
        stop = (2.0 ** max(label or 0.0, 0.0) - 1.0) / 2.0**top_grade
        total += alive * stop / j
        alive *= 1.0 - stop
    return total


def bpref(ranked, labels, convention, k, top_grade):
    relevant = n_relevant(labels)
    refused = sum(label is not None and label < 1 for label in labels)
    if relevant == 0:
        return None
    total, above = 0.0, 0
    for label in ranked:
        if is_relevant(label):
            total += 1.0 - min(above, relevant) / min(refused, relevant) if above else 1.0
        elif label is not None:
            above += 1
    return total / relevant


def judged(ranked, labels, convention, k, top_grade):
    first = ranked[:k]
    return sum(label is not None for label in first) / len(first) if first else 0.0


def misranking(y, scores):
    accuracy = concordance.pair_accuracy(y, scores)
    return None if accuracy is None else 1.0 - accuracy


LIST_MEASURES = {
    "ndcg": ndcg,
    "dcg": dcg,
    "success": success,
    "rbp": rank_biased_precision,
    "map": average_precision,
    "recall": recall,
    "p": precision,
    "rprec": r_precision,
    "mrr": reciprocal_rank,
    "err": expected_reciprocal_rank,
    "bpref": bpref,
    "judged": judged,
}

PAIR_MEASURES = {
    "pair_accuracy": concordance.pair_accuracy,
    "misranking": misranking,
    "tau": concordance.tau,
    "tau_b": concordance.tau_b,
    "risk": concordance.ranking_risk,
}
