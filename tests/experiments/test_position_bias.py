"""Orders and decisions are measured as defined; the dial changes clicks alone; worlds are compared in pairs."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments.paired_worlds import compare_over_worlds, mean_interval
from experiments.position_bias import (
    ALL,
    BOTH,
    CLICKS,
    DEBIASED,
    GROUPS,
    KNOWN,
    MAXIMUM_ENTROPY,
    ORDERINGS,
    OTHERS,
    RANK,
    RAW,
    REFERENCES,
    Effort,
    columns_of,
    describe_log,
    is_wanted,
    measure_decisions,
    measure_orders,
    measure_world,
    orderings,
    study_position_bias,
    summarise,
)
from glassrank.core.checks import DataError
from glassrank.navigational.integrate import integrate
from glassrank.navigational.query_features import QueryFeatures
from glassrank.navigational.query_url_features import query_url_features
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web
from tests.reference.concordance import pair_accuracy

N_QUERIES, N_RESULTS, BIAS = 60, 12, 1.5
SMALL = Effort(2, (0.0, 2.0), 40, 12, 4.0, (4, 60, 600), 2, (MAXIMUM_ENTROPY,))


@pytest.fixture(scope="module")
def simulated():
    web = simulate_web(4, 80, 800, random_state=1)
    return simulate_log(web, N_QUERIES, N_RESULTS, sessions_per_query=8, position_bias=BIAS, random_state=1)


@pytest.fixture(scope="module")
def table(simulated):
    return query_url_features(simulated.results, clicks=simulated.log)


@pytest.fixture(scope="module")
def result():
    return study_position_bias(SMALL, n_jobs=1)


@pytest.fixture(scope="module")
def worlds():
    rng = np.random.default_rng(4)
    reference = rng.normal(0.7, 0.05, size=(8, 3))
    return reference + rng.normal([0.02, 0.0, -0.05], 0.02, size=(8, 3)), reference


def test_intervals_over_worlds_are_those_of_the_paired_t_test(worlds):
    values, reference = worlds
    for column, found in enumerate(compare_over_worlds(values, reference)):
        peer = stats.ttest_rel(values[:, column], reference[:, column]).confidence_interval(0.95)
        assert found.interval == pytest.approx((peer.low, peer.high))
        assert found.difference == pytest.approx(np.mean(values[:, column]) - np.mean(reference[:, column]))


def test_p_values_count_every_sign_pattern_and_are_adjusted_for_the_strengths(worlds):
    differences = worlds[0] - worlds[1]
    patterns = np.array(list(product([1, -1], repeat=8)))
    p = [np.mean(np.abs(patterns @ d) >= abs(d.sum()) - 1e-12) for d in differences.T]
    # Holm by hand: the smallest p times 3, the next times 2, the last as it is, never falling.
    expected, highest = {}, 0.0
    for place, column in enumerate(np.argsort(p)):
        highest = expected[column] = max(highest, min(1.0, (3 - place) * p[column]))
    found = compare_over_worlds(*worlds)
    assert [one.p_value for one in found] == pytest.approx([expected[column] for column in range(3)])
    signs = ["better" if mean > 0 else "worse" for mean in differences.mean(axis=0)]
    verdicts = [signs[column] if expected[column] < 0.05 else "not significantly different" for column in range(3)]
    assert [one.verdict for one in found] == verdicts
    assert set(verdicts) == {"better", "worse", "not significantly different"}


def test_the_interval_of_a_mean_is_students():
    values = [0.61, 0.66, 0.7, 0.58]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert mean_interval(values) == pytest.approx((np.mean(values), low, high))


def test_one_world_is_no_sample():
    with pytest.raises(DataError, match="at least 2 of them: got 1"):
        compare_over_worlds([[0.5, 0.6]], [[0.4, 0.5]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("side", ["values", "reference"])
def test_a_world_without_a_number_is_refused_and_never_worse(worlds, side, bad):
    values, reference = (table.copy() for table in worlds)
    {"values": values, "reference": reference}[side][5, 1] = bad
    message = (
        rf"{side} has 1 value that is not finite, the first \({bad}\) at row 5, column 1\. Each world .* leave it out"
    )
    with pytest.raises(DataError, match=message):
        compare_over_worlds(values, reference)


def test_pair_accuracy_of_an_order_equals_its_twin(simulated, table):
    shape = (N_QUERIES, N_RESULTS)
    wanted = is_wanted(simulated).reshape(shape)
    orders = {name: scores.reshape(shape) for name, scores in orderings(table, BIAS).items()}
    found = measure_orders(orders, wanted, simulated.intents, 10)
    for kind, intent in (("informational", 0), ("navigational", 1)):
        for name, scores in orders.items():
            rows = np.flatnonzero(simulated.intents == intent)
            each = [pair_accuracy(wanted[row, :10].tolist(), scores[row, :10].tolist()) for row in rows]
            expected = np.mean([value for value in each if value is not None])
            assert found[f"pair accuracy, {kind}, first 10", name] == pytest.approx(expected)


def test_known_examination_divides_each_click_by_the_chance_of_a_look(simulated, table):
    log = simulated.log
    weight = {}
    for query, url, action, position in zip(log.query, log.url, log.action, log.position, strict=True):
        if action == "click":
            weight[query, url] = weight.get((query, url), 0.0) + position**BIAS
    results = simulated.results
    expected = [weight.get(pair, 0.0) for pair in zip(results.query, results.url, strict=True)]
    assert orderings(table, BIAS)[KNOWN] == pytest.approx(expected)


def test_without_bias_known_examination_is_the_number_of_clicks(table):
    found = orderings(table, 0.0)
    assert found[KNOWN].tolist() == found[CLICKS].tolist()


def test_clicks_and_their_rate_order_the_first_ten_alike(simulated, table):
    """Every search shows the first ten, so that all ten of a query have the same number of impressions."""
    found = {name: scores.reshape(N_QUERIES, N_RESULTS)[:, :10] for name, scores in orderings(table, BIAS).items()}
    for clicks, rates in zip(found[CLICKS], found["clk_ctr"], strict=True):
        assert stats.rankdata(clicks).tolist() == stats.rankdata(rates).tolist()


def test_what_is_wanted_is_what_the_simulator_says(simulated):
    wanted = is_wanted(simulated).reshape(N_QUERIES, N_RESULTS)
    assert wanted[simulated.intents == 1].sum(axis=1).max() == 1
    assert wanted[simulated.intents == 0].sum() > 0
    results = simulated.results
    for query, url, is_one in zip(results.query, results.url, wanted.ravel(), strict=True):
        assert is_one == (url in simulated.wanted[query])


def test_the_facts_of_a_log_are_its_counts(simulated, table):
    found = describe_log(simulated, table["clk_n"].reshape(N_QUERIES, N_RESULTS))
    events = list(zip(simulated.log.action, simulated.log.position, strict=True))
    rate = {at: events.count(("click", at)) / events.count(("impression", at)) for at in (1.0, 5.0)}
    clicks = [action for action, _ in events].count("click")
    assert (found["log", "clicks"], found["log", "ctr(1) / ctr(5)"]) == (clicks, pytest.approx(rate[1.0] / rate[5.0]))
    clicked = {
        (query, url)
        for query, url, action in zip(simulated.log.query, simulated.log.url, simulated.log.action, strict=True)
        if action == "click"
    }
    informational = {query for query, intent in zip(simulated.queries, simulated.intents, strict=True) if not intent}
    results = simulated.results
    first = [
        (query, url) not in clicked
        for query, url, rank in zip(results.query, results.url, results.rank, strict=True)
        if rank <= 10 and query in informational
    ]
    assert found["log", "without a click"] == pytest.approx(np.mean(first))


def test_each_group_has_its_features_under_fifteen_operators(table):
    columns = columns_of(integrate(table))
    sizes = {RAW: 2, DEBIASED: 2, BOTH: 4, OTHERS: 27, ALL: 29}
    assert {group: X.shape[1] / 15 for group, X in columns.items()} == sizes


@pytest.mark.parametrize("rank", range(1, 6))
def test_at_a_fixed_rank_debiased_features_are_the_raw_ones_shifted_and_scaled(table, rank):
    """So a third of the columns of either group is the same to a classifier that scales, and to a tree."""
    queries = integrate(table)
    shift = queries[f"clk_CR|p{rank}"] - queries[f"clk_dev|p{rank}"]
    assert np.nanmax(shift) == pytest.approx(np.nanmin(shift))
    clicked = queries[f"clk_ctr|p{rank}"] > 0
    scale = queries[f"clk_ctr|p{rank}"][clicked] / queries[f"clk_coec|p{rank}"][clicked]
    assert clicked.sum() > 2
    assert scale.max() == pytest.approx(scale.min())


def test_f1_is_that_of_a_peer_over_all_queries_held_out():
    rng = np.random.default_rng(2)
    intents = (np.arange(90) % 3 == 0).astype(np.int64)
    names = ("clk_CR", "clk_ctr", "clk_dev", "clk_coec", "clk_n")
    X = rng.normal(size=(90, 5)) + 0.8 * intents[:, None]
    ids = tuple(map(str, range(90)))
    queries = QueryFeatures(X, names, ("mean",) * 5, ("click",) * 5, ids, ids)
    found = measure_decisions(queries, intents, Effort(n_folds=3, classifiers=(MAXIMUM_ENTROPY,)), seed=7)
    folds = StratifiedKFold(3, shuffle=True, random_state=7)
    for group, chosen in {
        RAW: [0, 1],
        DEBIASED: [2, 3],
        BOTH: [0, 1, 2, 3],
        OTHERS: [0, 1, 4],
        ALL: [0, 1, 2, 3, 4],
    }.items():
        peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        called = cross_val_predict(peer, X[:, chosen], intents, cv=folds)
        assert found["F1, maximum entropy", group] == pytest.approx(f1_score(intents, called))


def test_the_dial_leaves_the_lists_as_they_are_and_takes_clicks_away(result):
    for measure in result.measures:
        if measure.startswith("pair accuracy"):
            first, last = result.of(measure)[RANK]
            assert first.mean == last.mean
    clicks = [row.mean for row in result.of("log")["clicks"]]
    assert clicks[0] > clicks[1]


def test_every_system_is_compared_with_its_reference_at_every_bias(result):
    assert [name.partition(",")[0] for name in result.measures] == ["log", *["pair accuracy"] * 4, "F1"]
    for measure in result.measures[1:]:
        systems = result.of(measure)
        assert set(systems) == set(GROUPS if measure.startswith("F1") else ORDERINGS)
        for name, rows in systems.items():
            assert [row.bias for row in rows] == [0.0, 2.0]
            for row, base in zip(rows, systems[REFERENCES.get(name, name)], strict=True):
                assert row.reference == REFERENCES.get(name)
                assert (row.against is None) == (row.reference is None)
                gap = 0.0 if row.against is None else row.against.difference
                assert gap == pytest.approx(row.mean - base.mean)


def test_the_study_repeats_itself_and_the_number_of_a_world_is_its_seed(result):
    again = [measure_world(seed, SMALL) for seed in (0, 1)]
    assert summarise(again, SMALL.biases) == result.rows
