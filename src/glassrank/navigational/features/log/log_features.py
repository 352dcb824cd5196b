"""Features of a result and a query from the other queries of a log."""

from collections.abc import Container

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.log.log_summary import LogSummary
from glassrank.navigational.features.log.summed_log import summed_log
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.wanted_features import Column, only_wanted
from glassrank.navigational.features.word_coverage import divide

FEATURES: tuple[Feature, ...] = (
    *declare(
        "other",
        "clicks",
        {
            "ql_lm": "mean ln P(t | queries that clicked u) over t(q), Dirichlet",
            "ql_kl": "Σ p ln(p / r), p and r the shares of a word in the queries that clicked u and in all",
            "ql_nq": "ln(1 + # queries with a click on u)",
            "ql_topsim": "like(q, the query with the most clicks on u)",
            "ql_topeq": "1 if q has the most clicks on u",
        },
    ),
    *declare(
        "other",
        "clicks user time",
        {"ql_ref": "clicks after which the user issues another query with a common term within 30 minutes / n_qu"},
    ),
    *declare(
        "other",
        "clicks",
        {
            "q_freq": "ln(1 + times that q was issued)",
            "q_lm": "mean ln of the bigram probabilities of t(q) in issued queries",
        },
    ),
)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    return {} if sources.clicks is None else log_features(summed_log(sources), wanted)


def log_features(log: LogSummary, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute features from the sums over a log."""
    columns: dict[str, Column] = {
        "ql_lm": lambda: log["lm"],
        "ql_kl": lambda: log["kl"],
        "ql_nq": lambda: np.log1p(log["url_queries"]),
        "ql_topsim": lambda: log["top_like"],
        "ql_topeq": lambda: log["top_same"],
        "q_freq": lambda: np.log1p(log["times_issued"]),
        "q_lm": lambda: log["chance"],
    }
    if log.facts.held.issuperset({"user", "time"}):
        columns["ql_ref"] = lambda: divide(log["reformulated"], log["n"])
    return only_wanted(columns, wanted)
