"""Documents for queries: rankers tuned on the validation part of each of five folds, measured on its test part."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import glassrank as gr
from experiments.accuracy.effort import Effort
from experiments.accuracy.verdicts import Tested, compare_over_queries

MEASURES = ("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map")
NORMALISATIONS = ("raw", "minmax", "zscore")
BASELINE = "RankSVM linear"
PENALTIES = tuple(10.0 ** np.arange(-1.0, 6.0))  # of ridge regression
ELM_ALPHAS = 10.0 ** np.arange(-6.0, 1.25, 0.5)

Folds = list[tuple[gr.RankingData, gr.RankingData, gr.RankingData]]


@dataclass(frozen=True)
class Fitted:
    """A ranker learnt with each of several settings."""

    settings: list[str]
    scores: Callable[[np.ndarray], np.ndarray]
    """Rows → one column of scores per setting."""


Ranker = Callable[[gr.RankingData, Effort, int], Fitted]


@dataclass(frozen=True)
class Measured:
    """What one ranker reached on the test parts, and what was chosen on the validation parts."""

    by_fold: np.ndarray
    """Seeds × folds × measures: means over the queries of a fold, as the official sheets have them."""
    by_query: dict[str, np.ndarray]
    """By measure: seeds × queries of all folds."""
    chosen: list[str]


def load_parts(folder: Path) -> list[gr.RankingData]:
    """The five parts of LETOR 2 OHSUMED."""
    return [gr.load_letor(folder / f"S{number}.txt.gz") for number in range(1, 6)]


def simulate_parts() -> list[gr.RankingData]:
    """Five parts of ten simulated queries each."""
    data = gr.simulate_ranking(n_queries=50, documents_per_query=20, random_state=0).data
    return [data.pick_queries(queries) for queries in np.array_split(data.groups.ids, 5)]


def make_folds(parts: list[gr.RankingData], normalisation: str) -> Folds:
    """Fold f trains on the parts f, f + 1 and f + 2, validates on f + 3 and tests on f + 4, in a circle."""
    scaled = [part if normalisation == "raw" else part.scaled(normalisation) for part in parts]
    places = [[(fold + step) % 5 for step in range(5)] for fold in range(5)]
    return [(join([scaled[k] for k in place[:3]]), scaled[place[3]], scaled[place[4]]) for place in places]


def join(parts: list[gr.RankingData]) -> gr.RankingData:
    X, y, qid = ([getattr(part, name) for part in parts] for name in ("X", "y", "qid"))
    return gr.RankingData(np.vstack(X), np.concatenate(y), np.concatenate(qid))


# Rankers: each learns from the training part with every setting, and scores rows by all of them, one column each.


def _single_feature(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
    model = gr.BestSingleFeature("map", "letor").fit(train.X, train.y, qid=train.qid)
    return _columns({f"feature {model.feature_ + 1}": model.predict})


def _least_squares(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
    return _columns({"no choice": LinearRegression().fit(train.X, train.y).predict})


def _ridge(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
    models = {f"alpha {penalty:g}": make_pipeline(StandardScaler(), Ridge(penalty)) for penalty in PENALTIES}
    return _columns({setting: model.fit(train.X, train.y).predict for setting, model in models.items()})


def _rank_svm(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
    models = {f"C·|P| {C:g}": gr.RankSVM(C) for C in effort.Cs}
    return _columns({name: model.fit(train.X, train.y, qid=train.qid).predict for name, model in models.items()})


def _lrbf(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
    models = {
        f"C·|P| {C:g}, γ {gamma:g}": gr.RankSVM(C, kernel="lrbf", gamma=gamma)
        for gamma in effort.gammas
        for C in effort.Cs
    }
    scaler = StandardScaler().fit(train.X)
    X = scaler.transform(train.X)
    fitted = _columns({name: model.fit(X, train.y, qid=train.qid).predict for name, model in models.items()})
    return Fitted(fitted.settings, lambda rows: fitted.scores(scaler.transform(rows)))


def _elm(nodes: str) -> Ranker:
    def learn(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
        scaler = StandardScaler().fit(train.X)
        model = gr.ELMRank(effort.n_nodes, nodes=nodes, random_state=seed)
        path = model.fit(scaler.transform(train.X), train.y, qid=train.qid).coef_path(ELM_ALPHAS)
        settings = [f"λ {alpha:.1e}" for alpha in ELM_ALPHAS]
        return Fitted(settings, lambda rows: model.hidden_layer(scaler.transform(rows)) @ path.T)

    return learn


def _lightgbm(train: gr.RankingData, effort: Effort, seed: int) -> Fitted:
    import lightgbm

    common = {"objective": "lambdarank", "learning_rate": 0.05, "verbose": -1, "num_threads": 1, "seed": seed}
    scorers = {}
    for n_leaves, leaf_size in product(effort.n_leaves, effort.leaf_sizes):
        rows = lightgbm.Dataset(train.X, train.y, group=np.bincount(train.groups.of_row))
        sizes = {"num_leaves": n_leaves, "min_data_in_leaf": leaf_size}
        trees = lightgbm.train(common | sizes, rows, num_boost_round=max(effort.n_trees))
        for count in effort.n_trees:
            setting = f"{count} trees, {n_leaves} leaves of {leaf_size} or more"
            scorers[setting] = partial(trees.predict, num_iteration=count)
    return _columns(scorers)


def _columns(scorers: dict[str, Callable[[np.ndarray], np.ndarray]]) -> Fitted:
    return Fitted(list(scorers), lambda rows: np.column_stack([score(rows) for score in scorers.values()]))


RANKERS: dict[str, Ranker] = {
    BASELINE: _rank_svm,
    "RankSVM LRBF": _lrbf,
    "ELMRank": _elm("full"),
    "ELMRank additive": _elm("additive"),
    "least squares": _least_squares,
    "ridge": _ridge,
    "best single feature": _single_feature,
    "LightGBM": _lightgbm,
}


def measure_ranker(name: str, folds: Folds, effort: Effort) -> Measured:
    """Choose on the validation part of each fold, and measure on its test part; ELMRank is repeated for each seed."""
    seeds = range(effort.n_seeds if name.startswith("ELMRank") else 1)
    by_fold, by_query, chosen = [], [], []
    for seed in seeds:
        found = [_measure_fold(RANKERS[name](fold[0], effort, seed), *fold[1:]) for fold in folds]
        by_fold.append([[measured[measure] for measure in MEASURES] for _, measured in found])
        by_query.append([[measured.per_query[measure] for measure in MEASURES] for _, measured in found])
        chosen += [setting for setting, _ in found]
    per_measure = {
        measure: np.array([np.concatenate([fold[place] for fold in seed]) for seed in by_query])
        for place, measure in enumerate(MEASURES)
    }
    return Measured(np.array(by_fold), per_measure, chosen)


def _measure_fold(fitted: Fitted, valid: gr.RankingData, test: gr.RankingData) -> tuple[str, Any]:
    """Return the measures on the test part of the setting with the highest MAP on the validation part."""
    on_valid = [
        gr.evaluate(valid.y, column, qid=valid.qid, measures=["map"], convention="letor")["map"]
        for column in fitted.scores(valid.X).T
    ]
    best = int(np.argmax(on_valid))
    scores = fitted.scores(test.X)[:, best]
    measured = gr.evaluate(test.y, scores, qid=test.qid, measures=list(MEASURES), convention="letor")
    return fitted.settings[best], measured


def tests_of(data: str, found: Mapping[tuple[str, str], Measured]) -> list[Tested]:
    """Every ranker against the linear RankSVM, and the linear RankSVM on raw values against itself on scaled ones."""
    rows = []
    for measure in ("map", "ndcg@10"):
        for normalisation in NORMALISATIONS:
            values = {ranker: one.by_query[measure] for (norm, ranker), one in found.items() if norm == normalisation}
            rows += compare_over_queries(f"{data}, {normalisation}", measure, values, BASELINE)
        linear = {norm: one.by_query[measure] for (norm, ranker), one in found.items() if ranker == BASELINE}
        rows += compare_over_queries(f"{data}, {BASELINE} by normalisation", measure, linear, "raw")
    return rows


def official_rows(folder: Path) -> list[dict]:
    """NDCG and MAP of the official sheet of averages."""
    with (folder / "Baselines" / "ReferenceAlgs_OHSUMED.Average.csv").open(newline="") as lines:
        tables, header = {}, []
        for row in csv.reader(lines):
            if row[0].startswith("Algorithm"):
                header = row
            elif header and row[0]:
                named = {column.lower(): value for column, value in zip(header, row, strict=True) if value}
                tables.setdefault(row[0], {}).update(named)
    return [
        {"normalisation": "official sheet", "ranker": name, **{m: float(values[m]) for m in MEASURES}}
        for name, values in tables.items()
    ]
