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
    "CouplingStudy": "navigational.coupling",
    "DataError": "core.checks",
    "ELMRank": "ranking.elm_rank",
    "ELMRankCV": "ranking.elm_rank_cv",
    "InformationGainSelector": "selection.information_gain",
    "KernelLeastSquaresRanker": "ranking.kernel_least_squares",
    "Links": "data.collection",
    "MissingValueFiller": "navigational.missing_values",
    "NaiveBayes": "navigational.naive_bayes",
    "NavigationalClassifier": "navigational.classifier",
    "NomogramLengthSelector": "navigational.selectors",
    "NomogramRFE": "nomograms.elimination",
    "Pages": "data.collection",
    "PairCalibrator": "ranking.calibration",
    "PairwiseRanker": "ranking.pairwise",
    "Qrels": "data.trec",
    "QueryLog": "data.query_log",
    "QueryScaler": "data.scaling",
    "RankSVM": "ranking.rank_svm",
    "RankSVMCV": "ranking.rank_svm_cv",
    "RankingData": "data.ranking_data",
    "Run": "data.trec",
    "SVDD": "distillation.svdd",
    "SVMWeightSelector": "selection.svm_weight",
    "SearchResults": "data.search_results",
    "Topic": "studies.topics",
    "bharat_henzinger": "distillation.bharat_henzinger",
    "bootstrap_effects": "nomograms.bootstrap",
    "clean_log": "data.logs.load",
    "cocitation_kernel": "distillation.kernels",
    "compare": "metrics.compare",
    "compare_distillers": "distillation.compared",
    "compare_values": "metrics.compare_values",
    "composite_kernel": "distillation.kernels",
    "distill": "distillation.distiller",
    "effects": "nomograms.effects",
    "evaluate": "metrics.evaluation",
    "explain_pair": "nomograms.explanation",
    "hits": "distillation.hits",
    "in_degree": "distillation.in_degree",
    "integrate": "navigational.integration",
    "join_data": "data.joined",
    "judge_pages": "distillation.sphere_prune",
    "judge_run": "data.trec",
    "judge_topics": "studies.topics",
    "load_data": "data.load",
    "load_letor": "data.letor",
    "load_lightgbm": "data.lightgbm_text",
    "load_log": "data.logs.load",
    "load_model": "modelfile.load",
    "load_qrels": "data.trec",
    "load_results": "data.logs.results",
    "load_run": "data.trec",
    "load_scorer": "modelfile.load",
    "load_table": "data.tables",
    "load_topics": "studies.topics",
    "nomogram": "nomograms.figure",
    "normalise_kernel": "distillation.kernels",
    "open_collection": "data.web.opening",
    "pagerank": "distillation.pagerank",
    "pairwise_transform": "ranking.pairwise",
    "pooled_precision_recall": "metrics.pooling",
    "precision_recall_f1": "metrics.classification",
    "query_url_features": "navigational.generation",
    "rank_features": "selection.rankings",
    "report": "reports.study_page",
    "results_from_log": "data.logs.derived_results",
    "save_data": "data.load",
    "save_letor": "data.letor_writer",
    "save_model": "modelfile.save",
    "save_qrels": "data.trec",
    "save_run": "data.trec",
    "save_table": "data.tables",
    "score_links": "distillation.table_scores",
    "simulate_log": "data.simulated_log.simulate",
    "simulate_ranking": "data.simulate",
    "simulate_web": "data.simulated_web.simulate",
    "study": "studies.study",
    "study_distillation": "studies.distillation_study",
    "study_intent": "studies.intent_study",
    "text_kernel": "distillation.kernels",
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
