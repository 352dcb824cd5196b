"""Shapes of effects: straight lines, curves, transforms, and boosted trees of one, two and many features, compared."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import glassrank as gr
from experiments.accuracy.compounds import Compounds
from experiments.accuracy.effort import Effort
from experiments.accuracy.folds import Folds
from experiments.accuracy.verdicts import Tested, compare_over_documents, compare_over_queries

LINEAR = "RankSVM linear"
N_FOLDS = 5
TREES = {"learning_rate": 0.1, "verbose": -1, "num_threads": 1, "deterministic": True, "force_row_wise": True}
Scorer = Callable[[np.ndarray], np.ndarray]
Settings = Iterator[tuple[str, Callable[[gr.RankingData], Scorer]]]


@dataclass(frozen=True)
class Task:
    """Data of one kind: parts to choose the settings on, rows to train on, and rows to measure on."""

    choices: list[tuple[gr.RankingData, gr.RankingData]]
    train: gr.RankingData
    test: gr.RankingData
    measure: str
    convention: str
    objective: str
    """LightGBM's objective."""


def tasks_of_folds(folds: Folds) -> list[Task]:
    """One task per official fold, with the settings chosen by MAP on its validation part."""
    return [Task([(train, valid)], train, test, "map", "letor", "lambdarank") for train, valid, test in folds]


def task_of_queries(train: gr.RankingData, test: gr.RankingData) -> Task:
    """Settings are chosen by NDCG@10 on five folds of the training queries."""
    parts = np.array_split(np.random.default_rng(0).permutation(train.groups.ids), N_FOLDS)
    choices = [(train.pick_queries(np.setdiff1d(train.groups.ids, part)), train.pick_queries(part)) for part in parts]
    return Task(choices, train, test, "ndcg@10", "standard", "lambdarank")


def task_of_compounds(compounds: Compounds) -> Task:
    """Settings are chosen by misranking on five folds of the training compounds; trees learn by regression."""
    X, y, X_test, y_test = compounds
    parts = np.array_split(np.random.default_rng(0).permutation(len(y)), N_FOLDS)
    train = gr.RankingData(X, y)
    choices = [(train.pick_rows(np.setdiff1d(np.arange(len(y)), part)), train.pick_rows(part)) for part in parts]
    return Task(choices, train, gr.RankingData(X_test, y_test), "misranking", "standard", "regression")


def load_example(folder: Path) -> Task:
    """LightGBM's example of a ranking: 201 training and 50 test queries, 300 features."""
    train, test = (gr.load_lightgbm(folder / f"rank.{part}", n_features=300) for part in ("train", "test"))
    return task_of_queries(_dense(train), _dense(test))


def _dense(data: gr.RankingData) -> gr.RankingData:
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    return gr.RankingData(X, data.y, data.qid)


def _svm(transform: str, effort: Effort, **options: Any) -> Settings:
    for C in effort.Cs:
        model = make_pipeline(gr.FeatureTransformer(transform), gr.RankSVM(C, **options))
        yield f"C·|P| {C:g}", partial(_fit_svm, model)


def _fit_svm(model: Any, data: gr.RankingData) -> Scorer:
    return clone(model).fit(data.X, data.y, ranksvm__qid=data.qid).predict


def _curves(transform: str, linear: float, effort: Effort) -> Settings:
    for gamma in ("scale*0.25", "scale", "scale*4"):
        for setting, fit in _svm(transform, effort, kernel="lrbf", gamma=gamma, linear=linear):
            yield f"{setting}, γ {gamma}", fit


def _trees(options: dict[str, Any], counts: tuple[int, ...], name: str = "") -> Settings:
    """LightGBM with several numbers of trees, of which the first also are a model."""
    trained: dict[int, Any] = {}

    def fit(count: int, data: gr.RankingData) -> Scorer:
        import lightgbm

        if id(data) not in trained:
            rows = lightgbm.Dataset(data.X, data.y, group=data.groups.sizes)
            trained[id(data)] = lightgbm.train(options, rows, num_boost_round=max(counts))
        return partial(trained[id(data)].predict, num_iteration=count)

    for count in counts:
        yield f"{count} trees{name}", partial(fit, count)


def _tuned(trees: dict[str, Any], effort: Effort) -> Settings:
    rng = np.random.default_rng(0)
    for _ in range(effort.n_tree_settings):
        options = {
            "num_leaves": int(rng.choice([4, 8, 15, 31, 63])),
            "learning_rate": float(rng.choice([0.02, 0.05, 0.1])),
            "min_data_in_leaf": int(rng.choice([5, 20, 50, 100])),
            "feature_fraction": float(rng.choice([0.3, 0.6, 1.0])),
            "seed": 0,
        }
        yield from _trees(trees | options, effort.n_trees, ", " + ", ".join(f"{k} {v:g}" for k, v in options.items()))


def rankers(effort: Effort, objective: str) -> dict[str, Settings]:
    """The compared shapes: name → settings to choose from."""
    trees = TREES | {"objective": objective}
    return {
        LINEAR: _svm("standard", effort),
        "linear, transforms": _svm("auto", effort),
        "LRBF": _curves("standard", 0.0, effort),
        "LRBF with linear part": _curves("standard", 1.0, effort),
        "LRBF with linear part, transforms": _curves("auto", 1.0, effort),
        "trees of one feature": _trees(trees | {"max_depth": 1, "min_data_in_leaf": 20}, effort.n_trees),
        "trees of two features": _trees(trees | {"max_depth": 2, "min_data_in_leaf": 20}, effort.n_trees),
        "LightGBM, tuned": _tuned(trees, effort),
    }


def scores_of(settings: Settings, task: Task) -> tuple[str, np.ndarray]:
    """Choose a setting on the held-out parts of a task, fit it to the training rows, and score the test rows."""
    sign = -1.0 if task.measure == "misranking" else 1.0
    tried = []
    for name, learn in settings:
        values = [sign * _measured(learn(train)(valid.X), valid, task) for train, valid in task.choices]
        tried.append((float(np.mean(values)), name, learn))
    _, name, learn = max(tried, key=lambda one: one[0])
    return name, np.asarray(learn(task.train)(task.test.X))


def _measured(scores: np.ndarray, data: gr.RankingData, task: Task) -> float:
    options = {"qid": data.qid, "measures": [task.measure], "convention": task.convention}
    return float(gr.evaluate(data.y, scores, **options)[task.measure])


def compare_shapes(
    name: str, tasks: list[Task], measures: tuple[str, ...], effort: Effort, report: Callable[[str], None]
) -> tuple[list[Tested], dict[str, list[str]]]:
    """Test every shape against straight lines, over the queries of all tasks, or over the documents of one list."""
    scores, chosen = {}, {}
    for ranker in rankers(effort, tasks[0].objective):
        report(f"{name}: {ranker}")
        found = [scores_of(rankers(effort, task.objective)[ranker], task) for task in tasks]
        chosen[ranker] = [setting for setting, _ in found]
        scores[ranker] = [values for _, values in found]
    if tasks[0].measure == "misranking":
        lists = {ranker: np.array([values[0]]) for ranker, values in scores.items()}
        return compare_over_documents(name, tasks[0].test.y, lists, LINEAR), chosen
    rows = []
    for measure in measures:
        values = {ranker: np.array([_per_query(found, tasks, measure)]) for ranker, found in scores.items()}
        rows += compare_over_queries(name, measure, values, LINEAR)
    return rows, chosen


def _per_query(scores: list[np.ndarray], tasks: list[Task], measure: str) -> np.ndarray:
    """Values of all test queries, except those that the convention leaves out."""
    parts = [
        gr.evaluate(task.test.y, own, qid=task.test.qid, measures=[measure], convention=task.convention)
        for own, task in zip(scores, tasks, strict=True)
    ]
    values = np.concatenate([part.per_query[measure] for part in parts])
    return values[~np.isnan(values)]
