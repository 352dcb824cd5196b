"""Hostile and damaged steps in a model file are rejected with their position, by both ways of loading."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank.core.checks import DataError
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from tests.modelfile.models import DATA, MODELS, fitted, fitted_model, rewrite
from tests.modelfile.test_refusals import file_rejection, put, rejection

STEP = "model.scaling.0"
FIRST = f"{STEP}.transformers.0.step.steps"
REFUSED = {
    "filled": [
        (f"{STEP}.statistics.values", [1.0], "statistics must have one entry per feature: expected 6, got 1"),
        (f"{STEP}.statistics.values.0", "text", "expected values of the type float64"),
        (f"{STEP}.statistics.values.0", [1.0], "expected texts, Booleans, finite numbers or null, got a list of 1"),
        (f"{STEP}.statistics.values", [None] * 6, "statistics must have at least one known value"),
        (f"{STEP}.statistics.dtype", "O8,O8", "unknown type 'O8,O8'"),
        (f"{STEP}.statistics.dtype", "int64", "int64"),
        (f"{STEP}.indicated", [6], "numbers of features must ascend from 0 to 5"),
        (f"{STEP}.indicated", [-1], "numbers of features must ascend from 0 to 5"),
        (f"{STEP}.indicated", None, "indicated must be given if add_indicator is set"),
        (f"{STEP}.parameters.strategy", "os.system", "strategy: Input should be 'mean', 'median'"),
        (f"{STEP}.parameters.missing_values.values", [], "expected one value, got 0"),
        (f"{STEP}.parameters.missing_values.values", ["a"], "missing_values must be a number for columns of the type"),
        (f"{STEP}.parameters.missing_values.missing", "none", "missing_values must be a number for columns of the"),
        (f"{STEP}.statistics.values.0", True, "expected values of the type float64"),
        (f"{STEP}.fitted_type", "complex128", "expected a type of numbers, got 'complex128'"),
    ],
    "quantiles": [
        (f"{STEP}.references", [0.0, 1.0], "quantiles must have one entry per reference and feature: expected 12"),
        (f"{STEP}.references.1", -1.0, "references must rise"),
        (f"{STEP}.references.8", 2.0, "references must be shares from 0 to 1"),
        (f"{STEP}.references", [], "references must rise"),
        (f"{STEP}.quantiles.0", 1e9, "quantiles must not fall"),
        (f"{STEP}.quantiles", {"vector": "x"}, "no .npz file next to it contains the vector"),
        (f"{STEP}.parameters.n_quantiles", 2**60, "n_quantiles: Input should be less than or equal to"),
        (f"{STEP}.parameters.output_distribution", "gamma", "output_distribution: Input should be 'uniform'"),
    ],
    "powers": [
        (f"{STEP}.exponents", [1.0], "exponents must have one entry per feature: expected 6, got 1"),
        (f"{STEP}.scaler", None, "standardize needs scaler"),
        (f"{STEP}.scaler.scale.0", -1.0, "scale must be above 0"),
        ("model.ranker.variances.0", 0.0, "variances must be above 0"),
        ("model.ranker.means", [0.0], "means must have one entry per class and feature: expected 12, got 1"),
        ("model.ranker.shares", [0.0, 1.0], "shares must be above 0"),
        ("model.ranker.counts", [1.0], "counts must have one entry per class: expected 2, got 1"),
    ],
    "functions": [
        (f"{STEP}.parameters.func", "os.system", "unknown function 'os.system': expected log1p, expm1, log, exp"),
        (f"{STEP}.parameters.func", "load", "unknown function 'load': expected log1p"),
        (f"{STEP}.parameters.inverse_func", "__import__", "unknown function '__import__'"),
        (f"{STEP}.parameters.kw_args", {"out": 1}, "kw_args: Input should be None"),
        (f"{STEP}.n_features", 5, "the last step must take 5 columns: got 6"),
    ],
    "columns": [
        (f"{STEP}.transformers.0.columns.values", [0, 9], "there is no column 9"),
        (f"{STEP}.transformers.0.columns.values", ["a", "b"], "there is no column 'a'"),
        (f"{STEP}.transformers.0.columns.values", [0], "'signs' must take 1 columns"),
        (f"{STEP}.transformers.0.columns.by", "code", "columns.by: Input should be 'names', 'numbers'"),
        (f"{STEP}.transformers.1.columns.values", [0, 2, 0], "the step of a slice must be a number"),
        (f"{STEP}.transformers.1.columns.values", [0, 2], "a slice has a start, a stop and a step"),
        (f"{STEP}.transformers.2.columns.values", [True], "a mask must have one Boolean per feature: 6"),
        (f"{STEP}.transformers.0.name", "codes", "two transformers have the same name"),
        (f"{STEP}.transformers.0.step", None, "a transformer that is used needs step"),
        (f"{STEP}.transformers.0.use", "unused", "a transformer that is used needs step"),
        (f"{STEP}.transformers", [], "the last step must take"),
        (f"{FIRST}.0.kind", "PCA", "unknown kind 'PCA': expected 'FeatureTransformer'"),
        (f"{FIRST}.1.categories", [], "categories must have one entry per feature: expected 2, got 0"),
        (f"{FIRST}.1.categories.0.values", [], "every feature must have categories, all different"),
        (f"{FIRST}.1.categories.0.values", [1.0, 1.0], "every feature must have categories, all different"),
        (f"{FIRST}.1.categories.0.values", [True, 1.0], "expected values of the type float64"),
        (f"{FIRST}.1.categories.0", {"dtype": "object", "values": [True, 1.0], "missing": "nan"}, "all different"),
        (f"{FIRST}.1.categories.0.values", [1.0, 0.0], "categories of numbers must ascend"),
        (f"{FIRST}.1.categories.0.values", [None, 1.0], "a missing value must be the last category"),
        (f"{FIRST}.1.parameters.handle_unknown", "guess", "handle_unknown: Input should be 'error', 'ignore'"),
        (f"{FIRST}.1.parameters.dtype", "object", "expected a type of numbers, got 'object'"),
        (f"{FIRST}.1.parameters.drop", "first", "drop needs dropped"),
        (f"{FIRST}.1.dropped", [9, 0], "drop needs dropped"),
        (f"{FIRST}.1.infrequent", [[0], None], "infrequent must be given if there is a limit to it"),
        ("model.ranker.coefficients", [0.5], "coefficients must have one entry per feature"),
        ("model.ranker.intercept", [0.5, 1.0], "intercept must be one number"),
        ("model.ranker.classes", {"dtype": "int64", "labels": [0, 1]}, "a classifier needs classes, and only then"),
        ("model.ranker.kind", "RidgeClassifier", "a classifier needs classes"),
    ],
    "rare categories": [
        (f"{STEP}.steps.1.infrequent.0", [7], "infrequent must be categories"),
        (f"{STEP}.steps.1.infrequent.0", [], "infrequent must be categories"),
        (f"{STEP}.steps", [], "steps: List should have at least 1 item"),
    ],
    "selected": [
        (f"{STEP}.values", {}, "values must be variances_"),
        (f"{STEP}.parameters.threshold", 1e300, "at least one feature must be selected"),
        ("model.scaling.1.parameters.k", 0, "at least one feature must be selected"),
        ("model.scaling.1.parameters.score_func", "os.system", "unknown function 'os.system': expected f_classif"),
        ("model.scaling.1.values.scores_.values", [1.0], "scores_ must have one entry per feature"),
    ],
    "splines": [
        (f"{STEP}.knots", [], "knots: List should have at least 1 item"),
        (f"{STEP}.knots.0", [0.0] * 5000, "all features must have the same number of knots"),
        (f"{STEP}.knots", [[0.0] * 5000] * 6, "a feature must have at most 1000 knots"),
        (f"{STEP}.knots.0.0", 1e9, "knots must not fall"),
        (f"{STEP}.parameters.degree", 10**9, "splines of this degree need at least"),
    ],
    "codes": [
        ("model.ranker.log_probabilities.0", [0.0], "every feature must have two classes"),
        ("model.ranker.log_probabilities.0.0", 0.5, "log_probabilities must not be above 0"),
    ],
    "presence": [("model.ranker.log_probabilities.0", 0.0, "log_probabilities must be below 0")],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steps")
    for name in REFUSED:
        save_model(fitted_model(name), folder / f"{name}.json")
    return folder


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [(name, *case) for name, cases in REFUSED.items() for case in cases],
    ids=lambda value: str(value)[-30:],
)
def test_a_hostile_step_with_a_valid_checksum_is_rejected(name, place, value, message, files, tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes((files / f"{name}.json").read_bytes())
    rewrite(path, put(place, value))
    assert message in file_rejection(path)


def nested(depth):
    """A Pipeline inside a Pipeline, and so on, before a Ridge."""
    steps = StandardScaler()
    for _ in range(depth):
        steps = make_pipeline(steps)
    return fitted(make_pipeline(steps, Ridge()))


def test_pipelines_inside_each_other_are_limited_by_the_depth_of_a_file(tmp_path):
    path = tmp_path / "m.json"
    save_model(nested(4), path)
    assert load_model(path).predict(DATA.X).tolist() == nested(4).predict(DATA.X).tolist()
    path.unlink()
    assert "nested deeper than the 16 levels" in rejection(nested(8), tmp_path)


def test_values_that_the_table_did_not_have_are_refused_by_name(tmp_path):
    model = fitted(
        make_pipeline(MODELS["columns"][0]()[0].set_params(signs__onehotencoder__handle_unknown="error"), Ridge())
    )
    save_model(model, tmp_path / "m.json", feature_names=DATA.feature_names)
    rows = DATA.X[:2].copy()
    rows[0, 1] = np.nan
    with pytest.raises(DataError, match=r"OneHotEncoder does not know all categories of .*: got a missing value"):
        load_scorer(tmp_path / "m.json").predict(rows)
