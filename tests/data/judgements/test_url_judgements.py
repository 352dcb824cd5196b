"""Intents from judged addresses: exactly one perfect site, and a reported rule for everything doubtful."""

import json

import pandas
import polars
import pytest

from glassrank.core.checks import DataError
from glassrank.data.judgements.url_judgements import UrlJudgements, intents_from_judgements
from glassrank.data.search_results import SearchResults

# The paper's own examples (section 2), with the grades that its labels imply.
NESTA, COINS = "national earth science teachers association", "canadian gold maple leaf"
ROWS = [
    (NESTA, "http://www.nestanet.org/", 4, "A", 1),
    (NESTA, "http://www.nestanet.org/", 4, "B", 2),
    (NESTA, "http://www.nsta.org/", 2, "A", 2),
    (COINS, "http://www.goldfingercoin.com/catalog_gold/canadian_maple_leaf.htm", 3, "A", 1),
    (COINS, "http://coins.about.com/library/weekly/aa091802a.htm", 3, "A", 2),
    (COINS, "http://www.onlygold.com/Coins/CanadianMapleLeafsFullScreen.asp", 3, "B", 1),
]
COLUMNS = ("query_id", "url", "grade", "engine", "rank")


def table(*rows, columns=COLUMNS):
    return UrlJudgements(**{name: list(values) for name, values in zip(columns, zip(*rows, strict=True), strict=False)})


def judged(*rows):
    return table(*rows, columns=COLUMNS[:3])


def test_the_papers_examples_get_its_labels():
    found = intents_from_judgements(table(*ROWS), perfect=4)
    assert found.intents == {NESTA: 1, COINS: 0}
    assert [one.reason for one in found.labels] == [
        "1 perfect site: http://www.nestanet.org/",
        "no perfect site among 3 judged addresses",
    ]
    # The same address in two lists is one address, and no duplicate.
    assert (found.n_duplicates, found.conflicts, found.unjudged) == (0, (), ())


def test_with_a_lower_bar_several_sites_are_perfect():
    coins = intents_from_judgements(table(*ROWS), perfect=3).labels[1]
    assert (coins.intent, len(coins.perfect_sites), coins.n_perfect_urls) == (0, 3, 3)


@pytest.mark.parametrize(("site", "expected"), [("url", (0, 3)), ("host", (0, 2)), ("domain", (1, 1))])
def test_a_site_is_an_address_a_host_or_a_domain(site, expected):
    rows = [("q", f"http://{name}", 4) for name in ("bbc.co.uk/", "bbc.co.uk/home", "news.bbc.co.uk/")]
    found = intents_from_judgements(judged(*rows), perfect=4, site=site)
    assert (found.labels[0].intent, len(found.labels[0].perfect_sites)) == expected
    assert ("of one domain" in str(found)) == (site == "url")


def test_spellings_of_one_address_are_one_address():
    rows = [("q", url, 4) for url in ("http://Zen.org", "http://zen.org:80/#top", "HTTP://zen.org/")]
    found = intents_from_judgements(judged(*rows), perfect=4)
    assert (found.intents, found.n_duplicates) == ({"q": 1}, 2)


@pytest.mark.parametrize("site", ["url", "host", "domain"])
def test_http_https_and_www_are_one_site_and_reported(site):
    rows = [("q", url, 4) for url in ("http://zen.org/", "https://zen.org/", "https://www.zen.org/")]
    found = intents_from_judgements(judged(*rows, ("p", "ftp://zen.org/", 4), ("p", "http://zen.org/", 4)), perfect=4)
    assert found.intents == {"q": 1, "p": 0}
    assert found.labels[0].reason == "1 perfect site: http://zen.org/"
    assert "1 query has perfect addresses that differ in http, https or www. only and count as one, such as q." in (
        found.notes
    )
    assert intents_from_judgements(judged(*rows), perfect=4, site=site).intents == {"q": 1}


def test_grades_of_http_and_https_are_no_conflict():
    """Editors see two addresses; the site is perfect if one of them is."""
    rows = [("q", "http://zen.org/", 4), ("q", "https://zen.org/", 2)]
    found = intents_from_judgements(judged(*rows), perfect=4)
    assert (found.intents, found.conflicts, found.labels[0].n_judged) == ({"q": 1}, (), 2)


def test_addresses_in_other_letters_are_one_with_their_ascii_form():
    rows = [("q", url, 4) for url in ("http://bücher.de/café", "https://xn--bcher-kva.de/caf%C3%A9")]
    assert intents_from_judgements(judged(*rows), perfect=4).intents == {"q": 1}


def test_any_name_is_an_engine_but_a_missing_one_is_refused():
    rows = [("q", "http://a.org/", 4, engine, 1) for engine in ("Ask", 7, "Ask")]
    found = intents_from_judgements(table(*rows), perfect=4)
    assert (found.intents, found.n_duplicates) == ({"q": 1}, 1)
    with pytest.raises(DataError, match="engine must contain text or whole numbers, never missing: got None at row 1"):
        intents_from_judgements(table(rows[0], ("q", "http://a.org/", 4, None, 1)), perfect=4)


def test_addresses_without_a_host_are_sites_of_their_own():
    rows = [("q", "doc-1", 4), ("q", "doc-2", 4)]
    assert intents_from_judgements(judged(*rows), perfect=4, site="domain").labels[0].perfect_sites == (
        "doc-1",
        "doc-2",
    )


@pytest.mark.parametrize(
    ("rule", "used", "intent"), [("median", 3.0, 0), ("highest", 4.0, 1), ("lowest", 1.0, 0)], ids=str
)
def test_different_grades_are_resolved_by_the_rule_and_reported(rule, used, intent):
    rows = [
        ("q", "http://a.org/", grade) for grade in (4, 1, 3, 4)
    ]  # sorted 1 3 4 4: the lower of the two medians is 3
    found = intents_from_judgements(judged(*rows), perfect=4, conflict=rule)
    assert found.intents == {"q": intent}
    assert [(one.grades, one.used) for one in found.conflicts] == [((4.0, 1.0, 3.0, 4.0), used)]
    assert f"the {rule} counts, such as {used:g} of 4, 1, 3, 4 for http://a.org/ (q)" in str(found)


def test_different_grades_can_be_refused():
    rows = [("q", "http://a.org/", 4), ("q", "http://a.org/", 3)]
    with pytest.raises(DataError, match=r"http://a.org/ has different grades for query 'q': 4, 3\."):
        intents_from_judgements(judged(*rows), perfect=4, conflict="error")


def test_queries_without_a_grade_get_no_intent_and_are_reported():
    rows = [("q1", "http://a.org/", 4), ("q1", "http://b.org/", float("nan")), ("q2", "http://c.org/", float("nan"))]
    results = SearchResults(query_id=["q1", "q3"], query=["a", "b"], rank=[1, 1], url=["http://a.org/", "u"])
    found = intents_from_judgements(judged(*rows), perfect=4, queries=results)
    assert (found.intents, found.unjudged) == ({"q1": 1}, ("q2", "q3"))
    assert (found.labels[0].n_judged, found.labels[0].n_unjudged) == (1, 1)
    assert "2 queries have no judgement and no label, such as q2." in found.notes
    with pytest.raises(DataError, match="must contain a grade: got none"):
        intents_from_judgements(judged(rows[2]), perfect=4)


def test_only_the_first_ranks_count_if_asked():
    rows = [("q", "http://a.org/", 4, "A", 5), ("q", "http://b.org/", 4, "B", 6)]
    assert intents_from_judgements(table(*rows), perfect=4).intents == {"q": 0}
    assert intents_from_judgements(table(*rows), perfect=4, top=5).intents == {"q": 1}
    with pytest.raises(DataError, match="top needs the rank of every row: the judgements have no column rank"):
        intents_from_judgements(judged(("q", "u", 1)), perfect=4, top=5)


def test_records_frames_and_files_give_the_same(tmp_path):
    records = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    expected = intents_from_judgements(table(*ROWS), perfect=4).to_json()
    frames = [pandas.DataFrame(records), polars.DataFrame(records)]
    frames[0].to_csv(tmp_path / "judgements.csv", index=False)
    frames[1].write_parquet(tmp_path / "judgements.parquet")
    given = [records, *frames, tmp_path / "judgements.csv", str(tmp_path / "judgements.parquet")]
    assert [intents_from_judgements(one, perfect=4).to_json() for one in given] == [expected] * 5


def test_hostile_names_survive():
    name, url = "</script>\n😀" * 40, "http://a.org/</script>"
    found = intents_from_judgements(judged((name, url, 4)), perfect=4)
    assert json.loads(found.to_json())["labels"][0]["query_id"] == name
    assert found.to_frame("pandas")["label"].tolist() == ["navigational"]


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        ([{"query_id": "q", "url": "u"}], {}, "got no 'grade' at row 0"),
        ([{"query_id": "q", "url": "u", "grade": 1, "score": 2}], {}, "got 'score' at row 0"),
        ([("q", "u", 1)], {}, r"got \('q', 'u', 1\) at row 0"),
        ([], {}, "must contain a grade"),
        ([{"query_id": "q", "url": "http://[broken", "grade": 1}], {}, "'http://\\[broken' is not an address"),
        ([{"query_id": "q", "url": "u", "grade": "perfect"}], {}, "grade must contain numbers: .*'perfect'"),
        ([{"query_id": None, "url": "u", "grade": 1}], {}, "query_id must contain .* never missing: got None at row 0"),
        ([{"query_id": "q", "url": "", "grade": 1}], {}, "url must contain non-empty text: got '' at row 0"),
        ([{"query_id": "q", "url": "u", "grade": float("inf")}], {}, "grade must contain finite numbers"),
        ([{"query_id": "q", "url": "u", "grade": 1, "rank": 0}], {}, "rank must contain whole numbers from 1"),
        ([{"query_id": "q", "url": "u", "grade": 1}], {"perfect": 0}, "perfect must be a positive number"),
        ([{"query_id": "q", "url": "u", "grade": 1}], {"site": "page"}, "site must be one of 'url', 'host', 'domain'"),
        ([{"query_id": "q", "url": "u", "grade": 1}], {"conflict": "mean"}, "conflict must be one of 'median'"),
    ],
    ids=[
        *("no grade", "unknown", "no record", "empty", "broken", "word", "no query", "no address", "infinite", "rank"),
        *("perfect", "site", "conflict"),
    ],
)
def test_bad_judgements_are_refused_with_the_reason(given, settings, message):
    with pytest.raises(DataError, match=message):
        intents_from_judgements(given, **{"perfect": 4} | settings)
