"""Messages name the rows of the file, also if a fit or a prediction sees some of them; and lists without queries."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import glassrank as gr
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

MISSING = 57


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve queries of ten documents; only row 57 has a missing value."""
    folder, rng = tmp_path_factory.mktemp("rows"), np.random.default_rng(0)
    X = np.round(rng.uniform(size=(120, 2)), 3)
    lines = [
        f"q{row // 10},d{row},{int(3 * a)},{a},{b},1,{'no' if row < 20 else 'yes'}" for row, (a, b) in enumerate(X)
    ]
    lines[MISSING] = lines[MISSING].replace(f",{X[MISSING, 1]},", ",,")
    lines[3] = lines[3].replace(",1,no", ",0,no")
    (folder / "t.csv").write_text("\n".join(["qid,doc_id,label,a,b,weight,used", *lines]) + "\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["train", "--model", "pairwise-svc", "--output", "m.json"],
        ["train", "--model", "pairwise-svc", "--no-calibrate", "--output", "m.json"],
        ["train", "--model", "kernel-least-squares", "--output", "m.json"],
        ["train", "--model", "rank-svm", "--mode", "difference", "--kernel", "lrbf", "--output", "m.json"],
        ["train", "--model", "pairwise-svc", "--output", "m.json", "--split-column", "used", "--part", "yes"],
        ["study", "--also", "pairwise-ridge", "--tune", "0"],
        ["study", "--also", "kernel-least-squares", "--tune", "0", "--folds", "query"],
    ],
    ids=" ".join,
)
def test_a_missing_value_is_named_by_its_row_in_the_file(folder, command):
    refused = glassrank(
        *command, "t.csv", *([] if "--split-column" in command else ["--exclude", "used"]), folder=folder
    )
    assert refused.code == 1
    assert "feature 'b' has 1 missing value (NaN), the first in row 57." in refused.err


def test_a_missing_value_of_a_held_out_fold_is_named_by_its_row(folder):
    data = gr.load_data(folder / "t.csv", exclude=["used"])
    fold = data.pick_queries(["q5"])
    others = gr.RankSVM().fit(data.pick_queries([f"q{query}" for query in range(5)]))
    with pytest.raises(gr.DataError, match="Feature 'b' has 1 missing value, the first in row 57, but had none"):
        others.predict(fold)
    with pytest.raises(gr.DataError, match="1 missing value in 1 feature, the first at row 57, feature 'b'"):
        gr.RankingData(fold.X, fold.y, feature_names=fold.feature_names, rows=fold.rows, missing="refuse")


@pytest.mark.parametrize("row", range(5, 120, 10))
def test_a_missing_value_is_named_whichever_fold_holds_it_out(row):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 3, 120)
    X[row, 1] = np.nan
    data = gr.RankingData(X, y, np.repeat(np.arange(12), 10), feature_names=["a", "b"])
    model = gr.PairCalibrator(gr.PairwiseRanker(Ridge()), random_state=0)
    with pytest.raises(gr.DataError, match=f"feature 'b' has 1 missing value .NaN., the first in row {row}."):
        model.fit(data)


def test_picked_rows_keep_their_numbers(folder):
    data = gr.load_data(folder / "t.csv", exclude=["used"])
    assert data.pick_rows([5, 9, 57]).pick_rows([2, 0]).rows.tolist() == [57, 5]
    assert data.pick_queries(["q5"]).table[[7]][:, [1]].rows.tolist() == [MISSING]
    assert data.counted().rows.tolist() == [row for row in range(120) if row != 3]


def test_a_long_list_without_qid_warns_once_that_all_rows_are_compared():
    X = np.arange(10_001.0)[:, None]
    y = X[:, 0] > 5_000
    for model in (gr.RankSVM(), gr.PairCalibrator(gr.RankSVM(), random_state=0), gr.ELMRank(n_nodes=5, random_state=0)):
        with pytest.warns(UserWarning, match="All 10,001 rows form one list, because there is no qid") as caught:
            model.fit(X, y)
        assert sum("one list" in str(one.message) for one in caught) == 1


def test_a_short_list_and_a_list_that_is_meant_do_not_warn():
    X, y = np.arange(10_001.0)[:, None], np.arange(10_001) > 5_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gr.RankSVM().fit(X[1:], y[1:])
        gr.RankSVM().fit(X, y, qid=np.zeros(len(y), dtype=int))
