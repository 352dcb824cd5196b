"""Checks a LightGBM text model before LightGBM reads it, because LightGBM trusts the indices in it."""

import re
from collections.abc import Iterator

import numpy as np

from glassrank.core.checks import DataError, IntArray
from glassrank.core.setting import setting

_REMEDY = "Save the model again."


def checked_lightgbm_text(text: str) -> str:
    """Return the part of a model's text that scoring needs, or raise an error if an index of a tree does not exist.

    This leaves out the sizes of the trees, because LightGBM ends the process if one is wrong, and all parameters but
    the list of categorical features.

    >>> checked_lightgbm_text("tree\\nversion=v4\\n")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: the LightGBM model is incomplete: expected 'end of trees'. Save the model again.
    """
    body, end, rest = text.partition("\nend of trees")
    if not end:
        raise DataError("the LightGBM model is incomplete: expected 'end of trees'.", remedy=_REMEDY)
    header, *trees = re.split(r"^Tree=\d+\s*$", body, flags=re.MULTILINE)
    fields = dict(_fields(header))
    last, names = fields.get("max_feature_idx", ""), fields.get("feature_names", "").split()
    if not re.fullmatch(r"\d{1,9}", last) or len(names) != int(last) + 1 or not trees:
        raise DataError("the LightGBM model has no list of features, or no trees.", remedy=_REMEDY)
    for number, tree in enumerate(trees):
        found = dict(_fields(tree))
        if found.get("is_linear", "0") != "0":
            raise DataError(
                "the LightGBM model has linear functions in its leaves.",
                remedy=f"Train it with {setting('linear_tree', False)}.",
            )
        if not _is_sound(found, len(names)):
            raise DataError(f"tree {number} of the LightGBM model is damaged.", remedy=_REMEDY)
    return re.sub(r"^tree_sizes=.*$", "", body, count=1, flags=re.MULTILINE) + end + _end(rest)


def _end(rest: str) -> str:
    """Return the end of the text: which features are categories, and the names of the categories."""
    if "\nparameters:" in rest and "\nend of parameters" not in rest:
        raise DataError("the LightGBM model is incomplete: expected 'end of parameters'.", remedy=_REMEDY)
    declared = re.search(r"^\[categorical_feature: \d+(?:,\d+)*\]$", rest, re.MULTILINE)
    parameters = f"parameters:\n{declared[0]}\n\nend of parameters\n" if declared else ""
    *_, last = rest.rstrip("\n").split("\n")
    return f"\n\n{parameters}\n{last if last.startswith('pandas_categorical:') else ''}\n"


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            yield name, value


def _is_sound(tree: dict[str, str], n_features: int) -> bool:
    """Return whether the arrays of a tree fit together; nodes refer to later nodes, or to leaf k as −k − 1."""
    try:
        n_leaves, n_categories = int(tree["num_leaves"]), int(tree["num_cat"])
        numbers = {name: _whole(tree.get(name, "")) for name in ("left_child", "right_child", "split_feature")}
        thresholds = np.array(tree.get("threshold", "").split(), dtype=np.float64)
        decisions = _whole(tree.get("decision_type", ""))
        edges = _whole(tree.get("cat_boundaries", ""))
        n_words = len(tree.get("cat_threshold", "").split())
        n_values = len(np.array(tree["leaf_value"].split(), dtype=np.float64))
    except (KeyError, ValueError, OverflowError):
        return False
    n_nodes = n_leaves - 1
    children = np.concatenate([numbers["left_child"], numbers["right_child"]])
    sizes = {len(values) for values in (*numbers.values(), thresholds, decisions)}
    if n_leaves < 1 or n_values != n_leaves or (n_nodes > 0 and sizes != {n_nodes}):
        return False
    if n_nodes == 0:
        return True
    # A child comes after its parent, so that no path returns to a node.
    parents = np.tile(np.arange(n_nodes), 2)
    follows = np.where(children >= 0, (children > parents) & (children < n_nodes), children >= -n_leaves)
    known = (numbers["split_feature"] >= 0) & (numbers["split_feature"] < n_features)
    sets = thresholds[(decisions & 1) == 1]
    listed = bool(((sets >= 0) & (sets < n_categories)).all())
    whole = n_categories == 0 or _are_edges(edges, n_categories, n_words)
    return bool(follows.all() and known.all() and listed and whole)


def _are_edges(edges: IntArray, n_sets: int, n_words: int) -> bool:
    """Return whether sets of categories begin and end within the words that store them."""
    if len(edges) != n_sets + 1 or edges[0] != 0 or edges[-1] != n_words:
        return False
    return bool((np.diff(edges) >= 0).all())


def _whole(text: str) -> IntArray:
    return np.array(text.split(), dtype=np.int64)
