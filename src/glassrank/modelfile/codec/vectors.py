"""Where the vectors of a model stand: short ones in the JSON text, long ones in a file beside it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.values import shown

# Up to half a megabyte of text; a model of straight lines stays in one file that can be read by eye.
MOST_INLINE = 20_000
REFERENCE = "vector"
SINGLE = "float32"


def put_aside(content: Any) -> tuple[Any, dict[str, Any]]:
    """Turn short vectors into lists and long ones into references; return the content and the long ones by name.

    >>> put_aside({"w": np.array([0.5, 1.0]), "v": np.array([0.5], dtype=np.float32)})
    ({'w': [0.5, 1.0], 'v': {'float32': [0.5]}}, {})
    >>> content, aside = put_aside({"model": {"w": np.zeros(30_000)}})
    >>> content, list(aside)
    ({'model': {'w': {'vector': 'model.w'}}}, ['model.w'])
    """
    aside: dict[str, Any] = {}

    def put(value: Any, place: str) -> Any:
        if isinstance(value, np.ndarray):
            if len(value) > MOST_INLINE:
                aside[place] = value
                return {REFERENCE: place}
            # As numbers of float64, which hold those of float32 exactly.
            return {SINGLE: value.tolist()} if value.dtype == np.float32 else value.tolist()
        if isinstance(value, dict):
            return {name: put(item, f"{place}.{name}".removeprefix(".")) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [put(item, f"{place}.{number}") for number, item in enumerate(value)]
        return value

    return put(content, ""), aside


def bring_back(content: Any, aside: Mapping[str, Any], place: str) -> Any:
    """Put vectors where their references stand; ``place`` is named in messages.

    >>> bring_back({"w": {"vector": "model.w"}, "v": {"float32": [0.5]}}, {"model.w": np.ones(2)}, "m.json")
    {'w': array([1., 1.]), 'v': array([0.5], dtype=float32)}
    """
    if isinstance(content, dict):
        if set(content) == {REFERENCE}:
            name = content[REFERENCE]
            if not isinstance(name, str) or name not in aside:
                raise DataError(
                    f"{place}: the vector {shown(name)} is in no file beside it.", remedy="Save the model again."
                )
            return aside[name]
        if set(content) == {SINGLE}:
            return _singles(content[SINGLE], place)
        return {name: bring_back(item, aside, place) for name, item in content.items()}
    if isinstance(content, list) and any(isinstance(item, (dict, list)) for item in content):
        return [bring_back(item, aside, place) for item in content]
    return content


def _singles(values: Any, place: str) -> Any:
    if isinstance(values, list) and all(type(value) is float for value in values):
        with np.errstate(over="ignore"):
            singles = np.array(values, dtype=np.float64).astype(np.float32)
        if singles.tolist() == values:
            return singles
    raise DataError(
        f"{place}: expected a list of numbers of {SINGLE}, got {shown(values)}.", remedy="Save the model again."
    )
