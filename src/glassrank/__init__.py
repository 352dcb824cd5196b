"""glassrank: search ranking you can see through.

Every public name is loaded on first use, so that ``import glassrank`` costs milliseconds: neither numba nor
scikit-learn is imported until something needs it.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Public name -> module that defines it; sorted, so that additions do not collide.
_HOMES = {
    "AdditiveSVC": "ranking.additive_svc",
    "BestSingleFeature": "ranking.single_feature",
    "BoostingInfluenceSelector": "selection.boosting_influence",
    "Collection": "data.collection",
    "CombinedSelector": "selection.combined",
    "CouplingStudy": "navigational.coupling.coupling_study",
    "DataError": "core.checks",
    "DuckDBEngine": "data.engines.duckdb_engine",
    "ELMRank": "ranking.elm_rank",
    "ELMRankCV": "ranking.elm_rank_cv",
    "InformationGainSelector": "selection.information_gain",
    "KernelLeastSquaresRanker": "ranking.kernel_least_squares",
    "Links": "data.collection",
    "MissingValueFiller": "navigational.missing_values",
    "NaiveBayes": "navigational.naive_bayes",
    "NavigationalClassifier": "navigational.navigational_classifier",
    "NomogramLengthSelector": "navigational.coupling.selectors",
    "NomogramRFE": "nomograms.elimination.nomogram_rfe",
    "Pages": "data.collection",
    "PairCalibrator": "ranking.calibration",
    "PairwiseRanker": "ranking.pairwise",
    "Qrels": "data.trec",
    "QueryLog": "data.query_log",
    "QueryScaler": "data.query_scaler",
    "RankSVM": "ranking.rank_svm",
    "RankSVMCV": "ranking.rank_svm_cv",
    "RankingData": "data.ranking_data",
    "Run": "data.trec",
    "SVDD": "distillation.svdd",
    "SVMWeightSelector": "selection.svm_weight",
    "SearchResults": "data.search_results",
    "Topic": "studies.distillation.topics",
    "bharat_henzinger": "distillation.bharat_henzinger",
    "bootstrap_effects": "nomograms.bootstrap_effects",
    "clean_log": "data.logs.load_log",
    "cocitation_kernel": "distillation.similarity_kernels",
    "compare": "metrics.compare",
    "compare_distillers": "distillation.compare_distillers",
    "compare_values": "metrics.compare_values",
    "composite_kernel": "distillation.similarity_kernels",
    "distill": "distillation.distill",
    "effects": "nomograms.adapters.effects_of_model",
    "evaluate": "metrics.evaluation",
    "explain_pair": "nomograms.explanation",
    "hits": "distillation.hits",
    "in_degree": "distillation.in_degree",
    "integrate": "navigational.integrate",
    "join_data": "data.join_data",
    "judge_pages": "distillation.sphere_prune",
    "judge_run": "data.trec",
    "judge_topics": "studies.distillation.topics",
    "load_data": "data.load_data",
    "load_letor": "data.letor.load_letor",
    "load_lightgbm": "data.letor.lightgbm_text",
    "load_log": "data.logs.load_log",
    "load_model": "modelfile.load_model",
    "load_qrels": "data.trec",
    "load_results": "data.logs.load_results",
    "load_run": "data.trec",
    "load_scorer": "modelfile.load_model",
    "load_table": "data.tables",
    "load_topics": "studies.distillation.topics",
    "nomogram": "nomograms.figure.nomogram",
    "normalise_kernel": "distillation.similarity_kernels",
    "open_collection": "data.web.open_collection",
    "pagerank": "distillation.pagerank",
    "pairwise_transform": "ranking.pairwise",
    "pooled_precision_recall": "metrics.pooling",
    "precision_recall_f1": "metrics.classification",
    "query_url_features": "navigational.query_url_features",
    "rank_features": "selection.rank_features",
    "relevance_threshold": "distillation.relevance",
    "relevance_weights": "distillation.relevance",
    "report": "studies.report",
    "results_from_log": "data.logs.derived_results",
    "save_data": "data.load_data",
    "save_letor": "data.letor.save_letor",
    "save_model": "modelfile.save_model",
    "save_qrels": "data.trec",
    "save_run": "data.trec",
    "save_table": "data.tables",
    "score_links": "distillation.tables.score_links",
    "simulate_log": "simulation.log.simulate_log",
    "simulate_ranking": "simulation.ranking",
    "simulate_web": "simulation.web.simulate_web",
    "study": "studies.ranking.study",
    "study_distillation": "studies.distillation.study",
    "study_intent": "studies.intent.study",
    "text_kernel": "distillation.similarity_kernels",
}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        known = ", ".join(sorted(_HOMES))
        raise AttributeError(f"module 'glassrank' has no attribute {name!r}; it offers: {known}")
    value = getattr(import_module(f"glassrank.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
