"""The report of a ranking study: its tables are right, it loads nothing, and data cannot inject markup."""

import json
import re
from dataclasses import replace

import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.small_marks import WhiskerScale, label_strip, whisker
from glassrank.studies.ranking import study as module
from glassrank.studies.ranking import tuned_lightgbm
from glassrank.studies.ranking.page import page
from tests.report_pages import SCRIPT, Page


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A study of data in which every name tries to inject markup."""
    data = gr.simulate_ranking(12, 8, random_state=0).data.pick_features([0, 1, 2, 15, 16, 17])
    data = RankingData(
        data.X,
        data.y,
        [f"{query}{SCRIPT}" for query in data.qid],
        [f"{document}{SCRIPT}" for document in data.doc_ids],
        [f"{name}{SCRIPT}" for name in data.feature_names],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(module.RESAMPLES, "linear", 3)
        patch.setattr(tuned_lightgbm, "MAX_TREES", 3)
        folder = tmp_path_factory.mktemp("page")
        return gr.study(data, folder=folder, title=f"A {SCRIPT}", command=f"glassrank study {SCRIPT}")


@pytest.fixture(scope="module")
def html(made):
    return page(made)


def test_names_of_the_data_cannot_write_into_the_page(html):
    scripts = re.findall(r"<script([^>]*)>", html)
    assert sorted(scripts) == sorted([' type="application/json"'] * 2 + [' type="module"'] * 3)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_the_page_refers_to_nothing_outside(html):
    assert "default-src 'none'" in html.replace("&#x27;", "'")
    assert not re.search(r"\bsrc\s*=\s*[\"']|@import|<link|url\(\s*[\"']?http", html.split('<script type="module">')[0])
    links = re.findall(r'href="([^"]+)"', html.split('<script type="module">')[0])
    assert {link[0] for link in links} == {"#"}
    assert all(f'id="{link[1:]}"' in html for link in links)
    schemas = "https?://(?:www.w3.org/|vega.github.io/schema/)"
    before_scripts = html.split('<script type="module">')[0]
    assert [link for link in re.findall(r"https?://[^\s\"'<)]+", before_scripts) if not re.match(schemas, link)] == []


def test_the_table_of_measures_equals_the_comparisons(html, made):
    head, *rows = Page(html).tables[0]
    assert head[:5] == ["Ranker", "NDCG@10", "NDCG@1", "NDCG@5", "MAP"]
    for row, system in zip(rows, made.main.systems, strict=False):
        assert row[0] == made.main.label(system.name)
        shown = [re.match(r"0\.\d{3}|1\.000", cell)[0] for cell in row[1:5]]
        assert shown == [f"{comparison[system.name].mean:.3f}" for comparison in made.comparisons]


def test_differences_are_the_model_minus_the_other(html, made):
    _, *rows = Page(html).tables[0]
    assert rows[0][-1] == "reference"
    equal = "not significantly different"
    reversed_verdicts = {"better": "model is worse", "worse": "model is better", equal: equal}
    for row, system in zip(rows[1:], made.main.systems[1:], strict=False):
        assert row[-1].startswith(reversed_verdicts[system.verdict])
        assert f"{-system.difference:+.3f}".replace("-", "−") in row[-1] or abs(system.difference) < 5e-4


def test_the_table_of_probabilities_lists_every_system(html, made):
    head, *rows, toss = Page(html).tables[1]
    assert head == ["Ranker", "Brier score", "Log-loss", "Mean calibration gap", "Pairs ordered correctly"]
    assert [row[0] for row in rows] == [made.main.label(system.name) for system in made.main.systems]
    for row, found in zip(rows, made.reliabilities.values(), strict=True):
        values = (found.brier, found.log_loss, found.calibration_gap)
        assert row[1:] == [*(f"{value:.3f}" for value in values), f"{100 * found.accuracy:.1f} %"]
    # A coin toss: (1 − ½)², log 2, no gap, half of the pairs.
    assert toss == ["coin toss", "0.250", "0.693", "0.000", "50.0 %"]


def test_the_table_of_dropped_features_ends_with_the_shortest_line_kept(html, made):
    dropped = next(table for table in Page(html).tables if table[0][:2] == ["#", "Dropped, in order"])
    assert [row[1] for row in dropped[1:-1]] == [line.feature for line in made.elimination.dropped]
    assert dropped[-1][1] == f"shortest line kept: {made.elimination.kept[-1].feature}"


def test_the_hardest_queries_are_listed_with_their_labels(html, made):
    table = Page(html).tables[-1]
    assert [row[0] for row in table[1:]] == [query.query for query in made.hardest]
    assert [row[3] for row in table[1:]] == [f"{query.value:.3f}" for query in made.hardest]
    assert not any("+-" in cell or "+−" in cell for row in table for cell in row)


def test_an_ellipsis_marks_labels_that_are_not_listed(made):
    many = replace(made.hardest[0], judged=tuple((float(label), 1) for label in range(9, 0, -1)))
    assert "1 × 5, …" in page(replace(made, hardest=(many,)))


def test_headings_skip_no_level(html):
    levels = [tag for tag, _ in Page(html).tags if re.fullmatch("h[1-6]", tag)]
    assert levels == ["h1"] + ["h2"] * 7


def test_the_picker_opens_at_the_pair_of_the_picture(html, made):
    inside = re.search(r'<div class="picker">.*?<script type="application/json">(.*?)</script>', html, re.S)[1]
    content = json.loads(inside)
    pair = made.nomogram.pair
    opened = next(one for one in made.picker_queries if one.query == pair.query)
    a, b = (opened.documents[place] for place in content["start"])
    assert a.startswith(f"{pair.a.name}, judged")
    assert b.startswith(f"{pair.b.name}, judged")


def test_report_writes_the_page_anywhere(made, html, tmp_path):
    path = gr.report(made, tmp_path / "r.html")
    assert path.read_text(encoding="utf-8") == html == (made.folder / "report.html").read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]


def test_report_refuses_other_objects(tmp_path):
    with pytest.raises(DataError, match="expected StudyResult or DistillationResult or IntentResult, got dict"):
        gr.report({}, tmp_path / "r.html")


def test_ticks_of_a_scale_are_distinct_and_inside_it():
    for low, high in ((0.8, 0.8), (0.841, 0.843), (0.2, 0.9), (-120.0, 340.0)):
        axis = WhiskerScale.of([low, high]).axis()
        places = [float(place) for place in re.findall(r'text x="([\d.]+)"', axis)]
        texts = re.findall(r">([\d.−]+)</text>", axis)
        ticks = [float(place) for place in re.findall(r'd="M([\d.]+) 0v4"', axis)]
        assert len(set(texts)) == len(texts) >= 2
        # A digit of 11 px is some 6 px wide, and the cell 92.
        assert all(3 * len(text) <= x <= 92 - 3 * len(text) for x, text in zip(places, texts, strict=True))
        # A number read off the axis must be its tick's value.
        scale = WhiskerScale.of([low, high])
        for text, tick in zip(texts, [ticks[0], ticks[-1]], strict=True):
            assert scale.x(float(text.replace("−", "-"))) == pytest.approx(tick, abs=0.02)


def test_a_whisker_puts_mean_and_interval_in_order():
    drawn = whisker(WhiskerScale.of([0.0, 1.0]), 0.5, (0.25, 0.9), zero=True)
    zero, low, high = (float(x) for x in re.search(r"M([\d.]+) 0v.*M([\d.]+) 8\.0H([\d.]+)", drawn).groups())
    mean = float(re.search(r'cx="([\d.]+)"', drawn)[1])
    assert zero < low < mean < high


def test_a_strip_shows_the_ranks_of_relevant_documents():
    assert 'aria-label="relevant documents at ranks 2, 4"' in label_strip([0, 1, 0, 3], 3, 10)
    assert "at ranks none" in label_strip([0, 0], 1, 10)
