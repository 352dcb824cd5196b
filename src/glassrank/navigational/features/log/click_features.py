"""Click features: 29 features of a query log."""

from collections.abc import Container

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.log.log_summary import LogSummary
from glassrank.navigational.features.log.summed_log import summed_log
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.wanted_features import Column, only_wanted
from glassrank.navigational.features.word_coverage import divide

SMOOTHING = 10.0

FEATURES: tuple[Feature, ...] = (
    *declare(
        "click",
        "clicks",
        {
            "clk_n": "n_qu",
            "clk_log": "ln(1 + n_qu)",
            "clk_CR": "n_qu / n_q",
            "clk_relmax": "n_qu / largest n_qx",
            "clk_invrank": "1 / (1 + # addresses with more clicks for q)",
            "clk_cum": "Σ of n_qx over the addresses with n_qx ≥ n_qu / n_q",
            "clk_drop": "(n_qu − next smaller n_qx) / n_q, 0 if tied",
        },
    ),
    *declare(
        "click",
        "clicks impressions",
        {"clk_ctr": "n_qu / v_qu", "clk_ctr_s": "(n_qu + 10 c) / (v_qu + 10), c = clicks / impressions of the log"},
    ),
    *declare("click", "clicks impressions position", {"clk_coec": "n_qu / Σ of ctr(position) over its impressions"}),
    *declare("click", "clicks position", {"clk_dev": "n_qu / n_q − share of the log's clicks at position = rank"}),
    *declare(
        "click",
        "clicks sessions time",
        {
            "clk_first": "sessions whose first click for q is on u / sessions with a click for q",
            "clk_last": "sessions whose last click for q is on u / sessions with a click for q",
        },
    ),
    *declare(
        "click",
        "clicks sessions",
        {"clk_only": "sessions whose clicks for q are all on u / sessions with a click for q"},
    ),
    *declare(
        "click",
        "clicks dwell",
        {
            "clk_sat": "clicks with a dwell of 30 s or more / those of known dwell",
            "clk_quick": "clicks with a dwell below 10 s / those of known dwell",
            "clk_dwell": "mean known dwell",
            "clk_dwell_med": "median known dwell",
            "clk_dwell_dev": "mean known dwell − mean known dwell on u for all queries",
        },
    ),
    *declare(
        "click", "clicks searches lists time", {"clk_ttc": "mean seconds from the latest search of the same list"}
    ),
    *declare(
        "click",
        "clicks lists position",
        {
            "clk_above": "clicks with a click at a smaller position of the same list / those of known position",
            "clk_below": "clicks with a click at a larger position of the same list / those of known position",
        },
    ),
    *declare(
        "click",
        "clicks impressions lists position",
        {"clk_skip": "impressions skipped for a larger position / those of known position"},
    ),
    *declare(
        "click",
        "clicks user",
        {
            "clk_users": "# users who clicked u for q / # users with any event of q",
            "clk_repeat": "(n_qu − # users who clicked u for q) / n_qu",
        },
    ),
    *declare(
        "click",
        "clicks",
        {
            "clk_url": "ln(1 + n_u)",
            "clk_pq_u": "n_qu / n_u",
            "clk_Hq_u": "entropy of the clicks on u over the queries",
            "clk_dom": "clicks for q on addresses of u's domain / n_q",
        },
    ),
)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    return {} if sources.clicks is None else click_features(summed_log(sources), sources.results.rank, wanted)


def click_features(log: LogSummary, rank: FloatArray, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute features from the sums over a log; ``rank`` is the rank of each row."""
    columns = _of_counts(log) | _of_url(log)
    has = log.facts.held.issuperset
    if has({"impressions"}):
        columns |= _of_impressions(log)
    if has({"position"}):
        columns["clk_dev"] = lambda: _deviation(log, rank)
    if has({"sessions"}):
        columns |= _of_sessions(log)
    if has({"dwell"}):
        columns |= _of_dwells(log)
    if has({"lists"}):
        columns |= _of_lists(log)
    if has({"user"}):
        columns["clk_users"] = lambda: divide(log["users"], log["query_users"])
        columns["clk_repeat"] = lambda: divide(log["n"] - log["users"], log["n"])
    return only_wanted(columns, wanted)


def _of_counts(log: LogSummary) -> dict[str, Column]:
    return {
        "clk_n": lambda: log["n"],
        "clk_log": lambda: np.log1p(log["n"]),
        "clk_CR": lambda: divide(log["n"], log["query_clicks"]),
        "clk_relmax": lambda: divide(log["n"], log["query_largest"]),
        "clk_invrank": lambda: _inverse_rank(log),
        "clk_cum": lambda: _cumulative_share(log),
        "clk_drop": lambda: divide(log["drop"], log["query_clicks"]),
        "clk_dom": lambda: divide(log["domain_clicks"], log["query_clicks"]),
    }


def _inverse_rank(log: LogSummary) -> FloatArray:
    """A pair without clicks ranks below all clicked addresses."""
    above = np.where(log["n"] > 0, log["above"], log["query_addresses"])
    return np.where(log["query_clicks"] > 0, 1.0 / (1.0 + above), np.nan)


def _cumulative_share(log: LogSummary) -> FloatArray:
    """The share of a pair without clicks is 1."""
    return divide(np.where(log["n"] > 0, log["cum"], log["query_clicks"]), log["query_clicks"])


def _of_url(log: LogSummary) -> dict[str, Column]:
    return {
        "clk_url": lambda: np.log1p(log["url_clicks"]),
        "clk_pq_u": lambda: divide(log["n"], log["url_clicks"]),
        "clk_Hq_u": lambda: np.where(log["url_clicks"] > 0, log["url_entropy"], np.nan),
    }


def _of_impressions(log: LogSummary) -> dict[str, Column]:
    rate = log.facts.n_clicks / log.facts.n_impressions
    columns: dict[str, Column] = {
        "clk_ctr": lambda: divide(log["n"], log["impressions"]),
        "clk_ctr_s": lambda: (log["n"] + SMOOTHING * rate) / (log["impressions"] + SMOOTHING),
    }
    if "position" in log.facts.columns:
        columns["clk_coec"] = lambda: divide(log["n"], log["expected"])
    return columns


def _deviation(log: LogSummary, rank: FloatArray) -> FloatArray:
    placed = sum(log.clicks_at.values())
    at_rank = np.array([log.clicks_at.get(int(place), 0.0) for place in rank])
    return divide(log["n"], log["query_clicks"]) - divide(at_rank, np.full(len(at_rank), placed))


def _of_sessions(log: LogSummary) -> dict[str, Column]:
    columns: dict[str, Column] = {"clk_only": lambda: divide(log["only"], log["query_sessions"])}
    if "time" in log.facts.columns:
        columns["clk_first"] = lambda: divide(log["opens"], log["query_sessions"])
        columns["clk_last"] = lambda: divide(log["closes"], log["query_sessions"])
    return columns


def _of_dwells(log: LogSummary) -> dict[str, Column]:
    def mean() -> FloatArray:
        return divide(log["dwell_sum"], log["dwells"])

    return {
        "clk_sat": lambda: divide(log["satisfied"], log["dwells"]),
        "clk_quick": lambda: divide(log["quick"], log["dwells"]),
        "clk_dwell": mean,
        "clk_dwell_med": lambda: np.where(log["dwells"] > 0, log["dwell_median"], np.nan),
        "clk_dwell_dev": lambda: mean() - divide(log["url_dwell_sum"], log["url_dwells"]),
    }


def _of_lists(log: LogSummary) -> dict[str, Column]:
    held = log.facts.held
    columns: dict[str, Column] = {}
    if "position" in held:
        columns["clk_above"] = lambda: divide(log["clicks_above"], log["clicks_placed"])
        columns["clk_below"] = lambda: divide(log["clicks_below"], log["clicks_placed"])
    if {"position", "impressions"} <= held:
        columns["clk_skip"] = lambda: divide(log["skips"], log["listed"])
    if {"time", "searches"} <= held:
        columns["clk_ttc"] = lambda: divide(log["wait_sum"], log["waits"])
    return columns
