"""Models of one shape: settings chosen on held-out rows, fitted to the training rows, applied to the test rows."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import glassrank as gr
from experiments.accuracy.effort import Effort
from experiments.accuracy.tasks import Rows, Task
from glassrank.core.checks import DataError
from glassrank.studies.ranking.choice import Choice, Results, choose, shown_gamma
from glassrank.studies.ranking.tuned_lightgbm import BoostingSetting, draw_settings

SEED = 0
GAMMA_OF_MANY = 0.1  # for so many features that multiples of "scale" need more columns than a model may have


@dataclass(frozen=True)
class Learnt:
    """What one model reached on the held-out rows, what was chosen there, and its scores of the test rows."""

    value: float
    """Mean of the task's measure over the splits."""
    setting: str
    scores: list[float]
    cpu_seconds: float
    """Of the choice, the fit and the scores."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Learnt":
        """Restore it from ``to_dict``."""
        return cls(**plain)


Model = Callable[[Task, Effort], tuple[float, str, np.ndarray]]


def learn(model: Model, task: Task, effort: Effort) -> Learnt:
    """Choose, fit and score, and take the time."""
    start = time.process_time()
    value, setting, scores = model(task, effort)
    return Learnt(value, setting, np.asarray(scores).tolist(), time.process_time() - start)


def _svm(transform: str, options: dict[str, Any], task: Task, effort: Effort) -> tuple[float, str, np.ndarray]:
    """A ranking SVM; C and γ as a study chooses them, features transformed as fitted to the training rows."""
    made = gr.FeatureTransformer(transform).fit(task.pool.X[task.train])
    X = made.transform(task.pool.X)
    choice = _chosen(X, options, task, effort)
    model = gr.RankSVM(choice.C, gamma=choice.gamma, **options)
    model.fit(X[task.train], task.pool.y[task.train], qid=task.pool.qid[task.train])
    setting = f"C·|P| {choice.C:g}" + (f", γ {shown_gamma(choice.gamma)}" if options else "")
    best = max(one.mean for one in choice.tried)
    return best, f"{setting}, {transform}", model.predict(made.transform(task.test.X))


def _chosen(X: np.ndarray, options: dict[str, Any], task: Task, effort: Effort) -> Choice:
    """C and γ of the best mean over the splits; one γ for all features if multiples of "scale" need many columns."""
    try:
        return choose(partial(_search, X, options, task, effort.scales), effort.Cs)
    except DataError:
        return choose(partial(_search, X, options, task, (GAMMA_OF_MANY,)), effort.Cs)


def _search(
    X: np.ndarray, options: dict[str, Any], task: Task, gammas: tuple[Any, ...], Cs: tuple[float, ...]
) -> Results:
    measure = {"scoring": task.measure, "convention": task.convention}
    search = gr.RankSVMCV(Cs, task.splits, gamma=gammas, **measure, **options)
    return search.fit(X, task.pool.y, qid=task.pool.qid).cv_results_


def _trees(max_depth: int, task: Task, effort: Effort) -> tuple[float, str, np.ndarray]:
    """LightGBM's trees; the setting and the number of trees with the best mean over the splits."""
    import lightgbm

    parts = [(_rows_of(task, rest), _rows_of(task, own)) for rest, own in task.splits]
    drawn = draw_settings(effort.n_tree_settings, SEED)
    tried = [_measured(setting, _parameters(setting, max_depth, task), parts, task, effort) for setting in drawn]
    best = max(tried, key=lambda setting: setting.value)
    final = lightgbm.train(
        _parameters(best, max_depth, task), _dataset(_rows_of(task, task.train)), num_boost_round=best.n_trees
    )
    return best.value, _words(best, max_depth), final.predict(task.test.X)


def _measured(
    setting: BoostingSetting, parameters: dict[str, Any], parts: list[tuple], task: Task, effort: Effort
) -> BoostingSetting:
    """The setting with the number of trees at which the mean of the measure over the splits is best."""
    import lightgbm

    boosters = []
    for rest, own in parts:
        rows = _dataset(rest)
        booster = lightgbm.Booster(parameters, rows)
        boosters.append(booster.add_valid(_dataset(own, rows), "held out"))
    evaluators = [partial(_evaluated, own, task) for _, own in parts]
    means: list[float] = []
    while len(means) < effort.max_trees and len(means) - int(np.argmax(means or [0.0])) <= effort.patience:
        for booster in boosters:
            booster.update()
        values = [booster.eval_valid(evaluator)[0][2] for booster, evaluator in zip(boosters, evaluators, strict=True)]
        means.append(float(np.mean(values)))
    return replace(setting, n_trees=int(np.argmax(means)) + 1, value=max(means))


def _evaluated(data: gr.RankingData, task: Task, scores: np.ndarray, rows: Any) -> tuple[str, float, bool]:
    options = {"qid": data.groups, "measures": [task.measure], "convention": task.convention}
    return task.measure, gr.evaluate(data.y, scores, **options)[task.measure], True


def _rows_of(task: Task, rows: Rows) -> gr.RankingData:
    """Some rows of the pool, sorted by query, as LightGBM expects."""
    data = task.pool.pick_rows(rows)
    return data.pick_rows(data.groups.order)


def _dataset(data: gr.RankingData, reference: Any = None) -> Any:
    import lightgbm

    return lightgbm.Dataset(data.X, data.y, group=data.groups.sizes, reference=reference)


def _parameters(setting: BoostingSetting, max_depth: int, task: Task) -> dict[str, Any]:
    """LightGBM's parameters; depth −1 is no limit."""
    return {
        "objective": task.objective,
        "metric": "None",
        "num_leaves": setting.num_leaves,
        "max_depth": max_depth,
        "learning_rate": setting.learning_rate,
        "min_data_in_leaf": setting.min_data_in_leaf,
        "feature_fraction": setting.feature_fraction,
        "seed": SEED,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }


def _words(setting: BoostingSetting, max_depth: int) -> str:
    leaves = f" of {setting.num_leaves} leaves" if max_depth < 0 else ""
    share = f"{setting.feature_fraction:.0%}".replace("%", " %")
    return (
        f"{setting.n_trees} trees{leaves}, rate {setting.learning_rate:.2g}, {setting.min_data_in_leaf} rows per leaf, "
        f"{share} of features"
    )


CURVES = {"kernel": "lrbf", "linear": 0.0}
CURVES_AND_LINES = {"kernel": "lrbf", "linear": 1.0}
MODELS: dict[str, Model] = {
    **{f"linear-{transform}": partial(_svm, transform, {}) for transform in ("standard", "auto", "quantile")},
    "curves-standard": partial(_svm, "standard", CURVES),
    **{
        f"curves-and-lines-{transform}": partial(_svm, transform, CURVES_AND_LINES)
        for transform in ("standard", "quantile")
    },
    "trees-1": partial(_trees, 1),
    "trees-2": partial(_trees, 2),
    "trees": partial(_trees, -1),
}
"""By the name under which a finished step is stored."""
