"""The text, table, JSON and chart of an elimination."""

import json
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from glassrank import DataError, RankSVM
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from tests.reference.pairs import random_problem

FRAME_COLUMNS = ["n_features", "mean", "standard_error", "fold_0", "fold_1", "fold_2", "leaves_next", "selected"]


@pytest.fixture(scope="module")
def problem():
    made = random_problem(31, n_rows=160, n_features=6, n_queries=12)
    X = pd.DataFrame(made.X, columns=["bm25", "links", "age", "clicks", "length", "depth"])
    return X, made.y, made.qid


def fit(problem, **parameters):
    X, y, qid = problem
    return NomogramRFE(RankSVM(50.0), random_state=0, **parameters).fit(X, y, qid=qid)


@pytest.fixture(scope="module")
def rfe(problem):
    return fit(problem, nested=True, n_bootstraps=2)


def test_the_estimator_itself_prints_as_scikit_learn_does(rfe):
    assert repr(rfe).startswith("NomogramRFE(estimator=RankSVM(C=50.0)")


def test_the_text_says_which_features_are_kept_and_their_score(rfe):
    lines = str(rfe.result_).splitlines()
    assert lines[0] == f"{rfe.n_features_} of 6 features are kept: the best of 6 sizes."
    assert lines[1].startswith(f"Selection score {rfe.selection_score_:.4f} (pair_accuracy, 3 folds of queries)")
    assert lines[2].startswith(f"Nested estimate {rfe.nested_score_:.4f} ± {rfe.nested_std_:.4f}")
    assert lines[3].startswith("Kept in resamples: ")
    assert lines[4].split()[:2] == ["features", "pair_accuracy"]
    (kept,) = (line for line in lines if "← kept" in line)
    assert kept.split()[0] == str(rfe.n_features_)
    assert repr(rfe.result_) == str(rfe.result_)


def test_the_maximum_of_the_curve_is_called_a_selection_score_and_never_an_estimate(problem):
    text = str(fit(problem).result_)
    assert "Selection score" in text
    assert "optimistic" in text
    assert "estimate" not in text.lower()


def test_the_text_names_the_one_standard_error_rule(problem):
    found = fit(problem, keep="one-se").result_
    assert "the fewest within one standard error, and 0.002, of the best of 6 sizes" in str(found)


def test_a_given_number_of_features_is_kept_and_named_as_given(problem):
    found = fit(problem, keep=2).result_
    assert str(found).startswith("2 of 6 features are kept: as many as were asked for, of 6 sizes.")
    assert found.n_kept == 2


def test_rounds_kept_and_dropped_features_agree_with_the_estimator(rfe):
    names, found = rfe.feature_names_in_, rfe.result_
    assert [one.n_features for one in found.rounds] == [6, 5, 4, 3, 2, 1]
    left = [line.feature for one in found.rounds for line in one.leaves]
    assert left == names[rfe.elimination_order_].tolist()
    assert [line.feature for line in found.dropped] == left[: 6 - rfe.n_features_]
    assert {line.feature for line in found.kept} == set(names[rfe.support_])
    lengths = [line.length for line in found.kept]
    assert lengths == sorted(lengths, reverse=True)
    assert found.stability == dict(zip(names, rfe.stability_, strict=True))


def test_the_kept_lengths_are_those_of_the_final_model(rfe, problem):
    """Straight lines: |w| times the mean over queries of the range of the values."""
    X, y, qid = problem
    kept = X.columns[rfe.support_]
    final = clone(rfe.estimator_).set_params(tol=1e-12).fit(X[kept], y, qid=qid)
    ranges = X[kept].groupby(np.asarray(qid)).agg(lambda values: values.max() - values.min()).mean()
    expected = dict(zip(kept, np.abs(final.coef_) * ranges.to_numpy(), strict=True))
    assert {line.feature: line.length for line in rfe.result_.kept} == pytest.approx(expected, rel=1e-5)


def test_the_table_has_one_row_per_round(rfe):
    frame = rfe.result_.to_frame()
    assert frame.columns.tolist() == FRAME_COLUMNS
    assert frame["mean"].tolist() == rfe.cv_results_["mean_test_score"][::-1].tolist()
    np.testing.assert_allclose(frame["mean"], frame[["fold_0", "fold_1", "fold_2"]].mean(axis=1))
    expected = frame[["fold_0", "fold_1", "fold_2"]].std(axis=1, ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(frame["standard_error"], expected)
    assert frame["n_features"][frame["selected"]].tolist() == [rfe.n_features_]


def test_json_contains_rounds_estimate_and_stability(rfe):
    found = json.loads(rfe.result_.to_json())
    assert len(found["rounds"]) == 6
    assert found["nested"]["mean"] == rfe.nested_score_
    assert found["stability"].keys() == set(rfe.feature_names_in_)


@pytest.mark.parametrize(("suffix", "begins"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chart_is_saved_in_every_format(rfe, tmp_path, suffix, begins, theme):
    path = rfe.result_.chart().save(tmp_path / f"curve{suffix}", theme=theme)
    assert path.read_bytes().startswith(begins)


def test_an_unknown_format_is_refused(rfe, tmp_path):
    with pytest.raises(DataError, match="suffix must be one of"):
        rfe.result_.chart().save(tmp_path / "curve.bmp")


def texts(result):
    root = ElementTree.fromstring(result._repr_svg_())
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text") if element.text]


def test_the_picture_names_axes_the_kept_subset_and_the_nested_estimate(rfe):
    shown = texts(rfe.result_)
    assert "features kept" in shown
    assert "pair_accuracy" in shown
    assert "nested estimate" in shown
    assert any(text.startswith(f"kept: {rfe.n_features_} feature") and "selection score" in text for text in shown)


def test_points_can_be_links_with_the_shown_size_marked(rfe):
    links = {n: f"?n={n}" for n in range(1, 7)}
    made = rfe.result_.chart(shown=2, links=links).body()
    data = {one["name"]: one["values"] for one in made["data"]}
    assert {row["size"]: row["href"] for row in data["links"]} == links
    assert [row["says"].split()[0] for row in data["links"]] == ["1", "2", "3", "4", "5", "6"]
    for left, right in pairwise(data["links"]):
        assert left["right"] == right["left"] == (left["x"] + right["x"]) / 2
    assert "2" in [row["label"] for row in data["x labels"]]
    (shown,) = (row for row in data["links"] if row["size"] == 2)
    places = [
        (mark["encode"]["update"]["x"]["value"], mark["encode"]["update"]["y"]["value"])
        for mark in made["marks"]
        if mark["encode"]["update"].get("strokeWidth") == {"value": 2.4}
    ]
    assert places == [(shown["x"], shown["y"])]


def test_without_a_nested_estimate_there_is_no_column_for_it(problem):
    assert "nested estimate" not in texts(fit(problem).result_)


def test_the_nested_estimate_is_beside_the_curve_and_not_on_it(rfe):
    made = rfe.result_.chart().body()
    data = {one["name"]: one["values"] for one in made["data"]}
    (square,) = (
        mark["encode"]["update"]
        for mark in made["marks"]
        if mark["encode"]["update"].get("shape") == {"value": "square"}
    )
    assert square["x"]["value"] > max(point["x"] for point in data["points"]) + 40


def test_the_description_for_screen_readers_names_every_size(rfe):
    description = rfe.result_.chart().specification()["description"]
    assert description.count(" features 0.") == 5
    assert "1 feature 0." in description


def test_a_single_round_can_be_drawn(problem):
    found = fit(problem, min_features_to_select=6).result_
    assert len(found.rounds) == 1
    assert "kept: 6 features" in " ".join(texts(found))
