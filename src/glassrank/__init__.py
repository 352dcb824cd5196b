"""glassrank: search ranking you can see through.

Every public name is loaded on first use, so that ``import glassrank`` costs milliseconds: neither numba nor
scikit-learn is imported until something needs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> module that defines it; sorted, so that additions do not collide.
_HOMES = {
    "AdditiveRanker": "nomograms.additive_ranker",
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
    "FeatureKind": "core.feature_kinds",
    "FeatureLog": "data.feature_logs.feature_log",
    "FeatureTransformer": "ranking.feature_transformer",
    "InformationGainSelector": "selection.information_gain",
    "IntentSources": "navigational.features.sources",
    "IntentStatistics": "navigational.statistics_folder",
    "JudgedLog": "data.feature_logs.join_judgements",
    "Judgements": "data.judgements.judgements",
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
    "PartitionedData": "data.partitions.partitioned_data",
    "Qrels": "data.trec",
    "QueryLog": "data.query_log",
    "QueryScaler": "data.query_scaler",
    "RankSVM": "ranking.rank_svm",
    "RankSVMCV": "ranking.rank_svm_cv",
    "RankingData": "data.ranking_data",
    "RatingTasks": "data.ratings.rating_tasks",
    "Run": "data.trec",
    "SVDD": "distillation.svdd",
    "SVMWeightSelector": "selection.svm_weight",
    "SearchResults": "data.search_results",
    "SparkEngine": "data.engines.spark_engine",
    "Topic": "studies.distillation.topics",
    "UrlJudgements": "data.judgements.url_judgements",
    "additive_surrogate": "studies.ranking.additive_surrogate",
    "bharat_henzinger": "distillation.bharat_henzinger",
    "bootstrap_effects": "nomograms.bootstrap_effects",
    "check_export": "export.live_check",
    "clean_log": "data.logs.load_log",
    "cocitation_kernel": "distillation.similarity_kernels",
    "compare": "metrics.compare",
    "compare_distillers": "distillation.compare_distillers",
    "compare_models": "nomograms.model_comparison.compare_models",
    "compare_values": "metrics.compare_values",
    "composite_kernel": "distillation.similarity_kernels",
    "correlated_features": "nomograms.correlated_features",
    "distill": "distillation.distill",
    "distill_topics": "studies.distillation.batch",
    "effects": "nomograms.adapters.effects_of_model",
    "evaluate": "metrics.evaluation",
    "explain_document": "nomograms.document_explanation",
    "explain_pair": "nomograms.explanation",
    "export_model": "export.export_model",
    "hits": "distillation.hits",
    "in_degree": "distillation.in_degree",
    "integrate": "navigational.integrate",
    "intents_from_judgements": "data.judgements.url_judgements",
    "join_data": "data.join_data",
    "join_judgements": "data.feature_logs.join_judgements",
    "judge_agreement": "metrics.agreement",
    "judge_pages": "distillation.sphere_prune",
    "judge_run": "data.trec",
    "judge_topics": "studies.distillation.topics",
    "load_data": "data.load_data",
    "load_feature_log": "data.feature_logs.load_feature_log",
    "load_intent_statistics": "navigational.statistics_folder",
    "load_judgements": "data.judgements.load_judgements",
    "load_judges": "studies.distillation.judges",
    "load_letor": "data.letor.load_letor",
    "load_lightgbm": "data.letor.lightgbm_text",
    "load_log": "data.logs.load_log",
    "load_model": "modelfile.load_model",
    "load_qrels": "data.trec",
    "load_ranker": "modelfile.load_ranker",
    "load_ratings": "data.ratings.load_ratings",
    "load_results": "data.logs.load_results",
    "load_run": "data.trec",
    "load_scorer": "modelfile.load_model",
    "load_table": "data.tables",
    "load_topics": "studies.distillation.topics",
    "log_features": "data.live_engine.logging_job",
    "model_nomogram": "nomograms.figure.model_nomogram",
    "nomogram": "nomograms.figure.nomogram",
    "normalise_kernel": "distillation.similarity_kernels",
    "open_collection": "data.web.open_collection",
    "open_partitions": "data.partitions.partitioned_data",
    "pagerank": "distillation.pagerank",
    "pairwise_transform": "ranking.pairwise",
    "partition_files": "scale.partition_files",
    "pooled_precision_recall": "metrics.pooling",
    "precision_recall_f1": "metrics.classification",
    "query_url_features": "navigational.query_url_features",
    "rank_features": "selection.rank_features",
    "rank_profile": "navigational.rank_profile",
    "relevance_threshold": "distillation.relevance",
    "relevance_weights": "distillation.relevance",
    "report": "studies.report",
    "results_from_log": "data.logs.derived_results",
    "save_data": "data.load_data",
    "save_intent_statistics": "navigational.statistics_folder",
    "save_letor": "data.letor.save_letor",
    "save_model": "modelfile.save_model",
    "save_partitions": "data.partitions.save_partitions",
    "save_qrels": "data.trec",
    "save_run": "data.trec",
    "save_table": "data.tables",
    "score_links": "distillation.tables.score_links",
    "simulate_log": "simulation.log.simulate_log",
    "simulate_ranking": "simulation.ranking",
    "simulate_web": "simulation.web.simulate_web",
    "spark_jobs": "scale.spark_jobs",
    "study": "studies.ranking.study",
    "study_distillation": "studies.distillation.study",
    "study_intent": "studies.intent.study",
    "summarise_collection": "data.web.collection_summary",
    "text_kernel": "distillation.similarity_kernels",
}

# For type checkers, which cannot use the table: the same names from the same modules. A test compares the two.
# They do not see __getattr__ either, so they report a name that does not exist.
if TYPE_CHECKING:
    from glassrank.core.checks import DataError as DataError
    from glassrank.core.feature_kinds import FeatureKind as FeatureKind
    from glassrank.data.collection import Collection as Collection
    from glassrank.data.collection import Links as Links
    from glassrank.data.collection import Pages as Pages
    from glassrank.data.engines.duckdb_engine import DuckDBEngine as DuckDBEngine
    from glassrank.data.engines.spark_engine import SparkEngine as SparkEngine
    from glassrank.data.feature_logs.feature_log import FeatureLog as FeatureLog
    from glassrank.data.feature_logs.join_judgements import JudgedLog as JudgedLog
    from glassrank.data.feature_logs.join_judgements import join_judgements as join_judgements
    from glassrank.data.feature_logs.load_feature_log import load_feature_log as load_feature_log
    from glassrank.data.join_data import join_data as join_data
    from glassrank.data.judgements.judgements import Judgements as Judgements
    from glassrank.data.judgements.load_judgements import load_judgements as load_judgements
    from glassrank.data.judgements.url_judgements import UrlJudgements as UrlJudgements
    from glassrank.data.judgements.url_judgements import intents_from_judgements as intents_from_judgements
    from glassrank.data.letor.lightgbm_text import load_lightgbm as load_lightgbm
    from glassrank.data.letor.load_letor import load_letor as load_letor
    from glassrank.data.letor.save_letor import save_letor as save_letor
    from glassrank.data.live_engine.logging_job import log_features as log_features
    from glassrank.data.load_data import load_data as load_data
    from glassrank.data.load_data import save_data as save_data
    from glassrank.data.logs.derived_results import results_from_log as results_from_log
    from glassrank.data.logs.load_log import clean_log as clean_log
    from glassrank.data.logs.load_log import load_log as load_log
    from glassrank.data.logs.load_results import load_results as load_results
    from glassrank.data.partitions.partitioned_data import PartitionedData as PartitionedData
    from glassrank.data.partitions.partitioned_data import open_partitions as open_partitions
    from glassrank.data.partitions.save_partitions import save_partitions as save_partitions
    from glassrank.data.query_log import QueryLog as QueryLog
    from glassrank.data.query_scaler import QueryScaler as QueryScaler
    from glassrank.data.ranking_data import RankingData as RankingData
    from glassrank.data.ratings.load_ratings import load_ratings as load_ratings
    from glassrank.data.ratings.rating_tasks import RatingTasks as RatingTasks
    from glassrank.data.search_results import SearchResults as SearchResults
    from glassrank.data.tables import load_table as load_table
    from glassrank.data.tables import save_table as save_table
    from glassrank.data.trec import Qrels as Qrels
    from glassrank.data.trec import Run as Run
    from glassrank.data.trec import judge_run as judge_run
    from glassrank.data.trec import load_qrels as load_qrels
    from glassrank.data.trec import load_run as load_run
    from glassrank.data.trec import save_qrels as save_qrels
    from glassrank.data.trec import save_run as save_run
    from glassrank.data.web.collection_summary import summarise_collection as summarise_collection
    from glassrank.data.web.open_collection import open_collection as open_collection
    from glassrank.distillation.bharat_henzinger import bharat_henzinger as bharat_henzinger
    from glassrank.distillation.compare_distillers import compare_distillers as compare_distillers
    from glassrank.distillation.distill import distill as distill
    from glassrank.distillation.hits import hits as hits
    from glassrank.distillation.in_degree import in_degree as in_degree
    from glassrank.distillation.pagerank import pagerank as pagerank
    from glassrank.distillation.relevance import relevance_threshold as relevance_threshold
    from glassrank.distillation.relevance import relevance_weights as relevance_weights
    from glassrank.distillation.similarity_kernels import cocitation_kernel as cocitation_kernel
    from glassrank.distillation.similarity_kernels import composite_kernel as composite_kernel
    from glassrank.distillation.similarity_kernels import normalise_kernel as normalise_kernel
    from glassrank.distillation.similarity_kernels import text_kernel as text_kernel
    from glassrank.distillation.sphere_prune import judge_pages as judge_pages
    from glassrank.distillation.svdd import SVDD as SVDD
    from glassrank.distillation.tables.score_links import score_links as score_links
    from glassrank.export.export_model import export_model as export_model
    from glassrank.export.live_check import check_export as check_export
    from glassrank.metrics.agreement import judge_agreement as judge_agreement
    from glassrank.metrics.classification import precision_recall_f1 as precision_recall_f1
    from glassrank.metrics.compare import compare as compare
    from glassrank.metrics.compare_values import compare_values as compare_values
    from glassrank.metrics.evaluation import evaluate as evaluate
    from glassrank.metrics.pooling import pooled_precision_recall as pooled_precision_recall
    from glassrank.modelfile.load_model import load_model as load_model
    from glassrank.modelfile.load_model import load_scorer as load_scorer
    from glassrank.modelfile.load_ranker import load_ranker as load_ranker
    from glassrank.modelfile.save_model import save_model as save_model
    from glassrank.navigational.coupling.coupling_study import CouplingStudy as CouplingStudy
    from glassrank.navigational.coupling.selectors import NomogramLengthSelector as NomogramLengthSelector
    from glassrank.navigational.features.sources import IntentSources as IntentSources
    from glassrank.navigational.integrate import integrate as integrate
    from glassrank.navigational.missing_values import MissingValueFiller as MissingValueFiller
    from glassrank.navigational.naive_bayes import NaiveBayes as NaiveBayes
    from glassrank.navigational.navigational_classifier import NavigationalClassifier as NavigationalClassifier
    from glassrank.navigational.query_url_features import query_url_features as query_url_features
    from glassrank.navigational.rank_profile import rank_profile as rank_profile
    from glassrank.navigational.statistics_folder import IntentStatistics as IntentStatistics
    from glassrank.navigational.statistics_folder import load_intent_statistics as load_intent_statistics
    from glassrank.navigational.statistics_folder import save_intent_statistics as save_intent_statistics
    from glassrank.nomograms.adapters.effects_of_model import effects as effects
    from glassrank.nomograms.additive_ranker import AdditiveRanker as AdditiveRanker
    from glassrank.nomograms.bootstrap_effects import bootstrap_effects as bootstrap_effects
    from glassrank.nomograms.correlated_features import correlated_features as correlated_features
    from glassrank.nomograms.document_explanation import explain_document as explain_document
    from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE as NomogramRFE
    from glassrank.nomograms.explanation import explain_pair as explain_pair
    from glassrank.nomograms.figure.model_nomogram import model_nomogram as model_nomogram
    from glassrank.nomograms.figure.nomogram import nomogram as nomogram
    from glassrank.nomograms.model_comparison.compare_models import compare_models as compare_models
    from glassrank.ranking.additive_svc import AdditiveSVC as AdditiveSVC
    from glassrank.ranking.calibration import PairCalibrator as PairCalibrator
    from glassrank.ranking.elm_rank import ELMRank as ELMRank
    from glassrank.ranking.elm_rank_cv import ELMRankCV as ELMRankCV
    from glassrank.ranking.feature_transformer import FeatureTransformer as FeatureTransformer
    from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker as KernelLeastSquaresRanker
    from glassrank.ranking.pairwise import PairwiseRanker as PairwiseRanker
    from glassrank.ranking.pairwise import pairwise_transform as pairwise_transform
    from glassrank.ranking.rank_svm import RankSVM as RankSVM
    from glassrank.ranking.rank_svm_cv import RankSVMCV as RankSVMCV
    from glassrank.ranking.single_feature import BestSingleFeature as BestSingleFeature
    from glassrank.scale.partition_files import partition_files as partition_files
    from glassrank.scale.spark_jobs import spark_jobs as spark_jobs
    from glassrank.selection.boosting_influence import BoostingInfluenceSelector as BoostingInfluenceSelector
    from glassrank.selection.combined import CombinedSelector as CombinedSelector
    from glassrank.selection.information_gain import InformationGainSelector as InformationGainSelector
    from glassrank.selection.rank_features import rank_features as rank_features
    from glassrank.selection.svm_weight import SVMWeightSelector as SVMWeightSelector
    from glassrank.simulation.log.simulate_log import simulate_log as simulate_log
    from glassrank.simulation.ranking import simulate_ranking as simulate_ranking
    from glassrank.simulation.web.simulate_web import simulate_web as simulate_web
    from glassrank.studies.distillation.batch import distill_topics as distill_topics
    from glassrank.studies.distillation.judges import load_judges as load_judges
    from glassrank.studies.distillation.study import study_distillation as study_distillation
    from glassrank.studies.distillation.topics import Topic as Topic
    from glassrank.studies.distillation.topics import judge_topics as judge_topics
    from glassrank.studies.distillation.topics import load_topics as load_topics
    from glassrank.studies.intent.study import study_intent as study_intent
    from glassrank.studies.ranking.additive_surrogate import additive_surrogate as additive_surrogate
    from glassrank.studies.ranking.study import study as study
    from glassrank.studies.report import report as report
else:
    __all__ = sorted([*_HOMES, "__version__"])

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            # Imported here, because it costs a hundredth of a second.
            from glassrank.core.wording import nearest

            near = nearest(name, _HOMES)
            meant = f"did you mean {near!r}? " if near else ""
            raise AttributeError(f"module 'glassrank' has no attribute {name!r}; {meant}it offers: {', '.join(_HOMES)}")
        value = getattr(import_module(f"glassrank.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return __all__
