"""Tasks for the comparison of shapes: rows to choose the settings on, rows to train on, and rows to measure on."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import glassrank as gr
from experiments.accuracy import compounds, folds

HELD_OUT = 4  # one training query of so many chooses the settings
N_SIMULATED = 3
Rows = np.ndarray


@dataclass(frozen=True)
class Task:
    """One choice of settings and one fit."""

    pool: gr.RankingData
    """Everything that may be learnt from."""
    splits: list[tuple[Rows, Rows]]
    """Rows of the pool to learn from and to measure on, by which settings are chosen."""
    train: Rows
    """Rows of the pool that the chosen model is fitted to."""
    test: gr.RankingData
    measure: str
    """Measure that chooses the settings; higher is better."""
    convention: str
    objective: str
    """LightGBM's objective."""


@dataclass(frozen=True)
class DataSet:
    """Tasks whose test rows are measured together."""

    name: str
    tasks: list[Task]
    measures: tuple[str, ...]
    """Measures to report; misranking is that of one list, with a bootstrap over its documents."""


def ohsumed(data: Path) -> list[DataSet]:
    """The five official folds, raw values."""
    return [documents("OHSUMED", folds.make_folds(folds.load_parts(data / "ohsumed-letor2"), "raw"))]


def simulated(data: Path) -> list[DataSet]:
    """Two folds of simulated documents and a simulated list, both with few features, for a quick look."""
    parts = [part.pick_features(range(N_SIMULATED)) for part in folds.simulate_parts()]
    X, y, X_test, y_test = compounds.simulate_compounds()
    few = X[:, :N_SIMULATED], y, X_test[:, :N_SIMULATED], y_test
    return [documents("simulated", folds.make_folds(parts, "raw")[:2]), one_list("simulated list", few)]


def compound_lists(data: Path) -> list[DataSet]:
    """Inhibitors of DHFR and of COX2."""
    paths = {name: data / "qsar" / f"{name.lower()}_25d_desc.txt" for name in ("DHFR", "COX2")}
    return [one_list(name, compounds.load_compounds(path)) for name, path in paths.items()]


def lightgbm_example(data: Path) -> list[DataSet]:
    """LightGBM's example of a ranking: 201 training and 50 test queries, 300 features, most values 0."""
    paths = [data / "lightgbm-rank" / f"rank.{part}" for part in ("train", "test")]
    # Curves and transforms need a dense matrix: 0 is a value like others.
    train, test = (gr.load_lightgbm(path, n_features=300, layout="dense") for path in paths)
    return [DataSet("LightGBM's example", [task_of_queries(train, test)], ("ndcg@10",))]


def documents(name: str, made: folds.Folds) -> DataSet:
    """One task per fold, with the settings chosen by MAP on its validation part, as the official protocol says."""
    tasks = []
    for train, valid, test in made:
        rows = np.arange(train.n_rows + valid.n_rows)
        parts = rows[: train.n_rows], rows[train.n_rows :]
        pool = folds.join([train, valid])
        tasks.append(Task(pool, [parts], parts[0], test, "map", "letor", "lambdarank"))
    return DataSet(name, tasks, ("map", "ndcg@10"))


def task_of_queries(train: gr.RankingData, test: gr.RankingData) -> Task:
    """A quarter of the training queries chooses the settings by NDCG@10; the chosen model is fitted to all of them."""
    held_out = np.random.default_rng(0).permutation(train.n_queries)[: train.n_queries // HELD_OUT]
    rows, of_query = np.arange(train.n_rows), np.isin(train.groups.of_row, held_out)
    return Task(train, [(rows[~of_query], rows[of_query])], rows, test, "ndcg@10", "standard", "lambdarank")


def one_list(name: str, found: compounds.Compounds) -> DataSet:
    """Settings are chosen by pair accuracy on five folds of the training compounds; trees learn by regression."""
    X, y, X_test, y_test = found
    splits = list(compounds.FOLDS.split(X))
    pool, test = gr.RankingData(X, y), gr.RankingData(X_test, y_test)
    task = Task(pool, splits, np.arange(len(y)), test, "pair_accuracy", "standard", "regression")
    return DataSet(name, [task], ("misranking",))


SOURCES = {"ohsumed": ohsumed, "compounds": compound_lists, "lightgbm": lightgbm_example, "simulated": simulated}
