"""load_ranker(): a ranker from a file of LightGBM, XGBoost, RankLib or glassrank, checked before it is used."""

import json
import os
from collections.abc import Sequence
from typing import Any

from glassrank.core.checks import DataError, within
from glassrank.core.input_types import Estimator
from glassrank.core.setting import setting
from glassrank.files.input_files import open_input
from glassrank.modelfile.document import check_document, describe_model
from glassrank.modelfile.foreign.lightgbm_text_model import checked_lightgbm_text
from glassrank.modelfile.foreign.ranklib_text_model import is_ranklib, ranklib_terms
from glassrank.modelfile.foreign_model import ForeignModel
from glassrank.modelfile.load_model import read_model
from glassrank.modelfile.saved_model import SavedModel
from glassrank.nomograms.additive_ranker import AdditiveRanker

MAX_MODEL_BYTES = 2**30
_HEAD = 4_096
_EXPECTED = "a LightGBM text model, an XGBoost model (JSON or UBJ), a RankLib text model or a glassrank model"


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like a model, and not like a table of scores or a TREC run."""
    with open_input(path) as stream:
        head = stream.read(_HEAD).lstrip()
    return _is_lightgbm(head) or is_ranklib(head) or head.startswith(b"{")


def load_ranker(path: str | os.PathLike[str], *, feature_names: Sequence[str] | None = None) -> Estimator:
    """Load a fitted ranker that LightGBM, XGBoost, RankLib or glassrank has saved.

    The format is recognised by the content: LightGBM's text, XGBoost's JSON or UBJ, RankLib's text, or a glassrank
    model. The result is the library's own model, or an ``AdditiveRanker`` for RankLib's linear models and trees of one
    or two features each. The file is limited to 1 GB, and nothing in it is executed. Indices of trees are checked,
    because the libraries would follow them out of their arrays.

    Parameters
    ----------
    path
        The model file, which may be compressed with gzip or xz.
    feature_names
        Names of the features 1, 2 … of a RankLib model, which only numbers them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from glassrank import load_ranker
    >>> _ = Path("model.txt").write_text("## Linear Regression\\n## Lambda = 1.0E-10\\n0:0.5 1:2.0 2:-1.0\\n")
    >>> ranker = load_ranker("model.txt", feature_names=["bm25", "spam"])
    >>> ranker, ranker.predict([[3.0, 1.0]]).tolist()
    (AdditiveRanker(2 features), [5.5])
    """
    return read_ranker(path, feature_names).restore()


def read_ranker(path: str | os.PathLike[str], feature_names: Sequence[str] | None = None) -> SavedModel | ForeignModel:
    """Read and check a ranker of any format, with the names and kinds of its features."""
    with open_input(path) as stream:
        raw = stream.read(MAX_MODEL_BYTES + 1)
    if len(raw) > MAX_MODEL_BYTES:
        raise DataError(f"{path}: expected a model of at most {MAX_MODEL_BYTES:,} bytes, got more.")
    head = raw[:_HEAD].lstrip()
    with within(path):
        if is_ranklib(head):
            return _read_ranklib(raw, feature_names)
        if feature_names is not None:
            raise DataError(f"{setting('feature_names')} is for RankLib models: this model has its own names.")
        if _is_lightgbm(head):
            return ForeignModel(_load_lightgbm(raw))
        if _is_xgboost(head):
            return ForeignModel(_load_xgboost(raw))
    if head.startswith(b"{"):
        return read_model(path)
    shown = head[:40].decode(errors="replace").split("\n")[0]
    raise DataError(f"{path}: expected {_EXPECTED}, got a file that begins with {shown!r}.")


def _read_ranklib(raw: bytes, feature_names: Sequence[str] | None) -> SavedModel:
    ranker = AdditiveRanker(ranklib_terms(_text(raw, "RankLib"), feature_names))
    return SavedModel(check_document(describe_model(ranker), "the RankLib model"))


def _is_xgboost(head: bytes) -> bool:
    return head.startswith(b"{") and b"learner" in head


def _is_lightgbm(head: bytes) -> bool:
    return head.startswith((b"tree\n", b"tree\r\n"))


def _load_lightgbm(raw: bytes) -> Any:
    text = checked_lightgbm_text(_text(raw, "LightGBM"))
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise _not_installed("LightGBM", "lightgbm") from error
    try:
        return lightgbm.Booster(model_str=text)
    except (lightgbm.basic.LightGBMError, ValueError, RecursionError) as error:
        raise DataError(f"LightGBM cannot read the model: {_first_line(error)}", remedy="Save it again.") from error


def _text(raw: bytes, library: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"the {library} model is not UTF-8 text.", remedy="Save it again.") from error


def _load_xgboost(raw: bytes) -> Any:
    try:
        import xgboost
    except (ImportError, OSError) as error:
        raise _not_installed("XGBoost", "xgboost") from error
    try:
        booster = xgboost.Booster(model_file=bytearray(raw))
        learner = json.loads(booster.save_raw("json"))["learner"]
    except (xgboost.core.XGBoostError, ValueError, KeyError, RecursionError) as error:
        raise DataError(f"XGBoost cannot read the model: {_first_line(error)}", remedy="Save it again.") from error
    _check_xgboost(learner)
    if "scikit_learn" not in learner["attributes"]:
        return booster
    # Saved by a model in scikit-learn's style, which predicts with the trees up to the best round only.
    model = xgboost.XGBRanker()
    model.load_model(bytearray(raw))
    return model


def _check_xgboost(learner: dict[str, Any]) -> None:
    """Raise an error unless every path from the root of a tree ends, and its nodes have known features."""
    booster = learner["gradient_booster"]
    model = booster.get("gbtree", booster).get("model", {})
    if "trees" not in model:
        raise DataError(f"expected boosted trees, got the booster {booster['name']!r}.")
    n_features = int(learner["learner_model_param"]["num_feature"])
    for number, tree in enumerate(model["trees"]):
        if not _is_tree(tree, n_features):
            raise DataError(f"tree {number} of the XGBoost model is damaged.", remedy="Save the model again.")


def _is_tree(tree: dict[str, Any], n_features: int) -> bool:
    lefts, rights, features = tree["left_children"], tree["right_children"], tree["split_indices"]
    arrays = (rights, features, tree["split_conditions"], tree["default_left"])
    if not lefts or any(len(values) != len(lefts) for values in arrays):
        return False
    seen, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        if not 0 <= node < len(lefts) or node in seen:
            return False
        seen.add(node)
        if lefts[node] != -1:
            if not 0 <= features[node] < n_features:
                return False
            waiting += [lefts[node], rights[node]]
    return True


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(error).__name__


def _not_installed(name: str, package: str) -> DataError:
    return DataError(
        f"{name} models need {name}, which is not installed.", remedy=f"Install it: pip install 'glassrank[{package}]'."
    )
