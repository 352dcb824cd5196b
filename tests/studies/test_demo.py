"""The demo's job: simulate, choose the baseline, train, measure, draw."""

import re

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.studies.demo import run_demo

SEEDS = range(5)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {seed: tmp_path_factory.mktemp(f"seed{seed}") for seed in SEEDS}


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def results(folders, steps):
    return {seed: run_demo(folder, n_queries=100, seed=seed, progress=steps.append) for seed, folder in folders.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_model_beats_the_best_single_feature(results, seed):
    """On simulated data in which twelve features count, no single one can keep up."""
    told = results[seed].to_dict()
    baseline, model = told["systems"][told["baseline"]], told["systems"]["linear RankSVM"]
    assert 0 < baseline < model < 1
    assert told["verdict"] == "better"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_text_names_both_values_the_convention_and_that_data_are_simulated(results, seed):
    text = str(results[seed])
    assert f"simulated data (seed {seed})" in text
    values = [float(value) for value in re.findall(r"NDCG@10 (\d\.\d{4})", text)]
    assert values == [pytest.approx(value, abs=5e-5) for value in results[seed].to_dict()["systems"].values()]
    assert len(values) == 2
    assert "convention “standard”" in text
    assert "50 held-out queries" in text
    assert text.endswith(f"Report: {results[seed].path}")


def test_the_json_form_holds_plain_values(results):
    told = results[0].to_dict()
    assert set(told) == {"simulated", "measure", "convention", "systems", "baseline", "verdict", "report"}
    assert told["simulated"] is True
    assert (told["measure"], told["convention"]) == ("ndcg@10", "standard")
    assert told["report"] == str(results[0].path)
    assert all(type(value) is float for value in told["systems"].values())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_folder_holds_the_page_and_nothing_else(results, folders, seed):
    assert [path.name for path in folders[seed].iterdir()] == ["report.html"]
    assert results[seed].path == folders[seed] / "report.html"


def test_the_same_seed_gives_the_same_bytes(results, tmp_path):
    again = run_demo(tmp_path, n_queries=100, seed=3, progress=lambda step: None)
    assert again.path.read_bytes() == results[3].path.read_bytes()


def test_other_seeds_give_other_pages(results):
    assert len({result.path.read_bytes() for result in results.values()}) == len(SEEDS)


def test_a_new_page_takes_the_place_of_the_old_one_in_one_step(results, tmp_path):
    """Who reads the old page while the new one is written reads the old one to its end."""
    path = tmp_path / "report.html"
    old = "an old page\n" * 100_000
    path.write_text(old)
    with path.open() as reader:
        reader.read(100)
        run_demo(tmp_path, n_queries=100, seed=1, progress=lambda step: None)
        assert reader.read() == old[100:]
    assert path.read_bytes() == results[1].path.read_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_each_step_is_told(results, steps):
    assert len(steps) == 5 * len(SEEDS)
    assert len(set(steps)) == 5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pair_shown_is_one_where_the_model_is_right(results, seed):
    pair = results[seed].report.nomogram.pair
    assert pair.a.rank == 1
    assert pair.a.label > pair.b.label
    assert pair.difference > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_page_says_simulated_and_how_to_reproduce_it(results, seed):
    page = results[seed].path.read_text()
    assert f"<h1>glassrank demo: simulated data (seed {seed})</h1>" in page
    assert "Ranking nomogram (simulated data)" in page
    assert f"glassrank demo --queries 100 --seed {seed}" in page


def test_features_stand_by_length_with_their_role(results):
    lines = results[0].report.features
    lengths = [line.length for line in lines]
    assert lengths == sorted(lengths, reverse=True)
    assert np.isfinite(lengths).all()
    roles = [line.role for line in lines]
    assert roles.count("signal") == 12
    assert roles.count("noise") == 3
    assert sum(role.startswith("repeats ") for role in roles) == 3


def test_nothing_of_later_stages_is_on_the_page(results):
    """A ranker without probabilities claims none."""
    page = results[0].path.read_text()
    assert "robabilit" not in page
    assert "P(" not in page
    assert "<script" not in page


def test_a_folder_is_made_with_its_parents(tmp_path):
    result = run_demo(tmp_path / "a" / "b", n_queries=20, seed=0, progress=lambda step: None)
    assert result.path == tmp_path / "a" / "b" / "report.html"
    assert result.path.is_file()


def test_a_page_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(DataError, match=r"report\.html"):
        run_demo(tmp_path, n_queries=20, seed=0, progress=lambda step: None)


@pytest.mark.parametrize(("n_queries", "seed"), [(2, 0), (3, 0), (4, 0), (4, 19)])
def test_few_queries_give_a_page_or_a_clear_error(tmp_path, n_queries, seed):
    """With 4 queries and seed 19, model and baseline agree on the first document of every held-out query."""
    try:
        path = run_demo(tmp_path, n_queries=n_queries, seed=seed, progress=lambda step: None).path
    except DataError:
        assert list(tmp_path.iterdir()) == []
    else:
        assert path.is_file()
