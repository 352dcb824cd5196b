"""Compounds by their activity: one list to learn from, one to rank; the share of pairs in the wrong order."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

import glassrank as gr
from experiments.accuracy.effort import ALPHAS, Effort
from experiments.accuracy.verdicts import Tested, compare_over_documents

FIRST_DESCRIPTOR = "S_sCH3"
FOLDS = KFold(5, shuffle=True, random_state=0)
RIDGE_ALPHAS = tuple(10.0 ** np.arange(-5.0, 5.25, 0.5))
Compounds = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def load_compounds(path: Path) -> Compounds:
    """Descriptors and activities of the training (set 1) and the test compounds (set 2), as published.

    The columns before the descriptors contain the answer, in COX2 also as IC50_uM.
    """
    frame = polars.read_csv(path, separator="\t")
    columns = {"qid": None, "label": "Activity", "features": [f"{FIRST_DESCRIPTOR}.."], "split": "set"}
    train, test = (gr.RankingData.from_frame(frame, part=part, **columns) for part in ("1", "2"))
    return _standardised(train.X, train.y, test.X, test.y)


def simulate_compounds() -> Compounds:
    """A simulated list of documents, cut in two."""
    data = gr.simulate_ranking(n_queries=1, documents_per_query=150, random_state=1).data
    half = data.n_rows // 2
    return _standardised(data.X[:half], data.y[:half], data.X[half:], data.y[half:])


def _standardised(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> Compounds:
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test


def rank_compounds(compounds: Compounds, effort: Effort, report: Callable[[str], None]) -> dict[str, np.ndarray]:
    """Scores of the test compounds by every ranker, one row per seed; settings by five folds of the training ones."""
    X, y, X_test, _ = compounds
    path = {"cv": FOLDS, "scoring": "misranking"}
    elm = path | {"n_nodes": effort.n_nodes}
    makers = {
        "ridge": [_tuned(Ridge(), RIDGE_ALPHAS, X, y)],
        "kernel least squares": [_tuned(gr.KernelLeastSquaresRanker(), ALPHAS, X, y)],
        "ELMRank": [gr.ELMRankCV(ALPHAS, random_state=seed, **elm) for seed in range(effort.n_seeds)],
        "ELMRank additive": [
            gr.ELMRankCV(ALPHAS, nodes="additive", random_state=seed, **elm) for seed in range(effort.n_seeds)
        ],
        "RankSVM linear": [gr.RankSVMCV(effort.Cs, **path)],
        "RankSVM LRBF": [gr.RankSVMCV(effort.Cs, kernel="lrbf", gamma=list(effort.gammas), **path)],
    }
    scores = {}
    for name, models in makers.items():
        report(name)
        scores[name] = np.array([model.fit(X, y).predict(X_test) for model in models])
    return scores


def _tuned(model, alphas: tuple[float, ...], X: np.ndarray, y: np.ndarray):
    """The model with the alpha of the least mean misranking over the folds."""

    def held_out(alpha: float) -> float:
        return float(
            np.mean([_misranking(clone(model).set_params(alpha=alpha), X, y, *fold) for fold in FOLDS.split(X)])
        )

    return clone(model).set_params(alpha=min(alphas, key=held_out))


def _misranking(model, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    scores = model.fit(X[train], y[train]).predict(X[test])
    return gr.evaluate(y[test], scores, measures=["misranking"])["misranking"]


def tests_of(data: str, compounds: Compounds, scores: dict[str, np.ndarray]) -> list[Tested]:
    """Every ranker against ridge regression, by resampling the test compounds."""
    return compare_over_documents(data, compounds[3], scores, "ridge")
