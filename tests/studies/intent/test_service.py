"""A service answers single queries from stored statistics as predict does, and survives bad lines."""

import json

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.query_log import QueryLog
from glassrank.navigational.features.log_extent import LogExtent
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.statistics_folder import load_intent_statistics, save_intent_statistics
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.studies.intent.model import IntentModel, predict_each, rows_of_results, train_intent
from glassrank.studies.intent.service import MAX_LINE, IntentService, read_line
from glassrank.studies.intent.simulated_intents import known_intents

COUPLING = ("SVM weights", "maximum entropy", 12)


@pytest.fixture(scope="module")
def log():
    return simulate_log(simulate_web(4, 30, 300, random_state=0), 40, 10, sessions_per_query=5, random_state=0)


@pytest.fixture(scope="module")
def sources(log):
    web = log.web.collection
    return IntentSources(log.results, log.log, web.links, web.pages, "en")


@pytest.fixture(scope="module")
def model(sources, log):
    return train_intent(sources, known_intents(log), coupling=COUPLING, cv=2)


@pytest.fixture(scope="module")
def service(model, log, tmp_path_factory):
    folder, web = tmp_path_factory.mktemp("served") / "statistics", log.web.collection
    save_intent_statistics(folder, log.log, web.links, web.pages)
    return IntentService(model, load_intent_statistics(folder))


def lines_of(service, *lines):
    return [json.loads(line) for line in service.answer_lines(line.encode() for line in lines)]


def test_an_answer_is_the_prediction_from_the_log_to_the_bit(service, model, sources, log):
    expected = {one.query_id: one for one in predict_each(model, rows_of_results(sources))}
    for query_id in list(expected)[:8]:
        rows = np.flatnonzero(log.results.query_id == query_id)
        results = log.results.pick_rows(rows)
        answer = service.answer(results.query[0], results)
        assert answer.prediction == expected[query_id]
        assert answer.n_results == len(rows)


def test_the_reasons_are_the_strongest_contributions(service, model, sources):
    row = next(rows_of_results(sources))
    results = sources.results.pick_rows(np.flatnonzero(sources.results.query_id == row.query_id))
    assert service.answer(row.query, results).reasons == model.explain(row).contributions[:3]


def test_a_query_alone_is_answered_with_the_results_of_the_log(service, log):
    query = log.log.query[0]
    given = service.statistics.clicks.results(query)
    urls = json.dumps({"query": query, "results": given.url.tolist()})
    alone, with_urls = lines_of(service, query, urls)
    assert alone | {"line": 2} == with_urls
    assert alone["results"] == len(given)


def test_bad_lines_are_reported_and_the_others_answered(service, log):
    query = log.log.query[0]
    found = lines_of(service, "nobody asked this", query, "{", " ", query)
    assert [one["line"] for one in found] == [1, 2, 3, 4, 5]
    assert ["error" in one for one in found] == [True, False, True, True, False]
    assert "no results for the query 'nobody asked this'" in found[0]["error"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"\xff", "not UTF-8"),
        (b"", "empty"),
        (b"x" * (MAX_LINE + 1), "too long"),
        (b"{]", "no JSON"),
        (b'{"query": NaN}', "NaN is no number"),
        (b'{"query": "' + b"[" * 5 + b'", "results": ' + b"[" * 99_999, "no JSON"),
        (b'{"query": " "}', "query must be a text"),
        (b'{"query": 3}', "query must be a text"),
        (b'{"query": "a", "urls": []}', "unknown key 'urls': expected query, query_id, results"),
        (b'{"query": "a", "results": []}', "results must be a list"),
        (b'{"query": "a", "results": "u"}', "results must be a list"),
        (b'{"query": "a", "results": [3]}', "result 1 must be an address"),
        (b'{"query": "a", "results": [{"url": "u"}, {"score": 3}]}', "result 2 must be an address"),
        (b'{"query": "a", "results": [{"url": "u", "place": 3}]}', "unknown key 'place'"),
        (b'{"query": "a", "results": [{"url": "u", "rank": 0}]}', "rank must"),
        (b'{"query": "a", "results": [{"url": "u", "rank": "x"}]}', "rank must"),
        (b'{"query": "a", "results": [{"url": "u", "score": "x"}]}', "score must"),
        (b'{"query": "a", "results": [{"url": "u", "snippet": 3}]}', "snippet must"),
    ],
)
def test_a_line_that_is_neither_query_nor_object_is_refused(line, says):
    with pytest.raises(DataError) as refusal:
        read_line(line)
    assert says in str(refusal.value)


def test_a_line_may_give_its_own_identifier_and_columns():
    rows = b'[{"url": "a", "engine": "y"}, {"url": "b", "score": 2, "engine": "x"}]'
    line = b'{"query": "zen", "query_id": 7, "results": ' + rows + b"}"
    query, results = read_line(line)
    assert (query, results.query_id.tolist(), results.engine.tolist()) == ("zen", ["7", "7"], ["y", "x"])
    assert np.isnan(results.score[0])


def test_a_model_remembers_size_and_period_of_its_log(model, log, tmp_path):
    model.save(tmp_path / "model.json")
    found = IntentModel.load(tmp_path / "model.json").training_log
    times = log.log.time
    assert found == LogExtent(len(log.log), len(set(log.log.query)), float(times.min()), float(times.max()))
    assert str(found).startswith(f"{len(log.log):,} events of 40 queries, 20")


def test_another_log_causes_a_warning_and_the_same_one_none(model, sources, service, log):
    assert model.warning_about(sources) is None
    assert model.warning_about(service.sources) is None
    few = log.log.pick_rows(np.arange(len(log.log) // 3))
    moved = QueryLog(**{**log.log._columns(), "time": log.log.time + 86_400.0 * 40})
    assert "factor of more than 2" in model.warning_about(IntentSources(log.results, few))
    assert "its period is another one" in model.warning_about(IntentSources(log.results, moved))
    assert model.warning_about(IntentSources(log.results)) is None


def test_a_byte_order_mark_is_no_part_of_the_first_query_and_a_long_query_is_cut_in_its_error(service, log):
    query = log.log.query[0]
    first, long = lines_of(service, "\ufeff" + query, "x" * 5000)
    assert first["query"] == query
    assert len(long["error"]) < 400
