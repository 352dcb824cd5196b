"""The report of a distillation study: its tables are right, it loads nothing, and data cannot inject markup."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine, spread
from glassrank.drawing.theme import LIGHT
from glassrank.metrics.agreement import judge_agreement
from glassrank.metrics.compare_values import compare_values
from glassrank.studies.distillation.charts import agreement_chart, kept_chart, radius_chart
from glassrank.studies.distillation.page import page
from glassrank.studies.distillation.result import (
    DistillationResult,
    JudgedBy,
    MeasuredSet,
    PrunedPage,
    Refusal,
    SpherePoint,
    StepTimes,
)
from glassrank.studies.report import report
from tests.report_pages import SCRIPT, Page, assert_runs_and_loads_nothing

NAN = float("nan")
VALUES = {"bm25": [0.1, 0.2, 0.3, 0.1, 0.2, 0.3], "svdd": [0.2, 0.3, 0.4, 0.2, 0.3, 0.4]}


def sphere_point(share, C, weight, kernel="unit"):
    return SpherePoint(
        kernel=kernel,
        share=share,
        C=C,
        text_weight=weight,
        n_topics=6,
        train_size=20,
        radius=0.5 + C / 4,
        radius_range=(0.4, 0.8),
        kept=share * C,
        kept_trained=C,
        kept_unseen=None if share == 1.0 else 0.01,
        overlap=C / 2,
        overlap_top=0.9 if kernel == "unit" else 0.4,
        tau=None if C < 0.5 else 0.25,
        seconds=0.001,
        precision=0.3,
    )


def measured(candidates):
    comparisons = tuple(
        compare_values(VALUES, measure=measure, baseline=baseline, random_state=0)
        for measure in ("p@10", "relative recall@10")
        for baseline in VALUES
    )
    curves = {"bm25": (0.1, 0.2), "svdd": (0.3, 0.25)}
    return MeasuredSet(candidates, 50.0, comparisons, curves, {"bm25": 1.0, "svdd": 0.9})


@pytest.fixture
def result():
    """A result in which every name tries to inject markup."""
    points = [(0.5, C, w) for C in (0.1, 0.4, 1.0) for w in (0.0, 0.5)] + [(1.0, C, 0.5) for C in (0.1, 0.4, 1.0)]
    spheres = [sphere_point(*one, kernel) for kernel in ("unit", "raw") for one in points]
    pruned = [
        PrunedPage(f"t{n}{SCRIPT}", f"q{n}{SCRIPT}", f"Page {n}{SCRIPT}", f"u{n}{SCRIPT}", 1.25, 0.75, n, None)
        for n in range(1, 31)
    ]
    return DistillationResult(
        title=f"Study{SCRIPT}",
        facts={f"Fact{SCRIPT}": f"value{SCRIPT}"},
        k=10,
        topics={f"t{SCRIPT}": f"q{SCRIPT}"},
        default=("unit", 0.5, 0.4, 0.5),
        sphere=tuple(spheres),
        pruned=tuple(pruned),
        times=(
            StepTimes("root", "svdd", {"search": 0.001, "sphere": 0.0025}),
            StepTimes("root", "bm25", {"search": 1}),
        ),
        measured=(measured("root"), measured("base")),
        refusals=(Refusal(f"t{SCRIPT}", "root", "svdd", f"why{SCRIPT}"), Refusal("t2", "root", "svdd", "why")),
        notes=(f"note{SCRIPT}",),
        commands=(f"glassrank distill study{SCRIPT}",),
        versions={"glassrank": f"1{SCRIPT}"},
    )


def test_the_page_runs_no_script_and_loads_nothing(result):
    assert_runs_and_loads_nothing(page(result))


def test_data_cannot_write_markup_into_the_page(result):
    assert "<script" not in page(result)


def test_each_method_has_its_mean_and_verdict(result):
    found = Page(page(result))
    rows = {row[0]: row for row in found.tables[0]}
    assert found.tables[0][0] == ["Method", "P@10", "this minus bm25", "this minus svdd"]
    assert rows["bm25"][1:4] == ["0.200", "", "reference"]
    assert rows["svdd"][1] == "0.300"
    # Six equal gains of 0.1: 2 of 64 sign patterns are as extreme.
    assert rows["svdd"][3] == "better+0.100 P@10 (95 % interval +0.100 to +0.100, p = 0.031)"
    assert rows["bm25"][5] == "worse−0.100 P@10 (95 % interval −0.100 to −0.100, p = 0.031)"


def test_measures_have_their_usual_names(result):
    heads = [table[0][1] for table in Page(page(result)).tables if table[0][0] == "Method"]
    assert heads == ["P@10", "Relative recall@10"] * 2


def test_unjudged_pages_are_reported(result):
    assert "At least 90% of each method’s first 10 pages were judged" in page(result)


def test_times_are_listed_by_step_in_milliseconds(result):
    rows = next(table for table in Page(page(result)).tables if "sphere" in table[0])
    assert rows[1] == ["root", "svdd", "1.0", "2.5", "3.5"]
    assert rows[2] == ["root", "bm25", "1000.0", "", "1000.0"]


def test_steps_are_listed_in_the_order_of_execution(result):
    times = (
        StepTimes("root", "hits", {"search": 0.001, "link analysis": 0.001}),
        StepTimes("root", "svdd", {"search": 0.001, "kernel": 0.001, "sphere": 0.001, "link analysis": 0.001}),
    )
    heads = [table[0] for table in Page(page(replace(result, times=times))).tables]
    assert ["Set", "Method", "search", "kernel", "sphere", "link analysis", "total"] in heads


def test_pruned_pages_have_a_distance_and_the_rest_are_counted(result):
    html = page(result)
    rows = next(table for table in Page(html).tables if table[0][:2] == ["Query", "Page"])
    assert len(rows) == 26
    assert rows[1][2:5] == ["1.250", "0.750", "1"]
    assert "pruned.csv lists 5 more" in html


@pytest.fixture
def judged(result):
    """The result with three judges, one of whom judged other pages, all with names that try to inject markup."""
    names = [f"ann{SCRIPT}", f"bob{SCRIPT}", f"eve{SCRIPT}"]
    agreement = judge_agreement(dict(zip(names, [[2, 1, 0, NAN], [2, 0, 0, NAN], [NAN, NAN, NAN, 1]], strict=True)))
    own = [JudgedBy(name, 6, 4, 0.5, result.measured[0].comparisons[0]) for name in names[:2]]
    own.append(JudgedBy(names[2], 1, 1, 0.1, None))
    measured = tuple(replace(one, by_judge=tuple(own)) for one in result.measured)
    return replace(result, measured=measured, agreement=agreement)


def test_judges_have_their_agreement_and_their_own_results(judged):
    html = page(judged)
    pairs = next(table for table in Page(html).tables if table[0][0] == "Judge")
    assert pairs[1][2:] == ["3", "0.667", "0.500"]
    assert pairs[2][2:] == ["0", "–", "–"]
    own = next(table for table in Page(html).tables if table[0][0] == "Method" and "ann" in table[0][1])
    assert own[2][:4] == ["svdd", "0.300 better", "0.300 better", "too few topics"]
    assert f"Krippendorff’s α (ordinal): <strong>{judged.agreement.alpha:.3f}</strong>" in html
    assert "<script" not in html
    assert_runs_and_loads_nothing(html)
    assert "P@10 by judge" in str(judged)
    assert len(judged.to_frame("judges", "polars")) == 2 * 2 * 2


def test_an_undefined_agreement_is_explained(judged):
    alone = replace(judged, agreement=judge_agreement({"ann": [1, NAN], "bob": [NAN, 0]}))
    assert "undefined: no unit was labelled by two judges" in page(alone)


def test_without_judges_there_is_no_section_of_judges(result):
    assert "Krippendorff" not in page(result)
    assert "by judge" not in str(result)


def test_judgements_of_pruned_pages_are_shown_if_there_are_any(result):
    judged = replace(result, pruned=(replace(result.pruned[0], label=2.0), result.pruned[1]))
    rows = next(table for table in Page(page(judged)).tables if table[0][:2] == ["Query", "Page"])
    assert [row[5] for row in rows] == ["Judged", "2", ""]


def test_topics_without_a_list_are_counted_by_method(result):
    rows = next(table for table in Page(page(result)).tables if table[0][:2] == ["Set", "Method"])
    assert rows[1][:3] == ["root", "svdd", "2"]


def test_without_judgements_there_is_no_comparison(result):
    html = page(replace(result, measured=()))
    assert "Which method finds" not in html
    assert "Radius of the sphere" in html


def test_the_top_of_the_page_links_to_all_sections(result):
    tags = Page(page(result)).tags
    anchors = {attributes["href"][1:] for tag, attributes in tags if tag == "a"}
    assert anchors == {attributes["id"] for tag, attributes in tags if tag == "section"}
    assert len(anchors) == 8


def test_the_lead_reports_the_pruning_and_the_verdicts(result):
    lead = result.lead()
    assert "the sphere keeps 40% of its training pages and 1% of the others" in lead
    assert "20% of its top 10 authorities are also top 10 for HITS" in lead
    assert "On the root set, bm25 reaches P@10 0.200. In comparison, better: svdd (0.300)." in lead


def test_charts_name_every_line_and_omit_undefined_values(result):
    specification = agreement_chart(result).specification()
    data = {one["name"]: one["values"] for one in specification["data"]}
    assert {row["name"] for row in data["panel 0 names"]} == {"p = 0.5 |R|", "p = 1 |R|"}
    assert {row["name"] for row in data["panel 1 names"]} == {"unit", "raw"}
    data = {one["name"]: one["values"] for one in kept_chart(result).specification()["data"]}
    assert len(data["panel 1 dots"]) == 9  # p = 0.5 |R|: training pages, all, and others
    weights = {one["name"]: one["values"] for one in radius_chart(result).specification()["data"]}
    assert {row["name"] for row in weights["panel 1 names"]} == {"μ = 0, links", "μ = 0.5"}


def test_unknown_shares_are_omitted_from_a_line(result):
    points = tuple(replace(one, kept_unseen=None) if one.C == 0.4 else one for one in result.sphere)
    found = kept_chart(replace(result, sphere=points)).specification()
    dots = next(one["values"] for one in found["data"] if one["name"] == "panel 2 dots")
    assert len(dots) == 4  # C = 0.1 and 1 of two kernels


def test_kernels_are_compared_in_a_table(result):
    rows = next(table for table in Page(page(result)).tables if table[0][0] == "Kernel")
    assert rows[0][-1] == "P@10"
    assert rows[1:] == [["unit", "40%", "1%", "20%", "90%", "0.300"], ["raw", "40%", "1%", "20%", "40%", "0.300"]]


def test_the_caption_of_the_radius_depends_on_the_kernel(result):
    assert "The kernel has a unit diagonal" in page(result)
    assert "The kernel counts citing pages" in page(replace(result, default=("raw", *result.default[1:])))


@pytest.mark.parametrize("draw", [radius_chart, kept_chart, agreement_chart])
def test_marks_stay_inside_their_panel(result, draw):
    specification = draw(result).specification()
    for one in specification["data"]:
        for row in one["values"]:
            assert 0 <= row.get("x", 0) <= specification["width"]
            assert 0 <= row.get("y", 0) <= specification["height"]


def test_a_logarithmic_axis_shows_equal_factors_as_equal_distances():
    panel = Panel("t", "C", "y", [PanelLine("line", [(0.01, 1.0), (0.1, 2.0), (1.0, 3.0)])], log_x=True)
    specification = LinePanels("chart", (panel,)).specification()
    dots = next(one["values"] for one in specification["data"] if one["name"] == "panel 0 dots")
    steps = [b["x"] - a["x"] for a, b in pairwise(dots)]
    assert steps[0] == pytest.approx(steps[1], abs=0.02)


@pytest.mark.parametrize("values", [[5.0, 5.0, 5.0, 5.0], [1.0, 2.0, 90.0, 99.0], [99.0] * 6])
def test_names_are_moved_apart_and_stay_inside_the_plot(values):
    places = spread(values, 15.0, 0.0, 100.0)
    assert all(b - a >= 15.0 - 1e-9 for a, b in pairwise(places))
    assert min(places) >= 0.0
    assert max(places) <= 100.0


def test_names_are_moved_to_both_sides_of_their_lines():
    assert spread([50.0, 50.0, 50.0], 15.0, 0.0, 100.0) == pytest.approx([35.0, 50.0, 65.0])


def test_names_with_enough_space_stay_at_their_lines():
    assert spread([10.0, 30.0, 90.0], 15.0, 0.0, 100.0) == pytest.approx([10.0, 30.0, 90.0])


def test_ten_lines_all_look_different():
    lines = [PanelLine(f"line {number}", [(0.0, number), (1.0, number)], number in (0, 7)) for number in range(10)]
    specification = LinePanels("chart", (Panel("t", "x", "y", lines),)).specification()
    names = next(one["values"] for one in specification["data"] if one["name"] == "panel 0 names")
    assert len({(row["shape"], row["fill"]) for row in names}) == 10
    # Filled marks also differ in shape, because ink and grey are hard to tell apart.
    filled = [row["shape"] for row in names if row["fill"] != LIGHT.page]
    assert len(filled) == len(set(filled)) == 4


def test_lines_with_the_same_name_are_drawn_separately():
    lines = [
        PanelLine("the same", [(0.0, 1.0), (1.0, 1.0)], emphasised=True),
        PanelLine("the same", [(0.0, 2.0), (1.0, 2.0)]),
    ]
    specification = LinePanels("chart", (Panel("t", "x", "y", lines),)).specification()
    rows = {one["name"]: one["values"] for one in specification["data"]}
    assert [row["name"] for row in rows["panel 0 names"]] == ["the same", "the same"]
    assert len({row["y"] for row in rows["panel 0 names"]}) == len({row["d"] for row in rows["panel 0 lines"]}) == 2
    assert [row["width"] for row in rows["panel 0 lines"]] == [2.2, 1.4]


def test_the_file_is_the_page(result, tmp_path):
    path = report(result, tmp_path / "report.html")
    assert path.read_text() == page(result)
    assert re.search(r"<title>Study&lt;/script&gt;", path.read_text())
