"""RankLib's text models, evaluated from the description of the format: linear models and tree ensembles.

Feature 1 is the first column. A missing value counts as 0.
"""

import re

import numpy as np


def evaluate(text, rows):
    """Return the scores of rows: doubles for a linear model, float32 values for trees."""
    rows = np.nan_to_num(np.asarray(rows, dtype=np.float32), nan=0.0)
    lines = text.split("\n")
    kind = lines[0].removeprefix("##").strip()
    body = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return KINDS[kind](body, rows)


def linear(body, rows):
    """Return constant + Σ w·x, added in the order of the line."""
    (line,) = body
    pairs = [entry.split(":") for entry in line.split()]
    weights = {int(place): float(weight) for place, weight in pairs}
    total = np.full(len(rows), weights.pop(0, 0.0))
    for place, weight in weights.items():
        total = total + weight * rows[:, place - 1].astype(float)
    return total


def ensemble(body, rows):
    """Return the float32 sum of the outputs of the trees, in the order of the file."""
    lines = iter(body)
    _expect(next(lines), "<ensemble>")
    total = np.zeros(len(rows), dtype=np.float32)
    for line in lines:
        if line == "</ensemble>":
            return total
        weight = np.float32(re.fullmatch(r'<tree id="\d+" weight="([^"]+)">', line)[1])
        _expect(next(lines), "<split>")
        node = _split(lines)
        _expect(next(lines), "</tree>")
        outputs = _outputs(node, rows)
        total = (total.astype(float) + outputs.astype(float) * float(weight)).astype(np.float32)
    raise ValueError("the ensemble has no end")


def _split(lines):
    """Read what follows ``<split>``: a leaf's output, or a feature, a threshold and two splits."""
    line = next(lines)
    if line.startswith("<output>"):
        _expect(next(lines), "</split>")
        return np.float32(_content(line, "output"))
    feature, threshold = int(_content(line, "feature")), np.float32(_content(next(lines), "threshold"))
    children = []
    for side in ("left", "right"):
        _expect(next(lines), f'<split pos="{side}">')
        children.append(_split(lines))
    _expect(next(lines), "</split>")
    return feature - 1, threshold, *children


def _outputs(node, rows):
    if not isinstance(node, tuple):
        return np.full(len(rows), node, dtype=np.float32)
    column, threshold, left, right = node
    goes_left = rows[:, column] <= threshold
    outputs = np.empty(len(rows), dtype=np.float32)
    outputs[goes_left] = _outputs(left, rows[goes_left])
    outputs[~goes_left] = _outputs(right, rows[~goes_left])
    return outputs


def _content(line, element):
    return re.fullmatch(rf"<{element}>\s*(\S+)\s*</{element}>", line)[1]


def _expect(line, element):
    if line != element:
        raise ValueError(f"expected {element}, found {line}")


KINDS = {"Linear Regression": linear, "Coordinate Ascent": linear, "LambdaMART": ensemble, "MART": ensemble}
