"""The labels of a classifier in a model file."""

from itertools import pairwise
from typing import Any, Self

import numpy as np
from pydantic import FiniteFloat, model_validator

from glassrank.modelfile.codec.cells import CELL_TYPES, TEXT
from glassrank.modelfile.codec.values import Strict, check_that, shown


class LabelsPart(Strict):
    """The labels in ascending order and the name of their NumPy type; ``text`` means strings of any length."""

    dtype: str
    labels: list[bool | int | FiniteFloat | str]

    @model_validator(mode="after")
    def _ascend(self) -> Self:
        check_that(self.dtype in CELL_TYPES, f"unknown type of labels {shown(self.dtype)}")
        try:
            labels = self.restore().tolist()
            valid = labels == self.labels and all(first < second for first, second in pairwise(labels))
        except (TypeError, ValueError, OverflowError):
            valid = False
        got = ", ".join(map(shown, self.labels[:3]))
        check_that(valid and len(self.labels) > 1, f"labels must be {self._expected()}: got {got}")
        return self

    def _expected(self) -> str:
        return f"two or more values of type {self.dtype!r} in ascending order"

    @classmethod
    def of(cls, classes: Any) -> Self:
        """Extract the labels from an array."""
        return cls(dtype=TEXT if classes.dtype.kind == "U" else classes.dtype.name, labels=classes.tolist())

    def restore(self) -> Any:
        """Rebuild the array."""
        return np.array(self.labels, dtype=np.str_ if self.dtype == TEXT else self.dtype)


class ClassesPart(LabelsPart):
    """The two labels of a binary classifier, the smaller first."""

    @model_validator(mode="after")
    def _are_two(self) -> Self:
        got = ", ".join(map(shown, self.labels[:3]))
        check_that(len(self.labels) == 2, f"labels must be {self._expected()}: got {got}")
        return self

    def _expected(self) -> str:
        return f"two values of type {self.dtype!r}, the smaller first"
