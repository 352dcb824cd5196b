"""The accuracy study: its tests are those of ``compare``, its numbers the published ones."""

import csv
import importlib
from dataclasses import replace

import numpy as np
import pytest

import glassrank as gr
from tests.house.repository import DOCS
from tests.reference.pairs import pair_accuracy


@pytest.fixture(scope="module")
def study():
    """Modules of the study by name."""
    return lambda name: importlib.import_module(f"experiments.accuracy.{name}")


def test_without_seeds_the_tests_over_queries_are_those_of_compare(study):
    data = gr.simulate_ranking(n_queries=30, documents_per_query=12, random_state=0).data
    systems = {"one": data.X[:, 0], "two": data.X[:, 1], "three": data.X[:, 2]}
    expected = gr.compare(systems, data.y, qid=data.qid, measure="map", baseline="two", asked=[], random_state=0)
    values = {
        name: gr.evaluate(data.y, scores, qid=data.qid, measures=["map"]).per_query["map"][None, :]
        for name, scores in systems.items()
    }
    for row in study("verdicts").compare_over_queries("simulated", "map", values, "two"):
        other = expected[row.system]
        assert row.mean == pytest.approx(other.mean, rel=1e-12)
        known = row.verdict if row.verdict != "not significantly different" else "undecided"
        assert other.verdict.startswith(known)
        assert (row.low, row.high) == pytest.approx(other.interval, rel=1e-12)
        assert row.p_value == other.p_value
        assert row.adjusted_p_value == other.adjusted_p_value
        assert (row.detectable is None) == (other.detectable_difference is None) == (row.system == "two")
        if row.detectable is not None:
            assert row.detectable == pytest.approx(other.detectable_difference, rel=1e-12)


def test_misranking_of_a_list_is_one_less_pair_accuracy_and_copies_form_no_pair(study):
    rng = np.random.default_rng(0)
    y, good = np.round(rng.normal(size=40), 1), rng.normal(size=(2, 40))
    scores = {"ridge": np.round(y[None, :] + good[:1], 1), "seeded": y + 3.0 * good}
    ridge, seeded = study("verdicts").compare_over_documents("simulated", y, scores, "ridge")
    assert ridge.mean == pytest.approx(1.0 - pair_accuracy(scores["ridge"][0], y), rel=1e-12)
    by_seed = [1.0 - pair_accuracy(row, y) for row in scores["seeded"]]
    assert seeded.mean == pytest.approx(np.mean(by_seed), rel=1e-12)
    assert seeded.spread == pytest.approx(np.std(by_seed), rel=1e-12)
    assert seeded.difference == pytest.approx(seeded.mean - ridge.mean, rel=1e-12)
    # The same samples, drawn document by document with their copies.
    counts = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), size=10_000)
    rows = [np.repeat(np.arange(40), count) for count in counts[:300]]
    slow = [1.0 - pair_accuracy(scores["ridge"][0][row], y[row]) for row in rows]
    assert ridge.low < np.median(slow) < ridge.high
    assert np.quantile(slow, [0.025, 0.975]) == pytest.approx([ridge.low, ridge.high], abs=0.02)


def test_lower_misranking_is_better_and_higher_map_is_better(study):
    values = {"old": np.full((1, 20), 0.5), "new": np.linspace(0.1, 0.3, 20)[None, :]}
    compare = study("verdicts").compare_over_queries
    assert [row.verdict for row in compare("d", "map", values, "old")] == ["baseline", "worse"]
    assert [row.verdict for row in compare("d", "misranking", values, "old", lower_is_better=True)][1] == "better"


LEAST_SQUARES_MAP = {"raw": 0.4469, "minmax": 0.4344, "zscore": 0.4491}


@pytest.mark.parametrize("normalisation", LEAST_SQUARES_MAP)
def test_least_squares_reaches_the_known_map(study, real_data, normalisation):
    folds = study("folds")
    made = folds.make_folds(folds.load_parts(real_data / "ohsumed-letor2"), normalisation)
    found = folds.measure_ranker("least squares", made, study("effort").FULL)
    assert found.by_fold.mean(axis=1)[0, -1] == pytest.approx(LEAST_SQUARES_MAP[normalisation], abs=5e-5)
    assert found.by_query["map"].shape == (1, 106)


def test_the_official_averages_are_the_means_of_the_official_folds(study, real_data):
    folder = real_data / "ohsumed-letor2"
    found = {row["ranker"]: row for row in study("folds").official_rows(folder)}
    assert len(found) == 7
    with (folder / "Baselines" / "ReferenceAlgs_OHSUMED.RankSVM.csv").open(newline="") as lines:
        rows = list(csv.reader(lines))
    of_map = next(place for place, row in enumerate(rows) if row[:2] == ["Trials", "MAP"])
    by_fold = [float(row[1]) for row in rows[of_map + 1 : of_map + 6]]
    assert found["Ranking SVM"]["map"] == pytest.approx(np.mean(by_fold), abs=1e-6)


def test_settings_are_chosen_on_the_validation_part_alone(study):
    """Other labels of the test part change what is measured, and nothing that is chosen."""
    folds, effort = study("folds"), replace(study("effort").TASTE, Cs=(1e-3, 1.0, 1e3))
    parts = folds.simulate_parts()
    made = folds.make_folds(parts, "raw")
    other = [(train, valid, replace_labels(test)) for train, valid, test in made]
    for ranker in ("RankSVM linear", "ELMRank additive"):
        first, second = (folds.measure_ranker(ranker, some, effort) for some in (made, other))
        assert first.chosen == second.chosen
        assert (first.by_fold != second.by_fold).any()


def replace_labels(data):
    return gr.RankingData(data.X, data.y.max() - data.y, data.qid)


def test_a_user_who_rates_all_alike_is_left_out_and_no_user_is_counted_twice(study, real_data):
    ratings = study("jokes").load_ratings(real_data / "jester" / "jester_ratings.csv.gz")
    assert (ratings.features.shape, len(ratings.tuning), len(ratings.test)) == ((140, 300), 100, 550)
    users = np.nan_to_num(np.vstack([ratings.tuning, ratings.test]), nan=99.0)
    assert len(np.unique(users, axis=0)) == 650
    assert min(len(np.unique(own[~np.isnan(own)])) for own in ratings.test) >= 20


def test_the_page_names_every_ranker_of_the_study(study):
    page = (DOCS / "evidence/ranking-accuracy.md").read_text()
    assert [ranker for ranker in study("folds").RANKERS if f"| {ranker} |" not in page] == []
