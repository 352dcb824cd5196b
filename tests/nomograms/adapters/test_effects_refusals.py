"""A model without per-feature effects is refused, with the reason and an alternative."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    PolynomialFeatures,
    PowerTransformer,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC

from glassrank.core.checks import DataError
from glassrank.data.query_scaler import QueryScaler
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from glassrank.ranking.rank_svm import RankSVM
from tests.nomograms.adapters.additive import CLASS, LABEL, QID, VALUE, X

Z = StandardScaler().fit_transform(X)


def cumulated(values):
    return np.cumsum(values, axis=1)


def weighed(values):
    return values * np.arange(1, values.shape[1] + 1)


def scaled_per_query():
    return make_pipeline(QueryScaler(), RankSVM()).fit(X, LABEL)


REFUSED = {
    "full nodes": (
        lambda: ELMRank(n_nodes=9, random_state=0).fit(Z, LABEL, qid=QID),
        r"ELMRank with nodes='full'.*mixes.*'additive'",
    ),
    "kernel ranker": (lambda: KernelLeastSquaresRanker().fit(Z, LABEL, qid=QID), r"mixes.*kernel='lrbf': RankSVM"),
    "kernel machine": (lambda: SVC().fit(Z, CLASS), r"SVC with the kernel 'rbf'.*AdditiveSVC with kernel='lrbf'"),
    "calibrated twice": (
        lambda: PairCalibrator(PairCalibrator(RankSVM(), random_state=0), random_state=0).fit(Z, LABEL, qid=QID),
        r"PairCalibrator around PairCalibrator.*calibrated already.*ranker itself",
    ),
    "forest": (lambda: RandomForestRegressor(5).fit(Z, VALUE), r"trees combine.*no_interactions"),
    "neighbours": (lambda: KNeighborsRegressor().fit(Z, VALUE), r"distances mix.*lrbf"),
    "layers": (lambda: MLPClassifier((2,), max_iter=1), r"layers mix.*AdditiveSVC"),
    "unknown": (lambda: PCA(), r"supported for .*RankSVM.*got PCA"),
    "function": (
        lambda: PairCalibrator(lambda rows: rows[:, 0], cv="prefit", random_state=0).fit(Z, LABEL, qid=QID),
        r"got function",
    ),
    "three classes": (lambda: LogisticRegression().fit(Z, LABEL), r"LogisticRegression has 4 classes.*one model"),
    "several outputs": (lambda: LinearRegression().fit(Z, np.stack([VALUE, VALUE], 1)), r"2 outputs.*each column"),
    "components": (lambda: make_pipeline(PCA(2), Ridge()).fit(Z, VALUE), r"PCA.*may mix columns.*StandardScaler"),
    "products": (lambda: make_pipeline(PolynomialFeatures(), Ridge()).fit(Z, VALUE), r"PolynomialFeatures.*mix"),
    "rows scaled": (lambda: make_pipeline(Normalizer(), Ridge()).fit(Z, VALUE), r"Normalizer.*mix"),
    "per query": (scaled_per_query, r"QueryScaler.*other documents of its query.*Scale first"),
    "mixing function": (
        lambda: make_pipeline(FunctionTransformer(cumulated), Ridge()).fit(Z, VALUE),
        r"FunctionTransformer\(cumulated\).*other columns.*np.log1p",
    ),
    "function by place": (
        lambda: make_pipeline(FunctionTransformer(weighed), Ridge()).fit(Z, VALUE),
        r"FunctionTransformer\(weighed\).*which column",
    ),
    "bend before differences": (
        lambda: make_pipeline(PowerTransformer(), RankSVM(mode="difference")).fit(X, LABEL),
        r"PowerTransformer before a model of differences.*mode='utility'",
    ),
    "ensemble": (lambda: CalibratedClassifierCV(LinearSVC(), cv=3).fit(Z, CLASS), r"averages.*ensemble=False"),
    "isotonic": (
        lambda: CalibratedClassifierCV(LinearSVC(), method="isotonic", ensemble=False).fit(Z, CLASS),
        r"isotonic.*method='sigmoid'",
    ),
    "twice a sigmoid": (
        lambda: CalibratedClassifierCV(GaussianNB(), ensemble=False).fit(Z, CLASS),
        r"around GaussianNB.*itself",
    ),
    "search without a model": (
        lambda: GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2, refit=False).fit(Z, VALUE),
        r"refit=True",
    ),
    "not fitted": (lambda: LogisticRegression(), r"LogisticRegression is not fitted.*fit"),
    "pipeline not fitted": (lambda: make_pipeline(StandardScaler(), Ridge()), r"not fitted.*fit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_that_is_not_additive_is_refused_with_reason_and_remedy(name):
    make, message = REFUSED[name]
    model = make()
    with pytest.raises(DataError, match=message):
        effects(model, X)


def test_a_class_of_the_same_name_from_another_library_is_refused():
    class Ridge:  # not scikit-learn's
        coef_ = np.ones(4)

    with pytest.raises(DataError, match=r"got Ridge"):
        effects(Ridge(), X)


def test_a_model_without_stored_values_needs_rows_for_the_range_of_the_lines():
    with pytest.raises(DataError, match=r"Ridge has not stored.*pass X"):
        effects(Ridge().fit(X, VALUE))


def test_reading_effects_imports_no_other_library():
    command = "import sys, glassrank.nomograms.adapters.effects_of_model; sys.exit('lightgbm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0
