"""A loaded model equals the saved one: bitwise equal predictions, parameters and fitted attributes."""

import dataclasses

import numpy as np
import pandas
import pytest
import sklearn
from scipy import sparse
from scipy.interpolate import BSpline
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.vectors import MAX_INLINE_LENGTH
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from tests.modelfile.models import (
    DATA,
    EVERY_KIND,
    MODELS,
    SPARSE,
    calibrated,
    curves,
    fitted,
    fitted_model,
    lines,
    scores,
)

FRAME = pandas.DataFrame(DATA.X, columns=DATA.feature_names)


# Not stored in a file: scores need only the weights of the linear estimator inside a PairwiseRanker, and those of
# scikit-learn's linear models.
LEFT_BEHIND = {
    "PairwiseRanker": ("estimator_",),
    "Ridge": ("n_iter_", "solver_"),
    "RidgeClassifier": ("n_iter_", "solver_"),
    "LogisticRegression": ("n_iter_",),
}


RANKERS = [name for name in MODELS if hasattr(MODELS[name][0](), "decide_pairs")]


def passed_through(model, path):
    save_model(model, path)
    return load_model(path)


def assert_same_values(first, second):
    """Compare types and bits at any depth; NumPy numbers may have become Python numbers."""
    first, second = (one.item() if isinstance(one, np.generic) else one for one in (first, second))
    assert type(first) is type(second)
    if sparse.issparse(first):
        for name in ("shape", "data", "indices", "indptr"):
            assert_same_values(getattr(first, name), getattr(second, name))
    elif isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        if first.dtype == object:
            assert_same_values(first.tolist(), second.tolist())
        else:
            np.testing.assert_array_equal(first, second)
    elif isinstance(first, dict):
        assert list(first) == list(second)
        assert_same_values(list(first.values()), list(second.values()))
    elif dataclasses.is_dataclass(first):
        for field in dataclasses.fields(first):
            assert_same_values(getattr(first, field.name), getattr(second, field.name))
    elif isinstance(first, (tuple, list)):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_same_values(one, other)
    elif isinstance(first, sklearn.base.BaseEstimator):
        assert_same_state(first, second)
    elif isinstance(first, BSpline):
        assert_same_values(
            (first.t, first.c, first.k, first.extrapolate), (second.t, second.c, second.k, second.extrapolate)
        )
    else:
        assert first == second or (first != first and second != second)


def assert_same_state(first, second):
    """Compare all attributes, including any that are added in future."""
    own, other = (dict(vars(one)) for one in (first, second))
    for name in LEFT_BEHIND.get(type(first).__name__, ()):
        own.pop(name, None)
        assert name not in other
    assert own.keys() == other.keys()
    for name in own:
        assert_same_values(own[name], other[name])


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_has_the_same_state(name, tmp_path):
    model = fitted_model(name)
    loaded = passed_through(model, tmp_path / "m.json")
    assert repr(loaded) == repr(model)
    assert_same_values(model, loaded)


@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_bitwise_equal(name, tmp_path):
    model = fitted_model(name)
    loaded = passed_through(model, tmp_path / "m.json")
    beyond = np.vstack([DATA.X, 3.0 * DATA.X - 1.0])
    assert loaded.predict(beyond).tolist() == model.predict(beyond).tolist()
    assert scores(loaded, beyond).tolist() == scores(model, beyond).tolist()


@pytest.mark.parametrize("name", [name for name, (_, takes_sparse) in MODELS.items() if takes_sparse])
def test_predictions_for_sparse_data_are_bitwise_equal(name, tmp_path):
    model = MODELS[name][0]()
    is_curved = "kernel='lrbf'" in repr(model)
    fitted(model, SPARSE.toarray() if is_curved else SPARSE)
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(SPARSE).tolist() == model.predict(SPARSE).tolist()
    assert load_scorer(tmp_path / "m.json").predict(SPARSE) == pytest.approx(scores(model, SPARSE), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_saving_a_loaded_model_gives_the_same_file(name, tmp_path):
    save_model(fitted_model(name), tmp_path / "m.json")
    first = (tmp_path / "m.json").read_bytes()
    save_model(load_model(tmp_path / "m.json"), tmp_path / "m.json")
    assert (tmp_path / "m.json").read_bytes() == first


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_can_be_cloned_and_fitted_again(name, tmp_path):
    model = fitted_model(name)
    loaded = passed_through(model, tmp_path / "m.json")
    again = fitted(clone(loaded))
    # Without a seed, the nodes are drawn again.
    if name != "nodes of float32":
        assert scores(again, DATA.X).tolist() == scores(model, DATA.X).tolist()


@pytest.mark.parametrize("name", [name for name in EVERY_KIND if name in RANKERS])
def test_a_loaded_ranker_scores_and_compares_as_before(name, tmp_path):
    model = fitted_model(name)
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.score(DATA.X, DATA.y, qid=DATA.qid) == model.score(DATA.X, DATA.y, qid=DATA.qid)
    first, second = DATA.X[:9], DATA.X[9:18]
    assert loaded.decide_pairs(first, second).tolist() == model.decide_pairs(first, second).tolist()


@pytest.mark.parametrize("name", [*EVERY_KIND, "standard scaler"])
def test_names_seen_in_training_are_restored(name, tmp_path):
    model = fitted(MODELS[name][0](), FRAME)
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.feature_names_in_.tolist() == list(DATA.feature_names)
    assert loaded.feature_names_in_.dtype == object
    assert_same_values(model, loaded)
    assert loaded.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    with pytest.raises(ValueError, match=r"feature names should match|columns are missing"):
        loaded.predict(FRAME.rename(columns={"BM25 title": "title"}))


@pytest.mark.parametrize("X", [FRAME, DATA.X], ids=["frame", "array"])
def test_the_output_container_of_scalers_is_restored(X, tmp_path):
    """If fitted to an array, such a scaler names the features x0, x1, …, and only the ranker sees these names."""
    model = fitted(make_pipeline(StandardScaler(), RobustScaler(), lines()).set_output(transform="pandas"), X)
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert type(loaded[:-1].transform(X)) is pandas.DataFrame


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler])
def test_single_precision_is_preserved(scaler, tmp_path):
    single = DATA.X.astype(np.float32)
    model = fitted(make_pipeline(scaler(), lines()), single)
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(single).tolist() == model.predict(single).tolist()
    assert load_scorer(tmp_path / "m.json").predict(DATA.X).tolist() == model.predict(DATA.X).tolist()


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler, MaxAbsScaler])
def test_a_loaded_scaler_can_continue_training(scaler, tmp_path):
    model = fitted(make_pipeline(scaler(), lines()))
    loaded = passed_through(model, tmp_path / "m.json")
    for one in (model, loaded):
        one[0].partial_fit(5.0 * DATA.X[:7])
    assert_same_values(model, loaded)


def test_a_scaler_fitted_with_missing_values_is_restored(tmp_path):
    model = fitted(make_pipeline(StandardScaler(), lines()))
    holes = DATA.X.copy()
    holes[3, 2] = np.nan
    model[0].fit(holes)
    assert len(model[0].n_samples_seen_) == DATA.n_features
    assert_same_values(model, passed_through(model, tmp_path / "m.json"))


@pytest.mark.parametrize("name", [name for name in RANKERS if name.startswith("calibrated")])
def test_pair_probabilities_are_bitwise_equal(name, tmp_path):
    model = fitted_model(name)
    loaded = passed_through(model, tmp_path / "m.json")
    first, second = DATA.X[:60], DATA.X[60:120]
    found = loaded.predict_pair_proba(first, second)
    assert found.tolist() == model.predict_pair_proba(first, second).tolist()
    assert len(set(found.tolist())) > 5
    assert str(loaded.calibration_) == str(model.calibration_)
    assert str(loaded.reliability(DATA.X, DATA.y, DATA.qid)) == str(model.reliability(DATA.X, DATA.y, DATA.qid))


def test_a_prefit_calibrator_keeps_one_ranker_object(tmp_path):
    model = calibrated(fitted_model("standard scaler"), cv="prefit").fit(DATA.X, DATA.y, qid=DATA.qid)
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.estimator is loaded.estimator_
    assert_same_values(model, loaded)


@pytest.mark.parametrize("name", ["classes", "classes by curves"])
def test_class_probabilities_are_bitwise_equal(name, tmp_path):
    model = fitted_model(name)
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.predict_proba(DATA.X).tolist() == model.predict_proba(DATA.X).tolist()
    assert set(loaded.predict(DATA.X)) == {"good", "bad"}


def test_a_classifier_without_probabilities_stays_without(tmp_path):
    assert not hasattr(
        passed_through(fitted_model("classes without probabilities"), tmp_path / "m.json"), "predict_proba"
    )


@pytest.mark.parametrize(
    "labels",
    [
        np.array([False, True]),
        np.array([-1, 1]),
        np.array([0, 200], dtype=np.uint8),
        np.array([-1.0, 2.0]),
        np.array([0.0, 1.0], dtype=np.float32),
        np.array(["no", "yes, this"]),
        np.array(["no", "yes"], dtype=object),
    ],
    ids=lambda labels: f"{labels.dtype.name} {labels[1]}",
)
def test_labels_of_every_type_are_restored(labels, tmp_path):
    model = fitted_model("classes without probabilities")
    model = clone(model).fit(DATA.X, labels[(DATA.y > 0).astype(int)])
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(DATA.X).tolist() == model.predict(DATA.X).tolist()


@pytest.mark.parametrize("name", ["full sigmoid nodes", "additive gaussian nodes", "nodes of float32"])
def test_loaded_nodes_can_continue_training(name, tmp_path):
    model = fitted(clone(MODELS[name][0]()).set_params(**({"elmrank__random_state": 0} if "32" in name else {})))
    loaded = passed_through(model, tmp_path / "m.json")
    own, other = (one[-1] if hasattr(one, "steps") else one for one in (model, loaded))
    assert other.coef_path([0.1, 1.0]).tolist() == own.coef_path([0.1, 1.0]).tolist()
    for one in (own, other):
        with pytest.raises(DataError, match="qid must name new queries"):
            one.partial_fit(DATA.X[:9], DATA.y[:9], qid=DATA.qid[:9])
        one.partial_fit(0.5 * DATA.X[:9], DATA.y[:9], qid=["another"] * 9)
    assert_same_values(own, other)


def test_nodes_trained_with_partial_fit_are_restored(tmp_path):
    model = MODELS["full tanh nodes"][0]()
    first = np.isin(DATA.qid, DATA.groups.ids[:5])
    for rows in (first, ~first):
        model.partial_fit(DATA.X[rows], DATA.y[rows], qid=DATA.qid[rows])
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(DATA.X).tolist() == model.predict(DATA.X).tolist()


def test_the_choice_of_a_search_is_restored(tmp_path):
    model = fitted_model("search for curves")[-1]
    loaded = passed_through(model, tmp_path / "m.json")
    assert (loaded.C_, loaded.gamma_, loaded.best_score_) == (model.C_, model.gamma_, model.best_score_)
    assert loaded.coef_.tolist() == model.best_estimator_.coef_.tolist()
    assert list(loaded.cv_results_) == list(model.cv_results_)
    assert set(loaded.cv_results_["gamma"]) == {"scale", 0.5}


@pytest.mark.parametrize("name", ["search", "search for nodes"])
def test_a_fold_without_a_score_is_restored(name, tmp_path):
    model = fitted(clone(MODELS[name][0]()))
    search = model[-1] if hasattr(model, "steps") else model
    search.cv_results_["split1_test_score"] = np.array([np.nan, np.nan])
    loaded = passed_through(search, tmp_path / "m.json")
    assert np.isnan(loaded.cv_results_["split1_test_score"]).all()
    assert '"splits": [[0.' in (tmp_path / "m.json").read_text()
    assert "[null, null]]" in (tmp_path / "m.json").read_text()


def test_candidates_of_a_search_can_be_an_array(tmp_path):
    """JSON has only lists, so the loaded model has a list."""
    search = fitted(RankSVMCV(np.array([0.001, 0.1]), cv=np.int64(2), kernel="lrbf", gamma=("scale", np.float64(1e-3))))
    loaded = passed_through(search, tmp_path / "m.json")
    assert (loaded.Cs, loaded.cv, loaded.gamma) == ([0.001, 0.1], 2, ["scale", 1e-3])
    assert loaded.predict(DATA.X).tolist() == search.predict(DATA.X).tolist()


@pytest.mark.parametrize("make", [lambda one: one, calibrated], ids=["itself", "calibrated"])
def test_a_loaded_machine_on_differences_gives_bitwise_equal_comparisons(make, tmp_path):
    model = fitted(make(RankSVM(C=10.0, kernel="lrbf", mode="difference", max_pairs=None)))
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    first, second = DATA.X[:9], DATA.X[9:18]
    assert loaded.decide_pairs(first, second).tolist() == model.decide_pairs(first, second).tolist()
    assert not hasattr(loaded, "predict")
    with pytest.raises(
        DataError, match=r"m\.json: The model compares pairs of documents and does not score single ones"
    ):
        load_scorer(tmp_path / "m.json")


def test_a_linear_estimator_is_restored_with_its_parameters(tmp_path):
    loaded = passed_through(fitted_model("pairs"), tmp_path / "m.json")
    assert repr(loaded.estimator) == "LinearSVC(C=0.01, fit_intercept=False, random_state=0)"


def test_numpy_parameters_are_saved_as_plain_numbers(tmp_path):
    model = fitted(RankSVM(C=np.float32(0.5), tol=np.float64(1e-4), max_iter=np.int64(77)))
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.get_params() == model.get_params()
    assert type(loaded.max_iter) is int


def test_extreme_float64_values_are_restored(tmp_path):
    model = fitted(lines())
    edges = [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -0.0, 0.1, 1 / 3, 2.0**53 + 2.0]
    model.coef_ = np.resize(np.array(edges), DATA.n_features)
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.coef_.tobytes() == model.coef_.tobytes()


def test_long_vectors_are_stored_in_a_separate_file(tmp_path):
    model = fitted_model("long")
    n_values = sum(block.mixing.size for block in model[-1].feature_map_.blocks)
    assert n_values > MAX_INLINE_LENGTH
    loaded = passed_through(model, tmp_path / "m.json")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".npz"]
    assert_same_values(model, loaded)
    assert loaded.predict(DATA.X).tolist() == model.predict(DATA.X).tolist()
    (vector_file,) = tmp_path.glob("*.npz")
    with np.load(vector_file, allow_pickle=False) as vectors:
        assert vectors["model.ranker.columns.mixing"].size == n_values


def test_a_model_with_many_features_is_restored(tmp_path):
    X = np.random.default_rng(0).normal(size=(6, MAX_INLINE_LENGTH + 1))
    model = RankSVM().fit(X, [0, 1, 2, 0, 1, 2])
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert (tmp_path / "m.json").stat().st_size < 2_000


def test_a_feature_without_columns_is_restored(tmp_path):
    constant = DATA.X.copy()
    constant[:, 3] = 7.0
    model = fitted(curves(), constant)
    assert model.feature_map_.blocks[3] is None
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(constant).tolist() == model.predict(constant).tolist()


@pytest.mark.parametrize(
    "ranker",
    [
        ELMRank(n_nodes=10, random_state=0),
        PairCalibrator(make_pipeline(StandardScaler(), RankSVM()), random_state=0),
        KernelLeastSquaresRanker(),
    ],
)
def test_a_model_fitted_with_row_weights_is_restored(ranker, tmp_path):
    weights = np.random.default_rng(0).choice([0.0, 0.5, 2.25], size=len(DATA.y))
    model = ranker.fit(DATA.X, DATA.y, qid=DATA.qid, sample_weight=weights)
    loaded = passed_through(model, tmp_path / "m.json")
    assert_same_values(model, loaded)
    assert loaded.predict(DATA.X).tolist() == model.predict(DATA.X).tolist()


def test_a_loaded_model_scores_real_data_equally(real_data, tmp_path):
    from glassrank.data.letor.load_letor import load_letor

    data = load_letor(real_data / "ohsumed-letor2" / "S1.txt.gz")
    model = make_pipeline(StandardScaler(), RankSVM(kernel="lrbf"))
    model.fit(data.X, data.y, ranksvm__qid=data.qid)
    loaded = passed_through(model, tmp_path / "m.json")
    assert loaded.predict(data.X).tolist() == model.predict(data.X).tolist()
