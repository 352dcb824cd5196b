"""F1 and its bootstrap equal their twins; what is held out stays unseen; the file is read as it is written."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from experiments.f1_bootstrap import compare_f1
from experiments.nested_choice import MACHINES, NestedChoice, candidates
from experiments.orcas import (
    ABSTAIN,
    REFERENCE,
    SAME_FEATURES,
    SYSTEM,
    WINNER,
    Effort,
    LabelledQueries,
    decide_held_out,
    make_inputs,
    read_orcas_i,
    simulate_labelled,
    study_orcas,
)
from experiments.orcas_baselines import BASELINES, describe_calibration, errors_by_label
from experiments.orcas_classes import simulated_classes
from glassrank.core.checks import DataError
from glassrank.navigational.thresholds import best_f1
from tests.reference.f1_bootstrap import best_f1_of_any_threshold, f1, paired_bootstrap

QUICK = {name: MACHINES[name] for name in ("maximum entropy", "SVM linear", "SVM RBF")}
FEW = candidates(sizes=(4,), selectors=("SVM weights",), machines=QUICK)
HEADER = "qid\tquery\tdid\turl\tlabel_manual\n"


@pytest.fixture(scope="module")
def decisions():
    rng = np.random.default_rng(3)
    truth = (rng.random(80) < 0.3).astype(int)
    noisy = {
        name: [np.where(rng.random(80) < flips, 1 - truth, truth).tolist() for _ in range(3)]
        for name, flips in (("system", 0.1), ("reference", 0.25))
    }
    return truth.tolist(), noisy


@pytest.fixture(scope="module")
def simulated():
    return simulate_labelled(120, random_state=1)


def test_the_paired_bootstrap_equals_its_twin(decisions):
    truth, called = decisions
    system, reference = compare_f1(truth, called, "reference", n_resamples=300, random_state=5)
    error, own, gap = paired_bootstrap(truth, called["system"], called["reference"], 300, 5)
    assert system.standard_error == pytest.approx(error, rel=1e-12)
    assert system.interval == pytest.approx(own, rel=1e-12)
    assert system.difference_interval == pytest.approx(gap, rel=1e-9)
    assert reference.difference is None


def test_the_value_of_a_system_is_the_mean_f1_of_its_repeats(decisions):
    truth, called = decisions
    system, reference = compare_f1(truth, called, "reference", n_resamples=100, random_state=0)
    by_repeat = [f1(truth, one) for one in called["system"]]
    assert system.f1 == pytest.approx(np.mean(by_repeat))
    assert system.spread == pytest.approx(np.std(by_repeat))
    expected = np.mean(by_repeat) - np.mean([f1(truth, one) for one in called["reference"]])
    assert system.difference == pytest.approx(expected)
    assert reference.verdict == "reference"


def test_equal_decisions_are_not_significantly_different(decisions):
    truth, called = decisions
    same = {"one": called["system"], "other": called["system"]}
    one, _ = compare_f1(truth, same, "other", n_resamples=100, random_state=0)
    assert (one.difference, one.difference_interval, one.verdict) == (0.0, (0.0, 0.0), "not significantly different")


def test_a_clear_loss_is_called_worse():
    truth = [1, 0] * 50
    found = compare_f1(truth, {"bad": [[0, 1] * 50], "good": [truth]}, "good", n_resamples=100, random_state=0)
    assert [one.verdict for one in found] == ["worse", "reference"]


@pytest.mark.parametrize(
    ("called", "message"),
    [
        ({"a": [[1, 0]]}, "'a' must have one entry per query: expected 3, got 2"),
        ({"a": [[1, 0, 2]]}, "Decisions of 'a' must be 1"),
        ({"b": [[1, 0, 1]]}, "reference must be"),
    ],
    ids=["too short", "no decision", "no reference"],
)
def test_decisions_that_cannot_be_compared_are_refused(called, message):
    with pytest.raises(DataError, match=message):
        compare_f1([1, 0, 1], called, "a")


def test_a_sample_without_positives_is_refused():
    with pytest.raises(DataError, match="F1 needs positives"):
        compare_f1([1, 0, 0], {"a": [[0, 0, 0]]}, "a", n_resamples=200, random_state=0)


@pytest.mark.parametrize("seed", range(5))
def test_the_threshold_has_the_largest_f1_there_is(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-4, 5, size=30) / 2.0
    truth = (rng.random(30) < 0.4).astype(int)
    found = best_f1(scores, truth == 1)
    assert found.value == pytest.approx(best_f1_of_any_threshold(scores.tolist(), truth.tolist()))
    assert f1(truth, scores > found.cut) == pytest.approx(found.value)


def test_labels_held_out_change_no_decision_and_no_choice(simulated):
    inputs, positive = make_inputs(simulated), simulated.positive
    train, held_out = np.arange(90), np.arange(90, 120)
    turned = positive.copy()
    turned[held_out] = 1 - turned[held_out]
    one = decide_held_out(inputs, positive, FEW, 0, train, held_out)
    other = decide_held_out(inputs, turned, FEW, 0, train, held_out)
    assert one[1] == other[1]
    for name in (SYSTEM, WINNER, REFERENCE, SAME_FEATURES):
        assert one[0][name].tolist() == other[0][name].tolist()


def test_a_row_held_out_is_decided_whatever_stands_beside_it(simulated):
    X, positive = make_inputs(simulated).table, simulated.positive
    choice = NestedChoice(FEW, sizes=(1, 5))
    others = X[90:].copy()
    others[1:] = 1e6
    alone, beside = choice.decide(X[:90], positive[:90], X[90:]), choice.decide(X[:90], positive[:90], others)
    for size in (1, 5):
        assert alone[size][0][0] == beside[size][0][0]
        assert alone[size][1] == beside[size][1]


def test_inner_scores_of_a_row_do_not_know_its_label():
    """Noise features: with leaking selection or scores, the inner F1 of a row's own label would be near 1."""
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(90, 40)), (np.arange(90) % 2).astype(np.int64)
    chosen = NestedChoice(FEW, sizes=(1,)).choose(X, positive)
    # Calling everything positive has 2/3; the best of the candidates is somewhat luckier.
    assert 0.6 < chosen[1].inner_f1 < 0.8


def test_a_committee_has_its_size_and_begins_with_the_winner(simulated):
    chosen = NestedChoice(FEW, sizes=(1, 5)).choose(make_inputs(simulated).table, simulated.positive)
    assert len(chosen[5].members) == 5
    assert chosen[5].members[0] == chosen[1].members[0]


def test_the_study_repeats_itself_and_compares_all_systems(simulated):
    effort = Effort(2, 2, FEW, 200)
    one, other = (study_orcas(simulated, "Simulated", effort, n_jobs=1) for _ in range(2))
    assert one == other
    assert [row.system for row in one.systems] == [SYSTEM, WINNER, REFERENCE, SAME_FEATURES, *BASELINES]
    assert sum(one.chosen.values()) == 4
    assert one.line.startswith("Simulated navigational F1 = ")


def test_errors_are_counted_by_label():
    # Two repeats: the first A is always wrong, the query N once.
    called = np.array([[1, 1, 0], [0, 1, 0]])
    assert errors_by_label(np.array([1, 0, 0]), ("N", "A", "A"), called) == {"A": (2, 1.0), "N": (1, 0.5)}


def test_probabilities_of_all_repeats_are_compared_with_the_labels():
    found = describe_calibration(np.array([1, 0, 0]), np.array([[0.9, 0.2, 0.2], [0.7, 0.8, 0.2]]), 200, 0)
    assert found.brier == pytest.approx((0.01 + 0.04 + 0.04 + 0.09 + 0.64 + 0.04) / 6)
    assert found.constant_brier == pytest.approx(2 / 9)
    # The second repeat has its best F1, 2/3, with both of the queries above 0.5.
    assert found.hindsight_f1 == pytest.approx((1 + 2 / 3) / 2)
    assert [(one.n, one.observed) for one in found.bins] == [(3, 0.0), (1, 1.0), (1, 0.0), (1, 1.0)]


def test_rows_are_read_with_their_labels(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text(HEADER + "7\t1040\tD1\thttp://irs.gov/\tNavigational\n9\tTom's \tD2\thttp://b.org/x\tAbstain\n")
    queries = read_orcas_i(path)
    assert list(queries.results.query) == ["1040", "Tom's "]
    assert list(queries.results.url) == ["http://irs.gov/", "http://b.org/x"]
    assert queries.positive.tolist() == [1, 0]
    assert list(queries.without(ABSTAIN).results.query_id) == ["7"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid\tquery\turl\n1\ta\tb\n", "label_manual not found"),
        (HEADER + "1\ta\tD1\thttp://b.org/\tFactual\n", "no label_manual is Navigational: got Factual"),
    ],
    ids=["no labels", "no positives"],
)
def test_a_file_without_what_is_asked_for_is_refused(tmp_path, text, message):
    path = tmp_path / "gold.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_orcas_i(path)


def test_features_are_those_of_the_table_that_one_result_has(simulated):
    inputs = make_inputs(simulated)
    assert inputs.same.shape == (120, 25)
    assert inputs.reference.shape == (120, 28)
    assert np.array_equal(inputs.reference[:, :25], inputs.same)
    # Beside the 25, only what the rank says, which is the same for all: each query has one result, the first.
    varying = np.ptp(inputs.table, axis=0) > 0
    assert varying.sum() == (np.ptp(inputs.same, axis=0) > 0).sum()


def test_the_real_file_has_the_published_counts():
    home = os.environ.get("GLASSRANK_DATA")
    path = Path(home or "") / "orcas-i-gold" / "orcas_i_gold.tsv"
    if home is None or not path.is_file():
        pytest.skip("needs orcas-i-gold/orcas_i_gold.tsv under GLASSRANK_DATA")
    queries = read_orcas_i(path)
    assert isinstance(queries, LabelledQueries)
    counts = Counter(queries.labels)
    assert (len(queries), counts["Navigational"], counts[ABSTAIN]) == (1000, 171, 364)
    assert len(queries.without(ABSTAIN)) == 636


def test_simulated_queries_have_three_classes():
    found = simulated_classes()
    assert set(found.labels) == {"Address", "Informational", "Navigational"}
    addresses = [query for query, label in zip(found.results.query, found.labels, strict=True) if label == "Address"]
    assert all("." in query for query in addresses)
