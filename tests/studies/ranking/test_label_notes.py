"""What a study assumes about its labels is said in its report."""

import re
from dataclasses import replace

import glassrank as gr
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here


def test_a_study_of_grades_without_zero_names_the_grade_of_err_and_says_that_all_is_relevant_to_map(tmp_path):
    data = gr.simulate_ranking(8, 6, random_state=1).data
    graded = replace(data, y=data.y + 1.0)
    found = gr.study(graded, folder=tmp_path / "study", measure="err@3", C=1.0, tune=0)
    highest = f"{graded.y.max():g}"
    assert found.main.measure == f"err({highest})@3"
    assert [one.measure for one in found.comparisons] == [f"err({highest})@3", "ndcg@1", "ndcg@5", "ndcg@10", "map"]
    text = re.sub(r"\s+", " ", (tmp_path / "study" / "report.html").read_text())
    assert text.count("No label is below 1, so every document counts as relevant to map.") == 1
    assert not re.search(r"class=\"note\">[^<]*takes the highest label", text)
