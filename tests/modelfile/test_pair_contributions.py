"""A scorer explains a pair like the estimator, from scores alone."""

import json

import numpy as np
import pytest
from scipy import sparse

import glassrank as gr
from glassrank.core.checks import DataError
from tests.modelfile.models import DATA, fitted_model
from tests.shop_table import shop

ADDITIVE = (
    *("lines", "curves", "single feature", "additive gaussian nodes", "search for curves", "pairs"),
    *("calibrated lines", "calibrated pipeline", "pipeline, calibrated", "range", "selected"),
)
ROWS = np.flatnonzero(DATA.qid == DATA.qid[0])


def scorer(model, tmp_path, **saved):
    gr.save_model(model, tmp_path / "m.json", **saved)
    return gr.load_scorer(tmp_path / "m.json")


@pytest.mark.parametrize("name", ADDITIVE)
def test_contributions_are_those_of_the_model(name, tmp_path):
    """The estimator's explanation reads its curves; the scorer's replaces one value after the other."""
    model = fitted_model(name)
    found = scorer(model, tmp_path, feature_names=DATA.feature_names).explain_pair(DATA.X, ROWS[0], ROWS[3])
    expected = gr.explain_pair(model, DATA, query=DATA.qid[0], document=0, against=3, groups="none")
    assert found.unit == expected.unit
    assert (found.probability or 0.0) == pytest.approx(expected.probability or 0.0, rel=1e-9)
    assert found.total == pytest.approx(expected.total, rel=1e-9)
    amounts = {one.name: one.contribution for one in expected.features}
    assert {one.feature: one.contribution for one in found.features} == pytest.approx(amounts, rel=1e-9, abs=1e-9)


def test_lines_contribute_weight_times_difference(tmp_path):
    model = gr.RankSVM().fit([[0.0, 1.0, 5.0], [1.0, 3.0, 5.0]], [0, 1])
    model.coef_ = np.array([2.0, -0.5, 7.0])
    found = scorer(model, tmp_path).explain_pair([[4.0, 1.0, 3.0], [9.0, 9.0, 9.0], [1.0, 2.0, 3.0]], 0, 2)
    assert [(one.feature, one.value_a, one.value_b, one.contribution) for one in found.features] == [
        ("feature 1", 4.0, 1.0, 6.0),
        ("feature 2", 1.0, 2.0, 0.5),
        ("feature 3", 3.0, 3.0, 0.0),
    ]
    assert (found.total, found.unit, found.probability) == (6.5, "score", None)
    assert str(found).splitlines() == [
        "A − B = +6.50 score",
        "",
        "contribution  feature    A  B",
        "       +6.00  feature 1  4  1",
        "       +0.50  feature 2  1  2",
        "        0.00  feature 3  3  3",
    ]
    assert json.loads(found.to_json())["features"][1]["contribution"] == 0.5


def test_levels_and_missing_values_are_named(tmp_path):
    data = gr.RankingData.from_frame(shop(), weight="weight")
    model = gr.PairCalibrator(gr.RankSVM(kernel="lrbf"), cv=2).fit(data)
    rows = np.flatnonzero(data.qid == data.qid[0])
    found = scorer(model, tmp_path).explain_pair(data, int(rows[0]), int(rows[1]))
    expected = gr.explain_pair(model, data, query=data.qid[0], document=0, against=1, groups="none")
    shown = expected.to_frame()
    columns = ["feature", "value_a", "value_b", "contribution"]
    wanted = {row[0]: row[1:] for row in shown[columns].itertuples(index=False)}
    for one in found.features:
        a, b, contribution = wanted[one.feature]
        assert one.contribution == pytest.approx(contribution, abs=1e-9)
        assert [_plain(one.value_a), _plain(one.value_b)] == [_plain(a), _plain(b)]
    assert found.probability == pytest.approx(expected.probability, rel=1e-9)


def _plain(value):
    return None if value is None or value != value else value


def test_sparse_rows_are_explained_as_dense_ones(tmp_path):
    found = scorer(fitted_model("curves"), tmp_path)
    dense = np.where(DATA.X > 1.0, DATA.X, 0.0)
    assert found.explain_pair(sparse.csr_matrix(dense), 0, 1) == found.explain_pair(dense, 0, 1)


def test_many_features_share_the_last_line(tmp_path):
    model = gr.RankSVM().fit(np.eye(30), np.arange(30))
    model.coef_ = np.ones(30)
    lines = str(scorer(model, tmp_path).explain_pair(np.array([np.ones(30), np.zeros(30)]), 0, 1)).splitlines()
    assert lines[-1] == "       +10.0  from 10 more features"


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("kernel rbf", (0, 1), "has no contributions of single features"),
        ("full sigmoid nodes", (0, 1), "has no contributions of single features"),
        ("navigational", (0, 1), "has no contributions of single features"),
        ("lines", (0, 0), "must differ: both are row 0"),
        ("lines", (0, 169), "against must be a row of X from 0 to 168: got 169"),
        ("lines", (-1, 0), "document must be a row of X from 0 to 168: got -1"),
        ("lines", ("d1", 0), "document must be a row of X from 0 to 168: got 'd1'"),
    ],
)
def test_pairs_that_cannot_be_explained_are_rejected(name, rows, message, tmp_path):
    with pytest.raises(DataError, match=message):
        scorer(fitted_model(name), tmp_path).explain_pair(DATA.X, *rows)
