"""Which adapter reads which model, by library and class name, so that no library needs to be imported."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters import (
    lightgbm_trees,
    own_rankers,
    sklearn_boosting,
    sklearn_linear,
    sklearn_naive_bayes,
    wrappers,
    xgboost_trees,
)
from glassrank.nomograms.adapters.pipeline import pipeline
from glassrank.nomograms.adapters.terms import Terms, TermsOf, refuse

ADAPTERS: dict[str, Callable[[Any], Terms]] = {
    "glassrank:AdditiveRanker": own_rankers.own_terms,
    "glassrank:AdditiveSVC": own_rankers.additive_svc,
    "glassrank:BestSingleFeature": own_rankers.best_single_feature,
    "glassrank:ELMRank": own_rankers.elm_rank,
    "glassrank:ELMRankCV": own_rankers.elm_rank,
    "glassrank:NaiveBayes": own_rankers.own_terms,
    "glassrank:NavigationalClassifier": own_rankers.own_terms,
    "glassrank:PairwiseRanker": own_rankers.pairwise_ranker,
    "glassrank:RankSVM": own_rankers.rank_svm,
    "lightgbm:Booster": lightgbm_trees.lightgbm_booster,
    "lightgbm:LGBMClassifier": lightgbm_trees.lightgbm_model,
    "lightgbm:LGBMRanker": lightgbm_trees.lightgbm_model,
    "lightgbm:LGBMRegressor": lightgbm_trees.lightgbm_model,
    "sklearn:BernoulliNB": sklearn_naive_bayes.bernoulli_nb,
    "sklearn:CategoricalNB": sklearn_naive_bayes.categorical_nb,
    "sklearn:GaussianNB": sklearn_naive_bayes.gaussian_nb,
    "sklearn:GradientBoostingClassifier": sklearn_boosting.gradient_boosting_classifier,
    "sklearn:GradientBoostingRegressor": sklearn_boosting.gradient_boosting_regressor,
    "sklearn:HistGradientBoostingClassifier": sklearn_boosting.hist_gradient_boosting,
    "sklearn:HistGradientBoostingRegressor": sklearn_boosting.hist_gradient_boosting,
    "sklearn:MultinomialNB": sklearn_naive_bayes.multinomial_nb,
    "sklearn:NuSVC": sklearn_linear.svc,
    "sklearn:SGDClassifier": sklearn_linear.sgd_classifier,
    "sklearn:SVC": sklearn_linear.svc,
    "xgboost:Booster": xgboost_trees.xgboost_booster,
    "xgboost:XGBClassifier": xgboost_trees.xgboost_model,
    "xgboost:XGBRanker": xgboost_trees.xgboost_model,
    "xgboost:XGBRegressor": xgboost_trees.xgboost_model,
    **{f"sklearn:{name}": sklearn_linear.linear_regressor for name in sklearn_linear.REGRESSORS},
    **{f"sklearn:{name}": sklearn_linear.logistic for name in sklearn_linear.LOGISTIC},
    **{f"sklearn:{name}": sklearn_linear.margin for name in sklearn_linear.MARGINS},
}
WRAPPERS: dict[str, Callable[[Any, TermsOf], Terms]] = {
    "glassrank:PairCalibrator": wrappers.pair_calibrator,
    "glassrank:RankSVMCV": wrappers.best_of_search,
    "sklearn:CalibratedClassifierCV": wrappers.calibrated_classifier,
    "sklearn:FrozenEstimator": wrappers.frozen,
    "sklearn:GridSearchCV": wrappers.best_of_search,
    "sklearn:HalvingGridSearchCV": wrappers.best_of_search,
    "sklearn:HalvingRandomSearchCV": wrappers.best_of_search,
    "sklearn:Pipeline": pipeline,
    "sklearn:RandomizedSearchCV": wrappers.best_of_search,
}

_DEEP_TREES = "its trees combine several features"
_STUMPS = (
    f"Use boosted trees of one feature each: HistGradientBoosting with {setting('interaction_cst', 'no_interactions')}."
)
_CURVES = f"Use {setting('kernel', 'lrbf')}: RankSVM to rank, or AdditiveSVC to classify."
NOT_ADDITIVE: dict[str, tuple[str, str]] = {
    "glassrank:KernelLeastSquaresRanker": ("its kernel mixes all features", _CURVES),
    "sklearn:KNeighborsClassifier": ("distances mix all features", _CURVES),
    "sklearn:KNeighborsRegressor": ("distances mix all features", _CURVES),
    "sklearn:KernelRidge": ("its kernel mixes all features", _CURVES),
    "sklearn:MLPClassifier": ("its layers mix all features", _CURVES),
    "sklearn:MLPRegressor": ("its layers mix all features", _CURVES),
    "sklearn:NuSVR": ("its kernel mixes all features", _CURVES),
    "sklearn:SVR": ("its kernel mixes all features", _CURVES),
    **{
        f"sklearn:{kind}{task}": (_DEEP_TREES, _STUMPS)
        for kind in ("DecisionTree", "ExtraTree", "ExtraTrees", "RandomForest")
        for task in ("Classifier", "Regressor")
    },
}


def terms_of(model: Any) -> Terms:
    """Read a fitted model as a sum of curves; a model that is not additive or not supported causes an error."""
    key = f"{type(model).__module__.split('.')[0]}:{type(model).__name__}"
    if key in NOT_ADDITIVE:
        raise refuse(type(model).__name__, *NOT_ADDITIVE[key])
    if key not in ADAPTERS and key not in WRAPPERS:
        known = ", ".join(dict.fromkeys(name.split(":")[1] for name in (*ADAPTERS, *WRAPPERS)))
        raise DataError(
            f"Effects are supported for {known}: got {type(model).__name__}, whose output might not be a sum of one "
            "curve per feature.",
            remedy=_CURVES,
        )
    _check_fitted(model)
    terms = ADAPTERS[key](model) if key in ADAPTERS else WRAPPERS[key](model, terms_of)
    names = getattr(model, "feature_names_in_", None) if terms.names is None and key in WRAPPERS else None
    return terms if names is None else replace(terms, names=tuple(map(str, names)))


def _check_fitted(model: Any) -> None:
    if not hasattr(model, "fit"):
        return  # a Booster has no state before training
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise DataError(f"This {type(model).__name__} is not fitted yet.", remedy="Call fit first.") from error
