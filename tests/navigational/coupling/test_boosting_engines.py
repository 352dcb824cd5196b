"""Boosted trees of either engine: stored trees predict like the library, and results name the engine."""

import subprocess
import sys

import numpy as np
import pytest

from glassrank.navigational.coupling.classifiers import BOOSTING, CLASSIFIERS, boosting_kind
from glassrank.navigational.coupling.coupling_study import CouplingStudy
from glassrank.navigational.coupling.selectors import SELECTORS, boosting_selector
from glassrank.selection.boosting_engines import LIGHTGBM, SKLEARN, boosted_classifier
from tests.navigational.planted import planted_queries

RNG = np.random.default_rng(5)
ROWS = np.column_stack([RNG.normal(size=(200, 3)), RNG.integers(0, 3, (200, 2)), 1e9 + RNG.random((200, 1))])
LABELS = (ROWS[:, 0] + ROWS[:, 3] + RNG.normal(size=200) > 1).astype(int)


def raw_scores(engine, model, rows):
    return model.decision_function(rows) if engine == SKLEARN else model.booster_.predict(rows, raw_score=True)


@pytest.mark.parametrize("engine", [SKLEARN, LIGHTGBM])
def test_the_stored_trees_predict_like_the_library(engine):
    kind = boosting_kind(engine)
    fitted = kind.make(3).fit(ROWS, LABELS)
    kept = kind.read(fitted)
    # Values at the thresholds and next to them in 32 and in 64 bits, because the libraries round differently.
    near = []
    for feature, threshold in zip(kept.features, kept.thresholds, strict=True):
        steps = [threshold, np.float64(np.nextafter(np.float32(threshold), np.float32(np.inf)))]
        for value in [*steps, np.nextafter(threshold, np.inf), np.nextafter(threshold, -np.inf)]:
            if 0 < abs(value) < 1.1e-35:  # LightGBM treats such values as 0.
                continue
            near.append(ROWS[len(near) % len(ROWS)].copy())
            near[-1][feature] = value
    rows = np.array([*ROWS, *near])
    assert kept(rows) == pytest.approx(raw_scores(engine, fitted, rows), rel=1e-12, abs=1e-12)


def test_trees_without_a_split_are_stored_too():
    constant = np.zeros((40, 2))
    for engine in (SKLEARN, LIGHTGBM):
        kind = boosting_kind(engine)
        fitted = kind.make(0).fit(constant, LABELS[:40])
        assert kind.read(fitted)(constant) == pytest.approx(raw_scores(engine, fitted, constant), rel=1e-12)


def test_both_engines_have_the_same_settings():
    ours, theirs = (boosted_classifier(engine, random_state=0).get_params() for engine in (SKLEARN, LIGHTGBM))
    for name in ("n_estimators", "learning_rate", "max_depth", "subsample", "random_state"):
        assert ours[name] == theirs[name]
    assert ours["min_samples_leaf"] == theirs["min_child_samples"] == 1
    assert theirs["subsample_freq"] == 1


@pytest.mark.parametrize("engine", [SKLEARN, LIGHTGBM])
def test_both_engines_find_the_planted_features(engine):
    X, y, names, _ = planted_queries(gaps=False)
    ranked = boosting_selector(engine).make(0).fit(X, y).scores_
    best = {names[k] for k in np.argsort(-ranked)[:5]}
    assert {"clk_CR|p1", "clk_CR|r2"} <= best


def test_lightgbm_is_used_if_installed():
    assert CLASSIFIERS[BOOSTING].engine == SELECTORS["boosting influence"].engine == "LightGBM"


def test_scikit_learn_is_used_without_lightgbm():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.modules['lightgbm'] = None\n"
            "from glassrank.navigational.coupling.classifiers import BOOSTING, CLASSIFIERS\n"
            "from glassrank.navigational.coupling.selectors import SELECTORS\n"
            "for kind in (CLASSIFIERS[BOOSTING], SELECTORS['boosting influence']):\n"
            "    print(kind.engine, type(kind.make(0)).__name__)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    engine = "scikit-learn GradientBoostingClassifier"
    assert done.stdout.splitlines() == [
        f"{engine} GradientBoostingClassifier",
        f"{engine} BoostingInfluenceSelector",
    ]


def test_a_result_names_the_engine_of_every_selector_and_classifier():
    X, y, names, categories = planted_queries(gaps=False)
    study = CouplingStudy(
        5, cv=2, selectors=["boosting influence", "combined"], classifiers=["SVM linear"], curve=(), random_state=0
    ).fit(X, y, names, categories)
    head = str(study.result_).splitlines()[:4]
    assert head[2] == "selectors: boosting influence (LightGBM), combined (SVM weights and boosting influence in turn)"
    assert head[3] == "classifiers: SVM linear (LIBSVM, linear kernel)"
