"""Lists shorter than the cutoff: which count as 0, and that results say so."""

import json

import numpy as np
import pytest

from glassrank.metrics.compare import compare
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import MEASURES, parse_measure

# Query a has three documents, query b two; both are ranked perfectly.
Y, SCORES, QID = [2, 1, 0, 1, 0], [3, 2, 1, 2, 1], ["a", "a", "a", "b", "b"]
NOTE = "1 of 2 lists have fewer than 3 documents: letor4 counts their ndcg@3 as 0, whatever the order."


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", MEASURES)
def test_a_list_that_cannot_score_has_the_value_zero_and_any_other_perfect_list_does_not(convention, name):
    if not MEASURES[name].higher_is_better:
        return
    for measure in [name] if MEASURES[name].cutoff == "none" else [f"{name}@2", f"{name}@3", f"{name}@4"]:
        found = evaluate(Y, SCORES, qid=QID, measures=measure, convention=convention, doc_ids=list("vwxyz"))
        short = parse_measure(measure).too_short(np.array([3, 2]), CONVENTIONS[convention])
        assert (found.table[0] > 0).tolist() == (~short).tolist()


def test_an_evaluation_and_a_comparison_say_which_lists_count_as_zero():
    found = evaluate(Y, SCORES, qid=QID, measures=["ndcg@3", "ndcg@2", "ndcg", "map"], convention="letor4")
    assert found.notes == (NOTE,)
    assert str(found).endswith(f"\n{NOTE}")
    assert json.loads(found.to_json())["notes"] == [NOTE]
    pair = compare({"one": SCORES, "two": SCORES}, Y, qid=QID, measure="NDCG@3", convention="letor4")
    few = "No difference can be significant with 2 queries: the smallest possible p value is 2/2^2 = 0.5."
    assert (pair.measure, pair.notes) == ("ndcg@3", (few, NOTE))
    assert str(pair).endswith(f"\n{NOTE}")
    assert json.loads(pair.to_json())["notes"] == [few, NOTE]


@pytest.mark.parametrize("convention", [name for name in CONVENTIONS if name != "letor4"])
def test_other_conventions_need_no_note(convention):
    assert evaluate(Y, SCORES, qid=QID, measures="ndcg@9", convention=convention, doc_ids=Y).notes == ()


def test_a_document_that_was_not_retrieved_makes_a_list_shorter():
    scores = [3, 2, np.nan, 2, 1]
    assert evaluate(Y, scores, qid=QID, measures="ndcg@3", convention="letor4").notes[0].startswith("2 of 2 lists")
    assert (
        compare({"one": SCORES, "two": scores}, Y, qid=QID, measure="ndcg@3", convention="letor4")
        .notes[-1]
        .startswith("2 of 2 lists")
    )
