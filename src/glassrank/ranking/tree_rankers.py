"""LightGBM and XGBoost models on a table of features: which columns they take, and their scores."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from glassrank.core.additive.categories import category_name
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import CATEGORY, UNSEEN, FeatureKind, FeatureTable, in_levels_of
from glassrank.core.setting import setting
from glassrank.core.wording import counted, listed

_BOOSTERS = {
    "lightgbm": {"Booster", "LGBMModel", "LGBMRanker", "LGBMRegressor", "LGBMClassifier"},
    "xgboost": {"Booster", "XGBModel", "XGBRanker", "XGBRegressor", "XGBClassifier"},
}
# LightGBM gives these names to columns without names.
_UNNAMED = re.compile(r"Column_\d+")
_SPACES = re.compile(r"\s")
_SIGMOID = re.compile(r"^objective=binary sigmoid:(\S+)$", re.MULTILINE)


def library_of(model: Any) -> str | None:
    """Return ``"lightgbm"`` or ``"xgboost"`` for a model of these libraries, and None for others.

    >>> library_of("a text") is None
    True
    """
    library = type(model).__module__.split(".")[0]
    return library if type(model).__name__ in _BOOSTERS.get(library, ()) else None


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """What a fitted LightGBM or XGBoost model says about its input."""

    booster: Any
    library: str
    n_features: int
    names: tuple[str, ...] | None
    """Names of the features in training; None if the model was trained without names."""
    levels: Mapping[int, tuple[str, ...] | int]
    """Of each categorical feature, the names of its codes, or the number of codes if they have no names."""
    n_rounds: int | None = None
    """Number of rounds of trees that XGBoost uses, if training stopped early; None for all."""

    @classmethod
    def of(cls, model: Any) -> "BoostedTrees":
        """Read a Booster, or a fitted model in scikit-learn's style."""
        library = library_of(model)
        return _read_lightgbm(model) if library == "lightgbm" else _read_xgboost(model)

    def names_in(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """Return the model's feature names as the data spell them: LightGBM replaces spaces by underscores."""
        if self.names is None or self.library != "lightgbm":
            return self.names
        spelt: dict[str, list[str]] = {}
        for name in names:
            spelt.setdefault(_SPACES.sub("_", name), []).append(name)
        known = set(names)
        return tuple(
            spelt[name][0] if name not in known and len(spelt.get(name, ())) == 1 else name for name in self.names
        )

    def rows(self, table: FeatureTable) -> FloatArray:
        """Return the rows as the model takes them: categories as its own codes, unknown levels as missing values."""
        self._check_columns(table)
        kinds = tuple(
            self._kind(k, kind, name) for k, (kind, name) in enumerate(zip(table.kinds, table.names, strict=True))
        )
        values = in_levels_of(table, kinds, table.names)
        unseen = (values == UNSEEN) & np.array([kind.is_category for kind in kinds])
        return np.asarray(np.where(unseen, np.nan, values))

    def _check_columns(self, table: FeatureTable) -> None:
        expected = self.names_in(table.names)
        if table.shape[1] != self.n_features or (expected is not None and expected != table.names):
            raise DataError(
                f"The model takes {counted(self.n_features, 'feature')}{_named(expected)}: got "
                f"{table.shape[1]}{_named(table.names)}.",
                remedy="Select and order them with pick_features.",
            )

    def _kind(self, k: int, kind: FeatureKind, name: str) -> FeatureKind:
        """Return the kind of a feature in the model, with its levels."""
        if k not in self.levels:
            if kind.is_category:
                raise DataError(
                    f"Feature {name!r} is a number in the model and a category in the data.",
                    remedy="Train the model with it as a category.",
                )
            return kind
        levels = self.levels[k]
        if isinstance(levels, tuple):
            if not kind.is_category:
                remedy = f"Read it as a category: {setting('categorical', name, python=f'categorical=[{name!r}]')}."
                raise DataError(
                    f"Feature {name!r} is a category in the model and a {kind.name} in the data.", remedy=remedy
                )
            return FeatureKind(CATEGORY, levels)
        if kind.is_category and levels > len(kind.levels):
            raise DataError(
                f"The model knows {name!r} by the codes 0 to {levels - 1}, but the data have "
                f"{counted(len(kind.levels), 'level')} of it: they are not the codes of the training data.",
                remedy="Train the model on a data frame with categories, so that it knows their names.",
            )
        return kind

    def scores(self, table: FeatureTable) -> FloatArray:
        """Return the score of each row; of a binary classifier, the log-odds."""
        return (
            self._predict(table, raw_score=True)
            if self.library == "lightgbm"
            else self._margins(table, output_margin=True)
        )

    def contributions(self, table: FeatureTable) -> FloatArray:
        """Return what each feature contributes to the scores, and in the last column what all rows have in common."""
        if self.library == "lightgbm":
            return self._predict(table, pred_contrib=True)
        return self._margins(table, pred_contribs=True)

    def _predict(self, table: FeatureTable, **wanted: bool) -> FloatArray:
        raw = self.booster.predict(self.rows(table), **wanted)
        sigmoid = _SIGMOID.search(self.booster.model_to_string(num_iteration=1))
        return np.asarray(raw, dtype=np.float64) * (float(sigmoid[1]) if sigmoid else 1.0)

    def _margins(self, table: FeatureTable, **wanted: bool) -> FloatArray:
        from xgboost import DMatrix

        matrix = DMatrix(
            self.rows(table),
            feature_names=self.booster.feature_names,
            feature_types=self.booster.feature_types,
            missing=np.nan,
            enable_categorical=True,
        )
        rounds = (0, self.n_rounds or 0)
        return np.asarray(self.booster.predict(matrix, iteration_range=rounds, **wanted), dtype=np.float64)


def takes_only_dmatrix(model: Any) -> bool:
    """Whether a model is a Booster of XGBoost, which predicts neither arrays nor data frames."""
    return library_of(model) == "xgboost" and type(model).__name__ == "Booster"


def dmatrix_scores(booster: Any, X: Any) -> FloatArray:
    """Return XGBoost's scores of an array, a sparse matrix or a data frame, whose columns have names of their own."""
    from xgboost import DMatrix

    named = hasattr(X, "columns")
    described = {} if named else {"feature_names": booster.feature_names, "feature_types": booster.feature_types}
    matrix = DMatrix(X, missing=np.nan, enable_categorical=True, **described)
    return np.asarray(booster.predict(matrix, output_margin=True), dtype=np.float64)


def _named(names: Sequence[str] | None) -> str:
    return " without names" if names is None else f" ({listed(names)})"


def _read_lightgbm(model: Any) -> BoostedTrees:
    booster = model if type(model).__name__ == "Booster" else model.booster_
    dump = booster.dump_model(num_iteration=1)
    _check_outputs(type(model).__name__, dump["num_tree_per_iteration"])
    names = tuple(map(str, dump["feature_names"]))
    declared = re.search(r"^\[categorical_feature: ([\d,]+)\]$", booster.model_to_string(num_iteration=1), re.MULTILINE)
    codes = {names.index(name): info["values"] for name, info in dump["feature_infos"].items() if info.get("values")}
    columns = sorted({*codes, *(map(int, declared[1].split(",")) if declared else ())})
    named = dump.get("pandas_categorical") or []
    levels: dict[int, tuple[str, ...] | int] = {k: int(max(codes.get(k, [0]))) + 1 for k in columns}
    if named and len(named) != len(columns):
        raise DataError(
            f"The model was trained on a data frame with {len(named)} columns of categories and treats {len(columns)} "
            "as such.",
            remedy="Convert ordered categories to numbers before training, and other columns to categories.",
        )
    levels |= {k: tuple(map(category_name, own)) for k, own in zip(columns, named, strict=False)}
    unnamed = all(map(_UNNAMED.fullmatch, names))
    return BoostedTrees(booster, "lightgbm", len(names), None if unnamed else names, levels)


def _read_xgboost(model: Any) -> BoostedTrees:
    plain = type(model).__name__ == "Booster"
    booster = model if plain else model.get_booster()
    if not plain and not (isinstance(model.missing, float) and np.isnan(model.missing)):
        raise DataError(
            f"{type(model).__name__} treats the value {model.missing} as missing.",
            remedy="Replace it by NaN and leave out missing.",
        )
    learner = json.loads(booster.save_raw("json"))["learner"]
    sizes = learner["learner_model_param"]
    _check_outputs(type(model).__name__, max(int(sizes["num_class"]), int(sizes.get("num_target", 1))))
    names = tuple(booster.feature_names or ()) or None
    stored = learner["gradient_booster"].get("model", {}).get("cats", {}).get("enc", [])
    levels: dict[int, tuple[str, ...] | int] = {
        k: (xgboost_levels(stored[k]) if k < len(stored) else ()) or 0
        for k, kind in enumerate(booster.feature_types or ())
        if kind == "c"
    }
    # A Booster predicts with all its trees, a model in scikit-learn's style with those up to the best round.
    best = None if plain else booster.attr("best_iteration")
    n_rounds = None if best is None else int(best) + 1
    return BoostedTrees(booster, "xgboost", int(sizes["num_feature"]), names, levels, n_rounds)


def _check_outputs(kind: str, n_outputs: int) -> None:
    if n_outputs > 1:
        raise DataError(
            f"A ranker gives one score per document: {kind} has {n_outputs} outputs.",
            remedy="Train it with an objective that has one output.",
        )


def xgboost_levels(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of categories that XGBoost stores: numbers, or texts in one array with the places of their ends.

    >>> xgboost_levels({"offsets": [0, 4, 8], "values": list(b"newsshop")})
    ('news', 'shop')
    """
    if "offsets" not in entry:
        return tuple(map(category_name, entry["values"]))
    text = bytes(value % 256 for value in entry["values"])
    if not text.isascii():
        # From a pandas frame, XGBoost counts characters as bytes, so that names are cut in wrong places.
        raise DataError(
            "The model has categories whose names are not ASCII text, which XGBoost may store incompletely.",
            remedy="Rename them, or train on their codes.",
        )
    return tuple(text[start:end].decode() for start, end in pairwise(entry["offsets"]))
