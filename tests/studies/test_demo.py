"""The demo, a study of simulated data: its output, and that it is reproducible."""

import pytest

from glassrank.core.checks import DataError
from glassrank.core.progress import silent
from glassrank.studies.demo import run_demo
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

SEEDS = range(1)


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def results(tmp_path_factory, steps):
    return {
        seed: run_demo(
            tmp_path_factory.mktemp(f"seed{seed}"), n_queries=60, seed=seed, progress=lambda *step: steps.append(step)
        )
        for seed in SEEDS
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_model_beats_the_best_single_feature(results, seed):
    """In the simulated data twelve features matter, so no single one suffices."""
    single = results[seed].main["single"]
    assert single.verdict == "worse"
    assert 0 < single.mean < results[seed].main[results[seed].model].mean < 1


@pytest.mark.parametrize("seed", SEEDS)
def test_the_report_is_labelled_simulated_and_shows_the_command(results, seed):
    page = (results[seed].folder / "report.html").read_text()
    assert f"<h1>glassrank demo: simulated data (seed {seed})</h1>" in page
    assert f"glassrank demo --queries 60 --seed {seed}" in page
    assert "30 test queries" in str(results[seed])


def test_each_step_is_reported(results, steps):
    assert steps[0] == (0, None, "Simulating documents and judgements")
    assert len(steps) == len(SEEDS) * len(set(steps))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_model_orders_the_example_pair_correctly(results, seed):
    pair = results[seed].nomogram.pair
    assert pair.a.rank == 1
    assert pair.a.label > pair.b.label
    assert pair.difference > 0


def test_units_of_the_simulation_appear_in_the_nomogram(results):
    units = {feature.name: feature.unit for feature in results[0].nomogram.effects.features}
    assert units.get("Freshness", "days") == "days"
    assert any(units.values())


def test_a_report_that_cannot_be_written_ends_with_1_and_one_line(tmp_path):
    (tmp_path / "out" / "report.html").mkdir(parents=True)
    done = glassrank("demo", "--folder", "out", "--quiet", "--queries", "20", folder=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: out/report.html: ")
    assert len(done.err.splitlines()) == 1


def test_a_refused_demo_leaves_no_folder(tmp_path):
    with pytest.raises(DataError, match="n_queries"):
        run_demo(tmp_path / "out", n_queries=0, seed=0, progress=silent)
    assert not (tmp_path / "out").exists()
