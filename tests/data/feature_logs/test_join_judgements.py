"""The join of a feature log with judgements: rows by query and document, and everything that does not match."""

import json

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError

LOG = gr.FeatureLog(
    query=["zen", "zen", "zen", "tao", "rome"],
    doc_ids=["a", "b", "c", "a", "x"],
    X=[[1.0, np.nan], [2.0, 5.0], [3.0, 6.0], [4.0, 7.0], [5.0, 8.0]],
    feature_names=["bm25", "price"],
)
JUDGED = gr.Judgements(
    query=[" zen", "tao", "zen ", "zen", "rome", "oslo"],
    doc_ids=["b", "a", "a", "z", "y", "o"],
    grades=[0.5, 2, 3, 1, 1, 1],
)


def test_rows_are_joined_by_query_and_document_in_the_order_of_the_log():
    data = gr.join_judgements(LOG, JUDGED).data
    assert data.qid.tolist() == ["zen", "zen", "tao"]
    assert data.doc_ids.tolist() == ["a", "b", "a"]
    assert data.y.tolist() == [3.0, 0.5, 2.0]
    assert str(data.X.tolist()) == "[[1.0, nan], [2.0, 5.0], [4.0, 7.0]]"
    assert data.feature_names == ("bm25", "price")


def test_what_does_not_match_is_counted_and_named():
    joined = gr.join_judgements(LOG, JUDGED)
    assert joined.not_logged == (("zen", "z"), ("rome", "y"), ("oslo", "o"))
    assert joined.not_judged == (("zen", "c"), ("rome", "x"))
    assert joined.tied_queries == ("tao",)
    assert str(joined).splitlines() == [
        "3 documents judged and logged",
        "3 documents are judged but not logged, such as 'z' ('zen').",
        "2 documents are logged but not judged, such as 'c' ('zen'): left out.",
        "1 query has fewer than two different grades, such as 'tao': no pair to learn from.",
    ]
    rows = joined.mismatches("polars").rows()
    assert rows[0] == ("not logged", "zen", "z")
    assert rows[-1] == ("one grade", "tao", "")
    assert len(rows) == 3 + 2 + 1
    assert json.loads(joined.to_json())["not_judged"] == [["zen", "c"], ["rome", "x"]]


def test_every_pair_is_accounted_for():
    joined = gr.join_judgements(LOG, JUDGED)
    assert joined.data.n_rows + len(joined.not_judged) == len(LOG)
    assert joined.data.n_rows + len(joined.not_logged) == len(JUDGED)


def test_a_join_without_any_match_says_what_differs():
    with pytest.raises(DataError, match=r"No judged query is in the log: the log begins with 'zen', .* with 'Zen'"):
        gr.join_judgements(LOG, gr.Judgements(["Zen"], ["a"], [1]))
    with pytest.raises(DataError, match="the log begins with document 'a', the judgements with 'shop/a'"):
        gr.join_judgements(LOG, gr.Judgements(["zen"], ["shop/a"], [1]))


@pytest.mark.parametrize("name", ["train.csv", "train.parquet"])
def test_the_joined_table_loads_back(name, tmp_path):
    data = gr.join_judgements(LOG, JUDGED).data
    gr.save_data(data, tmp_path / name)
    again = gr.load_data(tmp_path / name)
    assert again.qid.tolist() == data.qid.tolist()
    np.testing.assert_array_equal(again.X, data.X)


def test_a_log_made_by_hand_is_checked():
    with pytest.raises(DataError, match="appears in query 'zen' twice"):
        gr.FeatureLog(["zen", " zen"], ["a", "a"], [[1.0], [1.0]], ["f"])
    with pytest.raises(DataError, match="feature_names must be different"):
        gr.FeatureLog(["zen"], ["a"], [[1.0, 2.0]], ["f", "f"])
    with pytest.raises(DataError, match="reserved column"):
        gr.FeatureLog(["zen"], ["a"], [[1.0]], ["query"]).to_frame()
