"""The content of an evaluation, its printing and invalid input."""

import json
import pickle

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.evaluation import evaluate

Y, SCORES, QID = [2, 0, 1, 0, 0, 1], [0.9, 0.5, 0.1, 0.3, 0.2, 0.4], ["q2", "q2", "q2", "q1", "q1", "q9"]


@pytest.fixture
def evaluation():
    return evaluate(Y, SCORES, qid=QID, measures=["map", "p@2"])


def test_an_evaluation_maps_measures_to_means(evaluation):
    # q2 is ranked 2, 0, 1; q1 has no relevant document; q9 has one document, relevant.
    assert list(evaluation) == ["map", "p@2"]
    assert len(evaluation) == 2
    assert dict(evaluation) == pytest.approx({"map": ((1 + 2 / 3) / 2 + 1) / 2, "p@2": 0.5})


def test_values_per_query_are_in_order_of_first_appearance(evaluation):
    assert evaluation.queries.tolist() == ["q2", "q1", "q9"]
    assert evaluation.per_query["p@2"].tolist() == pytest.approx([0.5, np.nan, 0.5], nan_ok=True)
    assert evaluation.left_out == {"map": 1, "p@2": 1}


def test_an_evaluation_prints_convention_means_and_queries_left_out(evaluation):
    table = """\
convention standard, 3 queries
measure  mean    queries left out
map      0.9167  1: q1
p@2      0.5000  1: q1"""
    assert str(evaluation) == repr(evaluation) == table


def test_queries_left_out_are_counted_and_the_first_are_named():
    found = evaluate([0] * 5 + [1], range(6), qid=range(6), measures="map")
    assert str(found).splitlines()[-1] == "map      1.0000  5: 0, 1, 2, …"


def test_a_mean_over_no_query_is_undefined_not_zero():
    found = evaluate([0, 0], [1, 2], measures="map")
    assert np.isnan(found["map"])
    assert str(found).splitlines()[-1] == "map      undefined  1: 0"
    assert json.loads(found.to_json())["means"] == {"map": None}


def test_an_evaluation_cannot_be_changed(evaluation):
    with pytest.raises(AttributeError):
        evaluation.convention = "trec"
    with pytest.raises(ValueError, match="read-only"):
        evaluation.per_query["map"][0] = 1.0


def test_an_evaluation_can_be_pickled(evaluation):
    assert str(pickle.loads(pickle.dumps(evaluation))) == str(evaluation)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_frame_has_one_row_per_query(evaluation, backend):
    frame = evaluation.to_frame(backend)
    assert list(frame.columns) == ["query", "map", "p@2"]
    assert frame["query"].to_list() == ["q2", "q1", "q9"]
    assert frame["p@2"].to_list() == pytest.approx([0.5, np.nan, 0.5], nan_ok=True)


def test_json_contains_everything_with_null_for_queries_left_out(evaluation):
    read = json.loads(evaluation.to_json())
    assert read["convention"] == "standard"
    assert read["queries"] == ["q2", "q1", "q9"]
    assert read["per_query"]["p@2"] == [0.5, None, 0.5]
    assert read["left_out"] == {"map": 1, "p@2": 1}
    assert read["means"]["p@2"] == 0.5


def test_without_qid_all_rows_are_one_query():
    assert evaluate([1, 0], [2, 1]).queries.tolist() == [0]


def test_a_single_measure_can_be_given_as_a_string():
    assert dict(evaluate([1, 0], [2, 1], measures="mrr")) == {"mrr": 1.0}


def test_duplicate_measures_are_evaluated_once():
    assert list(evaluate([1, 0], [2, 1], measures=["mrr", "map", "mrr"])) == ["mrr", "map"]


def test_read_only_arrays_are_accepted():
    y, scores = np.array([1.0, 0.0, 2.0]), np.array([1.0, 1.0, 2.0])
    y.flags.writeable = scores.flags.writeable = False
    assert evaluate(y, scores, measures=["mrr", "err", "pair_accuracy"])["mrr"] == 1.0


def test_the_error_for_a_missing_measure_lists_the_evaluated_ones(evaluation):
    with pytest.raises(KeyError, match="'mrr' was not evaluated, only map, p@2"):
        evaluation["mrr"]


GAINS, REL = r"\[\(gains=\{1:1,2:3\}\)\]", r"\[\(rel=1\)\]"
FORMS = (
    rf"ndcg{GAINS}\[@k\], dcg{GAINS}\[@k\], map{REL}\[@k\], p{REL}@k, recall{REL}@k, success{REL}@k, "
    rf"rbp\[\(p=0.8,rel=1\)\]\[@k\], mrr{REL}\[@k\], err\[\(grade\)\]\[@k\], rprec{REL}, bpref{REL}, judged\[@k\], "
    r"tau_b, tau, pair_accuracy, misranking, risk"
)


@pytest.mark.parametrize("name", ["NDCG10", "ndcg@0", "ndcg@", "cg", "ndcg@10.5", "ndcg @ 10", "", 7])
def test_the_error_for_an_unknown_measure_lists_the_known_ones(name):
    with pytest.raises(DataError, match=rf"measure must be one of {FORMS} \(k at least 1, .*\): got {name!r}\."):
        evaluate([1, 0], [2, 1], measures=[name])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measures": "p"}, r"p needs a cutoff: got 'p'\. Write, for example, p@10\."),
        ({"measures": "tau@5"}, r"tau does not take a cutoff: got 'tau@5'\. Write tau\."),
        ({"measures": "Recall"}, r"recall needs a cutoff: got 'Recall'\. Write, for example, recall@10\."),
        (
            {"measures": "ndcg(4)@5"},
            r"ndcg does not take a grade: got 'ndcg\(4\)@5'\. Write ndcg\[\(gains=.*\)\]\[@k\]\.",
        ),
        ({"measures": []}, r"measures is empty: name at least one, such as 'ndcg@10'\."),
        ({"measures": 3}, r"measures must be a name or a sequence of names such as 'ndcg@10': got 3\."),
        (
            {"measures": "err(1)"},
            r"err\(1\) means that 1 is the highest grade, but y contains the label 2: write err\(2\)\.",
        ),
        ({"convention": "letor3"}, r"convention must be one of 'letor', 'letor4', 'standard', .*: got 'letor3'\."),
        ({"scores": [1, 2]}, r"scores must have one entry per label in y: expected 3, got 2\."),
        ({"qid": [1, 2]}, r"qid must have one entry per label in y: expected 3, got 2\."),
        (
            {"scores": [1, np.inf, 2]},
            r"scores must be finite, or NaN for a document that was not retrieved: got 1 infinite values, the first "
            r"\(inf\) at position 1\.",
        ),
        ({"y": [1, -np.inf, 2]}, r"y must be finite, or NaN for an unjudged document: .* \(-inf\) at position 1\."),
        ({"y": [], "scores": []}, r"y is empty: a measure needs at least one document\."),
        ({"y": ["a", "b", "c"]}, r"y must contain numbers"),
        ({"y": [[1, 2, 3]]}, r"y must be one-dimensional: got shape \(1, 3\)\."),
        (
            {"y": [0, -1, 2]},
            r"Convention 'standard' does not define a gain for negative labels: got the label -1\. Shift the "
            r"labels, use convention='trec', which gives negative labels the gain 0, or use the measure "
            r"'pair_accuracy', which needs no gains\.",
        ),
        (
            {"y": [0, -1, 2], "measures": "err"},
            r"Convention 'standard' does not define a gain for negative labels: got the label -1\.",
        ),
        (
            {"y": [0, 1, 1024]},
            r"Convention 'standard' uses the gain 2\^y − 1, which is too large for the label 1024\. Use grades "
            r"such as 0 to 4, use convention='sklearn', whose gain is y, or use the measure 'pair_accuracy', which "
            r"needs no gains\.",
        ),
        (
            {"y": [0, 1, 1024], "measures": "err"},
            r"err supports grades up to 1000: got 1024\. Use grades such as 0 to 4\.",
        ),
    ],
)
def test_invalid_arguments_of_evaluate_are_rejected_with_the_reason(arguments, message):
    with pytest.raises(DataError, match=message):
        evaluate(**{"y": [0, 1, 2], "scores": [3, 2, 1], **arguments})


def test_names_of_measures_may_be_in_any_case():
    found = evaluate(Y, SCORES, qid=QID, measures=["Map@2", "NDCG@10", "ndcg@10", "ERR(4)"])
    assert list(found) == ["map@2", "ndcg@10", "err(4)"]
    assert found["NDCG@10"] == found["ndcg@10"] == evaluate(Y, SCORES, qid=QID, measures="ndcg@10")["ndcg@10"]
    assert "MAP@2" in found
    assert "MAP" not in found


def test_map_at_a_cutoff_divides_by_all_relevant_documents():
    # Ranked 1, 0, 1, 1: the relevant documents are at ranks 1, 3 and 4.
    found = evaluate([1, 0, 1, 1], [4, 3, 2, 1], measures=["map@1", "map@3", "recall@1", "recall@3"])
    assert dict(found) == pytest.approx(
        {"map@1": 1 / 3, "map@3": (1 + 2 / 3) / 3, "recall@1": 1 / 3, "recall@3": 2 / 3}
    )
