"""Train a model by its name: standardise the features, fit the model to them, and calibrate it."""

import re
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC, LinearSVR

from glassrank.core.checks import DataError, check_choice
from glassrank.core.column_transforms import NONE
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.any_ranker import TrainingLists, fit_ranker, rows_for, weight_arguments
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.elm_rank_cv import ELMRankCV
from glassrank.ranking.feature_transformer import TRANSFORMS, FeatureTransformer
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from glassrank.ranking.labels_as_classes import class_labels
from glassrank.ranking.pairwise import PairwiseRanker
from glassrank.ranking.partitioned_rows import refuse_partitions
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.reliability import NoProbabilitiesError
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.studies.ranking.dense_features import dense_features
from glassrank.studies.ranking.model_options import ELIMINATED, ELIMINATION_DEFAULTS, MODELS, check_options
from glassrank.studies.ranking.systems import fit_with_probabilities
from glassrank.studies.ranking.trained_model import TrainedModel, describe_training

Maker = Callable[[Mapping[str, Any], int | None, int], Any]
"""Makes an unfitted model from its options, the number of folds, None for no probabilities, and a random seed."""


def _seeded(estimator: Any) -> Maker:
    return lambda options, cv, seed: estimator(**options, random_state=seed)


def _unseeded(estimator: Any) -> Maker:
    return lambda options, cv, seed: estimator(**options)


def _pairwise(linear: Any) -> Maker:
    """A classifier or regressor of differences; scores need no intercept, which would cancel in every difference."""

    def make(options: Mapping[str, Any], cv: int | None, seed: int) -> Any:
        own = dict(options)
        mode = own.pop("mode", "utility")
        estimator = linear(**own)
        known = estimator.get_params()
        fixed = {"fit_intercept": mode == "difference", "random_state": seed}
        fitted = estimator.set_params(**{name: value for name, value in fixed.items() if name in known})
        return PairwiseRanker(fitted, mode=mode)

    return make


INNER_FOLDS = 3
MAKERS: dict[str, Maker] = {
    "rank-svm": _seeded(RankSVM),
    "rank-svm-cv": lambda options, cv, seed: RankSVMCV(**options, cv=cv or INNER_FOLDS),
    "elm-rank": _seeded(ELMRank),
    "elm-rank-cv": lambda options, cv, seed: ELMRankCV(**options, cv=cv or INNER_FOLDS, random_state=seed),
    "kernel-least-squares": _unseeded(KernelLeastSquaresRanker),
    "best-single-feature": _unseeded(BestSingleFeature),
    "additive-svc": lambda options, cv, seed: AdditiveSVC(**options, cv=cv, random_state=seed),
    "pairwise-additive-svc": _pairwise(AdditiveSVC),
    "pairwise-linear-svc": _pairwise(LinearSVC),
    "pairwise-svc": _pairwise(partial(SVC, kernel="linear")),
    "pairwise-logistic-regression": _pairwise(LogisticRegression),
    "pairwise-ridge-classifier": _pairwise(RidgeClassifier),
    "pairwise-sgd-classifier": _pairwise(SGDClassifier),
    "pairwise-perceptron": _pairwise(Perceptron),
    "pairwise-linear-svr": _pairwise(LinearSVR),
    "pairwise-linear-regression": _pairwise(LinearRegression),
    "pairwise-ridge": _pairwise(Ridge),
    "pairwise-lasso": _pairwise(Lasso),
    "pairwise-elastic-net": _pairwise(ElasticNet),
}


def make_model(
    model: str,
    options: Mapping[str, Any],
    *,
    transform: str,
    transforms: Mapping[str, str] | None,
    calibrate: bool,
    cv: int,
    random_state: int,
) -> Any:
    """Return an unfitted model: a Pipeline if features are transformed, in a PairCalibrator if it is calibrated."""
    check_options(model, options)
    check_choice("transform", transform, TRANSFORMS)
    made = MAKERS[model](options, cv if calibrate else None, random_state)
    if transform != NONE or transforms:
        made = make_pipeline(FeatureTransformer(transform, transforms), made)
    if MODELS[model].classifies or not calibrate:
        return made
    return PairCalibrator(made, cv=cv, random_state=random_state)


def elimination_machine(model: str, options: Mapping[str, Any], data: RankingData, random_state: int) -> Any:
    """Return the unfitted model whose features ``rank_features`` eliminates; None for its default.

    Of the options that are not given, C of ``rank-svm`` is the number of rows, and unexpected missing values of a fold
    have the effect of the mean.
    """
    check_choice("model", model, ELIMINATED)
    check_options(model, options)
    if model == "rank-svm" and not options:
        return None
    defaults: dict[str, Any] = dict(ELIMINATION_DEFAULTS[model])
    if "C" in defaults:
        defaults["C"] = float(data.n_rows)
    return MAKERS[model]({**defaults, **options}, None, random_state)


def train_model(
    data: RankingData | PartitionedData,
    model: str = "rank-svm",
    options: Mapping[str, Any] | None = None,
    *,
    transform: str = "standard",
    transforms: Mapping[str, str] | None = None,
    calibrate: bool = True,
    cv: int = INNER_FOLDS,
    random_state: int = 0,
    say: Callable[[str], object] = lambda words: None,
) -> TrainedModel:
    """Train a model of ``MODELS`` with some of its options; the others keep the estimator's defaults.

    Features are transformed as in ``FeatureTransformer``, all by ``transform`` and some by ``transforms``. Row weights
    count in every fit, also that of the transforms, and rows of weight 0 are left out. If ``calibrate``, a
    ranker gets P(A above B) from ``cv`` folds of the queries, and a classifier probabilities from folds of the rows.
    If held-out pairs give no probabilities, the ranker has none, and the result says so.
    Warnings of the fits become part of the result. Partitioned data are processed block by block.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(12, 10, random_state=0).data
    >>> trained = train_model(data, "rank-svm", {"kernel": "lrbf", "C": 10.0})
    >>> trained.n_queries, trained.estimator.estimator_.steps[-1][1]
    (12, RankSVM(C=10.0, kernel='lrbf', random_state=0))
    """
    options = dict(options or {})
    given: dict[str, Any] = {"transform": transform, "transforms": transforms}
    made = make_model(model, options, **given, calibrate=calibrate, cv=cv, random_state=random_state)
    rows = _usable_rows(data, say, dense=transform != NONE or bool(transforms))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted, refused = _fit(made, rows, classifies=MODELS[model].classifies)
    settings: dict[str, Any] = {"transform": transform, "transforms": dict(transforms or {})}
    settings |= {"cv": cv if calibrate else None, "refused": refused}
    return describe_training(model, options, settings, fitted, rows, _distinct([str(one.message) for one in caught]))


def _usable_rows(
    data: RankingData | PartitionedData, say: Callable[[str], object], *, dense: bool
) -> RankingData | PartitionedData:
    """Return the rows that count, checked; only positive weights are left, and they keep their scale."""
    data.check_judged("Training data")
    if isinstance(data, PartitionedData):
        return data
    data = dense_features(data, say) if dense else data
    data = data.without_empty_features(lambda words: say(words.removesuffix(".")))
    if data.weights is None or data.weights.all():
        return data
    rows = np.flatnonzero(data.weights)
    if len(rows) == 0:
        raise DataError(f"The weights of all {data.n_rows} rows are zero: there is nothing to learn from.")
    return data.pick_rows(rows)


def _fit(
    made: Any, data: RankingData | PartitionedData, *, classifies: bool
) -> tuple[Any, NoProbabilitiesError | None]:
    """Fit a model; a ranker for which held-out pairs give no probabilities has none, and the error says why."""
    if isinstance(made, PairCalibrator):
        return fit_with_probabilities(made, data)
    if isinstance(data, PartitionedData):
        if classifies:
            refuse_partitions(data, "A classifier", "Train a ranker, or load a part of the data.")
    elif classifies:
        return made.fit(rows_for(made, data.table), class_labels(data), **weight_arguments(made, data.weights)), None
    return fit_ranker(made, *TrainingLists.of(data)), None


def _distinct(messages: list[str]) -> tuple[str, ...]:
    """Return each warning once: of those that differ in numbers only, the last, which is about the final fit."""
    by_words = {re.sub(r"\d\S*", "", message): " ".join(message.split()) for message in messages}
    return tuple(by_words.values())
