"""Position bias: are click features that correct for position better than plain ones, as the bias grows?

All data are simulated: users look at the result at rank r with probability r^−bias, and what they want is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from experiments.paired_worlds import PairedDifference, compare_over_worlds, mean_interval
from glassrank.core.checks import FloatArray
from glassrank.core.groups import group_rows
from glassrank.core.pairs.concordance import pair_accuracy_per_query
from glassrank.core.progress import Progress, silent
from glassrank.navigational.coupling.classifiers import chosen_classifiers
from glassrank.navigational.coupling.fold_work import Fold, FoldTask, stratified_folds
from glassrank.navigational.feature_table import QueryUrlFeatures
from glassrank.navigational.integrate import integrate
from glassrank.navigational.query_features import QueryFeatures
from glassrank.navigational.query_url_features import query_url_features
from glassrank.selection.boosting_engines import SKLEARN, boosted_classifier
from glassrank.simulation.log.draw_clicks import examination
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.log.simulated_log import SimulatedLog
from glassrank.simulation.web.simulate_web import simulate_web

FIRST_PAGE = 10
"""The log contains an impression of each of the first ten results of every search."""
RANK, CLICKS, KNOWN = "rank", "clk_n", "known examination"
ORDERINGS = (RANK, CLICKS, "clk_ctr", "clk_dev", "clk_coec", KNOWN)
RAW, DEBIASED, BOTH, OTHERS, ALL = "raw", "debiased", "both", "27 others", "all 29"
RAW_FEATURES, DEBIASED_FEATURES = ("clk_CR", "clk_ctr"), ("clk_dev", "clk_coec")
GROUPS = (RAW, DEBIASED, BOTH, OTHERS, ALL)
MAXIMUM_ENTROPY, BOOSTING = "maximum entropy", "boosting trees"
DECIDES = {MAXIMUM_ENTROPY: GROUPS, BOOSTING: (RAW, DEBIASED, BOTH)}
"""Classifier → groups of features that it is trained on; trees on hundreds of columns take most of the time."""
REFERENCES = {
    **{ordering: CLICKS for ordering in ORDERINGS if ordering != CLICKS},
    DEBIASED: RAW,
    BOTH: RAW,
    ALL: OTHERS,
}
"""What each system is compared with."""
Values = dict[tuple[str, str], float]
"""(Measure, system) → value in one world at one bias."""


@dataclass(frozen=True)
class Effort:
    """How much is simulated; each world has its own web, queries, result lists and users."""

    n_worlds: int = 10
    biases: tuple[float, ...] = (0.0, 0.5, 1.0, 1.5, 2.0)
    n_queries: int = 400
    n_results: int = 30
    sessions_per_query: float = 30.0
    web: tuple[int, int, int] = (20, 300, 5000)
    """Topics, hosts and pages."""
    n_folds: int = 5
    classifiers: tuple[str, ...] = (MAXIMUM_ENTROPY, BOOSTING)


FULL = Effort()
TASTE = Effort(2, (0.0, 2.0), 60, 12, 10.0, (4, 40, 400), 2, (MAXIMUM_ENTROPY,))


@dataclass(frozen=True)
class Measured:
    """One system at one bias: the mean over worlds, and how it differs from its reference, if it has one."""

    measure: str
    system: str
    bias: float
    mean: float
    interval: tuple[float, float]
    reference: str | None = None
    against: PairedDifference | None = None


@dataclass(frozen=True)
class PositionBiasResult:
    """Everything that was measured, by measure, system and bias."""

    effort: Effort
    rows: tuple[Measured, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in the order in which they were taken."""
        return tuple(dict.fromkeys(row.measure for row in self.rows))

    def of(self, measure: str) -> dict[str, list[Measured]]:
        """Return system → its rows by increasing bias."""
        found: dict[str, list[Measured]] = {}
        for row in self.rows:
            if row.measure == measure:
                found.setdefault(row.system, []).append(row)
        return found


def study_position_bias(
    effort: Effort = FULL, *, n_jobs: int | None = None, progress: Progress = silent
) -> PositionBiasResult:
    """Measure every world at every bias, and compare over worlds; the seed of a world is its number."""
    running = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(measure_world)(seed, effort) for seed in range(effort.n_worlds)
    )
    worlds = []
    for world in running:
        worlds.append(world)
        progress(len(worlds), effort.n_worlds, "worlds")
    return PositionBiasResult(effort, summarise(worlds, effort.biases))


def measure_world(seed: int, effort: Effort) -> list[Values]:
    """Simulate a world, and measure its log at each bias; only what users look at changes."""
    with threadpool_limits(limits=1):
        web = simulate_web(*effort.web, random_state=seed)
        return [_measure(_simulate(web, seed, effort, bias), effort, seed, bias) for bias in effort.biases]


def _simulate(web: Any, seed: int, effort: Effort, bias: float) -> SimulatedLog:
    # Without bots, whose clicks do not depend on position.
    return simulate_log(
        web,
        effort.n_queries,
        effort.n_results,
        sessions_per_query=effort.sessions_per_query,
        position_bias=bias,
        spam_clicks=0.0,
        random_state=seed,
    )


def _measure(simulated: SimulatedLog, effort: Effort, seed: int, bias: float) -> Values:
    table = query_url_features(simulated.results, clicks=simulated.log)
    shape = (effort.n_queries, effort.n_results)
    values = describe_log(simulated, table["clk_n"].reshape(shape))
    orders = {name: scores.reshape(shape) for name, scores in orderings(table, bias).items()}
    for depth in sorted({min(FIRST_PAGE, effort.n_results), effort.n_results}):
        values |= measure_orders(orders, is_wanted(simulated).reshape(shape), simulated.intents, depth)
    return values | measure_decisions(integrate(table), simulated.intents, effort, seed)


def describe_log(simulated: SimulatedLog, clicks: FloatArray) -> Values:
    """Clicks, how many of the first ten results have none, and how the rate of clicks falls from rank 1 to 5."""
    position, action = simulated.log.position, simulated.log.action
    counts = {kind: [np.sum((action == kind) & (position == at)) for at in (1, 5)] for kind in ("click", "impression")}
    rates = np.array(counts["click"]) / np.array(counts["impression"])
    unclicked = clicks[simulated.intents == 0, :FIRST_PAGE] == 0
    return {
        ("log", "clicks"): float(np.sum(action == "click")),
        ("log", "without a click"): float(unclicked.mean()),
        ("log", "ctr(1) / ctr(5)"): float(rates[0] / rates[1]) if rates[1] > 0 else float("nan"),
    }


def is_wanted(simulated: SimulatedLog) -> FloatArray:
    """1 for each result that most users of its query want, else 0."""
    wanted = {query: set(urls) for query, urls in simulated.wanted.items()}
    results = simulated.results
    return np.array([url in wanted[query] for query, url in zip(results.query, results.url, strict=True)], dtype=float)


def orderings(table: QueryUrlFeatures, bias: float) -> dict[str, FloatArray]:
    """Return the scores that order results; a value that cannot be computed (no impression, no click) is 0.

    ``known examination`` is n_qu / r^−bias: clicks divided by the simulator's probability of a look.
    """
    rank = table.results.rank.astype(np.int64)
    looked = examination(int(rank.max()), bias)[rank - 1]
    found = {name: np.nan_to_num(table[name]) for name in ORDERINGS if name.startswith("clk_")}
    found |= {RANK: 1.0 / rank, KNOWN: table[CLICKS] / looked}
    return {name: found[name] for name in ORDERINGS}


def measure_orders(orders: Mapping[str, FloatArray], wanted: FloatArray, intents: Any, depth: int) -> Values:
    """Mean over queries of the share of pairs, wanted and other result, with the wanted one above; ties count half."""
    groups = group_rows(np.repeat(np.arange(len(wanted)), depth), len(wanted) * depth)
    labels = wanted[:, :depth].ravel()
    found: Values = {}
    for kind, chosen in (("informational", intents == 0), ("navigational", intents == 1)):
        for name, scores in orders.items():
            accuracy = pair_accuracy_per_query(labels, scores[:, :depth].ravel(), groups)
            found[f"pair accuracy, {kind}, first {depth}", name] = float(np.nanmean(accuracy[chosen]))
    return found


def columns_of(queries: QueryFeatures) -> dict[str, FloatArray]:
    """The columns that each group of click features has, under all fifteen operators."""
    of_clicks = [name for name in dict.fromkeys(queries.features) if name.startswith("clk_")]
    features = {
        RAW: RAW_FEATURES,
        DEBIASED: DEBIASED_FEATURES,
        BOTH: (*RAW_FEATURES, *DEBIASED_FEATURES),
        OTHERS: [name for name in of_clicks if name not in DEBIASED_FEATURES],
        ALL: of_clicks,
    }
    return {group: queries.where(features=names).X for group, names in features.items()}


def make_classifiers() -> dict[str, Any]:
    """Return the two classifiers, both of scikit-learn with fixed settings."""
    return {
        MAXIMUM_ENTROPY: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        BOOSTING: boosted_classifier(SKLEARN, random_state=0),
    }


def measure_decisions(queries: QueryFeatures, intents: Any, effort: Effort, seed: int) -> Values:
    """Return F1 over all queries of the world, each classified by models that were trained without it."""
    kinds = chosen_classifiers(make_classifiers())
    folds = stratified_folds(effort.n_folds, intents, seed)
    columns = columns_of(queries)
    found: Values = {}
    for classifier in effort.classifiers:
        asked = [FoldTask(classifier, kinds[classifier], 0)]
        for group in DECIDES[classifier]:
            X = columns[group]
            names = tuple(map(str, range(X.shape[1])))
            parts = [
                Fold(number, X, intents, train, held_out, names, seed).couple(None, asked)[0]
                for number, (train, held_out) in enumerate(folds)
            ]
            right = sum(one.true_positives for one in parts)
            errors = sum(one.false_positives + one.false_negatives for one in parts)
            found[f"F1, {classifier}", group] = 2 * right / (2 * right + errors)
    return found


def summarise(worlds: list[list[Values]], biases: tuple[float, ...]) -> tuple[Measured, ...]:
    """Means over worlds, and each system against its reference, with Holm's correction over the biases."""
    tables = {key: np.array([[at_bias[key] for at_bias in world] for world in worlds]) for key in worlds[0][0]}
    rows = []
    for (measure, system), table in tables.items():
        reference = REFERENCES.get(system)
        against: tuple[PairedDifference | None, ...] = (None,) * len(biases)
        if reference is not None:
            against = compare_over_worlds(table, tables[measure, reference])
        for column, bias in enumerate(biases):
            mean, low, high = mean_interval(table[:, column])
            rows.append(Measured(measure, system, bias, mean, (low, high), reference, against[column]))
    return tuple(rows)
