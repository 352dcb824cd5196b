"""Which label is relevant and which grade is the highest: written in a measure's name, and said where it is assumed."""

import json
import shutil

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.core.groups import group_codes
from glassrank.data.letor.load_letor import load_letor
from glassrank.metrics.compare_documents import compare_on_one_query
from tests.cli.commands import glassrank
from tests.metrics.test_trec import assert_equal_to_peer, columns, random_run

# Shop grades from 1 to 4: no document is a 0. The first query is ranked 1, 4, 2 and the second 3, 1.
Y, SCORES, QID = [1, 4, 2, 3, 1], [5, 4, 3, 5, 4], ["a", "a", "a", "b", "b"]
ALL_RELEVANT = (
    "No label is below 1, so every document counts as relevant to map. "
    "Name the lowest relevant label, as in map(rel=2)."
)
TAKEN = "err takes the highest label, 4, as the highest grade of the collection. Name that grade, as in err(4)."

AT_LEVEL_2 = {
    "map(rel=2)": "AP(rel=2)",
    "map(rel=2)@5": "AP(rel=2)@5",
    "p(rel=2)@10": "P(rel=2)@10",
    "mrr(rel=2)": "RR(rel=2)",
    "recall(rel=2)@5": "R(rel=2)@5",
    "rprec(rel=2)": "Rprec(rel=2)",
    "bpref(rel=2)": "Bpref(rel=2)",
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decimals", [0, 12])
def test_a_relevance_threshold_equals_that_of_ir_measures(seed, decimals):
    assert_equal_to_peer(random_run(seed, decimals=decimals), AT_LEVEL_2)


def test_a_threshold_tells_apart_rankings_of_labels_without_a_zero():
    found = gr.evaluate(Y, SCORES, qid=QID, measures=["map", "map(rel=3)", "P(Rel=2)@2", "mrr(rel=2.5)"])
    # Relevant from 3 on: rank 2 of the first query, rank 1 of the second.
    assert dict(found) == {"map": 1.0, "map(rel=3)": 0.75, "p(rel=2)@2": 0.5, "mrr(rel=2.5)": 0.75}
    assert found["MAP(rel=3)"] == 0.75


def test_evaluate_and_compare_say_that_every_document_is_relevant(tmp_path):
    found = gr.evaluate(Y, SCORES, qid=QID, measures=["map", "ndcg@3", "map(rel=3)"])
    assert found.notes == (ALL_RELEVANT,)
    assert str(found).endswith(f"\n{ALL_RELEVANT}")
    pair = gr.compare({"one": SCORES, "two": SCORES[::-1]}, Y, qid=QID, measure="map")
    assert ALL_RELEVANT in pair.notes
    rows = [f"{y} qid:{q} 1:0" for y, q in zip(Y, [1, 1, 1, 2, 2], strict=True)]
    (tmp_path / "test.txt").write_text("\n".join(rows) + "\n")
    for name, scores in {"one": SCORES, "two": SCORES[::-1]}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, scores)) + "\n")
    given = ("compare", "test.txt", "one=one.txt", "two=two.txt", "--measure")
    assert ALL_RELEVANT in glassrank(*given, "map", folder=tmp_path).out
    done = glassrank(*given, "map(rel=2)", "--json", folder=tmp_path)
    (one,) = json.loads(done.out)
    assert one["measure"] == "map(rel=2)"
    assert "relevant" not in " ".join(one["notes"])


def test_each_measure_has_a_note_with_its_own_remedy():
    notes = gr.evaluate(Y, SCORES, qid=QID, measures=["map", "p@2", "rbp(p=0.5)"]).notes
    named = [note.rpartition(" as in ")[2] for note in notes]
    assert named == ["map(rel=2).", "p(rel=2)@2.", "rbp(p=0.5,rel=2)."]


def test_there_is_no_better_threshold_if_all_labels_are_equal():
    (note,) = gr.evaluate([2, 2], [1, 2], measures="map").notes
    assert note == "No label is below 1, so every document counts as relevant to map."


def test_an_unjudged_document_is_a_zero_except_to_bpref():
    found = gr.evaluate([1, np.nan], [1, 2], measures=["map", "bpref"])
    assert dict(found) == {"map": 0.5, "bpref": 1.0}
    (note,) = found.notes
    assert "relevant to bpref." in note


def test_the_highest_grade_taken_from_the_labels_is_said():
    found = gr.evaluate(Y, SCORES, qid=QID, measures=["err", "err(5)@2"])
    assert found.notes == (TAKEN,)
    assert TAKEN in gr.compare({"one": SCORES, "two": SCORES[::-1]}, Y, qid=QID, measure="err").notes


def test_the_note_names_the_measure_with_its_cutoff():
    (note,) = gr.evaluate(Y, SCORES, qid=QID, measures="err@2").notes
    assert note.startswith("err@2 takes")
    assert note.endswith(" as in err(4)@2.")


def test_labels_of_one_query_or_resample_do_not_change_the_grade():
    y = np.array([4.0, 1, 0, 2, 1, 0, 3, 1, 0, 2])
    rng = np.random.default_rng(0)
    systems = {"one": y + rng.normal(size=10), "two": y + rng.normal(size=10)}
    lists = group_codes(np.repeat([0, 1], 5))
    named, taken = (compare_on_one_query(systems, y, lists, measure=name, baseline="one") for name in ("err(4)", "err"))
    assert taken.systems == named.systems
    assert TAKEN in taken.notes


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and perl is not installed")
def test_trec_implies_the_grade_4_of_gdeval():
    rows = random_run(1, decimals=12)
    assert_equal_to_peer(rows, {"err@5": "ERR@5", "err@20": "ERR@20"}, 6e-6)
    y, scores, qid, doc_ids = columns(rows)
    assert gr.evaluate(y, scores, qid=qid, measures="err", convention="trec", doc_ids=doc_ids).notes == ()


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and perl is not installed")
def test_ohsumed_equals_ir_measures(real_data):
    data = load_letor(real_data / "ohsumed-letor2" / "S5.txt.gz")
    rows = [(str(q), f"d{row}", y, x) for row, (q, y, x) in enumerate(zip(data.qid, data.y, data.X[:, 4], strict=True))]
    assert_equal_to_peer(rows, {"err@20": "ERR@20"}, 6e-6)
    assert_equal_to_peer(rows, {"map(rel=2)": "AP(rel=2)", "p(rel=2)@10": "P(rel=2)@10"})


def test_a_label_above_the_grade_of_trec_is_an_error_whose_remedy_works():
    given = {"y": [5, 0], "scores": [2, 1], "convention": "trec"}
    with pytest.raises(DataError, match=r"y contains the label 5: write err\(5\)@2\."):
        gr.evaluate(**given, measures="err@2")
    assert gr.evaluate(**given, measures="err(5)@2")["err(5)@2"] == 31 / 32


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("map(rel=0)", r"rel must be a number above 0: got '0'"),
        ("map(rel=-1)", r"rel must be a number above 0: got '-1'"),
        ("map(rel=)", r"rel must be a number above 0: got ''"),
        ("map(3)", r"map does not take a grade: got 'map\(3\)'\. Write map\[\(rel=1\)\]\[@k\]\."),
        ("ndcg(rel=2)@5", r"ndcg does not take 'rel': got 'ndcg\(rel=2\)@5'\."),
        ("map(rel=1,rel=2)", r"map takes 'rel' once: got 'map\(rel=1,rel=2\)'\."),
    ],
)
def test_a_wrong_parameter_is_rejected_with_the_form(name, message):
    with pytest.raises(DataError, match=message):
        gr.evaluate([1, 0], [2, 1], measures=name)
