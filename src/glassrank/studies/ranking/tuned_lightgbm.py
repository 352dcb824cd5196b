"""LightGBM's lambdarank as a baseline: with default settings, or the best of random settings on held-out queries."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.process.freed_memory import release_freed_memory
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.ranking.query_folds import query_folds
from glassrank.studies.ranking.measuring.fold_rows import FoldRows

MIN_ROWS_FOR_THREADS = 100_000
MAX_TREES, PATIENCE = 200, 10
# Random settings: leaves, learning rate and rows of a leaf evenly on a logarithmic scale.
LEAVES, RATES, ROWS_OF_LEAF, SHARES_OF_FEATURES = (4, 64), (0.05, 0.3), (5, 100), (0.4, 1.0)
# All settings are tried on the first fold, and the best quarter of them on every fold.
FINALISTS = 4
DEFAULT_CUTOFF = 10


@dataclass(frozen=True)
class BoostingSetting:
    """Settings of LightGBM, by default its own, with the number of trees and the measure on held-out queries."""

    num_leaves: int = 31
    learning_rate: float = 0.1
    min_data_in_leaf: int = 20
    feature_fraction: float = 1.0
    n_trees: int = 100
    value: float | None = None
    """Mean of the study's measure over the held-out queries; None if it was not measured."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.n_trees} trees of up to {self.num_leaves} leaves, rate {self.learning_rate:.3g}, at least "
            f"{self.min_data_in_leaf} rows per leaf, {self.feature_fraction:.0%} of the features per tree"
        )


def is_installed() -> bool:
    """Return whether LightGBM can be imported; without libgomp, it cannot, although it is installed."""
    try:
        import lightgbm  # noqa: F401
    except (ImportError, OSError):
        return False
    return True


def draw_settings(n_settings: int, seed: int) -> list[BoostingSetting]:
    """Return LightGBM's defaults and ``n_settings`` − 1 random settings.

    >>> [setting.num_leaves for setting in draw_settings(3, seed=0)]
    [31, 23, 38]
    """
    rng = np.random.default_rng(seed)
    drawn = [BoostingSetting()]
    while len(drawn) < n_settings:
        leaves, rate, rows = (np.exp(rng.uniform(*np.log(ends))) for ends in (LEAVES, RATES, ROWS_OF_LEAF))
        share = rng.uniform(*SHARES_OF_FEATURES)
        drawn.append(BoostingSetting(round(leaves), round(rate, 4), round(rows), round(share, 3)))
    return drawn


def tuning_in_words(n_settings: int, chosen: Sequence[dict[str, Any]]) -> str:
    """Say how the settings were chosen, and which.

    >>> tuning_in_words(20, [BoostingSetting().to_dict()])
    "LightGBM lambdarank, tuned: best of 20 settings on the same folds that choose C (all on the first fold, the best \
quarter on every fold), LightGBM's defaults among them, with early stopping. Chosen: 100 trees of up to 31 \
leaves, rate 0.1, at least 20 rows per leaf, 100% of the features per tree."
    """
    listed = "; ".join(dict.fromkeys(str(BoostingSetting(**one)) for one in chosen))
    return (
        f"LightGBM lambdarank, tuned: best of {counted(n_settings, 'setting')} on the same folds that choose C (all on "
        "the first fold, the best quarter on every fold), LightGBM's defaults among them, with early stopping. "
        f"Chosen{' in the folds' if len(chosen) > 1 else ''}: {listed}."
    )


@dataclass(frozen=True, eq=False)
class TunedLightGBM:
    """Fits lambdarank to ranking data: weights count, categories and missing values are LightGBM's own."""

    n_settings: int
    """Number of settings to try; 0 for LightGBM's defaults."""
    measure: str
    convention: str
    seed: int
    monotone: tuple[tuple[str, int], ...] = ()
    inner_folds: Any = 3
    """Number of folds, or a splitter."""

    def fit(self, fold: FoldRows) -> tuple[Any, BoostingSetting]:
        """Return a Booster for all training rows, and its setting, chosen on validation rows or by folds of queries.

        Of very many rows, the setting is chosen on a sample of the queries.
        """
        import lightgbm

        rows, setting = None, BoostingSetting()
        if self.n_settings:
            sample, valid = fold.sample(self.seed)
            rows = _LightGBMRows.of(sample, valid, self)
            setting = self._choose(rows)
            rows = rows if sample.n_rows == len(fold.rows) else None
            # The sample and its boosters need not be in memory beside all rows, nor their features beside the Dataset.
            del sample
            release_freed_memory()
        rows = rows or _LightGBMRows.of(fold.train, None, replace(self, n_settings=0))
        dataset, parameters = rows.dataset, rows.parameters(setting)
        del rows
        return lightgbm.train(parameters, dataset, num_boost_round=setting.n_trees), setting

    def scores(self, booster: Any, test: RankingData) -> FloatArray:
        """Return the scores of documents whose categories have the codes of the training data."""
        return np.asarray(booster.predict(test.X), dtype=np.float64)

    def _choose(self, rows: "_LightGBMRows") -> BoostingSetting:
        drawn = draw_settings(self.n_settings, self.seed)
        n_best = len(drawn)
        if len(rows.folds) > 1 and len(drawn) > FINALISTS:
            n_best = max(1, len(drawn) // FINALISTS)
        best: list[tuple[float, int, _BoostedFolds]] = []
        for place, setting in enumerate(drawn):
            tried = _BoostedFolds(rows, setting)
            value = _value(tried.measured(1)) if n_best < len(drawn) else 0.0
            # The boosters of all settings at once would need much memory.
            best = sorted([*best, (-value, place, tried)])[:n_best]
        finalists = [tried for _, _, tried in sorted(best, key=itemgetter(1))]
        best.clear()
        measured = []
        while finalists:
            measured.append(finalists.pop(0).measured(len(rows.folds)))
        return max(measured, key=_value)


def _value(setting: BoostingSetting) -> float:
    return -np.inf if setting.value is None or np.isnan(setting.value) else setting.value


@dataclass(frozen=True, eq=False)
class _LightGBMRows:
    """Rows sorted by query as a LightGBM Dataset, with the folds of the queries."""

    data: RankingData
    dataset: Any
    folds: Sequence[tuple[Any, Any, IntArray]]
    """Dataset to train on, Dataset and rows to measure on."""
    fixed: dict[str, Any]
    options: TunedLightGBM

    @classmethod
    def of(cls, train: RankingData, valid: IntArray | None, options: TunedLightGBM) -> "_LightGBMRows":
        import lightgbm

        held_out = np.zeros(train.n_rows, dtype=bool)
        held_out[[] if valid is None else valid] = True
        if train.weights is not None:
            held_out = held_out[train.weights > 0]
        data = train.counted()
        if not data.groups.adjacent:
            order = data.groups.order
            data, held_out = data.pick_rows(order), held_out[order]
        dataset = lightgbm.Dataset(
            data.X,
            label=np.unique(data.y, return_inverse=True)[1],
            group=data.groups.sizes,
            weight=data.weights,
            categorical_feature=[k for k, kind in enumerate(data.kinds) if kind.is_category],
            feature_name=[f"f{k}" for k in range(data.n_features)],
            params=(fixed := _fixed(data, options)),
            free_raw_data=not options.n_settings,
        ).construct()
        if not options.n_settings:
            return cls(data, dataset, (), fixed, options)
        rows = np.arange(data.n_rows)
        splits = [(rows[~held_out], rows[held_out])]
        if valid is None:
            splits = query_folds(options.inner_folds, data.X, data.y, data.groups)
        folds = [(_part(dataset, data, rest, fixed), _part(dataset, data, own, fixed), own) for rest, own in splits]
        return cls(data, dataset, folds, fixed, options)

    def parameters(self, setting: BoostingSetting) -> dict[str, Any]:
        """Return LightGBM's parameters for a setting."""
        return self.fixed | {
            "num_leaves": setting.num_leaves,
            "learning_rate": setting.learning_rate,
            "min_data_in_leaf": setting.min_data_in_leaf,
            "feature_fraction": setting.feature_fraction,
        }

    def value(self, held_out: Sequence[IntArray], scores: Sequence[FloatArray]) -> float:
        """Return the mean of the study's measure over the queries of the folds; each fold has a model of its own."""
        rows, fold = np.concatenate(held_out), np.repeat(np.arange(len(held_out)), [len(own) for own in held_out])
        lists = fold * self.data.n_queries + self.data.groups.of_row[rows]
        asked: Any = {"measures": [self.options.measure], "convention": self.options.convention}
        found = evaluate(self.data.y[rows], np.concatenate(scores), qid=lists, **asked)
        return float(np.nanmean(found.per_query[self.options.measure]))


def _part(dataset: Any, data: RankingData, rows: IntArray, fixed: dict[str, Any]) -> Any:
    """Return some rows of a Dataset with the same bins; LightGBM's subsets consist of whole queries."""
    import lightgbm

    picked = data.groups.pick(rows)
    if (picked.sizes == data.groups.sizes[data.groups.of_row[rows[picked.order[picked.starts[:-1]]]]]).all():
        return dataset.subset(rows.tolist()).construct()
    return lightgbm.Dataset(
        data.X[rows],
        label=dataset.get_label()[rows],
        group=picked.sizes,
        weight=None if data.weights is None else data.weights[rows],
        reference=dataset,
        categorical_feature=dataset.categorical_feature,
        feature_name=dataset.feature_name,
        params=fixed,
        free_raw_data=False,
    ).construct()


class _BoostedFolds:
    """The boosters of one setting, one per fold: they keep their trees, so that nothing is trained twice."""

    def __init__(self, rows: _LightGBMRows, setting: BoostingSetting) -> None:
        self._rows, self._setting = rows, setting
        self._boosters: list[Any] = []
        self._values: list[list[float]] = []
        """NDCG on the held-out queries of each fold after each tree."""

    def measured(self, n_folds: int) -> BoostingSetting:
        """Return the setting with the number of trees at which the folds' mean NDCG is best, and the measure there."""
        means: list[float] = []
        while len(means) < MAX_TREES and len(means) - int(np.argmax(means or [0.0])) <= PATIENCE:
            means.append(float(np.mean([self._after(len(means), fold) for fold in range(n_folds)])))
        n_trees = int(np.argmax(means)) + 1
        held_out = [own for _, _, own in self._rows.folds[:n_folds]]
        pairs = zip(self._boosters, held_out, strict=False)
        scores = [booster.predict(self._rows.data.X[own], num_iteration=n_trees) for booster, own in pairs]
        value = self._rows.value(held_out, scores)
        return replace(self._setting, n_trees=n_trees, value=value)

    def _after(self, tree: int, fold: int) -> float:
        """Return the NDCG of a fold after the tree with this number, which is grown if it is missing."""
        import lightgbm

        if fold == len(self._boosters):
            rest, own, _ = self._rows.folds[fold]
            booster = lightgbm.Booster(self._rows.parameters(self._setting), rest)
            self._boosters.append(booster.add_valid(own, "held out"))
            self._values.append([])
        if tree == len(self._values[fold]):
            self._boosters[fold].update()
            self._values[fold].append(self._boosters[fold].eval_valid()[0][2])
        return self._values[fold][tree]


def _fixed(data: RankingData, options: TunedLightGBM) -> dict[str, Any]:
    """Return the parameters that all settings share."""
    ways = dict(options.monotone)
    cutoff = parse_measure(options.measure).cutoff if "@" in options.measure else DEFAULT_CUTOFF
    return {
        "objective": "lambdarank",
        "metric": "ndcg",
        "eval_at": [cutoff],
        "label_gain": _gains(data.y),
        "seed": options.seed,
        "deterministic": True,
        "force_row_wise": True,
        # Threads are worthwhile for large data only: on a busy machine they wait for each other.
        "num_threads": 1 if data.n_rows < MIN_ROWS_FOR_THREADS else 0,
        # A Dataset serves all settings, so features must not be dropped by the rows per leaf of one of them.
        "feature_pre_filter": False,
        "verbosity": -1,
    } | ({"monotone_constraints": [ways.get(name, 0) for name in data.feature_names]} if ways else {})


def _gains(y: FloatArray) -> list[float]:
    """Gains of the numbered labels: 2^y − 1 for whole grades, the label's number otherwise."""
    levels = np.unique(y)
    whole = bool((levels == np.round(levels)).all() and levels.min() >= 0 and levels.max() <= 30)
    return [float(2.0**level - 1.0) if whole else float(place) for place, level in enumerate(levels)]
