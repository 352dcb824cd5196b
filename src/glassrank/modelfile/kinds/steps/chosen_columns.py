"""The columns that a transformer of a ColumnTransformer takes: by name, number, slice or mask."""

from typing import Any, Literal, Self

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.model_part import plain
from glassrank.modelfile.codec.values import Strict, check_that, shown


class ChosenColumns(Strict):
    """Columns as in ``ColumnTransformer``; a function that chooses columns is stored as its choice."""

    by: Literal["names", "numbers", "mask", "slice"]
    values: list[bool | int | str | None]
    """The names, numbers or Booleans, or the start, stop and step of a slice."""

    @classmethod
    def of(cls, columns: Any) -> Self:
        """Extract a choice of columns."""
        if isinstance(columns, slice):
            return cls(by="slice", values=[plain(edge) for edge in (columns.start, columns.stop, columns.step)])
        values = columns.tolist() if hasattr(columns, "tolist") else columns
        if not isinstance(values, (list, tuple)):
            raise DataError(
                f"ColumnTransformer cannot be stored in a model file if it takes a single column, {shown(values)}.",
                remedy="Give the column in a list.",
            )
        values = [plain(value) for value in values]
        if all(isinstance(value, str) for value in values) and values:
            return cls(by="names", values=list(values))
        masked = all(isinstance(value, bool) for value in values) and len(values) > 0
        return cls(by="mask" if masked else "numbers", values=list(values))

    def restore(self) -> Any:
        """Rebuild the choice, as a slice or a list."""
        return slice(*self.values) if self.by == "slice" else list(self.values)

    def numbers(self, n_features: int, names: list[str] | None) -> list[int]:
        """Return the numbers of the columns, from 0, or raise an error for one that does not exist."""
        if self.by == "slice":
            return self._sliced(n_features, names)
        if self.by == "mask":
            fits = len(self.values) == n_features and all(type(value) is bool for value in self.values)
            check_that(fits, f"a mask must have one Boolean per feature: {n_features}")
            return [k for k, chosen in enumerate(self.values) if chosen]
        return [_number(value, n_features, names) for value in self.values]

    def _sliced(self, n_features: int, names: list[str] | None) -> list[int]:
        check_that(len(self.values) == 3, "a slice has a start, a stop and a step")
        edges: list[Any] = list(self.values)
        step = edges.pop()
        check_that(step is None or (type(step) is int and step != 0), "the step of a slice must be a number")
        # A name at the end is included, unlike a number.
        for place, edge in enumerate(edges):
            check_that(edge is None or type(edge) in (int, str), "a slice must have numbers or names")
            edges[place] = _number(edge, n_features, names) + place if isinstance(edge, str) else edge
        return list(range(n_features)[slice(edges[0], edges[1], step)])


def _number(value: Any, n_features: int, names: list[str] | None) -> int:
    if isinstance(value, str):
        check_that(names is not None and value in names, f"there is no column {shown(value)}")
        return (names or []).index(value)
    inside = type(value) is int and -n_features <= value < n_features
    check_that(inside, f"there is no column {shown(value)}")
    return int(value) % n_features
