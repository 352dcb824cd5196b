"""Reliability: the quality of pair probabilities, measured pair by pair and query by query."""

import json

import numpy as np
import pytest

from glassrank import DataError, RankSVM
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.reliability import measure_reliability
from tests.reference.pairs import comparable_pairs, random_problem
from tests.reference.sigmoid import likelihood_derivatives
from tests.reference.sigmoid import reliability as reliability_twin


@pytest.fixture(scope="module")
def problem():
    return random_problem(11, n_rows=300, n_features=4, n_queries=20)


@pytest.fixture
def model(problem):
    return PairCalibrator(RankSVM(C=100.0), random_state=0).fit(problem.X, problem.y, qid=problem.qid)


@pytest.mark.parametrize("seed", range(3))
def test_measures_and_bins_equal_a_loop_over_the_pairs(seed):
    rng = np.random.default_rng(seed)
    log_odds = np.append(rng.normal(0.5, 1.5, size=400), [0.0, 0.0])
    found = measure_reliability(log_odds, rng.integers(7, size=402), 402, random_state=0)
    expected = reliability_twin(1.0 / (1.0 + np.exp(-log_odds)))
    assert found.brier == pytest.approx(expected["brier"], rel=1e-12)
    assert found.log_loss == pytest.approx(expected["log_loss"], rel=1e-12)
    assert found.accuracy == pytest.approx(expected["accuracy"], rel=1e-12)
    assert found.calibration_gap == pytest.approx(expected["gap"], rel=1e-10)
    bins = [(round((one.low - 0.5) * 20), one.n_pairs, one.predicted, one.observed) for one in found.bins]
    np.testing.assert_allclose(bins, expected["bins"], rtol=1e-12)
    assert (found.n_pairs, found.n_queries) == (402, 7)


def test_a_coin_toss_scores_a_quarter_and_log_two():
    found = measure_reliability(np.zeros(10), np.repeat([0, 1], 5), 10, random_state=0)
    assert (found.brier, found.accuracy, found.calibration_gap) == (0.25, 0.5, 0.0)
    assert found.log_loss == pytest.approx(np.log(2.0), rel=1e-15)


def test_certain_errors_have_a_finite_log_loss():
    found = measure_reliability(np.array([-2000.0]), np.array([0]), 1, random_state=0)
    assert (found.log_loss, found.brier, found.accuracy) == (2000.0, 1.0, 0.0)


def test_whiskers_come_from_resampled_queries():
    """Two queries with shares 0.4 and 0.9: half of the resamples contain one of them twice."""
    log_odds = np.log(0.52 / 0.48) * np.repeat([1, -1, 1, -1], [4, 6, 9, 1])
    (one,) = measure_reliability(log_odds, np.repeat([0, 1], 10), 20, random_state=0).bins
    assert one.observed == 0.65
    assert one.interval == (0.4, 0.9)


def test_the_held_out_probabilities_come_from_slopes_of_other_queries():
    """Queries 0, 3, 6, … agree with the scores and the others do not: its own slope would fit each part."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), 10)
    X = rng.normal(size=(300, 1))
    y = np.where(qid % 3 == 0, X[:, 0], rng.normal(size=300))
    found = PairCalibrator(lambda rows: rows[:, 0], cv="prefit", max_pairs=None).fit(X, y, qid=qid).calibration_
    log_odds = []
    for part in range(3):
        inside, others = [], []
        for i, j in comparable_pairs(y, qid):
            (inside if qid[i] % 3 == part else others).append(X[i, 0] - X[j, 0])
        slope = -1.0
        for _ in range(50):
            _, gradient, curvature = likelihood_derivatives([slope], others, [True] * len(others))
            slope -= gradient[0] / curvature[0, 0]
        log_odds += [-slope * f for f in inside]
    expected = reliability_twin([1.0 / (1.0 + np.exp(-odds)) for odds in log_odds])
    assert found.log_loss == pytest.approx(expected["log_loss"], rel=1e-9)
    assert found.brier == pytest.approx(expected["brier"], rel=1e-9)


def test_reliability_on_other_data_uses_the_fitted_slope(problem, model):
    other = random_problem(12, n_rows=200, n_features=4, n_queries=10)
    scores = model.predict(other.X)
    probabilities = [
        1.0 / (1.0 + np.exp(model.slope_ * (scores[i] - scores[j]))) for i, j in comparable_pairs(other.y, other.qid)
    ]
    found = model.set_params(max_pairs=None).reliability(other.X, other.y, qid=other.qid)
    expected = reliability_twin(probabilities)
    assert found.brier == pytest.approx(expected["brier"], rel=1e-10)
    assert found.accuracy == pytest.approx(expected["accuracy"], rel=1e-10)
    with pytest.raises(DataError, match="reliability needs qid: the model was fitted on 20 queries"):
        model.reliability(other.X, other.y)
    with pytest.raises(DataError, match="two different labels: got none in 200 rows"):
        model.reliability(other.X, np.zeros(200), qid=other.qid)


def test_a_reliability_prints_itself_and_gives_table_and_json(model):
    found = model.calibration_
    lines = str(found).splitlines()
    sampled = f"sampled from {found.n_comparable:,}"
    assert lines[0] == f"{found.n_pairs:,} pairs with different labels, {sampled}, {found.n_queries} queries"
    assert lines[1].split() == ["Brier", "score", f"{found.brier:.4f}", "coin", "toss", "0.2500"]
    assert len(lines) == 6 + len(found.bins)
    frame = found.to_frame()
    assert frame["pairs"].sum() == found.n_pairs
    assert frame["observed_low"].le(frame["observed_high"]).all()
    read = json.loads(found.to_json())
    assert read["bins"][0]["interval"] == list(found.bins[0].interval)
    assert read["log_loss"] == found.log_loss


def test_a_reliability_is_drawn_with_labelled_axes(model, tmp_path):
    chart = model.calibration_.chart()
    svg = chart.save(tmp_path / "reliability.svg").read_text()
    for words in (
        "share of pairs ordered as predicted",
        "predicted P, each pair in the direction with P ≥ 0.5",
        "0.5",
        "1.0",
    ):
        assert words in svg
    assert f"{model.calibration_.bins[0].n_pairs:,}" in svg
    assert chart.save(tmp_path / "dark.png", theme="dark").read_bytes()[:4] == b"\x89PNG"
    assert model.calibration_._repr_svg_().startswith("<svg")
    with pytest.raises(DataError, match=r"suffix must be one of '.svg', '.png', '.pdf': got '.jpg'"):
        chart.save(tmp_path / "reliability.jpg")


def test_dots_are_where_prediction_and_share_meet(model):
    """Positions follow from two labels of each axis."""
    rows = {data["name"]: data["values"] for data in model.calibration_.chart().specification()["data"]}
    shares = {float(row["label"]): row["at"] for row in rows["curve y labels"]}
    chances = {float(row["label"]): row["at"] for row in rows["x labels"]}
    (low, high), width = (min(shares), max(shares)), chances[1.0] - chances[0.5]
    for row, one in zip(rows["bins"], model.calibration_.bins, strict=True):
        assert row["x"] == pytest.approx(chances[0.5] + width * 2 * (one.predicted - 0.5), abs=0.01)
        height = (shares[low] - shares[high]) / (high - low)
        assert row["y"] == pytest.approx(shares[high] + height * (high - one.observed), abs=0.01)
