"""load_ranker(): a ranker from a file of LightGBM, XGBoost or glassrank, checked before it is used."""

import json
import os
from typing import Any

from glassrank.core.checks import DataError, within
from glassrank.files.input_files import open_input
from glassrank.modelfile.load_model import read_model
from glassrank.modelfile.saved_model import SavedModel
from glassrank.ranking.any_ranker import check_ranker
from glassrank.studies.ranking.lightgbm_text_model import checked_lightgbm_text

MAX_MODEL_BYTES = 2**30
_HEAD = 4_096
_EXPECTED = "a LightGBM text model, an XGBoost model (JSON or UBJ) or a glassrank model"


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like a model, and not like a table of scores or a TREC run."""
    with open_input(path) as stream:
        head = stream.read(_HEAD).lstrip()
    return _is_lightgbm(head) or head.startswith(b"{")


def load_ranker(path: str | os.PathLike[str]) -> Any:
    """Load a LightGBM text model, an XGBoost model (JSON or UBJ), or a glassrank model as ``SavedModel``.

    The format is recognised by the content. The file is limited to 1 GB, and nothing in it is executed. Indices of
    trees are checked, because the libraries would follow them out of their arrays.
    """
    with open_input(path) as stream:
        raw = stream.read(MAX_MODEL_BYTES + 1)
    if len(raw) > MAX_MODEL_BYTES:
        raise DataError(f"{path}: expected a model of at most {MAX_MODEL_BYTES:,} bytes, got more.")
    head = raw[:_HEAD].lstrip()
    with within(path):
        if _is_lightgbm(head):
            return _load_lightgbm(raw)
        if head.startswith(b"{") and b"learner" in head:
            return _load_xgboost(raw)
    if head.startswith(b"{"):
        return _load_own(path)
    shown = head[:40].decode(errors="replace").split("\n")[0]
    raise DataError(f"{path}: expected {_EXPECTED}, got a file that begins with {shown!r}.")


def _is_lightgbm(head: bytes) -> bool:
    return head.startswith((b"tree\n", b"tree\r\n"))


def _load_own(path: str | os.PathLike[str]) -> SavedModel:
    saved = read_model(path)
    if not saved.scores_documents:
        raise DataError(f"{path}: {saved.kind} does not score single documents: expected a ranker that does.")
    with within(path):
        check_ranker(saved.restore(), fitted=True)
    return saved


def _load_lightgbm(raw: bytes) -> Any:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise DataError("the LightGBM model is not UTF-8 text.", remedy="Save it again.") from error
    text = checked_lightgbm_text(text)
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise _not_installed("LightGBM", "lightgbm") from error
    try:
        return lightgbm.Booster(model_str=text)
    except (lightgbm.basic.LightGBMError, ValueError, RecursionError) as error:
        raise DataError(f"LightGBM cannot read the model: {_first_line(error)}", remedy="Save it again.") from error


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
