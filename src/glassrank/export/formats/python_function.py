"""A Python module that scores documents without any dependency, in double precision."""

import pprint
from typing import Any

from glassrank import __version__
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.rounding import rounding_bound
from glassrank.export.formats.term_tables import range_lines, term_tables

FILE = "model.py"

_HEAD = '''"""Scores of the ranking model {name}, written by glassrank {version}; needs only Python's standard library.

    from model import score
    score({example})    # higher scores rank first

None or NaN is a missing value.{probability}
{ranges}"""

from bisect import bisect_left, bisect_right
from math import exp, isfinite, tanh
from numbers import Number, Real
from re import fullmatch

'''

_PROBABILITY = """
P(A above B) = 1/(1 + exp(-SLOPE * (score_A - score_B)))."""

_TERMS = '''

def score(features):
    """Return the score of a document from its values by feature."""
    return CONSTANT + sum(_effect(name, term, features) for name, term in TERMS.items())


def _effect(name, term, features):
    value = _value(name, features, term["kind"] != "levels")
    if value is None or (value == "" and "" not in term["effects"]):
        if term["missing"] is None:
            raise ValueError(f"The model does not accept missing values of {name}.")
        return term["missing"]
    if term["kind"] == "line":
        return term["weight"] * ((value - term["mean"]) / term["scale"])
    if term["kind"] == "curve":
        segment = bisect_right(term["knots"], value)
        start = max(segment - 1, 0)
        return term["values"][start] + term["slopes"][segment] * (value - term["knots"][start])
    if term["kind"] == "steps":
        return term["levels"][bisect_left(term["thresholds"], value)]
    effect = term["effects"].get(value, term["unseen"])
    if effect is None:
        raise ValueError(f"The model does not know the level {value!r} of {name}.")
    return effect
'''

_VALUE = r'''

def _value(name, features, is_number):
    """Return a document's value of a feature, None if it is missing."""
    if name not in features:
        raise ValueError(f"The document has no feature {name}. If its value is missing, pass None.")
    value = features[name]
    if value is None or value != value:
        return None
    if not is_number:
        return _level(name, value)
    if not isinstance(value, Real) or not isfinite(value):
        raise ValueError(f"The feature {name} must be a number: got {value!r}.")
    return value


def _level(name, value):
    # 503, 503.0, "503" and "503.0" are one level, as in glassrank's own data; True is "true".
    if str(value) in ("True", "False") and not isinstance(value, str):
        return str(value).lower()
    if not isinstance(value, (str, Number)):
        raise ValueError(f"The feature {name} must be a text, a number or a boolean: got {value!r}.")
    if not isinstance(value, str):
        value = str(int(value) if value % 1 == 0 and abs(value) <= 2**53 else value)
    whole = fullmatch(r"(-?[0-9]+)\.0+", value)
    return whole[1] if whole else value
'''

_LAYER = '''
ACTIVATIONS = {
    "sigmoid": lambda z: 0.5 + 0.5 * tanh(0.5 * z),
    "tanh": tanh,
    "relu": lambda z: max(z, 0.0),
    "linear": lambda z: z,
}


def score(features):
    """Return the score of a document from its values by feature."""
    inputs = [_scaled(k, _value(name, features, True)) for k, name in enumerate(LAYER["features"])]
    nodes = zip(LAYER["inputs"], LAYER["biases"], LAYER["weights"])
    return CONSTANT + sum(weight * _node(node, bias, inputs) for node, bias, weight in nodes)


def _scaled(k, value):
    if value is None:
        if LAYER["fill"] is None:
            raise ValueError(f"The model does not accept missing values of {LAYER['features'][k]}.")
        value = LAYER["fill"][k]
    return value * LAYER["scale"][k] + LAYER["shift"][k]


def _node(node, bias, inputs):
    if LAYER["activation"] == "gaussian":
        return exp(-bias * sum((z - a) * (z - a) for a, z in zip(node, inputs)))
    return ACTIVATIONS[LAYER["activation"]](sum(a * z for a, z in zip(node, inputs)) + bias)
'''


def write(request: Request) -> Written:
    """Write the module."""
    model, tables = request.model, term_tables(request.model)
    example = ", ".join(f'"{model.features[k].name}": …' for k in model.used[:3])
    example = f"{{{example}{', …' if len(model.used) > 3 else ''}}}"
    probability = "" if model.slope is None else _PROBABILITY
    ranges = "".join(f"\n{line}" for line in range_lines(model)) + "\n"
    head = _HEAD.format(name=request.name, version=__version__, example=example, probability=probability, ranges=ranges)
    content = f"CONSTANT = {tables['constant']!r}\n"
    content += "" if model.slope is None else f"SLOPE = {model.slope!r}\n"
    table, body = ("terms", _TERMS) if model.layer is None else ("layer", _LAYER)
    content += f"{table.upper()} = {_literal(tables[table])}\n"
    usage = f"Use it:\n  from {FILE.removesuffix('.py')} import score\n  score({example})"
    rounding = rounding_bound(model)
    return Written({FILE: (head + content + body + _VALUE).encode()}, usage, table_error=model.error, rounding=rounding)


def _literal(value: Any) -> str:
    """Return plain values as Python source; numbers are written so that they are read back exactly."""
    return pprint.pformat(value, width=110, compact=True, sort_dicts=False)
