"""RankLib's models score as RankLib does: the expected scores were printed by RankyMcRankFace 0.1.1 for rows.txt."""

from pathlib import Path

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError

FOLDER = Path(__file__).parent / "ranklib"
# The text of rows.txt; RankLib takes absent features as 0.
ROWS = np.array(
    [
        [0.0, -1.0, 0.0],
        [0.1, -0.25, 9.0],
        [0.1000001, -0.2499999, 0.0],
        [5.0, 3.0, 0.14612933],
        [5.0, 3.0, 0.5],
        [5.0, np.nan, 0.5],
        [np.nan, 3.0, 0.5],
        [-3.5, -7.25, 1024.0],
    ]
)
EXPECTED = {
    "lambdamart": (
        *(-0.726249098777771, -0.726249098777771, 0.9363301992416382, 0.9363301992416382),
        *(0.9924183487892151, 0.9924183487892151, 0.7440195679664612, -0.726249098777771),
    ),
    "linear_regression": (
        *(0.10785534037790592, 2.7829683670920358, 0.18236521789847063, 3.301224930446359),
        *(3.403477954167723, 3.352043975301441, 0.32091193501605164, 293.73375919906147),
    ),
    "coordinate_ascent": (
        *(0.0, -4.698272242583748, 0.027220277603965407, 1.2842866496112058),
        *(1.0984851809062945, 1.0984851809062945, -0.26252736076793587, -538.6087436319046),
    ),
}


@pytest.mark.parametrize("name", ["linear_regression", "coordinate_ascent"])
def test_linear_models_score_as_ranklib(name):
    """RankLib reads features in 32 bits."""
    found = gr.load_ranker(FOLDER / f"{name}.txt").predict(ROWS.astype(np.float32))
    np.testing.assert_allclose(found, EXPECTED[name], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("title", ["LambdaMART", "MART"])
def test_trees_score_as_ranklib(title, tmp_path):
    """RankLib rounds the sum to 32 bits after every tree."""
    text = (FOLDER / "lambdamart.txt").read_text().replace("## LambdaMART", f"## {title}")
    (tmp_path / "model.txt").write_text(text)
    found = gr.load_ranker(tmp_path / "model.txt").predict(ROWS)
    np.testing.assert_allclose(found, EXPECTED["lambdamart"], rtol=2**-23)


def test_effects_of_trees_add_up_to_the_score():
    model = gr.load_ranker(FOLDER / "lambdamart.txt", feature_names=["bm25", "age", "clicks"])
    made = gr.effects(model, ROWS)
    assert (made.names, made.interaction_names) == (("bm25", "age", "clicks"), ("bm25 × clicks",))
    np.testing.assert_allclose(made.total(ROWS), EXPECTED["lambdamart"], rtol=1e-6)


@pytest.mark.parametrize("name", EXPECTED)
def test_saved_models_keep_their_scores(name, tmp_path):
    model = gr.load_ranker(FOLDER / f"{name}.txt")
    gr.save_model(model, tmp_path / "model.json")
    for loaded in (gr.load_model(tmp_path / "model.json"), gr.load_scorer(tmp_path / "model.json")):
        assert loaded.predict(ROWS).tolist() == model.predict(ROWS).tolist()


def test_features_without_a_weight_can_be_named():
    model = gr.load_ranker(FOLDER / "coordinate_ascent.txt", feature_names=["a", "b", "c", "d"])
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert model.predict([[0.0, 5.0, 2.0, 9.0]]).tolist() == pytest.approx([2 * -0.5250547215358717])


TREES = (FOLDER / "lambdamart.txt").read_text()
DEEP = TREES.replace(
    "<output> -0.4863523542881012 </output>",
    '<feature> 2 </feature><threshold> 1.0 </threshold><split pos="left"><feature> 3 </feature>'
    '<threshold> 2.0 </threshold><split pos="left"><output> 1.0 </output></split><split pos="right">'
    '<output> 2.0 </output></split></split><split pos="right"><output> 3.0 </output></split>',
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DEEP, r"RankLib's LambdaMART has no per-feature effects: tree 0 combines the features 0, 1, 2"),
        ("## RankNet\n1:2", "RankLib's 'RankNet' is not supported: expected one of Linear Regression, "),
        ("## Coordinate Ascent\n", "has no weights"),
        ("## Coordinate Ascent\n0:1.0", "has no weights"),
        ("## Coordinate Ascent\n1:0.5 1:0.25", "the entry '1:0.25': expected NUMBER:WEIGHT"),
        ("## Coordinate Ascent\n1:0.5 two", "the entry 'two': expected NUMBER:WEIGHT"),
        ("## Coordinate Ascent\n1:0.5\n2:0.25\n", "has 2 lines of weights: expected one"),
        ("## Coordinate Ascent\n1:1_0", "'1_0' in place of a number"),
        ("## Coordinate Ascent\n1:NaN", "'NaN' in place of a number"),
        ("## Coordinate Ascent\n999999999:1", "expected numbers up to 100,000"),
        ("## LambdaMART\n", "has no trees"),
        ("## LambdaMART\n<ensemble></ensemble>", "has no trees"),
        (TREES.replace("</ensemble>", ""), "the trees of the RankLib model are damaged"),
        (TREES.replace("<ensemble>", "<!DOCTYPE x [<!ENTITY a 'b'>]><ensemble>"), "has no trees"),
        (TREES.replace("<feature> 1 </feature>", "<feature> 0 </feature>"), "has the feature '0'"),
        (
            TREES.replace("<feature> 1 </feature>", ""),
            "a <split> of the RankLib model contains <threshold>: expected <fea",
        ),
        (TREES.replace("tree", "three"), "a <ensemble> of the RankLib model contains <three>: expected <tree>"),
        (TREES.replace("</tree>", "x</tree>", 1), "a <tree> of the RankLib model contains x: expected nothing"),
        (TREES.replace("<threshold> 0.1 ", "<threshold> 0.<b/>1 "), "a <threshold> .* contains <b>: expected a number"),
        (TREES.replace("<output> -0.48", "<output> 1 </output><output> -0.48"), "contains <output>: expected nothing"),
        (TREES.replace("<threshold> 0.1 </threshold>", "<threshold> x </threshold>"), "'x' in place of a number"),
        (TREES.replace("<threshold> 0.1 ", "<threshold> 1e39 "), "'inf' in place of a number"),
        (TREES.replace('pos="left"', 'pos="up"', 1), "lacks its left and right branch"),
        (TREES.replace('weight="0.1"', ""), "'' in place of a number"),
    ],
)
def test_other_and_damaged_models_cause_an_error(text, message, tmp_path):
    (tmp_path / "model.txt").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        gr.load_ranker(tmp_path / "model.txt")
    assert str(tmp_path / "model.txt") in str(caught.value)


def test_names_must_fit_the_model():
    with pytest.raises(DataError, match="feature_names must have one entry per feature of the model: expected 3"):
        gr.load_ranker(FOLDER / "lambdamart.txt", feature_names=["a", "b"])
