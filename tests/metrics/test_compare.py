"""Comparison of systems: values, printing and invalid input."""

import json

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.compare import compare
from glassrank.metrics.evaluation import evaluate


def simulated(n_queries=60, seed=0):
    """Labels and queries of ten documents each, with scores of a good, a fair and a random system (simulated)."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), 10)
    y = rng.integers(0, 4, len(qid)) * 1.0
    y[::10] = 1.0  # so that no query is without a relevant document
    noise = rng.normal(size=(3, len(qid)))
    return y, qid, {"fair": y + 2 * noise[0], "good": y + 0.5 * noise[1], "random": noise[2]}


@pytest.fixture(scope="module")
def comparison():
    y, qid, systems = simulated()
    return compare(systems, y, qid=qid, measure="ndcg@5", baseline="fair", asked=[], random_state=1)


def test_means_equal_those_of_evaluate(comparison):
    y, qid, systems = simulated()
    for name, scores in systems.items():
        assert comparison[name].mean == pytest.approx(evaluate(y, scores, qid=qid, measures="ndcg@5")["ndcg@5"])


def test_verdicts_follow_the_adjusted_test(comparison):
    assert [system.verdict for system in comparison.systems] == ["baseline", "better", "worse"]
    good, random = comparison["good"], comparison["random"]
    assert good.p_value == pytest.approx(1 / 10_001)
    assert good.adjusted_p_value == pytest.approx(2 / 10_001)
    assert good.difference == pytest.approx(good.mean - comparison["fair"].mean)
    assert random.difference < 0 < good.difference
    for system in (good, random):
        low, high = system.difference_interval
        assert low < system.difference < high
        assert system.interval[0] < system.mean < system.interval[1]


def test_the_baseline_has_no_differences(comparison):
    fair = comparison["fair"]
    assert (fair.difference, fair.difference_interval, fair.p_value, fair.detectable_difference) == (None,) * 4


def test_identical_systems_are_undecided_and_as_good_within_any_margin():
    y, qid, systems = simulated()
    twins = {"a": systems["good"], "b": systems["good"] * 2}
    found = compare(twins, y, qid=qid, random_state=0)["b"]
    assert (found.difference, found.p_value, found.verdict) == (0.0, 1.0, "undecided, within ±0.000")
    assert found.difference_interval == (0.0, 0.0)
    assert compare(twins, y, qid=qid, margin=1e-9, random_state=0)["b"].verdict == "as good within ±1e-09"


def test_few_queries_are_tested_exactly():
    """Eight queries, all in favour of the new system: 2 of 256 sign patterns are as extreme."""
    y, qid = [1, 0, 0] * 8, np.repeat(range(8), 3)
    found = compare({"old": [1, 2, 3] * 8, "new": [3, 2, 1] * 8}, y, qid=qid, measure="mrr")
    assert found.test == "paired randomisation test, all 256 sign patterns"
    assert (found["new"].p_value, found["new"].verdict) == (2 / 256, "better")
    assert found["new"].mean == 1.0
    assert found["old"].mean == pytest.approx(1 / 3)


def test_too_few_queries_cannot_show_a_difference():
    """Five queries allow p values down to 2/32 only."""
    y, qid = [1, 0, 0] * 5, np.repeat(range(5), 3)
    found = compare({"old": [1, 2, 3] * 5, "new": [3, 2, 1] * 5}, y, qid=qid, measure="mrr")["new"]
    assert (found.p_value, found.verdict, found.detectable_difference) == (2 / 32, "too few queries", None)


def test_a_p_value_at_the_level_is_not_below_it():
    """Six queries of one sign have p = 2/64 = 1 − 0.96875 exactly."""
    y, qid = [1, 0, 0] * 6, np.repeat(range(6), 3)
    systems = {"old": [1, 2, 3] * 6, "new": [3, 2, 1] * 6}
    verdicts = [compare(systems, y, qid=qid, measure="mrr", confidence=one)["new"].verdict for one in (0.96875, 0.968)]
    assert verdicts == ["too few queries", "better"]


@pytest.mark.parametrize("measure", ["misranking", "risk"])
def test_lower_is_better_for_measures_of_errors(measure):
    y, qid, systems = simulated()
    fair_first = compare(systems, y, qid=qid, measure=measure, baseline="fair", random_state=0)
    assert fair_first["good"].difference < 0
    assert fair_first["good"].verdict == "better"
    good_first = compare(systems, y, qid=qid, measure=measure, baseline="good", random_state=0)
    assert [system.verdict for system in good_first.systems] == ["worse", "baseline", "worse"]


def test_queries_left_out_for_one_system_are_left_out_for_all():
    # tau is undefined where a system gives all documents of a query the same score.
    y, qid = [1, 0] * 4, np.repeat(range(4), 2)
    found = compare({"a": [2, 1] * 4, "b": [1, 1, 2, 1, 1, 2, 2, 1]}, y, qid=qid, measure="tau")
    assert (found.n_queries, found.left_out) == (3, 1)
    assert found["b"].mean == pytest.approx(1 / 3)


def test_the_same_random_state_gives_the_same_comparison(comparison):
    y, qid, systems = simulated()
    assert compare(systems, y, qid=qid, measure="ndcg@5", baseline="fair", asked=(), random_state=1) == comparison
    assert compare(systems, y, qid=qid, measure="ndcg@5", baseline="fair", asked=(), random_state=2) != comparison


def test_the_default_baseline_is_the_first_system():
    y, qid, systems = simulated()
    assert compare(systems, y, qid=qid, random_state=0).baseline == "fair"


def test_a_single_system_gets_its_interval():
    y, qid, systems = simulated()
    found = compare({"good": systems["good"]}, y, qid=qid, random_state=0)
    assert [system.verdict for system in found.systems] == ["baseline"]
    low, high = found["good"].interval
    assert low < found["good"].mean < high
    assert str(found).splitlines()[1:] == [
        "system  mean    95 % interval",
        f"good    {found['good'].mean:.4f}  [{low:.4f}, {high:.4f}]",
    ]


def test_trec_ties_are_ordered_by_document_id():
    y, qid = [1, 0] * 3, np.repeat(range(3), 2)
    systems, doc_ids = {"a": [1, 1] * 3, "b": [1, 2] * 3}, list("badcfe")
    found = compare(systems, y, qid=qid, measure="mrr", convention="trec", doc_ids=doc_ids)
    assert found["a"].mean == 1.0
    assert found["b"].mean == 0.5


def test_a_comparison_prints_a_table():
    y, qid = [1, 0, 0] * 9, np.repeat(range(9), 3)
    y[-3] = 0
    found = compare({"old": [1, 2, 3] * 9, "new": [3, 2, 1] * 9}, y, qid=qid, measure="mrr")
    table = """\
mrr, convention standard, 8 queries, 1 left out
system  mean    95 % interval     difference  interval          level  p        detectable  verdict
old     0.3333  [0.3333, 0.3333]                                                            baseline
new     1.0000  [1.0000, 1.0000]  +0.667      +0.667 to +0.667  95 %   0.00781  0.0000      better
Differences: system − old. Intervals: what the paired randomisation test, all 256 sign patterns, does not reject.
Each system is tested by itself."""
    assert str(found) == repr(found) == table


def test_a_comparison_of_baselines_prints_their_holm_p_and_says_who_is_tested_with_whom():
    y, qid, systems = simulated()
    printed = str(compare(systems, y, qid=qid, measure="ndcg@5", asked=["good"], random_state=1)).splitlines()
    assert printed[1].split()[-5:] == ["p", "Holm", "p", "detectable", "verdict"]
    assert printed[-1] == "Tested by itself: good. Adjusted by Holm’s method among themselves: random."


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_one_row_per_system(comparison, backend):
    frame = comparison.to_frame(backend)
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert names == [
        *("system", "mean", "low", "high", "difference", "difference_low", "difference_high"),
        *("level", "p_value", "adjusted_p_value", "detectable_difference", "verdict"),
    ]
    assert list(frame["verdict"].to_pylist() if backend == "pyarrow" else frame["verdict"]) == [
        "baseline",
        "better",
        "worse",
    ]


def test_json_contains_everything(comparison):
    read = json.loads(comparison.to_json())
    assert (read["measure"], read["convention"], read["baseline"]) == ("ndcg@5", "standard", "fair")
    assert [system["verdict"] for system in read["systems"]] == ["baseline", "better", "worse"]
    assert read["systems"][1]["interval"] == list(comparison["good"].interval)
    assert read["systems"][0]["p_value"] is None


def test_the_error_for_an_unknown_system_lists_the_known_ones(comparison):
    with pytest.raises(KeyError, match="'best' was not compared, only fair, good, random"):
        comparison["best"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"systems": {}}, r"systems must map at least one name to scores, such as \{'new': scores, .*\}\."),
        ({"systems": [[1, 0]]}, r"systems must map at least one name to scores"),
        ({"baseline": "c"}, r"baseline must be one of 'a', 'b': got 'c'\."),
        ({"asked": ["a"]}, r"asked must be one of 'b': got 'a'\."),
        ({"margin": 0.0}, r"margin must be a positive number: got 0\.0\."),
        ({"measure": "cg"}, r"measure must be one of ndcg.*: got 'cg'\."),
        ({"n_resamples": 10}, r"n_resamples must be a whole number, at least 100: got 10\."),
        ({"n_resamples": 1e4}, r"n_resamples must be a whole number, at least 100: got 10000\.0\."),
        ({"confidence": 95}, r"confidence must be at least 0\.5 and below 1, such as 0\.95: got 95\."),
        (
            {"systems": {"a": [1, 2], "b": [1]}},
            r"scores of 'b' must have one entry per label in y: expected 2, got 1\.",
        ),
        (
            {"qid": [1, 1]},
            r"A comparison needs at least 2 queries with a value of ndcg@10 for every system: got 1 of 1\.",
        ),
    ],
)
def test_invalid_arguments_of_compare_are_rejected_with_the_reason(arguments, message):
    with pytest.raises(DataError, match=message):
        compare(**{"systems": {"a": [1, 2], "b": [2, 1]}, "y": [1, 1], "qid": [1, 2], **arguments})
