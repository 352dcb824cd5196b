"""The content of a model file."""

import json
import re
from inspect import signature

import numpy as np
import pytest
from pandas import DataFrame
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import glassrank
from glassrank.core.nodes.hidden_nodes import ACTIVATIONS, DTYPES, NODE_KINDS
from glassrank.core.nodes.pair_rows import WEIGHTINGS
from glassrank.core.pairs.pair_weights import PAIR_WEIGHTS
from glassrank.modelfile.kinds.additive_svc import AdditiveSVCPart
from glassrank.modelfile.kinds.elm_rank import ELMRankPart
from glassrank.modelfile.kinds.elm_rank_cv import ELMRankCVPart
from glassrank.modelfile.kinds.kernel_least_squares import KernelLeastSquaresPart
from glassrank.modelfile.kinds.nested_models import KINDS, PairCalibratorPart
from glassrank.modelfile.kinds.rank_svm import RankSVMPart
from glassrank.modelfile.kinds.rank_svm_cv import RankSVMCVPart
from glassrank.modelfile.kinds.single_feature import BestSingleFeaturePart
from glassrank.modelfile.kinds.steps.step_kinds import STEPS
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.ranking import additive_svc, kernel_least_squares
from glassrank.ranking.calibration import METHODS
from glassrank.ranking.feature_columns import KERNELS
from glassrank.ranking.rank_svm import C_UNITS, MODES
from glassrank.ranking.weighed_rows import LOSSES
from tests.modelfile.models import DATA, EVERY_KIND, fitted, fitted_model, lines, signed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.json"


def test_the_file_names_its_format_and_the_parameters_of_the_model(path):
    model = fitted_model("lines")
    save_model(model, path, feature_names=DATA.feature_names)
    content = json.loads(path.read_text())
    assert [content[name] for name in ("format", "version", "glassrank")] == [
        "glassrank model",
        1,
        glassrank.__version__,
    ]
    assert content["feature_names"] == list(DATA.feature_names)
    saved = content["model"]
    assert saved["kind"] == "RankSVM"
    assert saved["parameters"] == model.get_params()
    assert saved["coefficients"] == model.coef_.tolist()
    assert saved["training"] == {
        "n_queries": 12,
        "n_pairs": model.n_pairs_,
        "n_sampled_pairs": model.n_sampled_pairs_,
        "objective": model.objective_,
        "duality_gap": model.duality_gap_,
        "n_iterations": model.n_iter_,
    }


def test_the_file_contains_the_scaling_of_a_pipeline(path):
    model = fitted_model("standard scaler")
    save_model(model, path)
    saved = json.loads(path.read_text())["model"]
    assert saved["scaling"][0]["kind"] == "StandardScaler"
    assert saved["scaling"][0]["mean"] == model[0].mean_.tolist()
    assert saved["scaling"][0]["scale"] == model[0].scale_.tolist()
    assert saved["ranker"]["coefficients"] == model[-1].coef_.tolist()


def test_the_checksum_follows_the_documentation(path):
    save_model(fitted_model("two scalers"), path)
    content = json.loads(path.read_text())
    assert content["checksum"] == signed(content)["checksum"]


def test_a_linear_model_is_one_short_readable_file(path):
    save_model(fitted_model("lines"), path)
    assert [one.name for one in path.parent.iterdir()] == ["m.json"]
    lines_of_text = path.read_text().splitlines()
    assert len(lines_of_text) < 50
    assert lines_of_text[1] == ' "format": "glassrank model",'
    assert any(line.startswith('  "coefficients": [') and line.endswith("],") for line in lines_of_text)


def test_the_file_contains_no_training_row(path):
    model = fitted_model("curves")
    save_model(model, path)
    text = path.read_text()
    assert len(DATA.X) > 100
    assert "doc" not in text
    assert not any(str(query) in text for query in DATA.groups.ids)


def test_feature_names_can_be_given(path):
    save_model(fitted_model("lines"), path, feature_names=np.array(DATA.feature_names))
    assert load_scorer(path).feature_names == DATA.feature_names
    assert not hasattr(load_model(path), "feature_names_in_")
    save_model(fitted_model("lines"), path)
    assert load_scorer(path).feature_names is None


def test_names_seen_in_training_need_not_be_given(path):
    model = fitted(make_pipeline(StandardScaler(), lines()), DataFrame(DATA.X, columns=DATA.feature_names))
    save_model(model, path)
    assert load_scorer(path).feature_names == DATA.feature_names
    save_model(model, path, feature_names=DATA.feature_names)
    assert load_scorer(path).feature_names == DATA.feature_names


def test_non_ascii_names_are_readable_in_the_file(path):
    names = ["Größe", "頁", *DATA.feature_names[2:]]
    save_model(fitted_model("lines"), path, feature_names=names)
    assert '"Größe", "頁"' in path.read_text(encoding="utf-8")
    assert load_scorer(path).feature_names == tuple(names)


CHOICES = {
    RankSVMPart: {"kernel": KERNELS, "loss": LOSSES, "mode": MODES, "pair_weight": PAIR_WEIGHTS, "C_unit": C_UNITS},
    RankSVMCVPart: {"kernel": KERNELS, "loss": LOSSES, "pair_weight": PAIR_WEIGHTS, "C_unit": C_UNITS},
    ELMRankPart: {"activation": ACTIVATIONS, "nodes": NODE_KINDS, "weighting": WEIGHTINGS, "dtype": DTYPES},
    ELMRankCVPart: {"activation": ACTIVATIONS, "nodes": NODE_KINDS, "weighting": WEIGHTINGS, "dtype": DTYPES},
    KernelLeastSquaresPart: {"kernel": kernel_least_squares.KERNELS, "weighting": WEIGHTINGS},
    AdditiveSVCPart: {"kernel": KERNELS, "loss": additive_svc.LOSSES},
    PairCalibratorPart: {"method": METHODS},
    BestSingleFeaturePart: {},
}


@pytest.mark.parametrize("part", CHOICES, ids=lambda part: part.kind_name())
def test_the_file_and_the_estimator_allow_the_same_choices(part):
    """The file's rules repeat the choices, so that ranking needs no scikit-learn."""
    fields = part.model_fields["parameters"].annotation.model_fields
    for name, known in CHOICES[part].items():
        assert fields[name].annotation.__args__ == tuple(known)
    assert set(fields) == set(signature(part.estimator_class()).parameters) - {"estimator"}


def test_the_file_can_store_every_ranker_of_the_package():
    homes = ("ranking.", "navigational.navigational_classifier")
    public = [getattr(glassrank, name) for name, home in glassrank._HOMES.items() if home.startswith(homes)]
    estimators = [thing for thing in public if isinstance(thing, type) and issubclass(thing, BaseEstimator)]
    names = {estimator.__name__ for estimator in estimators}
    stored = [*KINDS.values(), *STEPS.values()]
    own = {
        part.kind_name() for part in stored if hasattr(part, "estimator_class") and part.estimator_class() in estimators
    }
    assert names == own


def test_these_tests_save_every_kind(path):
    """This ensures that tests over all models cover all kinds; AdditiveRanker, which is never fitted, has its own."""
    kinds = {"AdditiveRanker"}
    for name in EVERY_KIND:
        save_model(fitted_model(name), path)
        kinds |= set(re.findall(r'"kind": "(\w+)"', path.read_text()))
    assert {KINDS[kind] for kind in kinds if kind in KINDS} == set(KINDS.values())


def test_kernel_least_squares_stores_its_training_rows(path):
    """It needs them for scoring; no other model does."""
    model = fitted_model("kernel rbf")
    save_model(model, path)
    assert json.loads(path.read_text())["model"]["values"] == DATA.X.ravel().tolist()


def test_the_layout_of_the_text_does_not_matter(path):
    save_model(fitted_model("lines"), path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(content.items())), indent=7, ensure_ascii=True))
    assert load_model(path).coef_.tolist() == fitted_model("lines").coef_.tolist()


def test_a_file_with_the_old_parameter_name_measure_loads(path):
    save_model(fitted_model("single feature, other scoring"), path)
    content = json.loads(path.read_text())
    parameters = content["model"]["parameters"]
    assert parameters == {"scoring": "map", "convention": "letor"}
    content["model"]["parameters"] = {"measure": "map", "convention": "letor"}
    path.write_text(json.dumps(signed(content)))
    assert load_model(path).get_params() == parameters
    expected = fitted_model("single feature, other scoring").predict(DATA.X)
    np.testing.assert_array_equal(load_scorer(path).predict(DATA.X), expected)


def test_the_file_contains_the_unit_of_c(path):
    """A model that was saved when C_unit="pair" was the default is the same model today."""
    save_model(fitted_model("hinge"), path)
    assert json.loads(path.read_text())["model"]["parameters"]["C_unit"] == "pair"
    assert load_model(path).C_unit == "pair"
