"""Models that cannot be saved and invalid files are rejected with the reason and a remedy."""

import json
import pickle
import re

import numpy as np
import pytest
from pandas import DataFrame
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVR

from glassrank.core.checks import DataError
from glassrank.data.query_scaler import QueryScaler
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.model_files import MAX_TEXT_BYTES
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.rank_svm import RankSVM
from tests.modelfile.models import DATA, fitted, fitted_model, lines, rewrite


class RankSVMOfMine(RankSVM):
    pass


OTHER_RANKSVM = type("RankSVM", (RankSVM,), {})


def rejection(model, tmp_path, **names) -> str:
    with pytest.raises(DataError) as error:
        save_model(model, tmp_path / "m.json", **names)
    assert list(tmp_path.iterdir()) == []
    return str(error.value)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lines(), "This RankSVM is not fitted yet: it has no coef_. Call fit before saving it."),
        (make_pipeline(StandardScaler(), lines()), "This StandardScaler is not fitted yet"),
        (fitted(RankSVMOfMine()), "CategoricalNB, Pipeline, PairCalibrator, got tests.modelfile"),
        (fitted(OTHER_RANKSVM()), "CategoricalNB, Pipeline, PairCalibrator, got tests.modelfile"),
        (
            RandomForestRegressor(),
            "This model cannot be stored in a model file: expected BestSingleFeature, RankSVM, RankSVMCV, ELMRank, "
            "ELMRankCV, KernelLeastSquaresRanker, PairwiseRanker, AdditiveRanker, AdditiveSVC, "
            "NavigationalClassifier, scikit-learn's linear models, GaussianNB, MultinomialNB, BernoulliNB, "
            "CategoricalNB, Pipeline, PairCalibrator, got sklearn",
        ),
        (lines, "got builtins.function"),
        (None, "got None"),
        (
            fitted(make_pipeline(QueryScaler(), lines())),
            "Step 'queryscaler' cannot be stored in a model file: expected FeatureTransformer, Sta",
        ),
        (fitted(make_pipeline(PCA(2), lines())), "Transform the data yourself before fitting and before ranking."),
        (make_pipeline(StandardScaler(), SVR()), "The last step 'svr' cannot be stored in a model file"),
        (HistGradientBoostingRegressor(), "Fit a model of curves, such as RankSVM or AdditiveSVC with kernel='lrbf'."),
        (
            fitted(make_pipeline(RFE(Ridge()), lines())),
            "Use ColumnTransformer([('kept', 'passthrough', selector.get_support())]) in its place.",
        ),
        (
            fitted(make_pipeline(FunctionTransformer(lambda X: X + 1), lines())),
            "FunctionTransformer(<lambda>) cannot be stored in a model file, which contains no code: expected None or "
            "a function of NumPy, one of log1p, expm1, log, ",
        ),
        (
            fitted(make_pipeline(FunctionTransformer(np.round), lines())),
            "Use one of these, or transform the data yourself before fitting and before ranking.",
        ),
        (fitted(make_pipeline(SimpleImputer(strategy=np.max), lines())), "if its strategy is a function"),
        (
            fitted(make_pipeline(SelectKBest(lambda X, y: np.arange(6.0), k=2), lines())),
            "A selector by <lambda> cannot be stored in a model file, which contains no code",
        ),
        (RidgeClassifier().fit(DATA.X, DATA.y), "This RidgeClassifier cannot be saved: expected two classes."),
        (GaussianNB().fit(DATA.X, DATA.y), "This GaussianNB cannot be saved: expected two classes"),
        (fitted(make_pipeline(lines())).set_params(memory="cache"), "Call model.set_params(memory=None)"),
        (Pipeline([]), "This Pipeline has no steps: expected a ranker as its last step"),
        (fitted(lines()).set_params(C=-1.0), "C: expected a number above 0, got -1.0"),
        (fitted(lines()).set_params(kernel="rbf"), "kernel: Input should be 'linear' or 'lrbf', got 'rbf'"),
        (fitted(lines()).set_params(kernel="lrbf"), "columns must be given if the kernel is 'lrbf', and only then"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:24],
)
def test_a_model_that_cannot_be_saved_is_rejected(model, message, tmp_path):
    assert message in rejection(model, tmp_path)


def test_a_search_is_rejected_with_the_advice_to_save_its_best_model(tmp_path):
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2).fit(DATA.X, DATA.y)
    assert rejection(search, tmp_path).endswith("Save its best_estimator_.")


def test_numbers_that_are_not_finite_are_not_saved(tmp_path):
    for bad in (np.nan, np.inf):
        model = fitted(lines())
        model.coef_[3] = bad
        assert f"expected finite numbers, got {bad} at position 3" in rejection(model, tmp_path)
    model = fitted(lines())
    model.objective_ = np.inf
    assert "objective: Input should be a finite number, got inf" in rejection(model, tmp_path)


def test_fitted_attributes_must_have_matching_sizes(tmp_path):
    model = fitted(lines())
    model.coef_ = model.coef_[:-1]
    assert "coefficients must have one entry per feature: expected 6, got 5" in rejection(model, tmp_path)
    model.coef_ = np.ones((2, 3))
    assert "expected a list of numbers, got an array of float64 with shape (2, 3)" in rejection(model, tmp_path)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("abcdef", "feature_names must be a list of names: got the text 'abcdef'"),
        (["a", "b"], "feature_names must have one entry per feature: expected 6, got 2"),
        (["a", "b", "c", "d", "e", "a"], "feature_names must be unique"),
        (["\ud800", "b", "c", "d", "e", "f"], "cannot be encoded as UTF-8"),
    ],
)
def test_invalid_feature_names_are_rejected(names, message, tmp_path):
    assert message in rejection(fitted_model("lines"), tmp_path, feature_names=names)


def test_names_that_differ_from_training_are_rejected(tmp_path):
    model = fitted(lines(), DataFrame(DATA.X, columns=DATA.feature_names))
    message = rejection(model, tmp_path, feature_names=["a", "b", "c", "d", "e", "f"])
    assert "must be the names that the model was fitted with, 'Click ratio', " in message
    assert "got 'a', 'b', 'c'" in message


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("none/m.json", "the folder .*none does not exist. Create it first"),
        (".", "expected the name of a file, got a folder"),
        ("m.json.gz", r"expected a name that ends in \.json, got '\.gz'. Call it m\.json"),
        ("n" * 300 + ".json", "cannot be written: File name too long"),
    ],
)
@pytest.mark.parametrize("name", ["lines", "long"])
def test_a_path_that_cannot_be_written_is_rejected_without_leaving_files(target, message, name, tmp_path):
    with pytest.raises(DataError, match=message):
        save_model(fitted_model(name), tmp_path / target)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def path(tmp_path):
    save_model(fitted_model("standard scaler, curves"), tmp_path / "m.json", feature_names=DATA.feature_names)
    return tmp_path / "m.json"


def file_rejection(path) -> str:
    """Both ways of loading reject the file with the same message."""
    with pytest.raises(DataError) as error:
        load_model(path)
    with pytest.raises(DataError, match=re.escape(str(error.value))):
        load_scorer(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 700
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected the JSON text of a model: Expecting value"),
        (b"hello", "expected the JSON text of a model: Expecting value"),
        (b"[1, 2]", "expected a JSON object, got a list"),
        (b'"text"', "expected a JSON object, got a str"),
        (b"{}", "expected a glassrank model with the format 'glassrank model', got None"),
        (b'{"format": "other"}', "got 'other'. Give the path of a saved model"),
        (b'{"format": ["glassrank model"]}', "got a list of 1"),
        (b'{"format": "glassrank model", "format": "x"}', "the name 'format' appears twice in an object"),
        (b'{"format": "glassrank model", "version": 1}', "the content does not match its checksum"),
        (b'{"format": NaN}', "NaN is not a finite number"),
        (b'{"format": -Infinity}', "-Infinity is not a finite number"),
        (b'{"format": 1e999}', "1e999 is not a finite number"),
        (b'{"format": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
        (b'{"format": "' + b"x" * 100_000 + b'"}', "got 'xxxxx"),
        (b"[" * 100_000, "nested deeper than the 16 levels"),
        (b'{"a":' * 100_000, "nested deeper than the 16 levels"),
        (b'{"a":' * 500 + b"1" + b"}" * 500, "nested deeper than the 16 levels"),
        (b'{"a":' + b"[" * 20 + b"]" * 20 + b"}", "nested deeper than the 16 levels"),
        (b"{" + b",".join(b'"%d":1' % number for number in range(10_000)) + b"}", "an object has 10000 names"),
        (b"\xff\xfe{}", "invalid start byte"),
        (b"\x1f\x8b\x08\x00rest", "got a file compressed with gzip. Decompress it first"),
        (b"\xfd7zXZ\x00rest", "got a file compressed with xz. Decompress it first"),
        (b"PK\x03\x04 an archive", "expected the JSON text of a model"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_file_that_is_not_a_model_is_rejected(content, message, tmp_path):
    (tmp_path / "m.json").write_bytes(content)
    assert message in file_rejection(tmp_path / "m.json")


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return pytest.exit, ("a pickle was loaded",)


def test_a_pickle_is_never_loaded(tmp_path):
    (tmp_path / "m.json").write_bytes(pickle.dumps(Trap()))
    assert "glassrank does not load pickles" in file_rejection(tmp_path / "m.json")


def test_a_missing_file_and_a_folder_are_rejected(tmp_path):
    assert "there is no such file. Check the name" in file_rejection(tmp_path / "nowhere.json")
    assert "expected a file, got a folder" in file_rejection(tmp_path)
    with pytest.raises(DataError, match="not a valid file name"):
        load_model("a\0b.json")


def test_a_file_that_is_too_large_is_rejected_before_reading(tmp_path):
    with (tmp_path / "m.json").open("wb") as file:
        file.truncate(2**36)  # a sparse file of 64 GiB
    assert f"expected a model file of at most {MAX_TEXT_BYTES:,} bytes, got more" in file_rejection(tmp_path / "m.json")


def test_an_endless_file_is_rejected(tmp_path):
    (tmp_path / "m.json").symlink_to("/dev/zero")
    assert "expected a regular file, got a pipe, a socket or a device" in file_rejection(tmp_path / "m.json")


def test_a_newer_file_is_rejected_with_the_version_to_install(path):
    def make_newer(content):
        content.update(version=2, glassrank="7.1.0", novelty={"a": 1})

    rewrite(path, make_newer)
    message = file_rejection(path)
    assert "the file has version 2, but this glassrank reads up to version 1" in message
    assert "written by glassrank '7.1.0': upgrade to it" in message


def test_the_checksum_detects_a_changed_number(path):
    content = json.loads(path.read_text())
    content["model"]["ranker"]["coefficients"][0] += 1e-9
    path.write_text(json.dumps(content))
    assert "the content does not match its checksum. The file is damaged or was changed by hand" in file_rejection(path)


def put(place, value):
    """Return a change of a file that replaces or removes the value at a dotted position."""

    def change(content):
        *outer, last = [int(part) if part.isdigit() else part for part in place.split(".")]
        for part in outer:
            content = content[part]
        if value is put:
            del content[last]
        else:
            content[last] = value

    return change


MIXING = "model.ranker.columns.mixing"


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("version", 0, "version must be a whole number, at least 1: got 0"),
        ("version", True, "version must be a whole number, at least 1: got True"),
        ("version", "1", "version must be a whole number, at least 1: got '1'"),
        ("version", 1.0, "version must be a whole number, at least 1: got 1.0"),
        ("model", put, "model: missing"),
        ("model", [], "model: "),
        ("model.kind", "Oracle", "model: unknown kind 'Oracle': expected 'BestSingleFeature', 'RankSVM', "),
        ("model.kind", 7, "model: unknown kind"),
        ("model.kind", put, "model: kind is missing"),
        (
            "model.ranker.kind",
            "Pipeline",
            "model.Pipeline.ranker.Pipeline.parameters.verbose: missing",
        ),
        (
            "model.scaling.0.kind",
            "PCA",
            "unknown kind 'PCA': expected 'FeatureTransformer', 'StandardScaler', 'RobustScaler', 'MaxAbsScaler'",
        ),
        ("model.novelty", 1, "model.Pipeline.novelty: unknown field"),
        ("model.ranker.parameters.shrinkage", 0.5, "parameters.shrinkage: unknown field"),
        ("model.ranker.parameters.C", put, "parameters.C: missing"),
        ("model.ranker.parameters.C", "1.0", "parameters.C: expected a finite number, got '1.0'"),
        ("model.ranker.parameters.C", True, "parameters.C: expected a finite number, got True"),
        ("model.ranker.parameters.C", 10**400, "C: expected a finite number, got a whole number of more than 53 bits"),
        ("model.ranker.parameters.C", 0, "parameters.C: expected a number above 0, got 0"),
        ("model.ranker.parameters.gamma", "auto", "parameters.gamma: expected a finite number, got 'auto'"),
        (
            "model.ranker.parameters.loss",
            "log",
            "parameters.loss: Input should be 'squared_hinge', 'hinge' or 'logistic'",
        ),
        ("model.ranker.parameters.max_iter", 2**60, "parameters.max_iter: Input should be less than or equal to 9007"),
        ("model.ranker.parameters.max_iter", 5.0, "parameters.max_iter: Input should be a valid integer, got 5.0"),
        ("model.ranker.training.n_queries", 0, "training.n_queries: Input should be greater than or equal to 1, got 0"),
        ("model.ranker.training.objective", None, "objective, duality_gap and n_iterations must be given together"),
        ("model.ranker.training.n_pairs", None, "training.n_pairs: Input should be a valid integer, got None"),
        ("model.ranker.n_features", 10**30, "n_features: Input should be less than or equal to"),
        ("model.ranker.n_features", 7, "observed.low must have one entry per feature: expected 7, got 6"),
        ("model.ranker.observed.mean", [0.0], "observed.mean must have one entry per feature: expected 6, got 1"),
        ("model.ranker.coefficients", [0.5], "coefficients must have one entry per column: expected "),
        ("model.ranker.coefficients", [[0.5]], "expected a list of numbers, got one that contains a list of 1"),
        ("model.ranker.coefficients", ["0.5"], "expected a list of numbers, got one that contains '0.5'"),
        ("model.ranker.coefficients", [None], "expected a list of numbers, got one that contains None"),
        ("model.ranker.coefficients", [True], "expected a list of numbers, got one that contains True"),
        ("model.ranker.coefficients", [10**400], "expected a list of numbers that fit into 64 bits, got a larger one"),
        ("model.ranker.coefficients", 0.5, "expected a list of numbers, got 0.5"),
        ("model.ranker.coefficients", {"0": 0.5}, "expected a list of numbers, got an object of 1"),
        ("model.ranker.coefficients", {"vector": "x"}, "no .npz file next to it contains the vector 'x'"),
        (
            "model.ranker.coefficients",
            {"vector": []},
            "no .npz file next to it contains the vector a list of 0",
        ),
        ("model.ranker.coefficients", {"float32": [0.1]}, "expected a list of float32 numbers"),
        ("model.ranker.coefficients", {"float32": [1e300]}, "expected a list of float32 numbers"),
        ("model.ranker.coefficients", {"float32": 7}, "expected a list of float32 numbers, got 7"),
        ("model.ranker.columns", None, "columns must be given if the kernel is 'lrbf', and only then"),
        (
            "model.ranker.columns.n_nodes",
            [2**62] * 6,
            "nodes must have one entry per node: expected 27670116110564327424",
        ),
        (
            "model.ranker.columns.n_nodes",
            [2**63] * 6,
            "expected a list of whole numbers that fit into 64 bits, got a larger one",
        ),
        ("model.ranker.columns.n_nodes", [-1] * 6, "n_nodes and n_columns must not be negative"),
        ("model.ranker.columns.n_nodes", [0] * 6, "a feature must have both nodes and columns, or neither"),
        ("model.ranker.columns.n_nodes", [1.5] * 6, "expected a list of whole numbers, got one that contains 1.5"),
        ("model.ranker.columns.n_columns", [1], "n_columns must have one entry per feature: expected 6, got 1"),
        (MIXING, [], "mixing must have one entry per node and column: expected "),
        ("model.scaling", 5, "model.Pipeline.scaling: Input should be a valid list, got 5"),
        ("model.scaling", [0] * 100_000, "scaling: List should have at most 16 items"),
        ("model.scaling.0.mean", None, "with_mean needs mean"),
        ("model.scaling.0.scale", [0.0] * 6, "scale must be above 0: values are divided by it"),
        ("model.scaling.0.scale", [1.0] * 5, "scale must have one entry per feature: expected 6, got 5"),
        ("model.scaling.0.n_features", 5, "mean must have one entry per feature: expected 5, got 6"),
        ("model.scaling.0.n_samples_seen", -4, "n_samples_seen: expected a number above 0, got -4"),
        ("model.scaling.0.name", "ranksvm", "two steps have the same name"),
        ("model.scaling.0.name", "a__b", "a step has a name that Pipeline does not allow: 'a__b', 'ranksvm'"),
        ("model.scaling.0.output", "excel", "output: Input should be 'default', 'pandas' or 'polars', got 'excel'"),
        ("feature_names", ["a"], "feature_names must have one entry per feature: expected 6, got 1"),
        ("feature_names", [1] * 6, "feature_names: expected a list of names, got a list of 6"),
        ("feature_names", ["a"] * 6, "feature_names must be unique"),
        ("model.scaling.0.feature_names", list("abcdef"), "feature_names must be those of the model"),
        ("vectors", {"file": "../m.0123456789abcdef.npz", "sha256": ""}, "vectors must name a file in the same folder"),
        ("vectors", {"file": "/etc/passwd", "sha256": ""}, "vectors must name a file in the same folder"),
        ("vectors", {"file": "a\\b.0123456789abcdef.npz", "sha256": ""}, "vectors must name a file in the same folder"),
        ("vectors", {"file": "m.0123456789abcdef.npz"}, "vectors must name a file in the same folder"),
        ("vectors", {"file": 7, "sha256": ""}, "vectors must name a file in the same folder"),
        ("vectors", "m.npz", "vectors must name a file in the same folder and its sha256, got 'm.npz'"),
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value)[:30],
)
def test_invalid_content_with_a_valid_checksum_is_rejected_with_its_position(place, value, message, path):
    """The checksum is valid, so that only the validation can find the fault."""
    rewrite(path, put(place, value))
    assert message in file_rejection(path)


def test_an_invalid_vector_file_name_is_rejected(path):
    rewrite(path, put("vectors", {"file": "\ud800.0123456789abcdef.npz", "sha256": ""}))
    for load in (load_model, load_scorer):
        with pytest.raises(DataError, match="not a valid file name"):
            load(path)


def test_a_single_feature_model_must_name_an_existing_feature(tmp_path):
    save_model(fitted_model("single feature"), tmp_path / "m.json")
    rewrite(tmp_path / "m.json", put("model.feature", 6))
    assert "feature must be below 6: got 6" in file_rejection(tmp_path / "m.json")
    rewrite(tmp_path / "m.json", put("model.feature", 5))
    rewrite(tmp_path / "m.json", put("model.direction", 0))
    assert "direction: expected 1 or -1, got 0" in file_rejection(tmp_path / "m.json")
    rewrite(tmp_path / "m.json", put("model.direction", True))
    assert "direction: Input should be a valid integer, got True" in file_rejection(tmp_path / "m.json")


def test_errors_name_the_version_that_wrote_the_file(path):
    rewrite(path, put("glassrank", "0.0.1"))
    rewrite(path, put("model.novelty", 1))
    assert "It was written by glassrank '0.0.1'; this is " in file_rejection(path)
