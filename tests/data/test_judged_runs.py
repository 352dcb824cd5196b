"""Measures of several TREC runs over the same rows equal those of each run alone."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.judged_runs import judge_runs
from glassrank.data.trec import Qrels, Run, judge_run
from glassrank.metrics.evaluation import evaluate


def random_run(rng, n_queries=12, n_documents=30, retrieved=15):
    pairs = [(q, d) for q in range(n_queries) for d in rng.permutation(n_documents)[:retrieved]]
    return Run([f"q{q}" for q, _ in pairs], [f"d{d}" for _, d in pairs], np.round(rng.normal(size=len(pairs)), 1))


@pytest.fixture(scope="module")
def qrels():
    rng = np.random.default_rng(0)
    pairs = [(q, d) for q in range(2, 14) for d in rng.permutation(30)[:20]]
    return Qrels([f"q{q}" for q, _ in pairs], [f"d{d}" for _, d in pairs], rng.integers(0, 4, len(pairs)))


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(1)
    return {"a": random_run(rng), "b": random_run(rng, retrieved=5), "c": random_run(rng, n_queries=20)}


@pytest.mark.parametrize("convention", ["trec", "standard", "sklearn"])
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_run_has_the_same_values_alone_and_among_others(name, convention, runs, qrels):
    together, alone = judge_runs(runs, qrels), judge_run(runs[name], qrels)
    settings = {"measures": ["ndcg@5", "ndcg", "map", "p@5", "mrr", "bpref"], "convention": convention}
    one = evaluate(alone.y, alone.scores, qid=alone.qid, doc_ids=alone.doc_ids, **settings)
    all_ = evaluate(together.y, together.scores[name], qid=together.qid, doc_ids=together.doc_ids, **settings)
    assert dict(all_) == pytest.approx(dict(one), nan_ok=True)
    assert len(all_.queries) == len(one.queries) == 12


def test_each_document_has_one_row_and_its_own_label(runs, qrels):
    judged = judge_runs(runs, qrels)
    pairs = list(zip(judged.qid.tolist(), judged.doc_ids.tolist(), strict=True))
    labels = dict(zip(zip(qrels.qid.tolist(), qrels.doc_ids.tolist(), strict=True), qrels.labels.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) == len(judged)
    assert np.array_equal(judged.y, [labels.get(pair, np.nan) for pair in pairs], equal_nan=True)
    assert set(labels) <= set(pairs)


def test_omitted_queries_are_listed_for_each_run(runs, qrels):
    judged = judge_runs(runs, qrels)
    assert judged.joined["a"].unjudged_queries == ("q0", "q1")
    assert set(judged.joined["a"].unretrieved_queries) == {"q12", "q13"}
    assert judged.joined["c"].unretrieved_queries == ()
    assert repr(judged).startswith("JudgedRuns('a', 'b', 'c': ")


def test_a_run_without_common_queries_is_named_in_the_error(runs, qrels):
    with pytest.raises(DataError, match=r"^stranger: The run and the judgements share no query"):
        judge_runs({**runs, "stranger": Run(["x"], ["d1"], [1.0])}, qrels)
