"""The simulated log is deterministic and complete, and its queries and events have the stated properties."""

import dataclasses
import unicodedata
from itertools import pairwise

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.judgements.url_judgements import intents_from_judgements
from glassrank.data.query_log import QueryLog
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.log.simulated_log import PERFECT
from glassrank.simulation.web.simulate_web import simulate_web

COLUMNS = ("query", "action", "url", "time", "user", "session", "search", "position", "dwell")
SMALL = {"n_queries": 60, "results_per_query": 30, "sessions_per_query": 8, "random_state": 3}


@pytest.fixture(scope="module")
def web():
    return simulate_web(6, 90, 1200, random_state=0)


@pytest.fixture(scope="module")
def simulated(web):
    return simulate_log(web, 150, 100, sessions_per_query=30, random_state=0)


@pytest.fixture(scope="module")
def small(web):
    return simulate_log(web, **SMALL)


def events_of(log, chosen=None):
    rows = np.ones(len(log), dtype=bool) if chosen is None else chosen
    columns = [np.nan_to_num(getattr(log, name)[rows], nan=-1.0) if name in ("position", "dwell")
               else getattr(log, name)[rows] for name in COLUMNS]  # fmt: skip
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def lists_of(simulated):
    results, n_queries = simulated.results, len(simulated.queries)
    return dict(zip(simulated.queries, results.url.reshape(n_queries, -1), strict=True))


def rows_of(results):
    return list(zip(results.query_id, results.query, results.rank, results.url, results.score, strict=True))


def clicks_by_query(simulated, chosen=None):
    log = simulated.log
    rows = (log.action == "click") & (True if chosen is None else chosen)
    return {query: log.url[rows & (log.query == query)].tolist() for query in simulated.queries}


def share_of_first_rank(log):
    return np.mean(log.position[log.action == "click"] == 1)


def largest_share(urls):
    return max(urls.count(url) for url in set(urls)) / len(urls)


# Reproducibility


def test_the_same_seed_gives_the_same_log(web, small):
    again = simulate_log(web, **SMALL)
    assert events_of(again.log) == events_of(small.log)
    assert rows_of(again.results) == rows_of(small.results)
    assert again.queries == small.queries
    assert np.array_equal(again.intents, small.intents)
    assert again.bots == small.bots


def test_another_seed_gives_another_log(web, small):
    other = simulate_log(web, **{**SMALL, "random_state": 4})
    assert other.queries != small.queries
    assert events_of(other.log) != events_of(small.log)


def test_a_generator_gives_a_new_log_at_each_call(web):
    rng = np.random.default_rng(0)
    first, second = (simulate_log(web, 20, 10, sessions_per_query=2, random_state=rng) for _ in range(2))
    assert first.seed is None
    assert first.queries != second.queries


# The events


def test_the_log_passes_the_checks_of_a_log_and_has_every_column(simulated):
    log = QueryLog.from_frame(simulated.log.to_frame("pandas"))
    assert len(log) == len(simulated.log)
    assert all(getattr(log, name) is not None for name in COLUMNS)
    assert set(log.action) == {"search", "impression", "click"}


def test_every_search_is_logged_once_and_before_its_impressions_and_clicks(simulated):
    log = simulated.log
    asked = log.action == "search"
    assert len(set(log.search[asked])) == asked.sum()
    assert set(log.search[asked]) == set(log.search)
    start = dict(zip(log.search[asked], log.time[asked], strict=True))
    began = np.array([start[search] for search in log.search])
    assert (log.time[log.action == "impression"] == began[log.action == "impression"]).all()
    assert (log.time[log.action == "click"] > began[log.action == "click"]).all()
    assert (np.diff(log.time) >= 0).all()


def test_impressions_and_clicks_have_their_position_in_the_list(simulated):
    log, lists = simulated.log, lists_of(simulated)
    rows = np.flatnonzero(log.action != "search")
    shown = [lists[log.query[row]][int(log.position[row]) - 1] for row in rows]
    assert shown == log.url[rows].tolist()


def test_the_first_ten_results_and_those_down_to_the_last_click_are_shown(simulated):
    log = simulated.log
    last, shown = {}, {}
    for action, search, position in zip(log.action, log.search, log.position, strict=True):
        if action == "click":
            last[search] = max(position, last.get(search, 0))
        elif action == "impression":
            shown.setdefault(search, set()).add(position)
    for search, positions in shown.items():
        assert positions == set(range(1, int(max(10, last.get(search, 0))) + 1))
    assert max(last.values()) > 10


def test_a_session_has_one_user_and_never_repeats_a_query_in_a_row(simulated):
    log = simulated.log
    asked = log.action == "search"
    user, queries = {}, {}
    for session, who, query in zip(log.session[asked], log.user[asked], log.query[asked], strict=True):
        assert user.setdefault(session, who) == who
        queries.setdefault(session, []).append(query)
    assert {len(asked_for) for asked_for in queries.values()} == {1, 2, 3}
    assert all(first != then for each in queries.values() for first, then in pairwise(each))


def test_a_further_query_of_a_session_mostly_means_the_same_site_or_topic(simulated):
    log, truth = simulated.log, simulated.truth
    number = {query: place for place, query in enumerate(truth.queries)}
    asked = log.action == "search"
    queries = {}
    for session, query in zip(log.session[asked], log.query[asked], strict=True):
        queries.setdefault(session, []).append(number[query])
    tries = [(first, then) for each in queries.values() for first, then in pairwise(each)]
    assert tries
    for first, then in tries:
        meant = truth.sites if truth.intents[then] else truth.topics
        assert meant[first] == meant[then]


def test_the_log_ends_before_the_pages_were_crawled(simulated):
    newest = np.nanmax(simulated.web.collection.pages.modified)
    assert simulated.log.time.max() < newest + 86_400
    assert 80 < (simulated.log.time.max() - simulated.log.time.min()) / 86_400 < 90


def test_satisfied_users_stay_longer_and_some_dwell_times_are_unknown(simulated):
    log = simulated.log
    clicks = log.action == "click"
    dwell = log.dwell[clicks & ~np.isin(log.user, list(simulated.bots))]
    assert 0.1 < np.isnan(dwell).mean() < 0.2
    assert (dwell[~np.isnan(dwell)] > 30).mean() > 0.25
    assert (dwell[~np.isnan(dwell)] < 10).mean() > 0.1


def test_few_queries_are_asked_often_and_many_rarely(simulated):
    log = simulated.log
    counts = np.sort(np.unique(log.query[log.action == "search"], return_counts=True)[1])[::-1]
    assert counts[:15].sum() > 0.3 * counts.sum()
    assert (counts < 10).mean() > 0.15
    assert len(counts) == len(simulated.queries)


# Queries and intents


def test_no_two_queries_have_the_same_normal_text(simulated):
    normal = {" ".join(unicodedata.normalize("NFKC", query).lower().split()) for query in simulated.queries}
    assert len(normal) == len(simulated.queries) == len(set(simulated.truth.ids)) == 150


@pytest.mark.parametrize("share", [0, 0.18, 0.5, 1])
def test_the_share_of_navigational_queries_is_as_requested(web, share):
    simulated = simulate_log(web, 50, 10, sessions_per_query=1, navigational=share, random_state=0)
    assert simulated.intents.sum() == round(share * 50)


def test_a_query_is_navigational_if_most_of_its_users_want_one_home_page(simulated):
    assert np.array_equal(simulated.intents, (simulated.truth.navigational_share >= 0.5).astype(int))


def test_the_wanted_page_of_a_navigational_query_is_the_home_page_of_its_site(simulated):
    web, truth = simulated.web, simulated.truth
    for number in np.flatnonzero(simulated.intents):
        site = web.sites[truth.sites[number]]
        assert [f"//{site.host}/" in url for url in simulated.wanted[truth.queries[number]]] == [True]
    for number in np.flatnonzero(simulated.intents == 0):
        judged = web.judgements(int(truth.topics[number]))
        assert np.array_equal(truth.wanted[number], np.flatnonzero(judged == 2))


def test_all_navigational_queries_are_names_in_many_spellings(simulated):
    truth = simulated.truth
    spelt = np.array(truth.spellings)[truth.intents == 1]
    assert "topic" not in spelt
    assert len(set(spelt)) >= 5
    for query, spelling, site in zip(truth.queries, truth.spellings, truth.sites, strict=True):
        name = simulated.web.sites[site].name.lower()
        if spelling == "name":
            assert query == name
        elif spelling == "login":
            assert query == f"{name} login"
        elif spelling in ("domain", "host"):
            assert simulated.web.sites[site].host.endswith(query.removeprefix("www."))


def test_wanted_pages_are_mostly_in_the_lists(simulated):
    lists = lists_of(simulated)
    found = np.array([np.isin(simulated.wanted[query], lists[query]).sum() for query in simulated.queries])
    assert found[simulated.intents == 1].mean() > 0.85
    assert (found[simulated.intents == 0] >= 3).mean() > 0.85


def test_navigational_queries_concentrate_their_clicks(simulated):
    clicks = clicks_by_query(simulated, ~np.isin(simulated.log.user, list(simulated.bots)))
    share = np.array([largest_share(urls) if len(urls) >= 10 else np.nan for urls in clicks.values()])
    navigational, informational = (share[simulated.intents == intent] for intent in (1, 0))
    assert np.nanmedian(navigational) > 0.6 > 0.45 > np.nanmedian(informational)


# The dials


def test_position_bias_moves_clicks_to_the_first_rank_without_changing_the_lists(web):
    logs = [simulate_log(web, **SMALL, spam_clicks=0, position_bias=bias) for bias in (0, 0.5, 1, 2)]
    shares = [share_of_first_rank(each.log) for each in logs]
    assert shares[0] < shares[1] < shares[2] < shares[3]
    for other in logs[1:]:
        assert rows_of(other.results) == rows_of(logs[0].results)
        assert np.array_equal(other.truth.navigational_share, logs[0].truth.navigational_share)


def test_position_bias_does_not_change_users_times_and_first_queries(web, small):
    turned = simulate_log(web, **SMALL, position_bias=0.2)
    first = [
        {
            (log.session[row], log.user[row], log.time[row], log.query[row])
            for row in np.flatnonzero((log.action == "search") & np.char.endswith(log.search.astype(str), "-1"))
        }
        for log in (small.log, turned.log)
    ]
    assert first[0] == first[1]


@pytest.mark.parametrize("spam", [0, 0.02, 1.5])
def test_spam_clicks_do_not_change_the_events_of_people(web, small, spam):
    turned = simulate_log(web, **SMALL, spam_clicks=spam)
    people = [events_of(each.log, ~np.isin(each.log.user, list(each.bots))) for each in (small, turned)]
    assert people[0] == people[1]
    assert rows_of(turned.results) == rows_of(small.results)


def test_spam_clicks_come_only_from_bots_in_the_requested_number(web):
    counts = []
    for spam in (0, 0.5, 2):
        simulated = simulate_log(web, **SMALL, spam_clicks=spam)
        bot = np.isin(simulated.log.user, list(simulated.bots))
        counts.append(int((bot & (simulated.log.action == "click")).sum()))
    assert counts[0] == 0
    assert simulate_log(web, **SMALL, spam_clicks=0).bots == frozenset()
    assert 0.5 * 480 <= counts[1] < 0.5 * 480 + 200
    assert 2 * 480 <= counts[2] < 2 * 480 + 200


def test_a_bot_repeatedly_clicks_one_result_of_one_query(simulated):
    log = simulated.log
    assert simulated.bots
    for bot in simulated.bots:
        rows = (log.user == bot) & (log.action == "click")
        assert len(set(zip(log.query[rows], log.url[rows], strict=True))) == 1
        assert rows.sum() >= 9
        assert log.dwell[rows].max() <= 2


def test_a_stronger_spam_dial_only_adds_bots(web):
    weak, strong = (simulate_log(web, **SMALL, spam_clicks=spam) for spam in (0.3, 3))
    assert weak.bots < strong.bots
    bots = [events_of(each.log, np.isin(each.log.user, list(weak.bots))) for each in (weak, strong)]
    assert bots[0] == bots[1]


def test_without_ambiguity_all_users_of_a_query_have_the_same_intent(web):
    simulated = simulate_log(web, **SMALL, ambiguity=0)
    assert np.array_equal(simulated.truth.navigational_share, simulated.intents)
    assert np.array_equal(simulated.truth.is_name, simulated.intents == 1)


def test_more_ambiguity_makes_more_queries_ambiguous_without_changing_the_others(web):
    logs = [simulate_log(web, **SMALL, ambiguity=ambiguity) for ambiguity in (0, 1, 3)]
    between = [((each.truth.navigational_share > 0.1) & (each.truth.navigational_share < 0.9)).sum() for each in logs]
    assert between[0] == 0 < between[1] < between[2]
    for other in logs[1:]:
        assert np.array_equal(other.intents, logs[0].intents)
        kept = [query for query in other.queries if query in logs[0].queries]
        assert len(kept) > 45
        lists = lists_of(other), lists_of(logs[0])
        assert all(np.array_equal(lists[0][query], lists[1][query]) for query in kept)


def test_sessions_per_query_adds_sessions_without_changing_queries_and_lists(web, small):
    many = simulate_log(web, **{**SMALL, "sessions_per_query": 20}, spam_clicks=0)
    assert len(set(many.log.session)) == 20 * 60
    assert many.queries == small.queries
    assert rows_of(many.results) == rows_of(small.results)


def test_a_second_engine_adds_a_list_without_changing_the_first_and_the_log(web, small):
    both = simulate_log(web, **SMALL, engines=2)
    first = both.results.engine == "A"
    assert rows_of(both.results.pick_rows(first)) == rows_of(small.results)
    assert events_of(both.log) == events_of(small.log)
    assert (~first).sum() == first.sum() == 60 * 30
    second = both.results.pick_rows(~first)
    assert set(second.url) != set(small.results.url)
    same = np.mean([np.isin(a, b).mean() for a, b in zip(second.url.reshape(60, 30), small.results.url.reshape(60, 30),
                                                         strict=True)])  # fmt: skip
    assert 0.2 < same < 0.95


def test_judgements_of_four_engines_give_the_true_intents_of_all_queries_that_an_engine_answers(web):
    four = simulate_log(web, **SMALL, engines=4)
    judged = four.judgements(5)
    assert set(judged.engine) == {"A", "B", "C", "D"}
    assert len(judged) == 60 * 4 * 5
    found = intents_from_judgements(judged, perfect=PERFECT).intents
    answered = {query_id for query_id, grade in zip(judged.query_id, judged.grade, strict=True) if grade == PERFECT}
    truth = dict(zip(four.truth.ids, four.intents.tolist(), strict=True))
    assert found == {query_id: int(intent and query_id in answered) for query_id, intent in truth.items()}
    assert 0.8 * four.intents.sum() <= sum(found.values()) <= four.intents.sum()
    wanted = {four.truth.ids[k]: set(four.wanted[query]) for k, query in enumerate(four.queries)}
    best = zip(judged.query_id, judged.url, judged.grade, strict=True)
    assert all((url in wanted[query_id]) == (grade >= 3) for query_id, url, grade in best)


# The result


def test_scores_decrease_down_the_list_and_pages_are_unique(simulated):
    score, url = (getattr(simulated.results, name).reshape(150, 100) for name in ("score", "url"))
    assert (np.diff(score, axis=1) <= 0).all()
    assert all(len(set(row)) == 100 for row in url)


def test_the_log_is_labelled_as_simulated_with_its_seed(simulated):
    first = str(simulated).splitlines()[0]
    assert first == "Simulated search log (seed 0), not measured on any search engine"
    assert "150 queries: 27 navigational, 123 informational; 15,000 results" in str(simulated)
    assert "seed 0" in repr(simulated)


def test_the_truth_converts_to_a_table_and_is_read_only(simulated):
    frame = simulated.to_frame("pandas")
    assert frame["query"].tolist() == list(simulated.queries)
    assert frame["navigational"].tolist() == simulated.intents.tolist()
    assert (frame.loc[frame["navigational"] == 1, "wanted_pages"] == 1).all()
    with pytest.raises(dataclasses.FrozenInstanceError):
        simulated.seed = 1
    with pytest.raises(ValueError, match="read-only"):
        simulated.intents[0] = 1


def test_a_web_is_made_by_default():
    simulated = simulate_log(n_queries=20, results_per_query=10, sessions_per_query=2, random_state=0)
    assert len(simulated.web.topics) == 20
    assert len(simulated.results) == 200


# Invalid arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_queries": 0}, "n_queries must be a whole number of at least 1: got 0"),
        ({"n_queries": 2.5}, "n_queries must be a whole number of at least 1: got 2.5"),
        ({"results_per_query": 0}, "results_per_query must be a whole number of at least 1"),
        ({"results_per_query": 10_000}, "results_per_query must be at most the number of pages of the web"),
        ({"engines": 5}, "engines must be one of 1, 2, 3, 4: got 5"),
        ({"position_bias": -1}, "position_bias must be a number from 0 to 10: got -1"),
        ({"position_bias": "strong"}, "position_bias must be a number from 0 to 10: got 'strong'"),
        ({"ambiguity": 11}, "ambiguity must be a number from 0 to 10: got 11"),
        ({"spam_clicks": float("nan")}, "spam_clicks must be a number from 0 to 10: got nan"),
        ({"sessions_per_query": 0.5}, "sessions_per_query must be a number from 1 to 1e.06: got 0.5"),
        ({"navigational": 1.2}, "navigational must be a number from 0 to 1: got 1.2"),
        ({"random_state": "seed"}, "random_state must be None, a whole number"),
        ({"n_queries": 2000, "navigational": 1}, "web must have a name for each navigational query: expected 2000"),
        ({"n_queries": 600, "navigational": 0, "ambiguity": 10}, "ambiguity needs 480 site names"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_invalid_arguments_are_rejected(web, arguments, message):
    with pytest.raises(DataError, match=message):
        simulate_log(web, **{"n_queries": 20, "results_per_query": 10, "sessions_per_query": 1, **arguments})


def test_a_web_of_the_wrong_type_is_rejected(web):
    with pytest.raises(DataError, match="web must be a SimulatedWeb or None: got Collection"):
        simulate_log(web.collection)
