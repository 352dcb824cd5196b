"""The two labels of a classifier in a model file."""

from typing import Any, Self

import numpy as np
from pydantic import FiniteFloat, model_validator

from glassrank.modelfile.codec.cells import CELL_TYPES, TEXT
from glassrank.modelfile.codec.values import Strict, check_that, shown


class ClassesPart(Strict):
    """The two labels in ascending order and the name of their NumPy type; ``text`` means strings of any length."""

    dtype: str
    labels: list[bool | int | FiniteFloat | str]

    @model_validator(mode="after")
    def _are_two(self) -> Self:
        check_that(self.dtype in CELL_TYPES, f"unknown type of labels {shown(self.dtype)}")
        try:
            first, second = self.restore().tolist()
            valid = [first, second] == self.labels and bool(first < second)
        except (TypeError, ValueError, OverflowError):
            valid = False
        got = ", ".join(map(shown, self.labels[:3]))
        check_that(valid, f"labels must be two values of type {self.dtype!r}, the smaller first: got {got}")
        return self

    @classmethod
    def of(cls, classes: Any) -> Self:
        """Extract the labels from an array."""
        return cls(dtype=TEXT if classes.dtype.kind == "U" else classes.dtype.name, labels=classes.tolist())

    def restore(self) -> Any:
        """Rebuild the array."""
        return np.array(self.labels, dtype=np.str_ if self.dtype == TEXT else self.dtype)
