"""Fitted models of every kind that a file can store, and a helper that edits files."""

import hashlib
import json
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_regression
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC

from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.elm_rank_cv import ELMRankCV
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from glassrank.ranking.pairwise import PairwiseRanker
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.simulation.ranking import simulate_ranking

DATA = simulate_ranking(12, 15, random_state=4).data.pick_features(range(6))
# Every second value is 0, so that the matrix is really sparse.
SPARSE = sparse.csr_matrix(np.where(np.arange(DATA.X.size).reshape(DATA.X.shape) % 2, DATA.X, 0.0))


def lines():
    return RankSVM(C=10.0)


def curves():
    return RankSVM(C=10.0, kernel="lrbf")


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def nodes(kind, activation, **parameters):
    """An ELMRank whose nodes are not all saturated: the simulated features are of the order of 10."""
    return ELMRank(12, activation, 0.01, nodes=kind, input_range=0.1, random_state=0, **parameters)


def calibrated(ranker, **parameters):
    return PairCalibrator(ranker, max_pairs=50, random_state=3, **parameters)


def signs(encoder):
    """An encoder of few categories: the signs of the values."""
    return make_pipeline(FunctionTransformer(np.sign), encoder)


def mixed_columns():
    """A ColumnTransformer with most kinds of steps."""
    return ColumnTransformer(
        [
            ("signs", signs(OneHotEncoder(handle_unknown="ignore", sparse_output=False)), [0, 1]),
            ("codes", signs(OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)), slice(1, 2)),
            ("filled", SimpleImputer(strategy="median", add_indicator=True), [True, False, True, False, False, False]),
            ("gaps", MissingIndicator(features="all"), [-1]),
            ("not used", "drop", [5]),
        ],
        remainder="passthrough",
        transformer_weights={"signs": 0.5},
    )


STEPS = {
    "filled": (lambda: make_pipeline(SimpleImputer(add_indicator=True), Ridge()), False),
    "quantiles": (lambda: make_pipeline(QuantileTransformer(n_quantiles=9, random_state=0), lines()), False),
    "normal scores": (
        lambda: make_pipeline(QuantileTransformer(n_quantiles=9, output_distribution="normal"), RidgeClassifier()),
        False,
    ),
    "powers": (lambda: make_pipeline(PowerTransformer(), "passthrough", GaussianNB()), False),
    "functions": (lambda: make_pipeline(FunctionTransformer(np.arcsinh, np.sinh), lines()), False),
    "columns": (lambda: make_pipeline(mixed_columns(), Ridge()), False),
    "rare categories": (
        lambda: make_pipeline(
            signs(OneHotEncoder(min_frequency=9, handle_unknown="infrequent_if_exist")),
            LogisticRegression(),
        ),
        False,
    ),
    "selected": (
        lambda: make_pipeline(VarianceThreshold(), SelectKBest(f_regression, k=3), make_pipeline(lines())),
        False,
    ),
    "counts": (lambda: make_pipeline(MinMaxScaler(clip=True), MultinomialNB()), False),
    "presence": (lambda: scaled(BernoulliNB(binarize=0.5)), False),
    "codes": (lambda: make_pipeline(MinMaxScaler((0, 3), clip=True), CategoricalNB(min_categories=4)), False),
    "calibrated columns": (lambda: calibrated(make_pipeline(mixed_columns(), lines()), cv=2), False),
    "splines": (lambda: make_pipeline(SplineTransformer(n_knots=3, include_bias=False), Ridge()), False),
}
NODES = {
    f"{kind} {activation} nodes": (partial(nodes, kind, activation, weighting=weighting), True)
    for kind in ("full", "additive")
    for activation, weighting in [
        ("sigmoid", "pairs"),
        ("gaussian", "query"),
        ("tanh", "different-labels"),
        ("relu", "pairs"),
        ("linear", "query"),
    ]
}
KERNEL_RANKERS = {
    f"kernel {kernel}": (partial(KernelLeastSquaresRanker, 0.1, kernel=kernel, weighting=weighting), True)
    for kernel, weighting in [("rbf", "pairs"), ("laplacian", "query"), ("linear", "different-labels")]
}

# Name -> a model, and whether it takes sparse data
MODELS = {
    "lines": (lines, True),
    "hinge": (lambda: RankSVM(C=1, loss="hinge", pair_weight="query", C_unit="pair", tol=1e-3, max_iter=900), True),
    "curves": (curves, True),
    "one gamma": (lambda: make_pipeline(StandardScaler(), RankSVM(C=10.0, kernel="lrbf", gamma=1)), False),
    "single feature": (BestSingleFeature, True),
    "single feature, other scoring": (lambda: BestSingleFeature("map", "letor"), True),
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
    # Narrow curves need many nodes: too many numbers for the JSON text.
    "long": (lambda: make_pipeline(StandardScaler(), RankSVM(C=10.0, kernel="lrbf", gamma=8.0)), False),
    **NODES,
    "nodes of float32": (lambda: scaled(ELMRank(12, dtype="float32", bias_range=2, random_state=None)), False),
    "many nodes": (lambda: scaled(ELMRank(220, nodes="additive", random_state=0)), False),
    **KERNEL_RANKERS,
    "scaled kernel, one gamma": (lambda: scaled(KernelLeastSquaresRanker(0.1, gamma=0.5)), False),
    "search": (lambda: RankSVMCV([0.001, 0.1], cv=2, scoring="map"), True),
    "search for curves": (lambda: scaled(RankSVMCV(3, cv=2, kernel="lrbf", gamma=["scale", 0.5], n_jobs=1)), False),
    "search for nodes": (lambda: scaled(ELMRankCV([0.01, 1.0], cv=2, n_nodes=12, random_state=0)), False),
    "search by leaving queries out": (
        lambda: scaled(ELMRankCV(cv="leave-query-out", n_nodes=12, nodes="additive", dtype="float32", random_state=0)),
        False,
    ),
    "pairs": (lambda: PairwiseRanker(LinearSVC(C=0.01, fit_intercept=False, random_state=0)), True),
    "pairs by SVC": (lambda: scaled(PairwiseRanker(SVC(kernel="linear", C=0.1))), False),
    "pairs by logistic regression": (lambda: scaled(PairwiseRanker(LogisticRegression())), False),
    "pairs by ridge": (lambda: PairwiseRanker(Ridge(alpha=2)), True),
    "classes": (lambda: AdditiveSVC(C=0.01, random_state=0), True),
    "classes by curves": (lambda: scaled(AdditiveSVC(C=0.1, kernel="lrbf", loss="hinge", random_state=7)), False),
    "classes without probabilities": (lambda: AdditiveSVC(C=0.01, cv=None), True),
    "navigational": (
        lambda: NavigationalClassifier(coupling=("SVM weights", "maximum entropy", 4), cv=2, random_state=0),
        False,
    ),
    "calibrated lines": (lambda: calibrated(lines()), True),
    "calibrated pipeline": (lambda: calibrated(scaled(curves()), cv=2), False),
    "pipeline, calibrated": (lambda: scaled(calibrated(nodes("additive", "tanh"), cv=2)), False),
    "calibrated search": (lambda: calibrated(RankSVMCV([0.001, 0.1], cv=2), cv=2), True),
    "calibrated pairs": (lambda: calibrated(PairwiseRanker(Ridge()), cv=2), True),
    "calibrated single feature": (lambda: calibrated(BestSingleFeature()), True),
    "calibrated kernel": (lambda: calibrated(scaled(KernelLeastSquaresRanker(0.1)), cv=2), False),
    **STEPS,
}
# One model of every kind that a file can store.
EVERY_KIND = (
    *("lines", "curves", "single feature", "full sigmoid nodes", "additive gaussian nodes", "nodes of float32"),
    *("kernel rbf", "search for curves", "search for nodes", "pairs", "classes by curves", "calibrated lines"),
    *("calibrated pipeline", "pipeline, calibrated", "navigational"),
    # The scores of splines need scikit-learn.
    *(name for name in STEPS if name != "splines"),
)


def fitted(model, X=DATA.X):
    """Fit to the simulated queries; X may be a frame, sparse, or of another precision."""
    if is_classifier(model):
        return model.fit(X, np.where(DATA.y > 0, "good", "bad"))
    prefix, last = "", model
    while hasattr(last, "steps"):
        prefix, last = f"{prefix}{last.steps[-1][0]}__", last.steps[-1][1]
    return model.fit(X, DATA.y, **({} if isinstance(last, Ridge) else {f"{prefix}qid": DATA.qid}))


def scores(model, X):
    """Return the scores by which a model ranks documents."""
    if is_classifier(model) and not hasattr(model, "decision_function"):
        # Pipeline has no predict_joint_log_proba.
        changed = model[:-1].transform(X) if len(model) > 1 else X
        return np.diff(model[-1].predict_joint_log_proba(changed))[:, 0]
    return model.decision_function(X) if is_classifier(model) else model.predict(X)


def ends_in_scikit_learn(model):
    """Return whether the scores are those of a model of scikit-learn, which may be infinite."""
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    return type(model).__module__.startswith("sklearn.")


@cache
def fitted_model(name):
    """Return the model of this name, fitted once for all tests, which do not change it."""
    return fitted(MODELS[name][0]())


def signed(content):
    """Return the content with a valid checksum, computed as the documentation describes."""
    hashed = {name: value for name, value in content.items() if name != "checksum"}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"))
    return {**hashed, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def rewrite(path: Path, change) -> None:
    """Change a model file and update its checksum."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(signed(content)))
