"""The page of a trained ranker and its baseline."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.compare import compare
from glassrank.reports.ranking_page import FeatureLine, RankingReport
from tests.nomograms.examples import small_picture

SCRIPT = "<script>alert(1)</script>"


class Page(HTMLParser):
    """Tags of a page, and its tables as rows of cells."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.tables, self.in_cell = [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.in_cell:
            self.tables[-1][-1][-1] += data


def compared(*, better=True, names=("by date", "RankSVM")):
    """40 queries of 5 documents: one system at random, the other by the labels, or both at random."""
    rng = np.random.default_rng(0)
    y, qid = rng.integers(4, size=200), np.repeat(np.arange(40), 5)
    model = y + rng.normal(size=200) if better else rng.normal(size=200)
    systems = {names[0]: rng.normal(size=200), names[1]: model}
    return compare(systems, y, qid=qid, measure="ndcg@10", convention="standard", n_resamples=500, random_state=0)


def report_of(comparison, **changes):
    features = (FeatureLine("clicks, per day", 2.5, 0.31, "signal"), FeatureLine("spam", 0.75, -0.000123, "noise"))
    told = {
        "title": "A report on simulated data",
        "facts": {"Training": "40 queries"},
        "comparison": comparison,
        "model": comparison.systems[-1].name,
        "nomogram": small_picture(),
        "why": "In query q the model puts d1 first.",
        "features": features,
        "reproduce": "glassrank demo --seed 0",
    }
    return RankingReport(**(told | changes))


@pytest.fixture(scope="module")
def comparison():
    return compared()


@pytest.fixture(scope="module")
def html(comparison):
    return report_of(comparison).html()


def test_the_lead_names_both_values_the_measure_and_the_verdict(comparison):
    model, baseline = comparison["RankSVM"], comparison["by date"]
    lead = report_of(comparison).lead
    assert model.verdict == "better"
    for part in ("40 held-out queries", "NDCG@10", f"{model.mean:.3f}", f"{baseline.mean:.3f}", "The model is better."):
        assert part in lead


def test_a_model_no_better_than_chance_is_not_called_better():
    lead = report_of(compared(better=False)).lead
    assert "The model is not distinguishable" in lead


def test_the_table_of_measures_equals_the_comparison(html, comparison):
    head, *rows = Page(html).tables[0]
    assert head == ["ranker", "NDCG@10", "95 % interval"]
    for cells, system in zip(rows, reversed(comparison.systems), strict=False):
        low, high = system.interval
        assert cells == [system.name, f"{system.mean:.4f}", f"{low:.4f} to {high:.4f}"]
    model = comparison["RankSVM"]
    low, high = model.difference_interval
    assert rows[2][1:] == [f"{model.difference:+.4f}", f"{low:+.4f} to {high:+.4f}"]
    assert len(rows) == 3


def test_the_page_names_the_convention_and_the_test(html, comparison):
    assert "convention “standard”" in html
    assert comparison.test in html


def test_the_table_of_features_shows_every_line_with_real_minus(html):
    head, *rows = Page(html).tables[1]
    assert head[:3] == ["feature", "length", "score per unit"]
    assert [row[0] for row in rows] == ["clicks, per day", "spam"]
    assert [row[1] for row in rows] == ["2.500", "0.750"]
    assert rows[1][2].startswith("−0.000123")


def test_headings_run_from_the_title_down_without_a_jump(html):
    levels = [tag for tag in Page(html).tags if re.fullmatch("h[1-6]", tag)]
    assert levels == ["h1", "h2", "h2", "h2", "h2"]


def test_the_page_holds_the_picture_and_loads_nothing(html):
    assert Page(html).tags.count("svg") == 1
    assert Page(html).tags.count("figure") == 1
    outside = set(re.findall(r"https?://[^\"'\s<)]+", html))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"\b(?:src|href)\s*=|url\(|@import|<script|<link", html)


def test_nothing_in_a_report_can_inject_markup():
    comparison = compared(names=(SCRIPT, f"{SCRIPT}2"))
    html = report_of(
        comparison,
        title=SCRIPT,
        facts={SCRIPT: SCRIPT},
        why=SCRIPT,
        features=(FeatureLine(SCRIPT, 1.0, 1.0, SCRIPT),),
        reproduce=SCRIPT,
    ).html()
    assert "script" not in Page(html).tags
    assert html.count("&lt;script&gt;") >= 10


def test_save_writes_the_page_and_nothing_else(tmp_path, comparison, html):
    path = report_of(comparison).save(tmp_path / "report.html")
    assert path.read_text() == html
    assert list(tmp_path.iterdir()) == [path]


def test_save_refuses_a_folder_that_does_not_exist(tmp_path, comparison):
    with pytest.raises(DataError, match="does not exist"):
        report_of(comparison).save(tmp_path / "nowhere" / "report.html")
