"""Every declared feature equals its slow twin, on the cases worked out by hand and on random worlds."""

import pytest

from glassrank.navigational.features.catalogue import FEATURES
from glassrank.navigational.query_url_features import query_url_features
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web
from tests.navigational.features.comparison import differences
from tests.navigational.features.random_worlds import containers, random_world
from tests.reference.navigational import features
from tests.reference.navigational.names import NEEDS, category
from tests.reference.navigational.worked import CASES

NAMES = [feature.name for feature in FEATURES]


def twin_names(expected):
    """Names of the twin's features, in the order of the table."""
    offered = next(iter(expected.values()))
    return [name for name in NEEDS if name in offered]


@pytest.mark.parametrize("case", CASES)
def test_features_equal_the_cases_worked_out_by_hand(case):
    sources, _ = CASES[case]
    expected = features(**sources)
    table = query_url_features(**containers(sources))
    names = twin_names(expected)
    assert list(table.names) == names
    assert differences(table, expected, names) == []


@pytest.mark.parametrize("seed", range(20))
def test_features_of_random_worlds_equal_the_twin(seed):
    world = random_world(seed, engines=1 + seed % 3)
    expected = features(**world)
    table = query_url_features(**containers(world))
    names = twin_names(expected)
    assert list(table.names) == names
    assert differences(table, expected, names) == []


def test_names_needs_and_categories_match_the_table():
    declared = {feature.name: feature for feature in FEATURES}
    assert list(NEEDS) == NAMES
    for name, feature in declared.items():
        assert set(feature.needs) == NEEDS[name]
        assert feature.category == category(name)
        assert feature.formula


def rows_of(table):
    """A container in the twin's format: one dict per row, None for unknown numbers."""
    columns = table._columns()
    plain = [[None if value != value else value for value in values.tolist()] for values in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*plain, strict=True)]


@pytest.mark.parametrize(("seed", "languages"), [*((seed, 1) for seed in range(20)), (21, 5)])
def test_features_of_simulated_logs_equal_the_twin(seed, languages):
    size = (languages, 4 * languages, 20 * languages)
    web = simulate_web(*size, drift=0, mirrors=0, spam=0, languages=languages, random_state=seed)
    log = simulate_log(web, 4 * languages, 5, engines=1 + seed % 2, sessions_per_query=4, random_state=seed)
    found, pages, links = log.log, web.collection.pages, web.collection.links
    expected = features(
        results=rows_of(log.results),
        clicks=rows_of(found),
        links=rows_of(links),
        pages=rows_of(pages),
        log_language="en",
    )
    table = query_url_features(log.results, found, links, pages, language="en")
    names = twin_names(expected)
    assert list(table.names) == names
    assert differences(table, expected, names) == []
