"""Figure 2 for chosen queries: the values are those of the features, and the picture shows them."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.query_url_features import query_url_features
from glassrank.navigational.rank_profile import rank_profile
from glassrank.studies.intent.features import profile_of_queries
from tests.drawing.svg import says

HOSTILE = "</script>\n😀 " + "x" * 300
QUERIES = {"w": "walmart", "c": "canadian gold maple leaf", "h": HOSTILE}
URLS = ["http://www.walmart.com/", "http://gold.org/maple", "http://b.org/"]


@pytest.fixture(scope="module")
def results():
    """Three queries with the same three addresses; the rows are not in the order of the ranks."""
    rows = [(query_id, text, rank, URLS[rank - 1]) for query_id, text in QUERIES.items() for rank in (3, 1, 2)]
    columns = zip(*rows, strict=True)
    return SearchResults(**dict(zip(("query_id", "query", "rank", "url"), map(list, columns), strict=True)))


def test_the_values_are_worked_out_by_hand(results):
    found = rank_profile(query_url_features(results, urlmr="literal"), ["w", "c"], intents={"w": 1, "c": 0})
    # walmart is 7 of 23 characters; then "ma" is 2 of 21, and "t" 1 of 13.
    assert found.queries[0].values.tolist() == pytest.approx([7 / 23, 2 / 21, 1 / 13])
    # "ma" is 2 of 23, "maple" 5 of 21, and "o" 1 of 13.
    assert found.queries[1].values.tolist() == pytest.approx([2 / 23, 5 / 21, 1 / 13])
    assert [one.kind for one in found.queries] == ["navigational", "informational"]
    assert [row["rank"] for row in found.rows()] == [1, 2, 3, 1, 2, 3]
    assert found.to_frame("pandas")["query_id"].tolist() == ["w"] * 3 + ["c"] * 3


def test_the_picture_has_one_panel_per_query_and_long_names_are_shortened(results):
    chart = rank_profile(query_url_features(results), ["w", "h"], intents={"w": 1}).chart()
    shown = says(chart._repr_svg_())
    assert "“walmart”, navigational" in shown
    assert any(text.startswith("“</script> 😀 xxx") and len(text) <= 62 for text in shown)
    assert chart.describe().startswith("“walmart”, navigational: 0.583 first")


def test_a_part_of_the_queries_gives_the_values_of_all(results):
    whole = rank_profile(query_url_features(results), ["c"], "url_cov")
    part = profile_of_queries(IntentSources(results), ["c"], "url_cov")
    assert part.queries[0].values.tolist() == whole.queries[0].values.tolist()
    assert len(profile_of_queries(IntentSources(results), ["c"], ranks=2).queries[0].values) == 2


def test_missing_values_leave_a_gap(results):
    table = query_url_features(results)
    column = np.array([np.nan, 0.5, np.nan, *[0.1] * 6])
    found = rank_profile(type(table)(table.results, ("urlmr",), ("url",), column[:, None], {}, {}), ["w"])
    assert [row["value"] for row in found.rows()] == [0.5, None, None]
    assert found.chart().describe() == "“walmart”: 0.5 first, 0.5 last"
    assert "<svg" in found.chart()._repr_svg_()


@pytest.mark.parametrize(
    ("queries", "settings", "message"),
    [
        ([], {}, "one to 3 queries: got 0"),
        (["w", "c", "h", "x"], {}, "one to 3 queries: got 4"),
        (["x"], {}, "no query 'x'"),
        (["w"], {"feature": "clk_CR"}, "got 'clk_CR'; there is no clicks"),
        (["w"], {"feature": "nothing"}, "got 'nothing'; there are "),
        (["w"], {"ranks": 0}, "ranks must be a positive whole number"),
    ],
    ids=["none", "four", "unknown", "no source", "no feature", "no rank"],
)
def test_wrong_questions_are_refused(queries, settings, message, results):
    with pytest.raises(DataError, match=message):
        rank_profile(query_url_features(results), queries, **settings)
