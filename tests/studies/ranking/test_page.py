"""The report of a ranking study: its tables are right, it loads nothing, and data cannot inject markup."""

import json
import re
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.small_marks import WhiskerScale, label_strip, whisker
from glassrank.studies.ranking import page_files, picker_queries
from glassrank.studies.ranking import study as module
from glassrank.studies.ranking.page import page
from glassrank.studies.ranking.picker_queries import offered_queries
from glassrank.studies.ranking.report.hardest_queries import RankedSystem, find_hardest_queries
from tests.quick_study import tune_little
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
        tune_little(patch)
        folder = tmp_path_factory.mktemp("page")
        return gr.study(data, folder=folder, title=f"A {SCRIPT}", command=f"glassrank study {SCRIPT}")


def picker_content(html):
    return json.loads(re.search(r'<script type="application/json" class="pairs">(.*?)</script>', html, re.S)[1])


@pytest.fixture(scope="module")
def html(made):
    return page(made)


def test_names_of_the_data_cannot_write_into_the_page(html):
    scripts = re.findall(r"<script([^>]*)>", html)
    assert sorted(scripts) == sorted(
        [' type="application/json"', ' type="application/json" class="pairs"'] + [' type="module"'] * 3
    )
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_the_page_refers_to_nothing_outside(html):
    assert "default-src 'none'" in html.replace("&#x27;", "'")
    assert not re.search(r"\bsrc\s*=\s*[\"']|@import|<link|url\(\s*[\"']?http", html.split('<script type="module">')[0])
    links = re.findall(r'href="([^"]+)"', html.split('<script type="module">')[0])
    assert {link[0] for link in links} == {"#"}
    assert all(f'id="{link[1:]}"' in html for link in links if not link.startswith("#query="))
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


def test_differences_are_the_system_minus_the_model(html, made):
    _, *rows = Page(html).tables[0]
    for row, system in zip(rows, made.main.systems, strict=False):
        if system.name == "kept":
            assert row[-1] == "reference"
        else:
            assert row[-1].startswith(system.verdict)
            assert f"{system.difference:+.3f}".replace("-", "−") in row[-1] or abs(system.difference) < 5e-4


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
    *_, table, times = Page(html).tables
    assert times[0] == ["Step", "CPU seconds", "Share"]
    assert [row[0] for row in table[1:]] == [query.query for query in made.hardest]
    assert [row[3] for row in table[1:]] == [f"{query.value:.3f}" for query in made.hardest]
    assert not any("+-" in cell or "+−" in cell for row in table for cell in row)


def test_an_ellipsis_marks_labels_that_are_not_listed(made):
    many = replace(made.hardest[0], judged=tuple((float(label), 1) for label in range(9, 0, -1)))
    failures = replace(made.failures[0], queries=(many,))
    assert "1 × 5, …" in page(replace(made, failures=(failures,)))


def test_headings_skip_no_level(html):
    levels = [tag for tag, _ in Page(html).tags if re.fullmatch("h[1-6]", tag)]
    assert levels == ["h1"] + ["h2"] * 8


def test_the_picker_opens_at_the_pair_of_the_picture(html, made):
    content = picker_content(html)
    pair = made.nomogram.pair
    opened = made.picker_queries[content["opened"]]
    assert content["index"][content["opened"]][:2] == [pair.query, pair.a.n_documents]
    assert [opened.documents[place].name for place in content["start"]] == [pair.a.name, pair.b.name]


def test_of_very_many_queries_the_picker_offers_the_hardest_and_a_sample_and_says_so(made, monkeypatch):
    monkeypatch.setattr(picker_queries, "MOST_QUERIES", 5)
    all_queries = made.picker_queries
    opened = all_queries.opened.query
    offered = offered_queries(all_queries.data.groups, [opened, 7, 2], seed=0)
    assert len(offered) == 5
    assert {opened, 7, 2} <= set(offered.tolist())
    fewer = replace(made, picker_queries=replace(all_queries, numbers=offered))
    text = page(fewer)
    assert len(picker_content(text)["index"]) == 5
    n_all = len(all_queries)
    assert f"The picker finds 5 of the {n_all} queries: the hardest ones below, and others drawn at random." in text
    assert "glassrank explain model.json DATA" in text


def test_a_large_report_keeps_its_documents_in_a_folder_beside_it(made, html, tmp_path, monkeypatch):
    monkeypatch.setattr(page_files, "MOST_BYTES", 0)
    monkeypatch.setattr(page_files, "CHUNK_BYTES", 30_000)
    written = gr.report(made, tmp_path / "r.html").read_text(encoding="utf-8")
    start, whole = picker_content(written), picker_content(html)
    scripts = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "r-data").iterdir()}
    assert (start["folder"], len(start["queries"])) == ("r-data", 1)
    assert "</script" not in "".join(scripts.values()).lower()
    called = {
        name: re.fullmatch(r'glassrankData\("(\w+)","(\w+)",(.*)\);\n', text, re.S) for name, text in scripts.items()
    }
    assert {found[1] for found in called.values()} == {start["token"]}
    index = json.loads(called.pop("queries.js")[3])
    assert [entry[:3] for entry in index] == whole["index"]
    chunks = {name: json.loads(found[3]) for name, found in called.items()}
    assert len(chunks) > 1
    assert [chunks[f"q{entry[3]:04d}.js"][str(place)] for place, entry in enumerate(index)] == whole["queries"]


def test_a_smaller_report_removes_the_files_of_a_larger_one_and_nothing_else(made, tmp_path):
    folder = tmp_path / "r-data"
    folder.mkdir()
    for name in ("queries.js", "q0001.js", "notes.txt"):
        folder.joinpath(name).write_text("old")
    gr.report(made, tmp_path / "r.html")
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_only_a_page_with_files_beside_it_may_load_scripts(made, html):
    policies = [
        re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
        for text in (html, page(made, "{}", files_beside=True))
    ]
    assert ["&#x27;self&#x27; file:" in policy for policy in policies] == [False, True]


def test_short_lists_are_explained_under_letor4_and_are_no_failures(made):
    data = gr.simulate_ranking(8, 12, random_state=1).data
    sizes = data.groups.sizes
    system = RankedSystem("RankSVM", gr.RankSVM().fit(data), data, data.X[:, 0])
    found = find_hardest_queries([system], "ndcg@12", "letor4")
    short = {str(query) for query, size in zip(data.groups.ids, sizes, strict=True) if size < 12}
    assert 0 < len(short) < data.n_queries
    assert found[0].n_short == len(short)
    assert not short & {query.query for query in found[0].queries}
    assert find_hardest_queries([system], "ndcg@12", "letor")[0].n_short == 0
    named = replace(made.main, convention="letor4", measure="ndcg@12")
    text = page(replace(made, comparisons=(named, *made.comparisons[1:]), failures=found), "{}")
    sentence = "The convention “letor4” gives a query NDCG@k = 0 if it has fewer than k documents"
    assert text.count(sentence) == 5 + 1  # five sections; the caption of a chart is also its label
    assert f"{len(short)} {'query is' if len(short) == 1 else 'queries are'} too short for NDCG@12" in text
    assert sentence not in page(made, "{}")


def test_two_explained_systems_have_a_table_each_and_a_choice(made):
    data = gr.simulate_ranking(8, 12, random_state=1).data
    models = {"first": gr.RankSVM().fit(data), "second</option>": gr.RankSVM(C=1e-4).fit(data)}
    systems = [RankedSystem(name, model, data, model.predict(data)) for name, model in models.items()]
    found = find_hardest_queries(systems, "ndcg@10", "standard")
    text = page(replace(made, failures=found), "{}")
    assert re.findall(r'<option value="(\d)">(.*?)</option>', text) == [("0", "first"), ("1", "second&lt;/option&gt;")]
    tables = Page(text).tables[-3:-1]
    for table, own, model in zip(tables, found, models.values(), strict=True):
        assert [row[0] for row in table[1:]] == [query.query for query in own.queries]
        assert own.unit == "score"
        for query in own.queries:
            if query.pair is None:
                continue
            why = gr.explain_pair(
                model, data, query=query.query, document=query.pair.above.name, against=query.pair.below.name
            )
            largest = sorted(((one.contribution, one.name) for one in why.reasons), reverse=True)[:5]
            assert [(name, pytest.approx(value)) for value, name in largest if value > 0] == list(query.pair.pushes)
            assert query.pair.total == pytest.approx(why.total)


def test_links_of_failures_name_the_pair(html, made):
    links = [parse_qs(link[1:]) for link in re.findall(r'href="(#query=[^"]+)"', html.replace("&amp;", "&"))]
    expected = [
        {"query": [query.query], "a": [query.pair.above.name], "b": [query.pair.below.name]}
        for query in made.hardest
        if query.pair is not None
    ]
    assert links == expected


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
