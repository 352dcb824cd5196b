"""Click features: 29 features of a query log."""

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.log.log_summary import LogSummary
from glassrank.navigational.features.log.summed_log import summed_log
from glassrank.navigational.features.sources import IntentSources
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


def compute(sources: IntentSources) -> dict[str, FloatArray]:
    """Compute the features of this file for every row."""
    return {} if sources.clicks is None else click_features(summed_log(sources), sources.results.rank)


def click_features(log: LogSummary, rank: FloatArray) -> dict[str, FloatArray]:
    """Compute features from the sums over a log; ``rank`` is the rank of each row."""
    found = _of_counts(log) | _of_url(log)
    has = log.facts.held.issuperset
    if has({"impressions"}):
        found |= _of_impressions(log)
    if has({"position"}):
        found["clk_dev"] = _deviation(log, rank)
    if has({"sessions"}):
        found |= _of_sessions(log)
    if has({"dwell"}):
        found |= _of_dwells(log)
    if has({"lists"}):
        found |= _of_lists(log)
    if has({"user"}):
        found["clk_users"] = divide(log["users"], log["query_users"])
        found["clk_repeat"] = divide(log["n"] - log["users"], log["n"])
    return found


def _of_counts(log: LogSummary) -> dict[str, FloatArray]:
    """A pair without clicks ranks below all clicked addresses, and its cumulative share is 1."""
    n, n_q = log["n"], log["query_clicks"]
    clicked = n > 0
    above = np.where(clicked, log["above"], log["query_addresses"])
    return {
        "clk_n": n,
        "clk_log": np.log1p(n),
        "clk_CR": divide(n, n_q),
        "clk_relmax": divide(n, log["query_largest"]),
        "clk_invrank": np.where(n_q > 0, 1.0 / (1.0 + above), np.nan),
        "clk_cum": divide(np.where(clicked, log["cum"], n_q), n_q),
        "clk_drop": divide(log["drop"], n_q),
        "clk_dom": divide(log["domain_clicks"], n_q),
    }


def _of_url(log: LogSummary) -> dict[str, FloatArray]:
    n_u = log["url_clicks"]
    return {
        "clk_url": np.log1p(n_u),
        "clk_pq_u": divide(log["n"], n_u),
        "clk_Hq_u": np.where(n_u > 0, log["url_entropy"], np.nan),
    }


def _of_impressions(log: LogSummary) -> dict[str, FloatArray]:
    n, v = log["n"], log["impressions"]
    rate = log.facts.n_clicks / log.facts.n_impressions
    found = {"clk_ctr": divide(n, v), "clk_ctr_s": (n + SMOOTHING * rate) / (v + SMOOTHING)}
    if "position" in log.facts.columns:
        found["clk_coec"] = divide(n, log["expected"])
    return found


def _deviation(log: LogSummary, rank: FloatArray) -> FloatArray:
    placed = sum(log.clicks_at.values())
    at_rank = np.array([log.clicks_at.get(int(place), 0.0) for place in rank])
    return divide(log["n"], log["query_clicks"]) - divide(at_rank, np.full(len(at_rank), placed))


def _of_sessions(log: LogSummary) -> dict[str, FloatArray]:
    sums = {"clk_only": "only"}
    if "time" in log.facts.columns:
        sums |= {"clk_first": "opens", "clk_last": "closes"}
    return {name: divide(log[sum_], log["query_sessions"]) for name, sum_ in sums.items()}


def _of_dwells(log: LogSummary) -> dict[str, FloatArray]:
    known = log["dwells"]
    mean = divide(log["dwell_sum"], known)
    return {
        "clk_sat": divide(log["satisfied"], known),
        "clk_quick": divide(log["quick"], known),
        "clk_dwell": mean,
        "clk_dwell_med": np.where(known > 0, log["dwell_median"], np.nan),
        "clk_dwell_dev": mean - divide(log["url_dwell_sum"], log["url_dwells"]),
    }


def _of_lists(log: LogSummary) -> dict[str, FloatArray]:
    held = log.facts.held
    found: dict[str, FloatArray] = {}
    if "position" in held:
        placed = log["clicks_placed"]
        found |= {"clk_above": divide(log["clicks_above"], placed), "clk_below": divide(log["clicks_below"], placed)}
    if {"position", "impressions"} <= held:
        found["clk_skip"] = divide(log["skips"], log["listed"])
    if {"time", "searches"} <= held:
        found["clk_ttc"] = divide(log["wait_sum"], log["waits"])
    return found
