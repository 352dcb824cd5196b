"""A scorer ranks like the saved model, without scikit-learn."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.modelfile.load_model import load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.rank_svm import RankSVM
from tests.modelfile.models import DATA, EVERY_KIND, MODELS, fitted, fitted_model, lines, scores
from tests.shop_table import shop

SHOP = RankingData.from_frame(shop(), weight="weight")
BEYOND = np.vstack([DATA.X, 3.0 * DATA.X - 1.0])


def scorer(model, tmp_path):
    save_model(model, tmp_path / "m.json", feature_names=DATA.feature_names)
    return load_scorer(tmp_path / "m.json")


@pytest.mark.parametrize("name", MODELS)
def test_a_scorer_and_its_model_give_bitwise_equal_scores(name, tmp_path):
    model = fitted_model(name)
    assert scorer(model, tmp_path).predict(BEYOND).tolist() == scores(model, BEYOND).tolist()


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()])
def test_data_can_be_sparse_even_if_scaling_moves_the_zeros(scaler, tmp_path):
    """scikit-learn's scalers reject such data or do not move the zeros."""
    model = fitted(make_pipeline(scaler, lines()))
    assert scorer(model, tmp_path).predict(sparse.csr_matrix(DATA.X)).tolist() == model.predict(DATA.X).tolist()


def test_sparse_data_are_clipped_too(tmp_path):
    scaler = MaxAbsScaler()
    if "clip" not in scaler.get_params():
        pytest.skip("this scikit-learn cannot cut")
    model = fitted(make_pipeline(scaler.set_params(clip=True), lines()))
    found = scorer(model, tmp_path)
    for X in (5.0 * DATA.X, sparse.csr_matrix(5.0 * DATA.X)):
        assert found.predict(X).tolist() == model.predict(X).tolist()


def test_scoring_does_not_change_the_data(tmp_path):
    for name in MODELS:
        X, csr = DATA.X.copy(), sparse.csr_matrix(DATA.X)
        found = scorer(fitted_model(name), tmp_path)
        found.predict(X)
        found.predict(csr)
        assert X.tolist() == DATA.X.tolist()
        assert csr.toarray().tolist() == DATA.X.tolist()


def test_a_scorer_describes_itself(tmp_path):
    found = scorer(fitted_model("standard scaler"), tmp_path)
    assert repr(found) == "Scorer(Pipeline, 6 features)"
    assert (found.kind, found.n_features, found.feature_names) == ("Pipeline", 6, DATA.feature_names)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (DATA.X[:, :5], "X must have one column per feature: expected 6, got 5"),
        (DATA.X[0], "X must have two dimensions"),
        ([["a"] * 6], "X must contain numbers"),
        (np.where(DATA.X > 3.0, np.nan, DATA.X), "missing values, the first in row 0, but had none in training"),
        (1e300 * np.ones((2, 6)), "The model's scores has 2 values that are not finite"),
    ],
)
def test_data_that_cannot_be_scored_are_rejected(X, message, tmp_path):
    model = fitted(lines())
    model.coef_ = 1e200 * np.ones(6)
    with pytest.raises(DataError, match=message):
        scorer(model, tmp_path).predict(X)


@pytest.mark.parametrize("name", EVERY_KIND)
def test_an_empty_matrix_has_no_scores(name, tmp_path):
    assert scorer(fitted_model(name), tmp_path).predict(np.zeros((0, 6))).tolist() == []


def test_scikit_learn_is_not_imported(tmp_path):
    names = [*EVERY_KIND, "standard scaler, curves", "long"]
    for number, name in enumerate(names):
        save_model(fitted_model(name), tmp_path / f"{number}.json")
    save_model(RankSVM(missing="mean").fit(SHOP.table, SHOP.y, qid=SHOP.qid), tmp_path / "shop.json")
    source = f"""
import sys
import glassrank as gr
from glassrank.core.feature_kinds import PLAIN, FeatureKind
from glassrank.modelfile.load_model import load_scorer
kinds = [PLAIN, PLAIN, FeatureKind("boolean"), FeatureKind("category", ("brand 1", "brand 7"))]
data = [[9.0, float("nan"), 1.0, 0.0], [8.0, 4.0, 0.0, 1.0]]
shop = gr.RankingData(data, None, kinds=kinds, feature_names={SHOP.feature_names})
print(load_scorer("shop.json").explain_pair(shop, 0, 1), file=sys.stderr)
scorers = [load_scorer(f"{{number}}.json") for number in range({len(names)})]
count = sum(len(scorer.predict([[1.0] * 6])) for scorer in scorers)
print(scorers[0].explain_pair([[1.0] * 6, [2.0] * 6], 0, 1), file=sys.stderr)
print(count, *{{name.split(".")[0] for name in sys.modules}})
"""
    done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=True)
    count, *loaded = done.stdout.split()
    assert int(count) == len(names)
    assert {"numpy", "pydantic"} <= set(loaded)
    assert {"sklearn", "joblib", "numba", "pandas"} & set(loaded) == set()
