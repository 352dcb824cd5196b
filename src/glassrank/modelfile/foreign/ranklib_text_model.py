"""RankLib's text models: linear ones, and boosted trees of one or two features each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
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
MAX_FEATURE = 100_000
_ENTRY = re.compile(r"([0-9]{1,9}):(\S+)")
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
    lines = [line for line in map(str.strip, text.split("\n")) if line and not line.startswith("##")]
    if len(lines) > 1:
        raise DataError(f"the RankLib model has {len(lines)} lines of weights: expected one.", remedy=_DAMAGED)
    weights: dict[int, float] = {}
    for token in "".join(lines).split():
        found = _ENTRY.fullmatch(token)
        if found is None or int(found[1]) in weights:
            raise DataError(f"the RankLib model has the entry {token[:40]!r}: expected NUMBER:WEIGHT.", remedy=_DAMAGED)
        weights[int(found[1])] = _number(found[2])
    constant = weights.pop(0, 0.0)
    if not weights:
        raise DataError("the RankLib model has no weights.", remedy=_DAMAGED)
    slopes = [LinearCurve(weights.get(k + 1, 0.0)) for k in range(_n_features(weights))]
    curves: list[Curve] = [MissingCurve(line, 0.0, 0.0) if line.slope else FLAT for line in slopes]
    return Terms(tuple(curves), constant)


def _ensemble(name: str, text: str) -> Terms:
    start = text.find("<ensemble>")
    if start < 0 or "<!" in text:
        raise DataError("the RankLib model has no trees.", remedy=_DAMAGED)
    try:
        root = ElementTree.fromstring(text[start:])
        trees = [_weighted(tree) for tree in _children(root, *["tree"] * len(root))]
    except (ElementTree.ParseError, RecursionError) as error:
        raise DataError(f"the trees of the RankLib model are damaged: {error}.", remedy=_DAMAGED) from error
    if not trees:
        raise DataError("the RankLib model has no trees.", remedy=_DAMAGED)
    n_features = _n_features({feature + 1 for tree in trees for feature in _features(tree)} or {1})
    sums = sum_trees(f"RankLib's {name}", trees, n_features, remedy=REMEDY, single_precision=True)
    return sums.terms(0.0, None)


def _weighted(tree: ElementTree.Element) -> Tree:
    (root,) = _children(tree, "split")
    return _tree(root, _single(tree.get("weight", "")))


def _tree(node: ElementTree.Element, weight: float) -> Tree:
    """Read the part of a tree below a node; RankLib takes the first branch as the left one."""
    if node.find("output") is not None:
        (output,) = _children(node, "output")
        return Leaf(_single(_content(output)) * weight)
    number, value, *branches = _children(node, "feature", "threshold", "split", "split")
    feature, threshold = _content(number).strip(), _single(_content(value))
    if not re.fullmatch(r"[1-9][0-9]{0,8}", feature):
        raise DataError(f"a tree of the RankLib model has the feature {feature[:40]!r}.", remedy=_DAMAGED)
    if [branch.get("pos") for branch in branches] != ["left", "right"]:
        raise DataError("a split of the RankLib model lacks its left and right branch.", remedy=_DAMAGED)
    left, right = (_tree(branch, weight) for branch in branches)
    return Split(int(feature) - 1, threshold, threshold >= 0.0, left, right)


def _children(node: ElementTree.Element, *names: str) -> list[ElementTree.Element]:
    """Return the elements inside one, which must have these names and no text between them."""
    children = list(node)
    found = [text for child in children for text in (f"<{child.tag}>", (child.tail or "").strip()) if text]
    inside = [text for text in ((node.text or "").strip(), *found) if text]
    for one, expected in zip_longest(inside, (f"<{name}>" for name in names), fillvalue="nothing"):
        if one != expected:
            what = f"a <{node.tag}> of the RankLib model contains {one[:40]}: expected {expected}."
            raise DataError(what, remedy=_DAMAGED)
    return children


def _content(node: ElementTree.Element) -> str:
    """Return the text of an element, which must have no others inside."""
    for child in node:
        what = f"a <{node.tag}> of the RankLib model contains <{child.tag}>: expected a number."
        raise DataError(what, remedy=_DAMAGED)
    return node.text or ""


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
        # Python also reads 1_000, which is no number elsewhere.
        value = float(text) if "_" not in text and text.isascii() else np.nan
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
