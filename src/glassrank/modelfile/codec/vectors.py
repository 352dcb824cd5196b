"""Where the vectors of a model are stored: short ones in the JSON text, long ones in an .npz file next to it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.values import shown

# This many numbers take up to half a megabyte of text. A linear model fits into a single readable file.
MAX_INLINE_LENGTH = 20_000
REFERENCE = "vector"
SINGLE = "float32"


def extract_vectors(content: Any) -> tuple[Any, dict[str, Any]]:
    """Replace short vectors by lists and long ones by references; return the content and the long vectors by name.

    >>> extract_vectors({"w": np.array([0.5, 1.0]), "v": np.array([0.5], dtype=np.float32)})
    ({'w': [0.5, 1.0], 'v': {'float32': [0.5]}}, {})
    >>> content, long_vectors = extract_vectors({"model": {"w": np.zeros(30_000)}})
    >>> content, list(long_vectors)
    ({'model': {'w': {'vector': 'model.w'}}}, ['model.w'])
    """
    long_vectors: dict[str, Any] = {}

    def put(value: Any, place: str) -> Any:
        if isinstance(value, np.ndarray):
            if len(value) > MAX_INLINE_LENGTH:
                long_vectors[place] = value
                return {REFERENCE: place}
            # float64 represents every float32 exactly.
            return {SINGLE: value.tolist()} if value.dtype == np.float32 else value.tolist()
        if isinstance(value, dict):
            return {name: put(item, f"{place}.{name}".removeprefix(".")) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [put(item, f"{place}.{number}") for number, item in enumerate(value)]
        return value

    return put(content, ""), long_vectors


def insert_vectors(content: Any, long_vectors: Mapping[str, Any], place: str) -> Any:
    """Replace references by their vectors; messages start with ``place``.

    >>> insert_vectors({"w": {"vector": "model.w"}, "v": {"float32": [0.5]}}, {"model.w": np.ones(2)}, "m.json")
    {'w': array([1., 1.]), 'v': array([0.5], dtype=float32)}
    """
    if isinstance(content, dict):
        if set(content) == {REFERENCE}:
            name = content[REFERENCE]
            if not isinstance(name, str) or name not in long_vectors:
                raise DataError(
                    f"{place}: no .npz file next to it contains the vector {shown(name)}.",
                    remedy="Save the model again.",
                )
            return long_vectors[name]
        if set(content) == {SINGLE}:
            return _singles(content[SINGLE], place)
        return {name: insert_vectors(item, long_vectors, place) for name, item in content.items()}
    if isinstance(content, list) and any(isinstance(item, (dict, list)) for item in content):
        return [insert_vectors(item, long_vectors, place) for item in content]
    return content


def _singles(values: Any, place: str) -> Any:
    if isinstance(values, list) and all(type(value) is float for value in values):
        with np.errstate(over="ignore"):
            singles = np.array(values, dtype=np.float64).astype(np.float32)
        if singles.tolist() == values:
            return singles
    raise DataError(
        f"{place}: expected a list of {SINGLE} numbers, got {shown(values)}.", remedy="Save the model again."
    )
