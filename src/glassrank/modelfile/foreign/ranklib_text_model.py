"""RankLib's text models: linear ones, and boosted trees of one or two features each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from glassrank.core.additive.curves import FLAT, MissingCurve
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import DataError, check_length
from glassrank.core.numbered_features import numbered_names
from glassrank.nomograms.adapters.boosted_trees import Leaf, Split, Tree, sum_trees
from glassrank.nomograms.adapters.terms import Terms

LINEAR = ("Linear Regression", "Coordinate Ascent")
ENSEMBLES = ("LambdaMART", "MART")
MAX_FEATURE = 1_000_000
_ENTRY = re.compile(r"(\d{1,9}):(\S+)")
_DAMAGED = "Save the model again."
REMEDY = "Train it with trees of two leaves (-leaf 2), or of three (-leaf 3) for two features each."


def is_ranklib(head: bytes) -> bool:
    """Return whether a file begins like a model of RankLib: with the name of the ranker.

    >>> is_ranklib(b"## LambdaMART\\n## No. of trees = 10"), is_ranklib(b"# comment")
    (True, False)
    """
    return re.match(rb"## [A-Z]", head) is not None


def ranklib_terms(text: str, feature_names: Sequence[str] | None = None) -> Terms:
    """Read a model of RankLib, whose features are numbered from 1, as curves.

    RankLib takes a missing value as 0, and compares values with thresholds in 32 bits.

    >>> terms = ranklib_terms("## Coordinate Ascent\\n## Restart = 5\\n1:0.5 3:-0.25\\n")
    >>> terms.names, [float(curve(np.array(2.0))) for curve in terms.curves]
    (('feature 1', 'feature 2', 'feature 3'), [1.0, 0.0, -0.5])
    """
    name = text.lstrip().split("\n", 1)[0].removeprefix("##").strip()
    if name in LINEAR:
        terms = _linear(text)
    elif name in ENSEMBLES:
        terms = _ensemble(name, text)
    else:
        known = ", ".join((*LINEAR, *ENSEMBLES))
        raise DataError(f"RankLib's {name!r} is not supported: expected one of {known}.")
    names = numbered_names(terms.n_features) if feature_names is None else tuple(map(str, feature_names))
    if len(names) > terms.n_features:
        # RankLib does not store features that have no weight and no split.
        terms = replace(terms, curves=(*terms.curves, *[FLAT] * (len(names) - terms.n_features)))
    check_length("feature_names", names, terms.n_features, per="feature of the model")
    return replace(terms, names=tuple(names))


def _linear(text: str) -> Terms:
    """w·x, with the constant at the number 0."""
    line = next((line for line in map(str.strip, text.splitlines()) if line and not line.startswith("##")), "")
    weights: dict[int, float] = {}
    for token in line.split():
        found = _ENTRY.fullmatch(token)
        if found is None or int(found[1]) in weights:
            raise DataError(f"the RankLib model has the entry {token[:40]!r}: expected NUMBER:WEIGHT.", remedy=_DAMAGED)
        weights[int(found[1])] = _number(found[2])
    constant = weights.pop(0, 0.0)
    if not weights:
        raise DataError("the RankLib model has no weights.", remedy=_DAMAGED)
    lines = [LinearCurve(weights.get(k + 1, 0.0)) for k in range(_n_features(weights))]
    curves: list[Curve] = [MissingCurve(line, 0.0, 0.0) if line.slope else FLAT for line in lines]
    return Terms(tuple(curves), constant)


def _ensemble(name: str, text: str) -> Terms:
    start = text.find("<ensemble>")
    if start < 0 or "<!" in text:
        raise DataError("the RankLib model has no trees.", remedy=_DAMAGED)
    try:
        root = ElementTree.fromstring(text[start:])
        trees = [_weighted(tree) for tree in root.findall("tree")]
    except (ElementTree.ParseError, RecursionError) as error:
        raise DataError(f"the trees of the RankLib model are damaged: {error}.", remedy=_DAMAGED) from error
    if not trees:
        raise DataError("the RankLib model has no trees.", remedy=_DAMAGED)
    n_features = _n_features({feature + 1 for tree in trees for feature in _features(tree)} or {1})
    sums = sum_trees(f"RankLib's {name}", trees, n_features, remedy=REMEDY, single_precision=True)
    return sums.terms(0.0, None)


def _weighted(tree: ElementTree.Element) -> Tree:
    return _tree(_one(tree, "split"), _single(tree.get("weight", "")))


def _tree(node: ElementTree.Element, weight: float) -> Tree:
    """Read the part of a tree below a node; RankLib takes the first branch as the left one."""
    output = node.find("output")
    if output is not None:
        return Leaf(_single(output.text or "") * weight)
    feature = (_one(node, "feature").text or "").strip()
    if not re.fullmatch(r"[1-9]\d{0,8}", feature):
        raise DataError(f"a tree of the RankLib model has the feature {feature[:40]!r}.", remedy=_DAMAGED)
    threshold = _single(_one(node, "threshold").text or "")
    branches = node.findall("split")
    if [branch.get("pos") for branch in branches] != ["left", "right"]:
        raise DataError("a split of the RankLib model lacks its left and right branch.", remedy=_DAMAGED)
    left, right = (_tree(branch, weight) for branch in branches)
    return Split(int(feature) - 1, threshold, threshold >= 0.0, left, right)


def _one(node: ElementTree.Element, name: str) -> ElementTree.Element:
    found = node.find(name)
    if found is None:
        raise DataError(f"a tree of the RankLib model has no <{name}>.", remedy=_DAMAGED)
    return found


def _features(tree: Tree) -> Iterator[int]:
    if isinstance(tree, Split):
        yield tree.feature
        yield from _features(tree.left)
        yield from _features(tree.right)


def _n_features(numbers: "dict[int, float] | set[int]") -> int:
    if max(numbers) > MAX_FEATURE:
        raise DataError(f"the RankLib model has a feature {max(numbers)}: expected numbers up to {MAX_FEATURE:,}.")
    return max(numbers)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise DataError(f"the RankLib model has {text.strip()[:40]!r} in place of a number.", remedy=_DAMAGED)
    return value


def _single(text: str) -> float:
    """Return a number as RankLib keeps it, in 32 bits."""
    with np.errstate(over="ignore"):
        value = float(np.float32(_number(text)))
    return _number(repr(value))
