"""Measures of a study of several classes, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score

from glassrank.navigational.coupling.class_baselines import (
    FREQUENT,
    SINGLE,
    BestColumnTree,
    called_by_baseline,
    class_baselines,
)
from glassrank.studies.intent.class_measures import OWN, ClassedQuery, ClassMeasures
from glassrank.studies.intent.class_result import IntentClassesResult, beside_baseline

CLASSES = ("buy", "informational", "navigational")


def measured(n=120, right=0.8, baseline=0.4):
    """Queries that the classifier and a baseline get right with these probabilities."""
    rng = np.random.default_rng(3)
    truth = rng.choice(CLASSES, n, p=[0.2, 0.5, 0.3])

    def called(share):
        return np.where(rng.random(n) < share, truth, rng.choice(CLASSES, n))

    shares = rng.dirichlet([1.0, 1.0, 1.0], n)
    rows = zip(truth.tolist(), called(right).tolist(), shares.tolist(), strict=True)
    queries = tuple(ClassedQuery(f"q{k}", f"query {k}", *row[:2], tuple(row[2])) for k, row in enumerate(rows))
    baselines = {"coin": ("by chance", tuple(called(baseline).tolist()))}
    chosen = {name: {"maximum entropy on all features": 3} for name in CLASSES}
    return ClassMeasures(CLASSES, queries, baselines, chosen, {name: {"urlmr|p1": 3} for name in CLASSES})


def test_the_interval_of_macro_f1_agrees_with_resampled_queries():
    found = measured()
    truth = np.array([one.label for one in found.queries])
    called = np.array([one.predicted for one in found.queries])
    other = np.array(found.baselines["coin"][1])
    rng = np.random.default_rng(9)
    samples = [rng.integers(0, len(truth), len(truth)) for _ in range(600)]
    values = np.array([[f1_score(truth[s], y[s], average="macro") for y in (called, other)] for s in samples])
    own, coin = found.systems
    assert (own.name, coin.name) == (OWN, "coin")
    assert own.macro_f1 == pytest.approx(f1_score(truth, called, average="macro"))
    # Two estimates of the same quantiles from 600 and 2,000 samples.
    assert own.interval == pytest.approx(np.quantile(values[:, 0], [0.025, 0.975]), abs=0.02)
    assert coin.difference == pytest.approx(np.quantile(values[:, 0] - values[:, 1], [0.025, 0.975]), abs=0.03)


@pytest.mark.parametrize(
    ("right", "baseline", "verdict"),
    [(0.9, 0.3, ": better, +"), (0.3, 0.9, ": worse, −"), (0.6, 0.6, ": undecided, within ±")],
    ids=["better", "worse", "equal"],
)
def test_the_headline_says_when_the_baseline_wins(right, baseline, verdict):
    found = measured(right=right, baseline=baseline)
    assert verdict in beside_baseline(found)
    result = IntentClassesResult("Intents", True, {}, found, {}, (), (), {})
    assert verdict in result.lead()
    assert "Too few queries for firm conclusions: buy" in result.lead()
    assert "Simulated data" in str(result)
    assert len(result.to_frame("pandas")) == 2 * 3


def test_brier_scores_of_each_class_equal_scikit_learns():
    found = measured()
    for place, name in enumerate(CLASSES):
        y = np.array([one.label == name for one in found.queries])
        p = np.array([one.probabilities[place] for one in found.queries])
        assert found.brier(name)[0] == pytest.approx(brier_score_loss(y, p))
        assert found.brier(name)[1] == pytest.approx(y.mean() * (1 - y.mean()))


def test_the_worst_queries_have_the_lowest_probability_of_their_label():
    found = measured()
    lowest = sorted(one.probabilities[CLASSES.index(one.label)] for one in found.queries)[:5]
    assert [one.probabilities[CLASSES.index(one.label)] for one in found.worst(5)] == lowest


def test_the_confusion_is_drawn_with_counts_and_shares():
    found = measured()
    chart = found.confusion_chart()
    picture = chart.figure()
    counts = np.array(found.own.confusion.counts)
    for row in counts:
        for count in row:
            assert f"{count} " in picture or f">{count}<" in picture
    assert f"buy: {counts[0, 0]} of {counts[0].sum()} predicted as it" in chart.describe()
    assert len(found.calibration_charts()) == 1


def test_the_best_single_column_is_the_one_that_separates_the_classes():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 20)
    X = np.column_stack([rng.normal(size=60), codes * 10.0 + rng.normal(size=60), rng.normal(size=60)])
    model = BestColumnTree().fit(X, codes)
    assert model.column_ == 1
    assert model.predict(X).tolist() == codes.tolist()
    train, held_out = np.arange(0, 60, 2), np.arange(1, 60, 2)
    assert called_by_baseline(SINGLE, X, codes, train, held_out, 0).tolist() == codes[held_out].tolist()
    uneven = np.where(np.arange(60) < 40, 2, codes - codes)
    assert set(called_by_baseline(FREQUENT, X, uneven, np.arange(60), held_out, 0).tolist()) == {2}
    assert class_baselines()[:2] == (FREQUENT, SINGLE)
