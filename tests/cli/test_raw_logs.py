"""Raw logs go from file to predictions by commands alone."""

import csv
import io
import json

import pytest

from tests.cli.commands import glassrank
from tests.data.logs.files import AOL_HEADER

SITES = {
    "walmart": ["www.walmart.com", "http://www.walmart.com", "http://www.walmart.com:80/"],
    "ebay": ["http://www.ebay.com", "www.ebay.com", "WWW.EBAY.COM/"],
    "myspace": ["www.myspace.com"],
    "mapquest": ["http://www.mapquest.com/", "www.mapquest.com"],
    "amazon": ["www.amazon.com", "http://www.Amazon.com"],
    "craigslist": ["www.craigslist.org"],
}
TOPICS = {
    "gold coins": ["www.onlygold.com/maple", "en.wikipedia.org/wiki/Gold_coin"],
    "tie a tie": ["www.ehow.com/how_3343_tie-tie.html", "http://www.tie.net/windsor"],
    "zen garden": ["www.bbg.org/zen", "www.rocks.com/sand/japan"],
    "flu symptoms": ["www.webmd.com/flu", "www.cdc.gov/season", "www.mayoclinic.com/cold"],
    "used cars": ["www.autotrader.com/old", "http://dealers.com/list"],
    "chicken recipes": ["allrecipes.com/poultry", "food.com/dinner?x=1"],
}


def aol_rows():
    """A raw log: bare hosts, missing ranks, removed queries, searches without a click, repeated rows."""
    rows, minute = [], 0
    for user in range(12):
        for query, urls in (SITES | TOPICS).items():
            minute += 1
            time = f"2006-03-{1 + minute // 1440:02d} {minute // 60 % 24:02d}:{minute % 60:02d}:00"
            url = urls[user % len(urls)]
            rank = "" if minute % 5 == 0 else str(1 + user % len(urls))
            rows.append(f"{user}\t{query}\t{time}\t{rank}\t{url}")
            if minute % 11 == 0:
                rows.append(rows[-1])
            if minute % 13 == 0:
                rows += [f"{user}\t-\t{time}\t\t", f"{user}\t{query} now\t{time}\t\t"]
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    (folder / "aol.txt").write_text("\n".join([AOL_HEADER, *aol_rows()]) + "\n")
    labels = [f"{query},{'navigational' if query in SITES else 'informational'}" for query in SITES | TOPICS]
    (folder / "intents.csv").write_text("\n".join(["query_id,label", *labels]) + "\n")
    return folder


@pytest.fixture(scope="module")
def lists(folder):
    """The result lists of the labelled queries, from the raw log."""
    done = glassrank("intent", "results", "aol.txt", "--intents", "intents.csv", folder=folder)
    assert done.code == 0, done.err
    (folder / "results.csv").write_text(done.out)
    return done


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_lists_of_a_raw_log_have_one_result_per_equivalent_address(lists):
    rows = table(lists.out)
    by_query = {}
    for row in rows:
        by_query.setdefault(row["query"], []).append(row["url"])
    assert {query: len(urls) for query, urls in by_query.items()} == {
        query: 1 if query in SITES else len(urls) for query, urls in (SITES | TOPICS).items()
    }
    assert all(row["url"].startswith("http://") and row["query_id"] == row["query"] for row in rows)
    assert "12 of 12 queries of intents.csv have a result in the log." in lists.err


def test_a_raw_log_becomes_predictions_and_the_table_of_features_gives_the_same(folder, lists):
    sources = ["--results", "results.csv", "--clicks", "aol.txt"]
    chosen = ["--selector", "SVM weights", "--classifier", "maximum entropy", "--n-features", 5, "--no-tune"]
    done = glassrank(
        *["intent", "train", "m.json", *sources, "--intents", "intents.csv", *chosen, "--folds", 3, "--jobs", 1],
        folder=folder,
    )
    assert done.code == 0, done.err
    # 12 users × 12 queries, each with a click
    assert "144 of 144 clicks for these queries are on a result of their query; 12 of 12 queries have" in done.err
    assert "address without a host" not in done.err
    predicted = glassrank("intent", "predict", "m.json", *sources, "--json", "--quiet", folder=folder)
    found = {row["query"]: row["label"] for row in map(json.loads, predicted.out.splitlines())}
    assert found == dict.fromkeys(SITES, "navigational") | dict.fromkeys(TOPICS, "informational")
    features = glassrank("intent", "table", *sources, "--quiet", folder=folder)
    (folder / "features.csv").write_text(features.out)
    again = glassrank("intent", "predict", "m.json", "--features", "features.csv", "--json", "--quiet", folder=folder)
    assert again.out == predicted.out
    # The three spellings of walmart's address are one result; the two of gold coins get six clicks each.
    rows = {row["query"]: row for row in table(features.out)}
    assert [float(rows[query]["clk_n|p1"]) for query in ("walmart", "gold coins")] == [12, 6]
    assert rows["walmart"]["clk_n|p2"] == ""


def test_other_columns_actions_dates_and_encodings_are_options(tmp_path):
    rows = ["q,what,address,when", "café,view,a.org/x,31/12/2006 23:59", "café,go,A.org/x,01/01/2007"]
    (tmp_path / "log.csv").write_bytes("\n".join(rows).encode("cp1252"))
    columns = [f"--log-column={name}" for name in ("query=q", "action=what", "url=address", "time=when")]
    meant = [
        "--action",
        "view=impression",
        "--action",
        "go=click",
        "--time-format",
        "day-first",
        "--encoding",
        "cp1252",
    ]
    done = glassrank("intent", "results", "log.csv", *columns, *meant, "--bare-hosts", folder=tmp_path)
    assert done.code == 0, done.err
    assert "log.csv: plain, 2 rows → 0 searches, 1 impression, 1 click" in done.err
    assert table(done.out) == [{"query_id": "café", "query": "café", "rank": "1", "url": "http://A.org/x"}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--log-column", "url"], "--log-column must be NAME=VALUE: got 'url'."),
        (["--log-column", "url=a", "--log-column", "url=b"], "--log-column names 'url' twice"),
        (["--log-column", "strict=a"], "--log-column must name a column: there is no column 'strict'."),
        (["--action", "view=look"], "with one of search, impression, click, add_to_cart, purchase: got view=look."),
    ],
)
def test_bad_names_are_bad_usage(folder, options, message):
    done = glassrank("intent", "results", "aol.txt", *options, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_options_of_a_log_need_a_log(folder, lists):
    done = glassrank("intent", "table", "--results", "results.csv", "--time-format", "seconds", folder=folder)
    assert done.code == 2
    assert "--time-format is for a log: give the log with --clicks." in done.err
