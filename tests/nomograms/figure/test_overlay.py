"""What is drawn on the lines: pairs, differences, one document and the median, a row and its class."""

import math

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.nomograms.figure.nomogram import nomogram
from tests.drawing.svg import says
from tests.nomograms.figure.examples import (
    class_effects,
    class_picture,
    class_rows,
    curved_data,
    curved_effects,
    curved_picture,
    curved_samples,
    difference_effects,
    difference_picture,
    random_data,
    random_weights,
)


def scores_by_formula(X):
    """The sum of the example's curves, one number at a time."""
    return [
        0.2 * a - 0.3 * b + math.tanh(c / 3) + 1.5 * math.exp(-(((d - 4) / 2) ** 2)) + 0.5 * math.sin(e)
        for a, b, c, d, e in X
    ]


def test_the_probability_of_a_pair_is_the_sigmoid_of_the_difference(tmp_path):
    a, b, *_ = scores_by_formula(curved_data().X)
    picture = curved_picture()
    p = 1 / (1 + math.exp(b - a))
    assert picture.overlay.total == pytest.approx(a - b, rel=1e-12)
    assert f"  P(A above B) = {p:.3f}" in str(picture).splitlines()
    said = says(picture.save(tmp_path / "why.svg").read_text())
    assert f"{p:.3f}" in said
    assert "given that the two differ in relevance" in said


def test_probabilities_of_exchanged_documents_add_up_to_one():
    totals = [curved_picture(document=a, against=b).overlay.total for a, b in ((0, 1), (1, 0))]
    assert sum(1 / (1 + math.exp(-total)) for total in totals) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("document", [0, 7, 29])
def test_one_document_is_compared_with_the_median_document_of_its_query(document, tmp_path):
    """Thirty documents: the lower of the two middle ones has 14 below it."""
    scores = scores_by_formula(curved_data().X[:30])
    middle = sorted(scores)[14]
    picture = curved_picture(document=document, against=None)
    assert picture.overlay.total == pytest.approx(scores[document] - middle, rel=1e-9, abs=1e-12)
    said = says(picture.save(tmp_path / "one.svg").read_text())
    assert "P(above the reference)" in said
    assert any(text.startswith("the query’s median document") for text in said)
    assert not [text for text in said if text.startswith("B ")]


def test_a_row_and_its_class_add_up_from_the_average_row(tmp_path):
    """Age 45 and "forum" are the average; news is worth 0.4, shop −0.9, wiki 1.1 more, a year 0.05."""
    rows = class_rows()
    for document, (age, kind) in enumerate(rows[:4]):
        picture = class_picture(document=document)
        worth = {"news": 0.4, "shop": -0.9, "forum": 0.0, "wiki": 1.1}[kind]
        total = -0.3 + 0.05 * (age - 45) + worth
        assert picture.overlay.total == pytest.approx(total)
        assert {bar.name: bar.contribution for bar in picture.layout.bars} == pytest.approx(
            {"age": 0.05 * (age - 45), "kind": worth, "average row": -0.3}
        )
        said = says(picture.save(tmp_path / "class.svg").read_text())
        assert kind in said
        assert f"{1 / (1 + math.exp(-total)):.3f}" in said
        assert "P(relevant)" in said


def test_every_category_has_a_tick():
    kind = next(row for row in class_picture().layout.rows if row.name == "kind")
    places = [tick.x for tick in kind.ticks]
    scale = class_picture().layout.scale.pixels
    assert places == pytest.approx([240 + scale * worth for worth in (0.0, 0.9, 1.3, 2.0)])
    assert {tick.label for tick in kind.ticks} <= {"shop", "forum", "news", "wiki", ""}


def test_a_model_of_differences_has_one_dot_per_feature_at_a_minus_b():
    data, slopes = random_data(8), random_weights(8)
    picture = difference_picture(8)
    assert picture.overlay.values.tolist() == [(data.X[0] - data.X[1]).tolist()]
    assert picture.overlay.contributions == pytest.approx(slopes * (data.X[0] - data.X[1]))
    assert {len(row.dots) for row in picture.layout.rows} == {1}
    assert picture.pair.a.rank == 1 + int(sum(data.X[:12] @ slopes > data.X[0] @ slopes))


def test_errors_and_the_interval_are_those_of_the_replicates():
    X = curved_data().X[:2]
    tilts = [-0.05, -0.02, 0.0, 0.03, 0.06]
    picture = curved_picture(samples=curved_samples())
    moves = X[0] - X[1]
    signs = np.array([1, -1, 1, 1, 1])
    for k in range(5):
        assert picture.overlay.error([k]) == pytest.approx(np.std(np.array(tilts) * signs[k] * moves[k], ddof=1))
    a, b, *_ = scores_by_formula(X)
    totals = [a - b + tilt * float(signs @ moves) for tilt in tilts]
    assert picture.overlay.interval == pytest.approx(tuple(np.quantile(totals, [0.025, 0.975])))


def test_effects_alone_are_a_model():
    picture = nomogram(curved_effects(), curved_data(), query="q1", document=3, against=4)
    assert picture.pair.query == "q1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": None}, "Set query"),
        ({"order": "size"}, r"'contribution', 'length', 'name', 'model': got 'size'"),
        ({"lines": "spiral"}, r"'box', 'folded': got 'spiral'"),
        ({"align": "right"}, r"'left', 'zero': got 'right'"),
        ({"units": {"speed": "m/s"}}, r"units.*'speed'"),
    ],
)
def test_options_out_of_range_are_refused_with_the_known_ones(change, message):
    with pytest.raises(DataError, match=message):
        nomogram(curved_effects(), curved_data(), **({"query": "q0", "document": 0, "against": 1} | change))


def test_a_ranker_needs_queries_and_a_classifier_no_second_row():
    with pytest.raises(DataError, match="data must be RankingData: got list"):
        nomogram(curved_effects(), [[1.0] * 5], document=0)
    with pytest.raises(DataError, match="Leave out against"):
        nomogram(class_effects(), class_rows(), document=0, against=1)
    with pytest.raises(DataError, match="0 to 49: got 50"):
        nomogram(class_effects(), class_rows(), document=50)
    with pytest.raises(DataError, match="Set against to the other one"):
        nomogram(difference_effects(3), random_data(3), query="q0", document=0)


def test_one_document_has_no_pair():
    with pytest.raises(DataError, match="one document"):
        _ = class_picture().pair
    with pytest.raises(DataError, match="draw a pair"):
        curved_picture(against=None).pair_to_show(curved_data(), query="q0", document=0, against=1)


def test_a_pair_to_show_contains_values_effects_and_texts():
    picture = curved_picture(samples=curved_samples())
    shown = picture.pair_to_show(curved_data(), query="q1", document=2, against=5)
    X = curved_data().X
    assert np.array([dot["values"] for dot in shown["dots"]]) == pytest.approx(X[[32, 35]], rel=1e-6)
    total = sum(shown["dots"][0]["effects"]) - sum(shown["dots"][1]["effects"])
    scores = scores_by_formula(X[[32, 35]])
    assert total == pytest.approx(scores[0] - scores[1])
    assert shown["documents"][0]["name"] == "A  document 2"
    assert shown["subtitle"].startswith("Query q1")
    assert len(shown["errors"]) == 5


def test_many_pairs_to_show_are_those_shown_one_by_one():
    picture, pairs = curved_picture(samples=curved_samples()), [(2, 5), (0, 1), (5, 2)]
    one_by_one = [picture.pair_to_show(curved_data(), query="q1", document=a, against=b) for a, b in pairs]
    assert picture.pairs_to_show(curved_data(), query="q1", pairs=pairs) == one_by_one
