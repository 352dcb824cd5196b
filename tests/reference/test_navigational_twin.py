"""The twin of the navigational features equals values worked out by hand, and omits features without a source."""

import math
import random

import pytest

from tests.reference.navigational import features
from tests.reference.navigational.all import FEATURES
from tests.reference.navigational.names import CATEGORIES, NEEDS, SOURCES
from tests.reference.navigational.worked import CASES

HAND_WORKED = [
    pytest.param(case, row, name, value, id=f"{case}-{row[0]}-{row[1]}-{name}".replace(" ", "_"))
    for case, (_, expected) in CASES.items()
    for row, values in expected.items()
    for name, value in values.items()
]


@pytest.fixture(scope="module")
def computed():
    return {case: features(**sources) for case, (sources, _) in CASES.items()}


@pytest.mark.parametrize(("case", "row", "name", "value"), HAND_WORKED)
def test_a_feature_has_the_value_worked_out_by_hand(computed, case, row, name, value):
    found = computed[case][row][name]
    assert found is None if value is None else found == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_every_feature_except_repetitions_in_another_scope_is_worked_out_by_hand():
    worked = {name for _, expected in CASES.values() for values in expected.values() for name in values}
    assert {
        name for name in NEEDS if name.replace("_host_", "_link_").replace("_site_", "_link_") not in worked
    } == set()


def test_there_are_197_features_in_four_categories():
    assert {category: len(names) for category, names in CATEGORIES.items()} == {
        "click": 29,
        "url": 24,
        "anchor": 63,
        "other": 81,
    }
    assert set(FEATURES) == set(NEEDS)
    assert len(NEEDS) == 197


def everything():
    """Sources with everything that features can need, combined from the worked cases."""
    log, text, scopes = CASES["full log"][0], CASES["page text"][0], CASES["anchor scopes"][0]
    results = [
        {
            **result,
            "query_id": f"{place}-{result['query_id']}",
            "engine": "e",
            "score": 9.5 - result["rank"],
            "snippet": "zen",
        }
        for place, sources in enumerate((log, text, scopes))
        for result in sources["results"]
    ]
    return {
        "results": results,
        "clicks": log["clicks"],
        "links": text["links"] + scopes["links"],
        "pages": text["pages"],
        "log_language": "en",
    }


def names_of(sources):
    """Names of the available features, from one row."""
    (values,) = features(**{**sources, "results": sources["results"][:1]}).values()
    return set(values)


def test_all_sources_together_give_all_features():
    assert names_of(everything()) == set(NEEDS)


@pytest.mark.parametrize("source", SOURCES[1:])
def test_a_missing_source_removes_exactly_its_features(source):
    sources = {**everything(), source: None, "last_time": 1e6}
    assert names_of(sources) == {name for name in NEEDS if source not in NEEDS[name]}


def test_results_alone_give_the_features_of_results():
    alone = [{"query_id": 1, "query": "zen", "rank": 1, "url": "http://zen.org/"}]
    assert names_of({"results": alone}) == {name for name in NEEDS if NEEDS[name] == {"results"}}


@pytest.mark.parametrize(
    ("source", "column"),
    [
        *(("results", column) for column in ("score", "engine", "snippet")),
        *(("clicks", column) for column in ("position", "dwell")),
        *(("pages", column) for column in ("headings", "description", "site_name", "language", "modified")),
        *(("pages", column) for column in ("html_bytes", "gzip_bytes", "link_words", "internal_links", "images")),
        *(("pages", column) for column in ("external_links", "external_hosts", "has_form", "hidden_share")),
    ],
)
def test_a_missing_column_removes_exactly_its_features(source, column):
    sources = everything()
    sources[source] = [{name: value for name, value in row.items() if name != column} for row in sources[source]]
    assert names_of(sources) == {name for name in NEEDS if column not in NEEDS[name]}


@pytest.mark.parametrize(
    ("columns", "lost"),
    [
        (["time"], {"time", "last_time"}),
        (["user"], {"user"}),
        (["session"], set()),
        (["search"], set()),
        (["session", "user"], {"user", "sessions"}),
        (["session", "search", "time"], {"time", "last_time", "sessions", "lists"}),
    ],
)
def test_sessions_and_lists_are_derived_from_other_columns(columns, lost):
    sources = everything()
    sources["clicks"] = [{name: e[name] for name in e if name not in columns} for e in sources["clicks"]]
    assert names_of(sources) == {name for name in NEEDS if not NEEDS[name] & lost}


@pytest.mark.parametrize(("action", "needed"), [("search", "searches"), ("impression", "impressions")])
def test_a_log_without_a_kind_of_event_has_no_features_of_it(action, needed):
    sources = everything()
    sources["clicks"] = [event for event in sources["clicks"] if event["action"] != action]
    assert names_of(sources) == {name for name in NEEDS if needed not in NEEDS[name]}


def test_empty_sources_give_counts_of_zero_and_nothing_else():
    results = [{"query_id": 1, "query": "zen", "rank": 1, "url": "http://zen.org/"}]
    found = features(results, clicks=[], links=[], pages=[])[1, 1]
    known = {name for name, value in found.items() if value is not None and not NEEDS[name] <= {"results"}}
    assert {found[name] for name in known} == {0.0}
    counts = {"clk_n", "clk_log", "clk_url", "ql_nq", "q_freq"}
    counts |= {
        f"anc_{scope}_{name}" for scope in ("link", "host", "site") for name in ("mass", "types", "eq_mass", "bm25")
    }
    counts |= {"li_in", "li_inx", "li_inh", "li_ind", "li_out", "li_aut", "li_hub", "li_bh", "li_coc", "li_inq"}
    assert known == counts | {"li_outq", "li_child"}


def test_the_order_of_rows_in_a_source_does_not_matter():
    sources = everything()
    expected = features(**sources)
    shuffled = dict(sources)
    for source in SOURCES:
        shuffled[source] = random.Random(5).sample(sources[source], len(sources[source]))
    found = features(**shuffled)
    assert set(found) == set(expected)
    assert {frozenset(values) for values in expected.values()} == {frozenset(NEEDS)}
    for row, values in expected.items():
        for name, value in values.items():
            assert found[row][name] == (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-9)), (
                row,
                name,
            )


def test_no_value_is_infinite_or_nan():
    assert all(
        value is None or math.isfinite(value)
        for values in features(**everything()).values()
        for value in values.values()
    )
