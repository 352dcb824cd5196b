"""Slow twin of an additive extreme learning machine with missing values and categories: its dense hidden layer.

Rows are lists of numbers, names of levels, and None for missing values, as in ``feature_columns``. A number has one
column per node φ of its feature; if values are missing in training, φ(x) − φ(m) with m the weighted mean of the known
values, 0 for a missing one, and the indicator of missing values. A category has its centred indicators of levels.
"""

import numpy as np

from tests.reference.feature_columns import Levels, Setting, weighted_mean
from tests.reference.least_squares import node_output


class NodeLayer:
    """The columns of each feature, made from training rows (all of positive weight)."""

    def __init__(self, rows, categories, weights, nodes, activation, min_count):
        """``nodes`` lists (feature, input, bias) of each node."""
        self.activation, self.parts = activation, []
        for k, (is_category, values) in enumerate(zip(categories, zip(*rows, strict=True), strict=True)):
            known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
            levels = Levels(values, None, weights, Setting(min_count=min_count)) if is_category else None
            mean = None if is_category or not known else weighted_mean(*zip(*known, strict=True))
            own = [(a, b) for feature, a, b in nodes if feature == k]
            self.parts.append((levels, own, mean, len(known) < len(values)))

    def cells(self, k, value):
        """The columns of one feature for one value."""
        levels, own, mean, has_missing = self.parts[k]
        indicator = [float(value is None)] if has_missing else []
        if levels is not None:
            # Levels by name; "other", written as (), comes last.
            names = list(levels.shares) if len(levels.shares) > 1 else []
            order = sorted(range(len(names)), key=lambda at: (names[at] == (), str(names[at])))
            return [*(0.0 if value is None else levels.centred(value)[at] for at in order), *indicator]
        if value is None:
            return [*([0.0] * len(own)), *indicator]
        shift = mean if has_missing else None
        return [
            *(self.output(value, node) - (0.0 if shift is None else self.output(shift, node)) for node in own),
            *indicator,
        ]

    def output(self, value, node):
        return node_output(self.activation, np.array([value]), np.array([node[0]]), node[1])

    def __call__(self, rows):
        """The hidden layer, and the feature of each of its columns."""
        cells = [[self.cells(k, value) for k, value in enumerate(row)] for row in rows]
        features = [k for k, some in enumerate(cells[0]) for _ in some]
        return np.array([[cell for some in row for cell in some] for row in cells]), np.array(features)
