"""Arrays of categories, statistics and labels in a model file: numbers, Booleans and texts, some of them missing."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, PlainValidator, model_validator

from glassrank.core.additive.categories import is_missing
from glassrank.core.checks import DataError
from glassrank.modelfile.codec.model_part import plain
from glassrank.modelfile.codec.values import MAX_FLOAT, Strict, check_that, shown

TEXT = "text"
CELL_TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"),
    *("object", TEXT),
)
MISSING_CELLS: dict[str, Any] = {"nan": np.nan, "none": None}


def _cells(value: Any) -> list[Any]:
    """Validate a list of texts, Booleans, finite numbers and nulls; stop at the first fault, because it may be long."""
    if not isinstance(value, list):
        raise DataError(f"expected a list, got {shown(value)}")
    for cell in value:
        if cell is None or type(cell) in (bool, str) or (type(cell) in (int, float) and abs(cell) <= MAX_FLOAT):
            continue
        raise DataError(f"expected texts, Booleans, finite numbers or null, got {shown(cell)}")
    return value


class CellsPart(Strict):
    """A vector of any type; null is a missing value, of the kind that ``missing`` names. Text is of any length."""

    dtype: str
    values: Annotated[Any, PlainValidator(_cells)]
    missing: Literal["nan", "none"] = "nan"

    @model_validator(mode="after")
    def _has_its_type(self) -> Self:
        check_that(self.dtype in CELL_TYPES, f"unknown type {shown(self.dtype)}")
        known = [cell for cell in self.values if cell is not None]
        takes_missing = self.dtype == "object" or (self.dtype.startswith("float") and self.missing == "nan")
        check_that(len(known) == len(self.values) or takes_missing, f"{self.dtype} has no missing values")
        try:
            valid = np.array(known, dtype=np.str_ if self.dtype == TEXT else self.dtype).tolist() == known
        except (TypeError, ValueError, OverflowError):
            valid = False
        # True equals 1, so that the comparison of values alone would accept it as a number.
        booleans = [type(cell) is bool for cell in known if self.dtype != "object"]
        valid = valid and (all(booleans) if self.dtype == "bool" else not any(booleans))
        check_that(valid, f"expected values of the type {self.dtype}, got {shown(known)}")
        return self

    @classmethod
    def of(cls, array: Any) -> Self:
        """Extract the values of an array, or of a single value."""
        array = np.asarray(array if isinstance(array, np.ndarray) else [array], dtype=getattr(array, "dtype", object))
        cells = [plain(cell) for cell in array.tolist()]
        gaps = {"none" if cell is None else "nan" for cell in cells if is_missing(cell)}
        if len(gaps) > 1:
            raise DataError("values are missing as both None and NaN", remedy="Use one of them in the training data.")
        fields: dict[str, Any] = {
            "dtype": TEXT if array.dtype.kind == "U" else array.dtype.name,
            "values": [None if is_missing(cell) else cell for cell in cells],
            "missing": next(iter(gaps), "nan"),
        }
        return cls(**fields)

    def __len__(self) -> int:
        return len(self.values)

    def restore(self) -> Any:
        """Rebuild the array."""
        gap = MISSING_CELLS[self.missing]
        cells = [gap if cell is None else cell for cell in self.values]
        if self.dtype != "object":
            return np.array(cells, dtype=np.str_ if self.dtype == TEXT else self.dtype)
        array = np.empty(len(cells), dtype=object)
        array[:] = cells
        return array

    def restore_one(self) -> Any:
        """Rebuild a single value."""
        return self.restore()[0]


def as_type_name(value: Any) -> str:
    """Return the name of a NumPy type of numbers, or raise an error; for validators."""
    try:
        name = np.dtype(value).name
    except TypeError:
        name = ""
    check_that(name in CELL_TYPES[1:-2], f"expected a type of numbers, got {shown(value)}")
    return name


def _single(cells: CellsPart) -> CellsPart:
    check_that(len(cells) == 1, f"expected one value, got {len(cells)}")
    return cells


SingleCell = Annotated[CellsPart, AfterValidator(_single)]
TypeName = Annotated[Any, PlainValidator(as_type_name)]
