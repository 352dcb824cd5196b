"""Stored statistics give the features of the log itself, to the last bit, for all queries and for each alone."""

import json
import random
import re

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Links, Pages
from glassrank.data.logs.derived_results import results_from_log
from glassrank.data.query_log import QueryLog
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features import log_statistics
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.query_url_features import compute_features, query_url_features
from glassrank.navigational.statistics_folder import load_intent_statistics, save_intent_statistics
from tests.navigational.features.log_worlds import (
    COLUMNS,
    by_row,
    log_world,
    twin_of_log,
    without,
    without_kinds,
    wrong,
)
from tests.navigational.features.random_worlds import addresses, containers, some_clicks, some_links, some_pages
from tests.navigational.features.random_worlds import some_results as results_of

LOG = QueryLog(
    query=["zen", "Zen ", "zen", "moss"],
    action=["click", "click", "impression", "search"],
    url=["http://zen.org/", "HTTP://ZEN.org:80", "http://a.org/", ""],
    position=[2, 4, 1, np.nan],
)


def same(one, other):
    return one.names == other.names and np.array_equal(one.X, other.X, equal_nan=True)


def world(seed):
    """Results of four queries, a log, links and pages."""
    rng = random.Random(seed)
    urls = addresses(rng, 10)
    results = results_of(rng, urls[:-1])
    clicks = some_clicks(rng, urls, results)
    return containers(
        {"results": results, "clicks": clicks, "links": some_links(rng, urls), "pages": some_pages(rng, urls)}
    ) | {"language": "en"}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("statistics") / "zen"
    save_intent_statistics(folder, LOG)
    return folder


@pytest.mark.parametrize("seed", range(3))
def test_features_from_statistics_equal_those_from_log_links_and_pages_to_the_bit(seed, tmp_path):
    given = world(seed)
    save_intent_statistics(tmp_path / "kept", given["clicks"], given["links"], given["pages"])
    statistics = load_intent_statistics(tmp_path / "kept")
    expected = query_url_features(**given)
    assert same(compute_features(statistics.sources(given["results"], language="en"), {}), expected)


def test_each_feature_alone_is_the_same_as_among_all(tmp_path):
    given = world(3)
    stored = save_intent_statistics(tmp_path / "kept", given["clicks"], given["links"], given["pages"])
    sources = stored.sources(given["results"], language="en")
    every = compute_features(sources, {})
    assert len(every.names) > 150
    for name in every.names:
        # With new results, values that are cached for other features are computed again if they are needed.
        alone = compute_features(sources.with_results(given["results"]), {}, only={name})
        np.testing.assert_array_equal(alone[name], every[name], err_msg=name)


def test_tables_too_large_for_memory_give_the_same_features(monkeypatch, tmp_path):
    given = world(5)
    stored = save_intent_statistics(tmp_path / "kept", given["clicks"])
    in_memory = compute_features(stored.sources(given["results"]), {})
    monkeypatch.setattr(log_statistics, "IN_MEMORY", 0)
    scanned = compute_features(load_intent_statistics(tmp_path / "kept").sources(given["results"]), {})
    assert same(scanned, in_memory)


def test_a_query_alone_has_the_features_that_it_has_among_others(tmp_path):
    given = world(7)
    statistics = save_intent_statistics(tmp_path / "kept", given["clicks"], given["links"], given["pages"])
    nothing, results = statistics.sources(language="en"), given["results"]
    expected = query_url_features(**given)
    for query_id in dict.fromkeys(results.query_id):
        rows = np.flatnonzero(results.query_id == query_id)
        alone = compute_features(nothing.with_results(results.pick_rows(rows)), {})
        among = [expected.names.index(name) for name in alone.names]
        assert np.array_equal(alone.X, expected.X[rows][:, among], equal_nan=True)


@pytest.mark.parametrize(
    "log",
    [log_world(1), *(without(log_world(2), name) for name in COLUMNS), without(log_world(3), *COLUMNS)],
    ids=["all", *COLUMNS, "none"],
)
def test_statistics_of_logs_without_some_columns_equal_the_twin(log, tmp_path):
    assert not wrong(features_of(log, tmp_path), twin_of_log(log))


@pytest.mark.parametrize("lacking", ["search", "impression", "click"])
def test_statistics_of_logs_without_some_events_equal_the_twin(lacking, tmp_path):
    log = without_kinds(log_world(4), lacking)
    assert not wrong(features_of(log, tmp_path), twin_of_log(log))


def features_of(log, folder):
    """Click and log features by row, from statistics."""
    from glassrank.navigational.features.log import click_features as click
    from glassrank.navigational.features.log import log_features

    given = containers(log)
    sources = save_intent_statistics(folder / "kept", given["clicks"]).sources(given["results"])
    return by_row(sources, click.compute(sources) | log_features.compute(sources))


def test_a_query_that_was_only_searched_for_counts_as_issued(stored):
    results = SearchResults(query_id=[1], query=["moss"], rank=[1], url=["http://zen.org/"])
    table = compute_features(load_intent_statistics(stored).sources(results), {})
    assert table["q_freq"].tolist() == [np.log(2.0)]


def test_a_query_that_the_log_does_not_know_has_counts_of_zero(stored):
    results = SearchResults(query_id=[1], query=["rust"], rank=[1], url=["http://new.org/"])
    table = compute_features(load_intent_statistics(stored).sources(results), {})
    assert (table["clk_n"].tolist(), table["q_freq"].tolist()) == ([0.0], [0.0])
    assert np.isnan(table["clk_CR"]).all()


def test_a_list_from_statistics_is_ordered_as_the_list_from_the_log(stored):
    """Two spellings of one address have the mean position 3, the other one 1."""
    found = load_intent_statistics(stored).clicks.results("ZEN")
    assert found.url.tolist() == ["http://a.org/", "HTTP://ZEN.org:80"]
    typed_alike = QueryLog(query=["zen"] * 3, action=LOG.action[:3], url=LOG.url[:3], position=LOG.position[:3])
    assert found.url.tolist() == results_from_log(typed_alike).url.tolist()


def test_an_unknown_query_has_no_list(stored):
    assert load_intent_statistics(stored).clicks.results("rust") is None


def test_links_and_pages_may_be_given_alone(tmp_path):
    links = Links(source=["http://a.org/"], target=["http://zen.org/"], anchor=["zen"])
    pages = Pages(url=["http://zen.org/"], title=["Zen"], text=["zen"], images=[np.nan])
    for name, given in (("links", {"links": links}), ("pages", {"pages": pages})):
        save_intent_statistics(tmp_path / name, LOG, **given)
        found = load_intent_statistics(tmp_path / name)
        assert {"links": found.links is not None, "pages": found.pages is not None} == {
            "links": name == "links",
            "pages": name == "pages",
        }


def test_bare_hosts_must_be_read_as_in_the_statistics(tmp_path):
    log = QueryLog(query=["zen"], action=["click"], url=["zen.org"])
    statistics = save_intent_statistics(tmp_path / "kept", log, bare_hosts=True)
    results = SearchResults(query_id=[1], query=["zen"], rank=[1], url=["http://zen.org/"])
    assert compute_features(statistics.sources(results), {})["clk_n"].tolist() == [1.0]
    with pytest.raises(DataError, match="were made with bare_hosts=True"):
        IntentSources(results, statistics.clicks)


def test_statistics_are_not_overwritten(stored):
    with pytest.raises(DataError, match="already contains statistics"):
        save_intent_statistics(stored, LOG)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "urls.parquet").unlink(), "urls.parquet is missing or has changed"),
        (lambda folder: (folder / "log.json").write_text("{"), "its log.json cannot be read"),
        (lambda folder: (folder / "log.json").unlink(), "there are no statistics"),
        (lambda folder: other_format(folder), "they have format 99, but this version reads 1"),
    ],
    ids=["missing", "garbled", "unfinished", "newer"],
)
def test_damaged_statistics_are_refused(damage, says, tmp_path):
    save_intent_statistics(tmp_path / "kept", LOG)
    damage(tmp_path / "kept")
    with pytest.raises(DataError, match=re.escape(says)):
        load_intent_statistics(tmp_path / "kept")


def other_format(folder):
    content = json.loads((folder / "log.json").read_text())
    (folder / "log.json").write_text(json.dumps(content | {"format": 99}))


def test_odd_texts_are_stored(tmp_path):
    """Quotes, line breaks, a lone surrogate and an international host, written in both ways."""
    queries = ['say "zen"', "two\nlines", "half \ud800", "été", "été"]
    urls = ["http://a.org/?q='x'", "folder/zen.html", "http://[a", "http://été.fr/", "http://xn--t-9fab.fr/"]
    log = QueryLog(query=queries, action=["click"] * 5, url=urls)
    results = SearchResults(query_id=range(5), query=queries, rank=[1] * 5, url=urls)
    statistics = save_intent_statistics(tmp_path / "kept", log)
    assert same(compute_features(statistics.sources(results), {}), query_url_features(results, log))
