"""Values that each kind of model rejects when it is saved or loaded."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, TweedieRegressor
from sklearn.model_selection import GroupKFold
from sklearn.svm import LinearSVC

from glassrank.core.checks import DataError
from glassrank.modelfile.load_model import load_model
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.pairwise import PairwiseRanker
from glassrank.ranking.rank_svm_cv import RankSVMCV
from tests.modelfile.models import DATA, EVERY_KIND, MODELS, SPARSE, calibrated, fitted, fitted_model, lines, rewrite
from tests.modelfile.test_refusals import file_rejection, put, rejection


class LinearSVCOfMine(LinearSVC):
    pass


@pytest.mark.parametrize("name", EVERY_KIND)
def test_an_unfitted_model_is_rejected(name, tmp_path):
    message = rejection(clone(MODELS[name][0]()), tmp_path)
    assert "is not fitted yet: it has no " in message
    assert message.endswith("Call fit before saving it.")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: fitted(PairwiseRanker(TweedieRegressor(power=0)), DATA.X / 100),
            "The estimator of PairwiseRanker cannot be stored in a model file: expected scikit-learn's LinearDiscr",
        ),
        (
            lambda: fitted(PairwiseRanker(LinearSVCOfMine())),
            "got tests.modelfile.test_refusals_by_kind.LinearSVCOfMine",
        ),
        (
            lambda: fitted(PairwiseRanker(LogisticRegression(class_weight={-1: 1.0, 1: 2.0}))),
            "class_weight: expected a number, a string, a Boolean, None or a list of numbers, got an object of 2",
        ),
        (
            lambda: calibrated(RandomForestRegressor(3, random_state=0)).fit(DATA.X, DATA.y, qid=DATA.qid),
            "The estimator of PairCalibrator cannot be stored in a model file: expected BestSingleFeature, RankSVM, ",
        ),
        (
            lambda: calibrated(lambda X: X[:, 0], cv="prefit").fit(DATA.X, DATA.y, qid=DATA.qid),
            "got builtins.function",
        ),
        (
            lambda: fitted(calibrated(lines(), cv=GroupKFold(2))),
            "cv: expected a whole number of folds or 'prefit', got GroupKFold(",
        ),
        (
            lambda: fitted(RankSVMCV([0.1], cv=GroupKFold(2))),
            "Change it before saving, which does not affect the fitted model: set_params(cv=3).",
        ),
        (
            lambda: fitted(ELMRank(12, random_state=np.random.default_rng(0))),
            "random_state: expected None or a whole number, got Generator(PCG64)",
        ),
        (lambda: fitted(clone(MODELS["classes"][0]())).set_params(C=0), "C: expected a number above 0, got 0"),
        (
            lambda: fitted(MODELS["full relu nodes"][0]()).set_params(nodes="additive"),
            "nodes.feature must be given if the nodes are 'additive', and only then",
        ),
    ],
)
def test_models_that_a_file_cannot_store_are_rejected(make, message, tmp_path):
    assert message in rejection(make(), tmp_path)


def test_the_remedy_for_a_cv_splitter_works(tmp_path):
    model = fitted(PairCalibrator(lines(), cv=GroupKFold(2), random_state=0)).set_params(cv=3)
    save_model(model, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").cv == 3


def test_values_that_are_not_finite_are_not_saved_by_any_kind(tmp_path):
    spoilt = {
        "full sigmoid nodes": lambda model: model.normal_equations_.gram.__setitem__((0, 0), np.nan),
        "kernel rbf": lambda model: model.dual_coef_.__setitem__(1, np.inf),
        "calibrated lines": lambda model: setattr(model, "slope_", np.nan),
        "classes": lambda model: setattr(model, "offset_", np.inf),
        "pairs": lambda model: model.coef_.__setitem__(0, np.nan),
        "search": lambda model: model.cv_results_["mean_test_score"].__setitem__(0, np.nan),
    }
    for name, spoil in spoilt.items():
        model = fitted(MODELS[name][0]())
        spoil(model)
        assert "cannot be saved" in rejection(model, tmp_path)


N = 12
REFUSED = {
    "full sigmoid nodes": [
        ("model.parameters.activation", "softmax", "activation: Input should be 'sigmoid', 'gaussian', 'tanh'"),
        (
            "model.parameters.nodes",
            "additive",
            "nodes.feature must be given if the nodes are 'additive', and only then",
        ),
        ("model.parameters.weighting", "none", "weighting: Input should be 'pairs', 'query' or 'different-labels'"),
        ("model.parameters.dtype", "float16", "dtype: Input should be 'float64' or 'float32', got 'float16'"),
        ("model.parameters.random_state", -1, "random_state: expected None or a whole number, got -1"),
        ("model.parameters.random_state", 0.5, "random_state: expected None or a whole number, got 0.5"),
        ("model.parameters.alpha", 0, "alpha: expected a number above 0, got 0"),
        ("model.nodes", None, "nodes: Input should be"),
        ("model.nodes.activation", "exp", "nodes.activation: Input should be 'sigmoid'"),
        ("model.nodes.inputs", [0.5], f"inputs must have one entry per feature and node: expected {6 * N}, got 1"),
        ("model.nodes.biases", [], "biases must have an entry for each node: got none"),
        ("model.nodes.biases", {"float32": [0.5] * N}, "inputs and biases must have the same precision"),
        ("model.coefficients", [0.5], f"coefficients must have one entry per node: expected {N}, got 1"),
        ("model.equations.gram", [1.0], f"gram must have one entry per pair of nodes: expected {N * (N + 1) // 2}, g"),
        ("model.equations.right", [1.0], "gram must have one entry per pair of nodes: expected 1, got"),
        ("model.equations.normaliser", -1.0, "normaliser must not be negative"),
        ("model.equations.dtype", "object", "equations.dtype: Input should be 'float64' or 'float32'"),
        ("model.equations", put, "equations: missing"),
        ("model.seen_queries", None, "seen_queries: expected a list of names, got None"),
        ("model.seen_queries", [1], "seen_queries: expected a list of names, got a list of 1"),
        ("model.observed.low", [0.0], "observed.low must have one entry per feature: expected 6, got 1"),
    ],
    "additive gaussian nodes": [
        ("model.nodes.feature", None, "nodes.feature must be given if the nodes are 'additive', and only then"),
        ("model.nodes.feature", [6] * N, "feature must contain numbers from 0 to 5"),
        ("model.nodes.feature", [-1] * N, "feature must contain numbers from 0 to 5"),
        ("model.nodes.feature", [0], f"feature must have one entry per node: expected {N}, got 1"),
        ("model.nodes.inputs", [0.5] * 72, f"inputs must have one entry per node: expected {N}, got 72"),
    ],
    "kernel rbf": [
        ("model.parameters.kernel", "poly", "kernel: Input should be 'rbf', 'laplacian' or 'linear', got 'poly'"),
        ("model.training.gamma", -1.0, "gamma: expected a number above 0, got -1.0"),
        ("model.values", [1.0], "values must have one entry per row and feature: expected "),
        ("model.coefficients", [], "coefficients must have an entry for each row: got none"),
        ("model.places", {"columns": [0], "starts": [0, 1]}, "places.columns must have one entry per value"),
    ],
    "sparse kernel": [
        ("model.places", None, "values must have one entry per row and feature: expected "),
        ("model.places.starts", [0], "places.starts must have one entry per row, and one more: expected 170, got 1"),
        ("model.places.starts.1", 10**6, "places.starts must increase from 0 to "),
        ("model.places.starts.0", 1, "places.starts must increase from 0 to "),
        ("model.places.starts.0", 2**63, "expected a list of whole numbers that fit into 64 bits, got a larger one"),
        ("model.places.columns.0", 6, "places.columns must be numbers from 0 to 5"),
        ("model.places.columns.0", -1, "places.columns must be numbers from 0 to 5"),
    ],
    "search": [
        ("model.parameters.cv", 1, "cv: expected a whole number of folds, got 1"),
        ("model.parameters.cv", "prefit", "cv: expected a whole number of folds, got 'prefit'"),
        ("model.parameters.Cs", [0.1, -1], "Cs: expected a number above 0, got -1"),
        ("model.parameters.Cs", {"a": 1}, "Cs: expected a list, got an object of 1"),
        ("model.parameters.gamma", ["auto"], "gamma: expected a finite number, got 'auto'"),
        ("model.training.C", "1", "training.C: expected a finite number, got '1'"),
        ("model.path.mean", [0.5], "path.mean must have one entry per choice: expected 2, got 1"),
        ("model.path.splits.0", [0.5], "path.splits.0 must have one entry per choice: expected 2, got 1"),
        ("model.path.splits.0", ["a", 1.0], "splits.0: expected a finite number, got 'a'"),
        ("model.path.splits", None, "path.splits: Input should be a valid list, got None"),
        ("model.path.rank", [1.5, 2], "path.rank: expected a list of whole numbers, got one that contains 1.5"),
        ("model.path.gamma", ["scale"], "path.gamma must have one entry per choice: expected 2, got 1"),
        ("model.best", None, "best: Input should be"),
        ("model.best.kind", "ELMRank", "best.kind: Input should be 'RankSVM', got 'ELMRank'"),
        ("model.best.coefficients", [0.5], "coefficients must have one entry per feature: expected 6, got 1"),
    ],
    "search for nodes": [
        ("model.ranker.parameters.cv", "leave-one-out", "cv: expected a whole number of folds or 'leave-query-out'"),
        ("model.ranker.parameters.alphas", [], "alphas: expected at least one value, got none"),
        ("model.ranker.training.alpha", 0, "training.alpha: expected a number above 0, got 0"),
        ("model.ranker.path.penalty", [0.5], "must have one entry per choice: expected 1, got 2"),
    ],
    "pairs": [
        (
            "model.estimator.kind",
            "os.system",
            "estimator.kind: unknown estimator 'os.system': expected LinearDiscriminantAnalysis, L",
        ),
        ("model.estimator.kind", 7, "estimator.kind: Input should be a valid string, got 7"),
        (
            "model.estimator.parameters",
            {"C": {}},
            "C: expected a number, a string, a Boolean, None or a list of numbers",
        ),
        ("model.estimator.parameters", [], "estimator.parameters: Input should be a valid dict"),
        ("model.coefficients", [0.5], "coefficients must have one entry per feature: expected 6, got 1"),
        ("model.training.n_pairs", 0, "n_pairs: Input should be greater than or equal to 1, got 0"),
    ],
    "classes": [
        ("model.slope", None, "slope and offset must both be given, or neither"),
        ("model.classes.labels", ["good"], "labels must be two values of type 'text', the smaller first: got 'good'"),
        ("model.classes.labels", ["good", "bad"], "the smaller first: got 'good', 'bad'"),
        ("model.classes.labels", ["a", "a"], "the smaller first: got 'a', 'a'"),
        ("model.classes.labels", [0, 1], "labels must be two values of type 'text'"),
        ("model.classes.labels", [[0], 1], "labels.0"),
        ("model.classes.dtype", "int64", "labels must be two values of type 'int64'"),
        ("model.classes.dtype", "O8,O8", "unknown type of labels 'O8,O8'"),
        ("model.parameters.cv", "prefit", "cv: expected a whole number of folds or None, got 'prefit'"),
        ("model.intercept", "0", "intercept: Input should be a valid number, got '0'"),
    ],
    "calibrated lines": [
        ("model.parameters.method", "isotonic", "method: Input should be 'sigmoid', got 'isotonic'"),
        ("model.parameters.max_pairs", 0, "max_pairs: Input should be greater than or equal to 1, got 0"),
        ("model.slope", None, "slope: Input should be a valid number, got None"),
        ("model.n_features", 5, "ranker must have 5 features: got 6"),
        ("model.calibration.bins", None, "calibration.bins: Input should be a valid list, got None"),
        ("model.calibration.bins.0.interval", [0.5], "interval.1: missing"),
        ("model.calibration.brier", "low", "calibration.brier: Input should be a valid number, got 'low'"),
        ("model.ranker.kind", "PairCalibrator", "ranker: unknown kind 'PairCalibrator': expected 'BestSingleFeature'"),
        ("model.ranker.coefficients", [0.5], "coefficients must have one entry per feature: expected 6, got 1"),
    ],
    "pipeline, calibrated": [
        ("model.ranker.ranker.kind", "PairCalibrator", "unknown kind 'PairCalibrator'"),
        ("model.ranker.ranker.coefficients", [0.5], f"coefficients must have one entry per node: expected {N}, got 1"),
    ],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    models = {name: fitted_model(name) for name in REFUSED if name != "sparse kernel"}
    models["sparse kernel"] = fitted(clone(models["kernel rbf"]), SPARSE)
    for name, model in models.items():
        save_model(model, folder / f"{name}.json")
    return folder


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [(name, *case) for name, cases in REFUSED.items() for case in cases],
    ids=lambda value: value.__name__ if callable(value) else str(value)[:30],
)
def test_invalid_content_with_a_valid_checksum_is_rejected_with_its_position(
    name, place, value, message, files, tmp_path
):
    """The checksum is valid, so that only the validation can find the fault."""
    path = tmp_path / "m.json"
    path.write_bytes((files / f"{name}.json").read_bytes())
    rewrite(path, put(place, value))
    assert message in file_rejection(path)


def test_a_parameter_unknown_to_the_estimator_is_rejected(files, tmp_path):
    """Only scikit-learn knows the parameters; a scorer needs neither scikit-learn nor the parameter."""
    path = tmp_path / "m.json"
    path.write_bytes((files / "pairs.json").read_bytes())
    rewrite(path, put("model.estimator.parameters", {"novelty": 1}))
    with pytest.raises(DataError, match="LinearSVC has no parameter 'novelty' in the installed version"):
        load_model(path)


def test_nested_calibrators_are_limited_by_the_depth_of_a_file(files, tmp_path):
    """Pipeline in PairCalibrator in Pipeline …: the two kinds can contain each other, so the depth is limited."""

    def nest(content):
        innermost = content["model"]
        for _ in range(20):
            shell = {**content["model"], "ranker": {**content["model"]["ranker"], "ranker": innermost}}
            innermost = shell
        content["model"] = innermost

    path = tmp_path / "m.json"
    path.write_bytes((files / "pipeline, calibrated.json").read_bytes())
    rewrite(path, nest)
    assert "nested deeper than the 16 levels" in file_rejection(path)
