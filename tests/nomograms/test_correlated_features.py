"""Correlated features are explained by their sum, which is stable where their single signs are not."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind
from glassrank.nomograms import correlated_features as module


@pytest.fixture(scope="module")
def copies():
    """Two noisy copies of one signal, an unrelated feature and a constant; simulated."""
    rng = np.random.default_rng(0)
    signal, other = rng.normal(size=(2, 200))
    X = np.column_stack([signal + 0.1 * rng.normal(size=200), other, signal + 0.1 * rng.normal(size=200), np.ones(200)])
    y = np.round(2 + signal + 0.3 * rng.normal(size=200))
    names = ["bm25", "age", "tf-idf", "version"]
    return gr.RankingData(X, y, np.repeat(np.arange(20), 10), feature_names=names)


@pytest.fixture(scope="module")
def model(copies):
    return gr.RankSVM().fit(copies)


def test_copies_are_found_and_constants_are_not(copies):
    assert gr.correlated_features(copies) == (gr.correlated_features(copies)[0],)
    assert gr.correlated_features(copies)[0].members == (0, 2)
    assert gr.correlated_features(copies)[0].name == "bm25 + tf-idf"


def test_a_group_adds_what_its_features_add(copies, model):
    why = gr.explain_pair(model, copies, query=0, document=0, against=1)
    expected = model.coef_[[0, 2]] @ (copies.X[0] - copies.X[1])[[0, 2]]
    assert why.groups[0].contribution == pytest.approx(expected, abs=1e-12)
    assert {reason.name for reason in why.reasons} == {"bm25 + tf-idf", "age", "version"}
    assert sum(reason.contribution for reason in why.reasons) == pytest.approx(why.total, abs=1e-12)
    assert [feature.name for feature in why.features] == ["bm25", "age", "tf-idf", "version"]


def test_reasons_are_in_the_order_of_what_they_add(copies, model):
    for why in (
        gr.explain_pair(model, copies, query=3, document=2, against=5),
        gr.explain_document(model, copies, query=3, document=2),
    ):
        sizes = [abs(reason.contribution) for reason in why.reasons]
        assert sizes == sorted(sizes, reverse=True)


def test_text_names_members_below_their_group(copies, model):
    text = str(gr.explain_pair(model, copies, query=0, document=0, against=1))
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if "bm25 + tf-idf (2 together)" in line)
    assert all("· " in line for line in lines[at + 1 : at + 3])
    assert "trust the sum" in text


def test_json_and_frame_name_the_group(copies, model):
    why = gr.explain_pair(model, copies, query=0, document=0, against=1)
    assert json.loads(why.to_json())["groups"][0]["members"] == ["bm25", "tf-idf"]
    frame = why.to_frame("pandas").set_index("feature")
    assert frame.loc["bm25", "group"] == "bm25 + tf-idf"
    assert pd.isna(frame.loc["age", "group"])


def test_groups_can_be_named_or_left_out(copies, model):
    pair = {"query": 0, "document": 0, "against": 1}
    named = gr.explain_pair(model, copies, **pair, groups={"text": ["tf-idf", "age"]})
    assert [(group.name, group.members) for group in named.groups] == [("text", ("tf-idf", "age"))]
    assert gr.explain_pair(model, copies, **pair, groups="none").groups == ()
    given = gr.correlated_features(copies, threshold=0.5)
    assert gr.explain_pair(model, copies, **pair, groups=given).groups[0].members == ("bm25", "tf-idf")


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("copies", "groups must be one of 'correlated', 'none': got 'copies'"),
        ({"text": ["bm25"]}, "at least two features: 'text' has 1"),
        ({"text": ["bm25", "bm25"]}, "at least two features: 'text' has 1"),
        ({"text": ["bm25", "age"], "all": ["age", "version"]}, "one group only: 'age' is in 'text' and 'all'"),
        ({"text": ["bm25", "BM25"]}, "'BM25'"),
    ],
)
def test_wrong_groups_are_refused(copies, model, groups, words):
    with pytest.raises(DataError, match=words):
        gr.explain_pair(model, copies, query=0, document=0, against=1, groups=groups)


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.1, float("nan")])
def test_a_threshold_that_is_no_correlation_is_refused(copies, threshold):
    with pytest.raises(DataError, match="threshold must be a correlation"):
        gr.correlated_features(copies, threshold)


def test_the_error_of_a_sum_is_that_of_the_resampled_sums(copies, model):
    samples = gr.bootstrap_effects(model, copies.X, copies.y, qid=copies.qid, n_resamples=5, random_state=0)
    why = gr.explain_pair(model, copies, query=0, document=0, against=1, samples=samples)
    sums = [one.differences(copies.X[:1], copies.X[1:2])[0, [0, 2]].sum() for one in samples.replicates]
    assert why.groups[0].error == pytest.approx(np.std(sums, ddof=1))


def test_rows_of_weight_zero_count_as_absent(copies):
    rng = np.random.default_rng(3)
    other = copies.X.copy()
    other[:, 2] = rng.normal(size=200)
    X, weights = np.vstack([copies.X, other]), np.repeat([1.0, 0.0], 200)
    both = gr.RankingData(X, np.tile(copies.y, 2), np.tile(copies.qid, 2), weights=weights)
    assert gr.correlated_features(both)[0].members == (0, 2)
    assert gr.correlated_features(gr.RankingData(X, np.tile(copies.y, 2), np.tile(copies.qid, 2))) == ()


def test_categories_are_in_no_group_and_missing_values_are_no_obstacle(copies):
    X = np.column_stack([copies.X, np.round(copies.X[:, 0]) % 3])
    X[::9, 0] = np.nan
    kinds = (*copies.kinds, FeatureKind("category", ("x", "y", "z")))
    data = gr.RankingData(X, copies.y, copies.qid, feature_names=[*copies.feature_names, "brand"], kinds=kinds)
    assert [group.members for group in gr.correlated_features(data)] == [(0, 2)]


def test_a_classifiers_features_move_together_over_all_rows(copies):
    """Within each query of one row nothing moves, but a classifier compares all rows."""
    alone = gr.RankingData(copies.X, copies.y > 2, np.arange(200), feature_names=copies.feature_names)
    model = gr.AdditiveSVC().fit(alone.X, alone.y)
    why = gr.explain_document(model, alone, query=0, document=0)
    assert [group.members for group in why.groups] == [("bm25", "tf-idf")]


def test_many_features_are_shown_one_by_one_with_a_warning(copies, model, monkeypatch):
    monkeypatch.setattr(module, "MAX_FEATURES", 3)
    with pytest.warns(UserWarning, match="not searched among more than 3 features: got 4"):
        why = gr.explain_pair(model, copies, query=0, document=0, against=1)
    assert why.groups == ()


def test_few_documents_form_no_group(copies):
    """Two documents per query are always perfectly correlated."""
    assert gr.correlated_features(copies.pick_queries([0, 1, 2])) == ()
    assert gr.correlated_features(copies.pick_queries([0, 1, 2, 3]))[0].members == (0, 2)


def test_the_picture_has_the_rows_of_the_explanation(copies, model):
    why = gr.explain_pair(model, copies, query=0, document=0, against=1)
    bars = {bar.name: bar.contribution for bar in why.nomogram().layout.bars}
    for reason in why.reasons:
        if abs(reason.contribution) > 0.01:
            assert bars[reason.name] == pytest.approx(reason.contribution, abs=1e-12)
    assert "bm25" not in bars
    assert "bm25" in {bar.name for bar in why.nomogram(groups="none").layout.bars}


def test_a_plain_table_of_a_classifier_has_groups_without_its_categories(copies):
    frame = pd.DataFrame(copies.X, columns=copies.feature_names)
    frame["brand"] = np.where(copies.X[:, 0] > 0, "acme", "bolt")
    encoded = make_column_transformer((OneHotEncoder(), ["brand"]), remainder="passthrough")
    classifier = make_pipeline(encoded, LogisticRegression()).fit(frame, copies.y > 2)
    picture = gr.nomogram(classifier, frame, document=0)
    (group,) = picture.layout.options.groups
    assert [picture.effects.names[k] for k in group.members] == ["bm25", "tf-idf"]
    assert "brand" in picture.effects.names
