"""Row weights and sparse features in a study: which steps they affect, and which they do not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from lightgbm import LGBMRanker
from scipy import sparse

import glassrank as gr
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.studies.ranking import study as module
from glassrank.studies.ranking.choice import CS
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.study import study
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

FILES = ["effects.json", "model.json", "selection.csv"]


@pytest.fixture(scope="module")
def data():
    made = gr.simulate_ranking(34, 10, random_state=3).data.pick_features([0, 1, 2, 9, 14, 15])
    # Small values become 0, so that the matrix is sparse.
    return replace(made, X=np.where(np.median(made.X, axis=0) < made.X, made.X, 0.0), doc_ids=None)


@pytest.fixture(scope="module")
def weights(data):
    found = np.random.default_rng(1).choice([0.0, 1.0, 4.0], size=data.n_rows)
    found[data.groups.of_row == 3] = 0.0
    return found


@pytest.fixture(scope="module")
def parts(data, weights):
    """Data to train on and data to measure on, both with weights."""
    weighted = replace(data, weights=weights)
    return weighted.pick_queries(data.groups.ids[:26]), weighted.pick_queries(data.groups.ids[26:])


def counted(data):
    return data.pick_rows(data.weights > 0)


def read(folder):
    return [(folder / name).read_bytes() for name in FILES]


def kept_step(folder, name):
    return json.loads((folder / "steps" / f"{name}.json").read_text())["result"]


def numbers(result):
    """All numbers of a study except the facts, which count the input rows, and the CPU times."""
    found = result.to_dict()
    del found["times"]
    del found["folder"], found["facts"]
    return found


@pytest.fixture(scope="module")
def made(parts, tmp_path_factory):
    return study(parts[0], test=parts[1], folder=tmp_path_factory.mktemp("weighted"))


def test_rows_of_weight_zero_are_absent_from_everything_that_is_learned(parts, made, tmp_path):
    """C, scaling, elimination, calibration and resamples all affect these files and numbers."""
    train, test = parts
    without = study(counted(train), test=test, folder=tmp_path)
    assert read(tmp_path) == read(made.folder)
    assert numbers(without) == numbers(made)
    for step in ("C", "elimination", "test"):
        assert kept_step(tmp_path, step) == kept_step(made.folder, step)


def test_with_validation_data_rows_of_weight_zero_are_absent_too(parts, tmp_path):
    train, test = parts
    ids = train.groups.ids
    both = [train.pick_queries(ids[:16]), train.pick_queries(ids[16:])]
    study(*both, test, tmp_path / "all")
    study(*map(counted, both), test, tmp_path / "counted")
    assert read(tmp_path / "all") == read(tmp_path / "counted")


def test_weights_change_the_model_and_a_common_factor_does_not(parts, made, tmp_path):
    train, test = parts
    study(replace(train, weights=None), test=test, folder=tmp_path / "plain")
    assert read(tmp_path / "plain")[1] != read(made.folder)[1]
    study(replace(train, weights=1e-3 * train.weights), test=test, folder=tmp_path / "small")
    scores = [gr.load_model(folder / "model.json") for folder in (tmp_path / "small", made.folder)]
    names = [feature["name"] for feature in json.loads((made.folder / "effects.json").read_text())["features"]]
    A, B = test.pick_features(names).X[:30], test.pick_features(names).X[30:60]
    small, large = (model.predict_pair_proba(A, B) for model in scores)
    np.testing.assert_allclose(small, large, rtol=1e-4)


def test_weights_of_one_change_nothing(data, tmp_path):
    some, rest = data.pick_queries(data.groups.ids[:20]), data.pick_queries(data.groups.ids[20:])
    study(some, test=rest, folder=tmp_path / "plain")
    study(replace(some, weights=np.full(some.n_rows, 3.0)), test=rest, folder=tmp_path / "equal")
    plain, equal = (json.loads((tmp_path / name / "effects.json").read_text()) for name in ("plain", "equal"))
    for one, two in zip(plain["features"], equal["features"], strict=True):
        np.testing.assert_allclose(one["effects"], two["effects"], rtol=1e-4, atol=1e-4)


def test_measures_are_unweighted_and_keep_rows_of_weight_zero(parts, made):
    """The weights of the test data have no effect: the measure includes all rows."""
    test = parts[1]
    scores = kept_step(made.folder, "test")["kept"]
    expected = evaluate(test.y, scores, qid=test.qid, measures=["ndcg@10"])["ndcg@10"]
    assert made.main[made.model].mean == pytest.approx(expected, rel=1e-12)


def test_the_report_states_how_weights_are_used(parts, made):
    train = parts[0]
    absent = int((train.weights == 0).sum())
    used = train.weights[train.weights > 0]
    effective = used.sum() ** 2 / (used**2).sum()
    spread = f"{used.min():g} to {used.max():g} (median {np.median(used):g})"
    said = (
        f"rows count {spread} in every fit, worth {effective:,.0f} equal rows of {train.n_rows}; {absent} rows of "
        "weight 0 left out. Measures are unweighted and keep all rows"
    )
    assert made.facts["Weights"] == said
    assert said in (made.folder / "report.html").read_text(encoding="utf-8")


def test_without_test_data_every_row_is_measured_by_models_that_saw_only_counted_rows(data, weights, tmp_path):
    weighted = replace(data, weights=weights)
    found = study(weighted, folder=tmp_path)
    assert found.main.n_queries == data.n_queries
    folds = [kept_step(tmp_path, f"fold-{number}")["kept"] for number in range(1, 6)]
    assert sum(map(len, folds)) == data.n_rows > (weights > 0).sum()
    assert gr.load_model(tmp_path / "model.json").n_queries_ == len(np.unique(data.qid[weights > 0]))


def test_changed_weights_start_the_steps_again(parts, made, tmp_path, monkeypatch):
    train, test = parts
    (tmp_path / "steps").mkdir()
    for path in (made.folder / "steps").iterdir():
        (tmp_path / "steps" / path.name).write_bytes(path.read_bytes())

    def again(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Recipe, "choose", again)
    with pytest.raises(KeyboardInterrupt):
        study(replace(train, weights=train.weights + 1.0), test=test, folder=tmp_path)


def by_hand(train, test):
    """Features of ``train`` and ``test`` in units of the weighted deviation from the weighted mean."""
    v = train.weights
    mean = v @ train.X / v.sum()
    spread = np.sqrt(v @ (train.X - mean) ** 2 / v.sum())
    return (train.X - mean) / spread, (test.X - mean) / spread


def test_the_recipe_standardises_by_weighted_moments_and_fits_with_weights(parts):
    train, test = parts
    found = Recipe().held_out_scores(FoldRows.of(train, test))
    counted_train = counted(train)
    X, measured = by_hand(counted_train, test)
    given = {"qid": counted_train.qid, "sample_weight": counted_train.weights}
    assert found.C == RankSVMCV(CS, 3).fit(X, counted_train.y, **given).C_
    model = RankSVM(found.C, C_unit="mean", tol=1e-7).fit(X, counted_train.y, **given)
    np.testing.assert_allclose(found.by_system["full"], model.predict(measured), rtol=0, atol=1e-4)


def test_lambdarank_uses_the_weights(parts):
    train, test = parts
    found = Recipe().boosted_scores(0, FoldRows.of(train, test)).scores
    counted_train = counted(train)
    order = counted_train.groups.order
    gains = [2.0**label - 1 for label in np.unique(counted_train.y)]
    trees = LGBMRanker(random_state=0, deterministic=True, verbose=-1, label_gain=gains, n_jobs=1)
    grades = np.searchsorted(np.unique(counted_train.y), counted_train.y)
    relative = counted_train.weights / counted_train.weights.mean()
    trees.fit(counted_train.X[order], grades[order], group=counted_train.groups.sizes, sample_weight=relative[order])
    np.testing.assert_allclose(found, trees.predict(test.X), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_sparse_and_dense_features_give_the_same_study(kernel, data, weights, tmp_path, monkeypatch):
    monkeypatch.setitem(module.RESAMPLES, "lrbf", 2)
    dense = replace(data, weights=weights)
    thin = replace(dense, X=sparse.csr_matrix(dense.X))
    ids = data.groups.ids
    results, reported = [], []
    for name, rows in (("dense", dense), ("thin", thin)):
        train, valid, test = (rows.pick_queries(ids[part]) for part in (slice(0, 18), slice(18, 26), slice(26, 34)))
        results.append(
            study(train, valid, test, tmp_path / name, kernel=kernel, progress=lambda *step: reported.append(step[-1]))
        )
    assert read(tmp_path / "dense") == read(tmp_path / "thin")
    assert numbers(results[0]) == numbers(results[1])
    assert results[0].facts == results[1].facts
    assert sum(step.startswith("Converting sparse features to dense, ") for step in reported) == 3


def test_a_study_resumes_if_only_the_layout_of_the_data_changes(data, tmp_path):
    """A study of sparse features reuses the steps of the dense one, because the numbers are the same."""
    train, test = data.pick_queries(data.groups.ids[:26]), data.pick_queries(data.groups.ids[26:])
    made = study(train, test=test, folder=tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "steps").iterdir()}
    thin_train, thin_test = (replace(part, X=sparse.csr_matrix(part.X)) for part in (train, test))
    again = study(thin_train, test=thin_test, folder=tmp_path)
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "steps").iterdir()} == before
    assert numbers(again) == numbers(made)


def test_counted_rows_have_weights_of_mean_one():
    data = RankingData([[1.0], [2.0], [3.0], [4.0]], y=[0, 1, 2, 0], qid=[1, 1, 2, 2], weights=[0.0, 1e-6, 0.0, 3e-6])
    found = data.counted()
    assert (found.y.tolist(), found.qid.tolist(), found.weights.tolist()) == ([1.0, 0.0], [1, 2], [0.5, 1.5])
    assert replace(data, weights=[0.0, 2.0, 2.0, 2.0]).counted().weights is None
    unweighted = replace(data, weights=None)
    assert unweighted.counted() is unweighted
