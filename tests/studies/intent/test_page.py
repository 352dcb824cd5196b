"""The report of an intent study: its tables are right, it loads nothing, and data cannot inject markup."""

import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest

from glassrank.metrics.classification import PrecisionRecall
from glassrank.navigational.coupling.coupling_chart import RankChart, coupling_chart
from glassrank.navigational.coupling.coupling_result import Coupled, CouplingResult
from glassrank.navigational.features.catalogue import FEATURES
from glassrank.studies.intent.page import page
from glassrank.studies.intent.result import IntentResult
from glassrank.studies.report import report
from tests.report_pages import SCRIPT, Page, assert_runs_and_loads_nothing

# Precision 0.8 and recall 2/3 in one fold, 0.5 and 1 in the other: F1 8/11 and 2/3.
FOLDS = (PrecisionRecall(4, 1, 2), PrecisionRecall(3, 3, 0))
NONE_FOUND = (PrecisionRecall(0, 0, 6), PrecisionRecall(0, 0, 3))


def coupling():
    cells = [
        Coupled("SVM weights", "boosting trees", 50, FOLDS),
        Coupled("nomogram", "boosting trees", 50, NONE_FOUND),
        Coupled(None, "boosting trees", 2900, NONE_FOUND),
    ]
    selectors = ("SVM weights", "nomogram")
    return CouplingResult(
        outcome="1",
        n_rows=20,
        n_positive=9,
        n_features=50,
        n_columns=(2890, 2910),
        n_constant=(65, 45),
        selectors=dict.fromkeys(selectors, f"engine{SCRIPT}"),
        classifiers={"boosting trees": f"engine{SCRIPT}"},
        coupled=tuple(cells),
        curve=tuple(cells),
        by_category={name: {"click": 0.625, "url": 0.375} for name in selectors},
        by_operator=None,
        kept={name: {f"clk_CR|p1{SCRIPT}": 2, "urlmr|r5": 1} for name in selectors},
    )


@pytest.fixture
def result():
    """A result in which every name tries to inject markup."""
    curve = np.array([0.5, np.nan, 0.25])
    kinds = tuple((name, curve, curve, curve, 9) for name in ("navigational", "informational"))
    return IntentResult(
        title=f"Study{SCRIPT}",
        simulated=True,
        facts={f"Fact{SCRIPT}": f"value{SCRIPT}"},
        coupling=coupling(),
        profiles=(RankChart("urlmr", kinds), RankChart(f"own{SCRIPT}", kinds)),
        absent={f"need{SCRIPT}": (f"name{SCRIPT}", "b")},
        notes=(f"note{SCRIPT}",),
        commands=(f"glassrank intent study{SCRIPT}",),
        versions={"glassrank": f"1{SCRIPT}"},
    )


def rows_of(html, first):
    return next(table for table in Page(html).tables if table[0][: len(first)] == first)


def test_the_page_runs_no_script_and_loads_nothing(result):
    assert_runs_and_loads_nothing(page(result))


def test_data_cannot_write_markup_into_the_page(result):
    assert "<script" not in page(result)


def test_table_4_has_f1_over_folds_and_the_papers_figure_below(result):
    rows = rows_of(page(result), ["F1"])
    assert rows[0] == ["F1", "SVM weights", "nomogram", "all features"]
    # F1 of the folds is 8/11 and 2/3: mean 0.697, half their difference 0.030; the paper's table 4 has .881 and .780.
    assert rows[1] == ["boosting trees", "0.697 ± 0.030paper 0.881", "0.000 ± 0.000", "0.000 ± 0.000paper 0.780"]


def test_only_the_best_coupling_is_highlighted(result):
    cells = [a["class"] for tag, a in Page(page(result)).tags if tag == "td" and "best" in a.get("class", "")]
    assert cells == ["number best"]


def test_table_3_shows_no_precision_if_nothing_is_predicted_navigational(result):
    rows = rows_of(page(result), ["", "Recall"])
    assert rows[1] == ["boosting trees", "0.000paper 0.724", "–paper 0.845", "0.000paper 0.780"]


def test_table_1_has_shares_and_those_of_the_paper(result):
    rows = rows_of(page(result), ["", "SVM weights", "nomogram"])
    assert rows[1] == ["click", "62%paper 84%", "62%"]


def test_a_table_without_data_is_left_out(result):
    html = page(result)
    assert "Table 1: by category" in html
    assert "Table 2: by operator" not in html


def test_only_simulated_data_are_labelled_simulated(result):
    assert "Simulated data: " in page(result)
    assert "Simulated data: " not in page(replace(result, simulated=False))


def test_without_a_curve_there_is_no_figure_3(result):
    assert "Figure 3." in page(result)
    assert "Figure 3." not in page(replace(result, coupling=replace(result.coupling, curve=())))


def test_features_left_out_are_listed_with_their_missing_source(result):
    rows = rows_of(page(result), ["Missing"])
    assert rows[1] == [f"need{SCRIPT}", "2", f"name{SCRIPT}, b"]
    assert "no feature is left out" in page(replace(result, absent={}))


def test_the_top_of_the_page_links_to_all_sections(result):
    tags = Page(page(result)).tags
    anchors = {attributes["href"][1:] for tag, attributes in tags if tag == "a"}
    assert anchors == {attributes["id"] for tag, attributes in tags if tag == "section"}
    assert len(anchors) == 7


def test_the_lead_says_that_the_best_of_many_is_optimistic(result):
    said = result.lead()
    assert "9 of 20 queries are navigational." in said
    assert "With 50 columns, the highest F1 is 0.697 (± 0.030 over folds)" in said
    assert "by boosting trees on columns selected by 'SVM weights'" in said
    assert "As the best of 3, it is optimistic." in said


def with_folds(result, *, selected=FOLDS, other=NONE_FOUND, whole=NONE_FOUND):
    """The result with these folds for the first selector, the second, and all columns."""
    folds = (selected, other, whole)
    cells = tuple(replace(one, folds=own) for one, own in zip(result.coupling.coupled, folds, strict=True))
    return replace(result, coupling=replace(result.coupling, coupled=cells))


def test_the_lead_names_ties(result):
    assert "the same)" not in result.lead()
    assert "'SVM weights' (1 other reaches the same)." in with_folds(result, other=FOLDS).lead()
    assert "'SVM weights' (2 others reach the same)." in with_folds(result, other=FOLDS, whole=FOLDS).lead()


def test_all_tied_couplings_are_highlighted(result):
    tags = Page(page(with_folds(result, other=FOLDS))).tags
    assert sum("best" in attributes.get("class", "") for tag, attributes in tags if tag == "td") == 2


def test_the_lead_says_if_a_difference_is_within_the_spread(result):
    # F1 of one fold 2·3/(6 + 3) = 2/3 as before, of the other 2·4/(8 + 4) = 2/3: 0.667 ± 0 beside 0.697 ± 0.030.
    whole = (PrecisionRecall(4, 2, 2), PrecisionRecall(3, 3, 0))
    said = with_folds(result, whole=whole).lead()
    assert "On all columns, the same classifier reaches 0.667 (± 0.000 over folds). The difference of 0.030 is" in said
    assert "is within the spread over folds and means little" in said
    assert "reaches 0.000 (± 0.000 over folds), 0.697 less." in result.lead()
    assert "reaches 0.697 (± 0.030 over folds), the same F1." in with_folds(result, whole=FOLDS).lead()


def test_the_best_on_all_columns_is_not_compared_with_itself(result):
    said = with_folds(result, selected=NONE_FOUND, whole=FOLDS).lead()
    assert "The highest F1 is 0.697 (± 0.030 over folds), by boosting trees on all columns. " in said
    assert "the same classifier" not in said


@pytest.mark.parametrize(
    ("n_rows", "n_positive", "said"),
    [
        (200, 49, "Only 49 queries are navigational: too few for firm conclusions."),
        (200, 160, "Only 40 queries are informational: too few for firm conclusions."),
        (100, 50, None),
    ],
)
def test_few_queries_of_a_class_are_reported(result, n_rows, n_positive, said):
    few = replace(result, coupling=replace(result.coupling, n_rows=n_rows, n_positive=n_positive))
    for text in (few.lead(), str(few)):
        assert (said in text) if said else ("too few" not in text)


def test_unknown_values_are_null_in_json(result):
    assert result.to_dict()["profiles"][0]["curves"][0]["mean"] == [0.5, None, 0.25]
    assert "NaN" not in result.to_json()


def test_the_file_is_the_page(result, tmp_path):
    path = report(result, tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == page(result)


def test_the_page_explains_the_selected_features(result):
    formula = next(feature.formula for feature in FEATURES if feature.name == "urlmr")
    assert f"<td>urlmr</td><td>url</td><td>{escape(formula)}</td>" in page(result)


def test_figure_3_reports_how_much_f1_varies_over_folds(result):
    spread = [one.f1_std for one in result.coupling.curve]
    assert f"over folds is {min(spread):.3f} to {max(spread):.3f}" in page(result)


def test_symbols_that_occur_are_explained_and_others_are_not(result):
    html = page(result)  # shows clk_CR = n_qu / n_q and urlmr = lcs(q, u) / len u
    for symbol in ("q", "u", "n_qu", "n_q", "lcs", "len"):
        assert f"<b>{symbol}</b> " in html
    for symbol in ("h", "s", "w(a)", "v_qu", "cov(x)", "BM25"):
        assert f"<b>{symbol}</b> " not in html


@pytest.mark.parametrize(
    ("feature", "symbols"),
    [
        ("clk_sat", {"dwell"}),
        ("clk_dom", {"q", "u", "n_q"}),
        ("sldmr", {"q", "s", "lcs", "len"}),
        ("anc_link_eq", {"q", "w(a)", "W", "P(a)"}),
        ("anc_site_ed_max", {"q", "lev", "like(x, y)"}),
        ("ti_jacc", {"jacc(x)"}),
        ("bo_jm", {"ll(x)", "Dirichlet, Jelinek–Mercer"}),
    ],
)
def test_each_formula_has_its_symbols(result, feature, symbols):
    kept = {name: {f"{feature}|mean": 2} for name in result.coupling.selectors}
    html = page(replace(result, coupling=replace(result.coupling, kept=kept), profiles=()))
    (said,) = re.findall(r"<p>In the formulas: (.*?)</p>", html)
    assert set(re.findall(r"<b>(.*?)</b>", said)) == symbols


def test_columns_with_other_names_need_no_symbols(result):
    kept = {name: {"own": 2} for name in result.coupling.selectors}
    html = page(replace(result, coupling=replace(result.coupling, kept=kept), profiles=()))
    assert "In the formulas" not in html
    assert "What these" not in html


def test_the_page_explains_operators_and_identical_columns(result):
    html = page(result)
    assert "p1 to p5, the value at rank 1 to 5" in html
    assert "Features of the query alone, q_…, are the same for all results" in html


def test_table_3_explains_the_papers_figures(result):
    section = page(result).split("Table 3.")[1].split("</p>")[0]
    assert "the paper’s figure" in section


def test_several_charts_of_figure_2_have_letters(result):
    assert "Figure 2a. urlmr: " in page(result)
    assert "Figure 2b. own" in page(result)
    alone = page(replace(result, profiles=result.profiles[:1]))
    assert "Figure 2. urlmr: " in alone


def labels(chart):
    """Labels of the vertical axis."""
    data = {one["name"]: one["values"] for one in chart.specification()["data"]}
    return [
        float(tick["label"].replace("−", "-"))
        for tick in next(rows for name, rows in data.items() if name.endswith("y labels"))
    ]


def test_the_axis_of_f1_stays_within_0_and_1():
    curve = ((25.0, 0.0, 0.0), (50.0, 1.0, 0.0))
    ticks = labels(coupling_chart("boosting trees", {"boosting influence": curve}, 3, 50))
    assert (min(ticks), max(ticks)) == (0.0, 1.0)
    perfect = ((25.0, 1.0, 0.0), (50.0, 1.0, 0.0))
    assert max(labels(coupling_chart("boosting trees", {"boosting influence": perfect}, 3, 50))) == 1.0


@pytest.mark.parametrize(("values", "negative"), [([0.0, 0.0], False), ([0.5, 0.01], False), ([0.5, -0.5], True)])
def test_values_that_are_never_negative_have_no_axis_below_0(values, negative):
    curve = np.array(values)
    kinds = tuple((name, curve, curve, curve, 9) for name in ("navigational", "informational"))
    assert (min(labels(RankChart("clk_CR", kinds))) < 0.0) == negative


def test_printing_expands_all_details_and_keeps_small_print_smaller(result):
    printed = "".join(page(result).split("@media print")[1:])
    assert "details::details-content { content-visibility: visible; block-size: auto; }" in printed
    sizes = re.findall(r"table\.study(?: small)? \{ font-size: (\d+)px", printed)
    assert len(sizes) == 2
    assert int(sizes[1]) < int(sizes[0])
