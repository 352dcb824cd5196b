"""scikit-learn's linear models and naive Bayes in model files: loaded ones predict and explain as before."""

import importlib

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

from glassrank.modelfile.kinds.nested_models import KINDS
from glassrank.modelfile.kinds.sklearn_models.linear_models import OTHER_HOMES, FittedLinearPart
from glassrank.modelfile.kinds.steps.step_kinds import STEPS
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.adapters import pipeline, registry, sklearn_linear
from glassrank.nomograms.adapters.effects_of_model import effects

_rng = np.random.default_rng(3)
X = _rng.gamma(2.0, size=(40, 3))
VALUE = X @ [1.0, -0.5, 0.2] + _rng.normal(0.0, 0.2, 40)
CLASS = np.where(np.median(VALUE) < VALUE, "yes", "no")
# Effects of these can be read, but they are not saved; the message says what to save instead.
NOT_SAVED = {"GradientBoosting", "HistGradientBoosting", "NuSVC", "SVC", "CalibratedClassifierCV", "FrozenEstimator"}
SEARCHES = {"GridSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV", "RandomizedSearchCV"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FittedLinearPart.kind_names())
def test_a_loaded_linear_model_predicts_as_before(name, tmp_path):
    home = importlib.import_module(f"sklearn.{OTHER_HOMES.get(name, 'linear_model')}")
    regressor, path = name in sklearn_linear.REGRESSORS, tmp_path / "m.json"
    model = getattr(home, name)().fit(X, VALUE if regressor else CLASS)
    save_model(model, path)
    loaded = load_model(path)
    assert repr(loaded) == repr(model)
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    score = "predict" if regressor else "decision_function"
    assert (
        load_scorer(path).predict(X).tolist() == getattr(model, score)(X).tolist() == getattr(loaded, score)(X).tolist()
    )
    assert effects(loaded, X).contributions(X).tolist() == effects(model, X).contributions(X).tolist()


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (GaussianNB(priors=[0.3, 0.7]), X),
        (MultinomialNB(alpha=0.5), X),
        (BernoulliNB(binarize=1.0), X),
        (BernoulliNB(binarize=None), (X > 1).astype(float)),
        (CategoricalNB(min_categories=[4, 5, 6]), np.floor(X).clip(0, 3)),
    ],
)
def test_a_loaded_naive_bayes_gives_the_same_probabilities(model, rows, tmp_path):
    model.fit(rows, CLASS)
    save_model(model, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.predict_proba(rows).tolist() == model.predict_proba(rows).tolist()
    no, yes = model.predict_joint_log_proba(rows).T
    assert load_scorer(tmp_path / "m.json").predict(rows).tolist() == (yes - no).tolist()
    for one in (model, loaded):
        one.partial_fit(rows[:5], CLASS[:5])
    assert loaded.predict_proba(rows).tolist() == model.predict_proba(rows).tolist()


def test_class_probabilities_and_given_lists_are_restored(tmp_path):
    logistic = LogisticRegression(C=0.5).fit(X, CLASS)
    save_model(logistic, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").predict_proba(X).tolist() == logistic.predict_proba(X).tolist()
    save_model(RidgeCV(alphas=[0.5, 2.0]).fit(X, VALUE), tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").alphas == [0.5, 2.0]


def test_a_file_holds_what_effects_can_read():
    """Steps, and models at the end of them; searches are saved as their best model."""
    assert set(pipeline.STEPS) <= set(STEPS)
    readable = {key.split(":")[1] for key in (*registry.ADAPTERS, *registry.WRAPPERS) if key.startswith("sklearn:")}
    unsaved = {name.removesuffix("Classifier").removesuffix("Regressor") for name in readable - set(KINDS) - SEARCHES}
    assert unsaved == NOT_SAVED
