"""Fitted models of every kind that a file holds, and files written by hand."""

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from glassrank.data.simulate import simulate_ranking
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.single_feature import BestSingleFeature

DATA = simulate_ranking(12, 15, random_state=4).data.pick_features(range(6))
# Every second value is 0, so that a sparse matrix is worth its name.
SPARSE = sparse.csr_matrix(np.where(np.arange(DATA.X.size).reshape(DATA.X.shape) % 2, DATA.X, 0.0))


def lines():
    return RankSVM(C=0.01)


def curves():
    return RankSVM(C=0.01, kernel="lrbf")


# Name -> a model, and whether it takes sparse data
MODELS = {
    "lines": (lines, True),
    "hinge": (lambda: RankSVM(C=1, loss="hinge", pair_weight="query", C_unit="mean", tol=1e-3, max_iter=900), True),
    "curves": (curves, True),
    "one gamma": (lambda: make_pipeline(StandardScaler(), RankSVM(C=0.01, kernel="lrbf", gamma=1)), False),
    "single feature": (BestSingleFeature, True),
    "single feature, other measure": (lambda: BestSingleFeature("map", "letor"), True),
    "standard scaler": (lambda: make_pipeline(StandardScaler(), lines()), False),
    "standard scaler, curves": (lambda: make_pipeline(StandardScaler(), curves()), False),
    "standard scaler, no mean": (lambda: make_pipeline(StandardScaler(with_mean=False), lines()), True),
    "standard scaler, nothing": (lambda: make_pipeline(StandardScaler(with_mean=False, with_std=False), lines()), True),
    "range": (lambda: make_pipeline(MinMaxScaler((-1, 2), clip=True), curves()), False),
    "largest": (lambda: make_pipeline(MaxAbsScaler(), lines()), True),
    "robust": (lambda: make_pipeline(RobustScaler(quantile_range=(10, 90), unit_variance=True), lines()), False),
    "robust, no centre": (lambda: make_pipeline(RobustScaler(with_centering=False), curves()), True),
    "two scalers": (lambda: make_pipeline(RobustScaler(), MinMaxScaler(), BestSingleFeature()), False),
    "no scaler": (lambda: make_pipeline(lines()), True),
    # Narrow curves need many nodes: more numbers than stand in the text.
    "long": (lambda: make_pipeline(StandardScaler(), RankSVM(C=0.01, kernel="lrbf", gamma=8.0)), False),
}


def fitted(model, X=DATA.X):
    """Fit to the simulated queries; X may be a frame, sparse, or of another precision."""
    last = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""
    return model.fit(X, DATA.y, **{f"{last}qid": DATA.qid})


@cache
def fitted_model(name):
    """The model of this name, fitted once for all tests, which leave it as it is."""
    return fitted(MODELS[name][0]())


def signed(content):
    """The content with the checksum that the documentation of the file describes."""
    told = {name: value for name, value in content.items() if name != "checksum"}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return {**told, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def rewrite(path: Path, change) -> None:
    """Change a model file as somebody would who knows how the checksum is made."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(signed(content)))
