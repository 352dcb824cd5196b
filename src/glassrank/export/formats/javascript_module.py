"""A JavaScript module that scores documents without any dependency, in double precision."""

import json
import re
from typing import Any

from glassrank import __version__
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.rounding import rounding_bound
from glassrank.export.formats.term_tables import range_lines, term_tables

FILE = "model.mjs"

_HEAD = """// Scores of the ranking model {name}, written by glassrank {version}; no dependencies.
//
//   import {{ score }} from "./model.mjs";
//   score({example}); // higher scores rank first
//
// null, undefined or NaN is a missing value.{probability}{ranges}

export const model = {tables};
"""

_PROBABILITY = """
// P(A above B) = 1 / (1 + Math.exp(-model.slope * (score(A) - score(B))))."""

_VALUES = r"""
// The value of a feature; null if it is missing. Names such as toString are not those that objects inherit.
function valueOf(features, name) {
  const value = Object.hasOwn(features, name) ? features[name] : null;
  return value === undefined || Number.isNaN(value) ? null : value;
}

function checked(name, value) {
  if ((typeof value === "number" && Number.isFinite(value)) || typeof value === "boolean") return Number(value);
  throw new Error(`${name} must be a number: got ${value}.`);
}

// The name of a level: 503, "503" and "503.0" are one level, as in glassrank's own data.
function levelOf(name, value) {
  if (typeof value === "string") return value.replace(/^(-?[0-9]+)\.0+$/, "$1");
  const size = Math.abs(Number(value));
  if (typeof value === "number" && value !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e-(\d)$/, "e-0$1").replace("Infinity", "inf");
  }
  if (["number", "boolean", "bigint"].includes(typeof value)) return String(value);
  throw new Error(`${name} must be a text, a number or a boolean: got ${value}.`);
}
"""

_TERMS = """
/** Returns the score of a document from its values by feature. */
export function score(features) {
  let total = model.constant;
  for (const [name, term] of Object.entries(model.terms)) total += effect(name, term, valueOf(features, name));
  return total;
}

function effect(name, term, value) {
  if (value === null || (value === "" && term.kind === "levels" && !Object.hasOwn(term.effects, ""))) {
    if (term.missing === null) throw new Error(`The model does not accept missing values of ${name}.`);
    return term.missing;
  }
  value = term.kind === "levels" ? levelOf(name, value) : checked(name, value);
  switch (term.kind) {
    case "line":
      return term.weight * ((value - term.mean) / term.scale);
    case "curve": {
      const segment = countBelow(term.knots, value, true);
      const start = Math.max(segment - 1, 0);
      return term.values[start] + term.slopes[segment] * (value - term.knots[start]);
    }
    case "steps":
      return term.levels[countBelow(term.thresholds, value, false)];
    default: {
      const known = Object.hasOwn(term.effects, value) ? term.effects[value] : term.unseen;
      if (known === null) throw new Error(`The model does not know the level ${value} of ${name}.`);
      return known;
    }
  }
}

// How many of the sorted limits are below the value, or equal to it.
function countBelow(limits, value, orEqual) {
  let low = 0;
  let high = limits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (limits[middle] < value || (orEqual && limits[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
"""

_LAYER = """
const activations = {
  sigmoid: (z) => 0.5 + 0.5 * Math.tanh(0.5 * z),
  tanh: Math.tanh,
  relu: (z) => Math.max(z, 0),
  linear: (z) => z,
};

/** Returns the score of a document from its values by feature. */
export function score(features) {
  const { layer } = model;
  const inputs = layer.features.map((name, k) => scaled(name, k, valueOf(features, name)));
  return layer.weights.reduce((total, weight, j) => total + weight * node(j, inputs), model.constant);
}

function scaled(name, k, value) {
  const { layer } = model;
  if (value === null) {
    if (layer.fill === null) throw new Error(`The model does not accept missing values of ${name}.`);
    value = layer.fill[k];
  }
  return checked(name, value) * layer.scale[k] + layer.shift[k];
}

function node(j, inputs) {
  const { layer } = model;
  if (layer.activation === "gaussian") {
    const distance = inputs.reduce((sum, z, k) => sum + (z - layer.inputs[j][k]) ** 2, 0);
    return Math.exp(-layer.biases[j] * distance);
  }
  return activations[layer.activation](inputs.reduce((sum, z, k) => sum + z * layer.inputs[j][k], 0) + layer.biases[j]);
}
"""


def write(request: Request) -> Written:
    """Write the module."""
    model = request.model
    example = ", ".join(f"{model.features[k].name}: …" for k in model.used[:3])
    example = f"{{ {example}{', …' if len(model.used) > 3 else ''} }}"
    head = _HEAD.format(
        name=request.name,
        version=__version__,
        example=example,
        probability="" if model.slope is None else _PROBABILITY,
        ranges="".join(f"\n// {line}" for line in range_lines(model)),
        tables=_literal({"slope": model.slope, **term_tables(model)}),
    )
    content = head + (_TERMS if model.layer is None else _LAYER) + _VALUES
    usage = f'Use it:\n  import {{ score }} from "./{FILE}";\n  score({example})'
    rounding = rounding_bound(model)
    return Written({FILE: content.encode()}, usage, table_error=model.error, rounding=rounding)


def _literal(value: Any) -> str:
    """Return plain values as JavaScript source; ``__proto__`` as a key would set the prototype of an object."""
    return re.sub(r'^( *)"__proto__":', r'\1["__proto__"]:', json.dumps(value, indent=1), flags=re.MULTILINE)
