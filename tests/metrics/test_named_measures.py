"""RBP, success@k, DCG and own gains, and the names that trec_eval gives its measures."""

import math

import numpy as np
import pytest
from sklearn.metrics import dcg_score

import glassrank as gr
from glassrank.core.checks import DataError
from tests.cli.commands import glassrank
from tests.metrics.test_trec import assert_equal_to_peer, columns, random_run

PEERS = {
    "success@1": "Success@1",
    "success@5": "Success@5",
    "success(rel=2)@5": "Success(rel=2)@5",
    "ndcg(gains={1:1,2:3,3:7})": "nDCG(gains={1:1,2:3,3:7})",
    "ndcg(gains={0:0,1:2,2:9,3:4})@5": "nDCG(gains={0:0,1:2,2:9,3:4})@5",
}

# Name in trec_eval: name here.
SPELLINGS = {
    "ndcg": "ndcg",
    "ndcg_cut_10": "ndcg@10",
    "map": "map",
    "map_cut_10": "map@10",
    "P_10": "p@10",
    "recall_10": "recall@10",
    "success_5": "success@5",
    "recip_rank": "mrr",
    "Rprec": "rprec",
    "bpref": "bpref",
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decimals", [0, 12])
def test_success_and_own_gains_equal_ir_measures(seed, decimals):
    assert_equal_to_peer(random_run(seed, decimals=decimals), PEERS)


@pytest.mark.parametrize("decimals", [0, 12])
def test_the_names_of_trec_eval_are_those_of_its_measures(decimals):
    import pytrec_eval

    rows = random_run(4, decimals=decimals)
    y, scores, qid, doc_ids = columns(rows)
    found = gr.evaluate(y, scores, qid=qid, measures=list(SPELLINGS), convention="trec", doc_ids=doc_ids)
    assert list(found) == list(SPELLINGS.values())
    judged, run = {}, {}
    for query, document, label, score in rows:
        if not np.isnan(label):
            judged.setdefault(query, {})[document] = int(label)
        run.setdefault(query, {})
        if not np.isnan(score):
            run[query][document] = float(score)
    peer = pytrec_eval.RelevanceEvaluator(judged, set(pytrec_eval.supported_measures)).evaluate(run)
    for name in SPELLINGS:
        values = dict(zip(found.queries.tolist(), found.per_query[SPELLINGS[name]].tolist(), strict=True))
        answered = {query: value for query, value in values.items() if run[query]}
        expected = {query: peer[query][name] for query in answered}
        assert answered == pytest.approx(expected, abs=1e-9), name
        assert found[name] == found[SPELLINGS[name]]


@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("decimals", [0, 12])
def test_dcg_equals_scikit_learn(k, decimals):
    rng = np.random.default_rng(5)
    y, scores = rng.integers(0, 4, (6, 9)).astype(float), rng.normal(size=(6, 9)).round(decimals)
    name = "dcg" if k is None else f"dcg@{k}"
    given = {"qid": np.repeat(range(6), 9), "measures": name, "convention": "sklearn"}
    found = gr.evaluate(y.ravel(), scores.ravel(), **given).per_query[name]
    expected = [dcg_score([a], [b], k=k) for a, b in zip(y, scores, strict=True)]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_measures_by_hand():
    # Ranked 1, 0, 2, 1.
    given = {"measures": ["rbp", "rbp(p=0.5)", "rbp(p=0.5,rel=2)@3", "dcg@3", "dcg(gains={1:3,2:10})@3", "success@1"]}
    found = gr.evaluate([1, 0, 2, 1], [4, 3, 2, 1], **given)
    by_hand = {
        "rbp": 0.2 * (1 + 0.8**2 + 0.8**3),
        "rbp(p=0.5)": 0.5 * (1 + 0.25 + 0.125),
        "rbp(p=0.5,rel=2)@3": 0.125,
        "dcg@3": 1 + 3 / 2,
        "dcg(gains={1:3,2:10})@3": 3 + 10 / 2,
        "success@1": 1.0,
    }
    assert dict(found) == pytest.approx(by_hand)


def test_own_gains_need_not_rise_with_the_label():
    # The best order puts the label 1 first.
    found = gr.evaluate([1, 2, 0], [3, 2, 1], measures="ndcg(gains={1: 5, 2: 1})")
    assert list(found) == ["ndcg(gains={1:5,2:1})"]
    assert found["ndcg(gains={1:5,2:1})"] == found["NDCG(gains={1:5, 2:1})"] == 1.0


def test_own_gains_take_labels_for_which_a_convention_has_none():
    name = "ndcg(gains={-1:0,0.5:2,2000:3})"
    found = gr.evaluate([-1, 0.5, 2000], [3, 2, 1], measures=name)
    best = 3 + 2 / math.log2(3)
    assert found[name] == pytest.approx((2 / math.log2(3) + 3 / 2) / best)


def test_a_label_without_a_gain_is_an_error_whose_remedy_works():
    with pytest.raises(DataError, match=r"^ndcg\(gains=\{1:1\}\)@5 has no gain for the label 2\. Add it: 2:"):
        gr.evaluate([1, 2], [1, 2], measures="ndcg(gains={1:1})@5")
    assert gr.evaluate([1, 2], [1, 2], measures="ndcg(gains={1:1,2:2})@5")["ndcg(gains={1:1,2:2})@5"] == 1.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rbp(p=1)", r"p must be a number above 0 and below 1: got '1'"),
        ("rbp(p=0)", r"p must be a number above 0 and below 1: got '0'"),
        ("success", r"success needs a cutoff: got 'success'\. Write, for example, success@10\."),
        ("ndcg(gains=3)", r"gains must be gains by label such as \{1:1,2:3\}: got '3'"),
        ("ndcg(gains={})", r"gains must be gains by label such as \{1:1,2:3\}: got '\{\}'"),
        ("ndcg(gains={1:-1})", r"gains must be gains by label"),
        ("ndcg(gains={1:1,1:2})", r"gains must be gains by label"),
        ("map(gains={1:1})", r"map does not take 'gains'"),
        ("ndcg_cut", "measure must be one of"),
        ("ndcg_cut_0", "measure must be one of"),
        ("recip_rank@", "measure must be one of"),
    ],
)
def test_wrong_names_are_rejected_with_the_form(name, message):
    with pytest.raises(DataError, match=message):
        gr.evaluate([1, 0], [2, 1], measures=name)


def test_the_command_line_takes_them(tmp_path):
    (tmp_path / "test.txt").write_text("".join(f"{y} qid:{q} 1:{x}\n" for q in (1, 2) for y, x in [(1, 1), (0, 2)]))
    (tmp_path / "one.txt").write_text("1\n2\n2\n1\n")
    given = [part for name in ("ndcg_cut_1", "rbp(p=0.5)", "success_1") for part in ("--measure", name)]
    done = glassrank("compare", "test.txt", "one=one.txt", *given, folder=tmp_path)
    heads = [line.split(",")[0] for line in done.out.splitlines() if "convention" in line]
    assert heads == ["ndcg@1", "rbp(p=0.5)", "success@1"]


def test_models_are_compared_by_a_measure_in_any_spelling():
    data = gr.simulate_ranking(8, 6, random_state=1).data
    models = gr.RankSVM().fit(data), gr.RankSVM(C=1e-4).fit(data)
    found = gr.compare_models(*models, data, measure="P_3", n_resamples=100)
    assert found.comparison.measure == "p@3"
