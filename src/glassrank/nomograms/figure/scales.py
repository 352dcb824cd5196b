"""Scales of the specification: each feature's curve as a table that Vega reads in both directions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import FloatArray
from glassrank.nomograms.figure.layout import Layout
from glassrank.nomograms.figure.lines import BOX, CATEGORY, FOLD, POINT, Line
from glassrank.nomograms.figure.rows import Plotter, Row
from glassrank.nomograms.figure.state_data import FeatureStates, short

ERROR_SAMPLES = 33


def scales(
    layout: Layout,
    samples: EffectSamples | None,
    candidates: tuple[Row, ...],
    states: Mapping[int, FeatureStates],
) -> list[dict[str, Any]]:
    """Return for each feature: value → effect, effect → value along each run, value → error.

    Boxes and folds also have a scale value → height below the top of the row; features of interactions, one from
    values to states.
    """
    made = [own.scale(f"t{k}") for k, own in states.items() if not own.line.feature.categories]
    drawn = {row.k: row for row in candidates}
    for k, line in enumerate(layout.lines):
        if not line.own:
            continue
        made.append(_linear(f"g{k}", line.values, line.effects, clamp=False))
        if line.kind == POINT:
            continue
        made += _inverse_scales(k, line)
        if k in drawn and line.kind in (BOX, FOLD):
            made.append(_height_scale(drawn[k], layout))
        if samples is not None and k in drawn and line.kind != CATEGORY:
            values = np.linspace(line.first, line.last, ERROR_SAMPLES)
            made.append(_linear(f"s{k}", values, samples.curve_errors(k, values)))
        elif samples is not None and k in drawn:
            made.append(_linear(f"s{k}", line.values, samples.curve_errors(k, line.values)))
    return made


def _inverse_scales(k: int, line: Line) -> list[dict[str, Any]]:
    if line.kind != CATEGORY:
        return [_linear(f"i{k}_{run}", *line.inverse(run)) for run in range(len(line.runs))]
    order = np.argsort(line.effects, kind="stable")
    between = (line.effects[order][1:] + line.effects[order][:-1]) / 2
    return [{"name": f"i{k}_0", "type": "threshold", "domain": short(between), "range": short(line.values[order])}]


def _height_scale(row: Row, layout: Layout) -> dict[str, Any]:
    line = row.line
    if row.kind == BOX:
        box = Plotter(line, layout.scale, 0.0).box
        return _linear(f"y{row.k}", np.array([line.first, line.last]), np.array(box))
    turns = np.array([line.values[end] for _, end in line.runs[:-1]])
    heights = np.array([row.run_y(run) - row.top for run in range(len(line.runs))])
    return {"name": f"y{row.k}", "type": "threshold", "domain": short(turns), "range": short(heights)}


def _linear(name: str, domain: FloatArray, values: FloatArray, *, clamp: bool = True) -> dict[str, Any]:
    # A domain of one value has no direction: any second value works, because the effect is constant.
    spread = domain if domain[0] != domain[-1] else np.linspace(domain[0], domain[0] + 1.0, len(domain))
    return {
        "name": name,
        "type": "linear",
        "zero": False,
        "nice": False,
        "clamp": clamp,
        "domain": short(spread),
        "range": short(values),
    }
