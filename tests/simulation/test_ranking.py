"""Simulated ranking data: deterministic, realistic, and true to the effects it claims."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import spearmanr

from glassrank.core.checks import DataError
from glassrank.simulation.ranking import simulate_ranking

SIGNAL = [
    "Click ratio", "BM25 title", "BM25 body", "Freshness", "Spam score", "PageRank", "Document length",
    "Anchor-text match", "URL length", "Title length", "Dwell time", "Domain age",
]  # fmt: skip
REDUNDANT = {"Language-model score": "BM25 body", "Inlinks": "PageRank", "URL depth": "URL length"}


def bump(x, best, width):
    return np.exp(-0.5 * ((x - best) / width) ** 2)


# The formulas of docs/how-to/simulate-a-ranking.md, written again.
FORMULAS = {
    "Click ratio": lambda x: 2.2 * np.sqrt(x),
    "BM25 title": lambda x: 0.1 * x,
    "BM25 body": lambda x: 0.08 * x,
    "Freshness": lambda x: 1.7 * bump(np.log(1 + x), np.log(46), 0.8),
    "Spam score": lambda x: -0.016 * x,
    "PageRank": lambda x: 0.2 * x,
    "Document length": lambda x: 1.8 * bump(np.log(x), np.log(1200), 0.5),
    "Anchor-text match": lambda x: 0.9 * x,
    "URL length": lambda x: -0.009 * x,
    "Title length": lambda x: 1.3 * bump(x, 60, 18),
    "Dwell time": lambda x: 0.3 * np.log(1 + x / 30),
    "Domain age": lambda x: 0.02 * x,
}


@pytest.fixture(scope="module")
def simulated():
    return simulate_ranking(200, 50, random_state=0)


def column(simulated, name):
    return simulated.data.X[:, simulated.data.feature_index(name)]


def within_queries(values, data):
    """Values less their query's mean: what a ranker can use."""
    values = np.asarray(values, dtype=float)
    of_row = data.groups.of_row
    sizes = np.bincount(of_row)
    if values.ndim == 1:
        return values - (np.bincount(of_row, values) / sizes)[of_row]
    return np.column_stack([within_queries(one, data) for one in values.T])


def ndcg_at_10(scores, data):
    """Mean NDCG@10 with gain 2^y − 1 and discount 1/log2(rank + 1), over the queries with a relevant document."""
    found = []
    discount = 1 / np.log2(np.arange(2, 12))
    for query in range(data.n_queries):
        rows = data.groups.rows(query)
        gain = 2 ** data.y[rows] - 1
        if gain.any():
            ranked, ideal = gain[np.argsort(-scores[rows], kind="stable")][:10], np.sort(gain)[::-1][:10]
            found.append(ranked @ discount[: len(ranked)] / (ideal @ discount[: len(ideal)]))
    return np.mean(found)


def linear_ranker(data):
    """Least squares on what differs within queries: no ranking SVM, but as linear as one."""
    X, y = within_queries(data.X, data), within_queries(data.y, data)
    return np.linalg.lstsq(X / X.std(axis=0), y, rcond=None)[0] / X.std(axis=0)


def test_the_same_seed_gives_the_same_data():
    first, second = (simulate_ranking(15, 20, random_state=7) for _ in range(2))
    assert np.array_equal(first.data.X, second.data.X)
    assert np.array_equal(first.data.y, second.data.y)
    assert np.array_equal(first.data.qid, second.data.qid)
    assert not np.array_equal(first.data.y, simulate_ranking(15, 20, random_state=8).data.y[: first.data.n_rows])


def test_without_a_seed_the_data_differ():
    assert not np.array_equal(simulate_ranking(2, 50).data.X[:10], simulate_ranking(2, 50).data.X[:10])


def test_a_generator_gives_new_data_at_each_call():
    rng = np.random.default_rng(0)
    first, second = simulate_ranking(5, 10, random_state=rng), simulate_ranking(5, 10, random_state=rng)
    assert first.seed is None
    assert not np.array_equal(first.data.X[:10], second.data.X[:10])


def test_noise_features_and_levels_leave_the_documents_as_they_were():
    few = simulate_ranking(10, 20, random_state=3)
    many = simulate_ranking(10, 20, n_noise=12, noise=2.0, levels=3, random_state=3)
    assert np.array_equal(many.data.X[:, :18], few.data.X)
    assert many.data.n_features == 27
    assert np.array_equal(many.true_utility(), few.true_utility())
    assert set(np.unique(many.data.y)) == {0, 1, 2}


@pytest.mark.parametrize(("n_queries", "documents"), [(1, 2), (1, 1000), (250, 4), (40, 25)])
def test_lists_are_half_to_one_and_a_half_times_the_given_length(n_queries, documents):
    data = simulate_ranking(n_queries, documents, random_state=0).data
    assert data.n_queries == n_queries
    assert data.groups.sizes.min() >= documents / 2
    assert data.groups.sizes.max() <= documents * 1.5


def test_queries_and_documents_have_names(simulated):
    data = simulated.data
    assert data.groups.ids[[0, 6, 199]].tolist() == ["q001", "q007", "q200"]
    assert len(set(data.doc_ids.tolist())) == data.n_rows
    assert data.feature_names == (*SIGNAL, *REDUNDANT, "Noise 1", "Noise 2", "Noise 3")


def test_list_lengths_vary(simulated):
    assert len(np.unique(simulated.data.groups.sizes)) > 20


def test_values_lie_where_a_search_engineer_expects_them(simulated):
    X = {name: column(simulated, name) for name in simulated.data.feature_names}
    assert 0 <= X["Click ratio"].min() < X["Click ratio"].max() <= 1
    assert 0 <= X["Anchor-text match"].min() < X["Anchor-text match"].max() <= 1
    assert 0 <= X["Spam score"].min() < X["Spam score"].max() <= 100
    assert 0 <= X["PageRank"].min() < X["PageRank"].max() <= 10
    for name in ("Freshness", "Document length", "URL length", "Title length", "Inlinks", "URL depth"):
        assert X[name].min() >= 0, name
        assert np.array_equal(X[name], np.round(X[name])), name
    assert X["Document length"].min() >= 1
    for name in ("Click ratio", "BM25 title", "Anchor-text match"):
        assert 0.1 < (X[name] == 0).mean() < 0.5, name


def test_lengths_and_counts_have_heavy_tails(simulated):
    for name in ("Document length", "Freshness", "Dwell time", "Inlinks"):
        values = column(simulated, name)
        assert values.mean() > 1.2 * np.median(values), name
        assert values.max() > 8 * np.median(values), name


@pytest.mark.parametrize("name", SIGNAL)
def test_the_true_curve_is_the_documented_formula(simulated, name):
    effect, values = simulated.true_effects[name], column(simulated, name)
    expected = FORMULAS[name](effect.values) - FORMULAS[name](values).mean()
    np.testing.assert_allclose(effect.effect, expected, rtol=0, atol=1e-12)
    assert effect.role == "signal"
    assert effect.values[0] == values.min()
    assert effect.values[-1] == values.max()
    assert (np.diff(effect.values) > 0).all()
    assert np.isin(effect.values, values).all()


@pytest.mark.parametrize("name", [*REDUNDANT, "Noise 1", "Noise 2", "Noise 3"])
def test_redundant_and_noise_features_have_no_effect_of_their_own(simulated, name):
    effect = simulated.true_effects[name]
    assert not effect.effect.any()
    assert not effect.at([1.0, 2.0]).any()
    assert (effect.role, effect.repeats) == (("redundant", REDUNDANT[name]) if name in REDUNDANT else ("noise", None))


@pytest.mark.parametrize("name", ["Freshness", "Document length", "Title length"])
def test_three_curves_rise_and_fall(simulated, name):
    effect = simulated.true_effects[name].effect
    best = int(np.argmax(effect))
    rises, falls = effect[best] - effect[0], effect[best] - effect[-1]
    assert min(rises, falls) > 0.8


def test_each_effect_is_centred_over_the_documents(simulated):
    for name, effect in simulated.true_effects.items():
        assert abs(effect.at(column(simulated, name)).mean()) < 1e-12


def test_the_true_utility_is_the_sum_of_the_effects(simulated):
    total = sum(FORMULAS[name](column(simulated, name)) for name in SIGNAL)
    np.testing.assert_allclose(simulated.true_utility(), total - total.mean(), atol=1e-10)
    np.testing.assert_allclose(simulated.true_utility(simulated.data.X[5:9]), simulated.true_utility()[5:9])


def test_least_squares_on_the_true_curves_recovers_equal_weights():
    """Each curve enters the judgements with weight 1, up to the grades' scale; much noise makes the scale linear."""
    simulated = simulate_ranking(2000, 100, noise=4.0, random_state=0)
    data = simulated.data
    effects = np.column_stack([simulated.true_effects[name].at(column(simulated, name)) for name in SIGNAL])
    curves, y = within_queries(effects, data), within_queries(data.y, data)
    weights, residual, *_ = np.linalg.lstsq(curves, y, rcond=None)
    errors = np.sqrt(residual / (len(y) - 12) * np.diag(np.linalg.inv(curves.T @ curves)))
    common = np.average(weights, weights=errors**-2)
    assert (weights > 6 * errors).all()
    assert (np.abs(weights - common) < 4 * errors).all()


def test_noise_features_tell_nothing_about_the_judgements(simulated):
    data = simulated.data
    y = within_queries(data.y, data)
    bound = 4 / np.sqrt(data.n_rows)
    for name in ("Noise 1", "Noise 2", "Noise 3"):
        assert abs(np.corrcoef(within_queries(column(simulated, name), data), y)[0, 1]) < bound, name
    for name in ("BM25 title", "PageRank", "Language-model score"):
        assert abs(np.corrcoef(within_queries(column(simulated, name), data), y)[0, 1]) > 5 * bound, name


def test_a_redundant_feature_helps_alone_but_not_beside_its_source(simulated):
    data = simulated.data
    opinion = within_queries(simulated.true_utility(), data)
    source, copy = (within_queries(column(simulated, name), data) for name in ("BM25 body", "Language-model score"))
    alone = np.corrcoef(copy, opinion)[0, 1]
    slope = (source @ copy) / (source @ source)
    beside = np.corrcoef(copy - slope * source, opinion - source * (source @ opinion) / (source @ source))[0, 1]
    assert alone > 0.3
    assert abs(beside) < 0.05


@pytest.mark.parametrize(("name", "source"), REDUNDANT.items())
def test_a_redundant_feature_follows_its_source(simulated, name, source):
    assert spearmanr(column(simulated, name), column(simulated, source)).statistic > 0.8


def test_each_grade_is_about_half_as_frequent_as_the_one_below(simulated):
    counts = np.unique(simulated.data.y, return_counts=True)[1]
    assert len(counts) == 5
    assert all(1.9 < below / above < 2.1 for below, above in pairwise(counts))


def test_without_noise_the_judgements_follow_the_utility_within_each_query():
    simulated = simulate_ranking(30, 30, noise=0, random_state=1)
    groups, utility = simulated.data.groups, simulated.true_utility()
    for query in range(groups.n_queries):
        rows = groups.rows(query)
        assert (np.diff(simulated.data.y[rows][np.argsort(utility[rows])]) >= 0).all()


def test_judges_differ_in_strictness_between_queries():
    """With equal thresholds everywhere, one cut in the utility would explain all judgements; here none does."""
    simulated = simulate_ranking(30, 30, noise=0, random_state=1)
    relevant, utility = simulated.data.y > 0, simulated.true_utility()
    assert utility[relevant].min() < utility[~relevant].max() - 0.5


def test_a_linear_model_beats_the_best_single_feature_and_leaves_room():
    train, test = (simulate_ranking(200, 50, random_state=seed) for seed in (0, 1))
    single = max(ndcg_at_10(sign * values, test.data) for values in test.data.X.T for sign in (1, -1))
    linear = ndcg_at_10(test.data.X @ linear_ranker(train.data), test.data)
    truth = ndcg_at_10(test.true_utility(), test.data)
    assert linear > single + 0.1
    assert truth > linear + 0.05


def test_it_says_that_it_is_simulated():
    simulated = simulate_ranking(20, 30, random_state=0)
    assert str(simulated).startswith("Simulated ranking data (seed 0), not measured")
    assert "no seed" in str(simulate_ranking(2, 5))


def test_units_name_features_of_the_data(simulated):
    assert simulated.units["Freshness"] == "days"
    assert simulated.units["Document length"] == "words"
    assert set(simulated.units) <= set(simulated.data.feature_names)


def test_it_survives_pickling(simulated):
    again = pickle.loads(pickle.dumps(simulated))
    assert np.array_equal(again.true_utility(), simulated.true_utility())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_queries": 0}, "n_queries must be a whole number of at least 1: got 0."),
        ({"n_queries": 2.5}, "n_queries must be a whole number of at least 1: got 2.5."),
        ({"documents_per_query": 1}, "documents_per_query must be a whole number of at least 2: got 1."),
        ({"n_noise": -1}, "n_noise must be a whole number of at least 0: got -1."),
        ({"levels": 1}, "levels must be a whole number of at least 2: got 1."),
        ({"noise": -0.5}, "noise must be a finite number of at least 0: got -0.5."),
        ({"noise": "much"}, "noise must be a finite number of at least 0: got 'much'."),
        (
            {"random_state": -1},
            "random_state must be None, a whole number that is at least 0, or a numpy Generator: got -1.",
        ),
    ],
)
def test_impossible_arguments_are_refused(arguments, message):
    with pytest.raises(DataError) as caught:
        simulate_ranking(**arguments)
    assert str(caught.value) == message


def test_utility_of_rows_that_do_not_fit_is_refused(simulated):
    with pytest.raises(DataError, match="expected 18, got 3"):
        simulated.true_utility(np.ones((4, 3)))
    with pytest.raises(DataError, match="Click ratio has no value -1"):
        simulated.true_effects["Click ratio"].at([0.5, -1.0])
