"""OneHotEncoder and OrdinalEncoder in a model file."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import PlainValidator, model_validator
from scipy import sparse

from glassrank.core.additive.categories import category_name
from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.feature_kinds import BOOLEAN, CATEGORY, PLAIN, FeatureKind, kinds_of, values_of
from glassrank.core.numbered_features import numbered_names
from glassrank.modelfile.codec.cells import TEXT, CellsPart, TypeName
from glassrank.modelfile.codec.model_part import fitted_value
from glassrank.modelfile.codec.values import Count, IntVector, Number, PositiveCount, Strict, check_size, check_that
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense

UNKNOWN = -1


def _code(value: Any) -> Any:
    """Validate a code of unknown or missing values: a number, or null for NaN."""
    check_that(value is None or type(value) in (int, float), "expected a number or null")
    return None if value is None or value != value else value


Code = Annotated[Any, PlainValidator(_code)]


class EncoderParameters(Strict):
    """The parameters of both encoders; ``"given"`` categories are the fitted ones."""

    categories: Literal["auto", "given"]
    dtype: TypeName
    min_frequency: Number | None
    max_categories: PositiveCount | None


class EncoderPart(StepPart):
    """A fitted encoder: the categories of each feature, and which of them are infrequent."""

    parameters: EncoderParameters
    categories: list[CellsPart]
    infrequent: list[IntVector | None] | None
    """Numbers of the infrequent categories of each feature; None if the encoder does not look for them."""

    @model_validator(mode="after")
    def _categories_fit(self) -> Self:
        check_size("categories", self.categories, self.n_features, "feature")
        limited = (self.parameters.min_frequency, self.parameters.max_categories) != (None, None)
        check_that(limited == (self.infrequent is not None), "infrequent must be given if there is a limit to it")
        if self.infrequent is not None:
            check_size("infrequent", self.infrequent, self.n_features, "feature")
        for k, cells in enumerate(self.categories):
            named = [(type(cell) is str, category_name(cell)) for cell in cells.values]
            # True equals 1, whatever its name.
            different = len(set(named)) == len(set(cells.values)) == len(named) > 0
            check_that(different, "every feature must have categories, all different")
            check_that(None not in cells.values[:-1], "a missing value must be the last category")
            known = [cell for cell in cells.values if cell is not None]
            # scikit-learn looks numbers up by bisection.
            check_that(cells.dtype in ("object", TEXT) or known == sorted(known), "categories of numbers must ascend")
            rare = self._rare(k)
            inside = rare is None or (len(rare) > 0 and rare[0] >= 0 and rare[-1] < len(self._groupable(k)))
            check_that(inside and (rare is None or bool((np.diff(rare) > 0).all())), "infrequent must be categories")
        return self

    @property
    def passes_missing(self) -> bool:
        """Whether a missing value stays missing: no."""
        return False

    def _rare(self, k: int) -> Any:
        return None if self.infrequent is None else self.infrequent[k]

    def _groupable(self, k: int) -> list[Any]:
        """Return the categories of which infrequent ones are grouped."""
        return self.categories[k].values

    def _groups(self, k: int) -> IntArray:
        """Return the number of each category after the infrequent ones are grouped as the last one."""
        rare, n_categories = self._rare(k), len(self._groupable(k))
        groups = np.arange(n_categories)
        if rare is not None:
            frequent = np.delete(groups, rare)
            groups[rare], groups[frequent] = len(frequent), np.arange(len(frequent))
        return groups

    @classmethod
    def _fields_of(cls, estimator: Any, name: str, **changed: Any) -> dict[str, Any]:
        categories = fitted_value(estimator, "categories_")
        given = "auto" if isinstance(estimator.categories, str) else "given"
        return {
            **cls._common_fields(estimator, name, categories=given, **changed),
            "categories": [CellsPart.of(own) for own in categories],
            "infrequent": estimator._infrequent_indices if estimator._infrequent_enabled else None,
        }

    def _restored(self, given: dict[str, Any], **fitted: Any) -> Any:
        """Rebuild the encoder; scikit-learn derives some of its attributes from these."""
        categories = [own.restore() for own in self.categories]
        own = [some.tolist() for some in categories] if self.parameters.categories == "given" else "auto"
        rare: dict[str, Any] = {"_infrequent_enabled": self.infrequent is not None}
        if self.infrequent is not None:
            rare["_infrequent_indices"] = self.infrequent
            rare["_default_to_infrequent_mappings"] = [
                None if self.infrequent[k] is None else self._groups(k) for k in range(self.n_features)
            ]
        given = {"categories": own, "dtype": getattr(np, self.parameters.dtype), **given}
        return self._made(given, categories_=categories, **rare, **fitted)

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return categories for features with texts, and numbers or yes/no values for others."""
        return tuple(map(_kind, self.categories))

    def _codes(self, X: Any) -> IntArray:
        """Return the number of each value's category in a table or matrix; −1 if it is unknown."""
        values, kinds = as_dense(values_of(X)), kinds_of(X)
        names = getattr(X, "names", None) or self.feature_names or numbered_names(self.n_features)
        columns = [self._codes_of(values[:, k], kinds[k], k, names[k]) for k in range(self.n_features)]
        return np.column_stack(columns)

    def _codes_of(self, values: FloatArray, kind: FeatureKind, k: int, name: str) -> IntArray:
        cells = self.categories[k].values
        known, absent = ~np.isnan(values), cells.index(None) if None in cells else UNKNOWN
        codes = np.full(len(values), absent)
        if kind.is_category:
            place = {category_name(cell): i for i, cell in enumerate(cells) if cell is not None}
            table = np.array([*(place.get(level, UNKNOWN) for level in kind.levels), UNKNOWN])
            codes[known] = table[values[known].astype(np.int64)]
            shown: Any = kind.levels
        else:
            numbers = {float(cell): i for i, cell in enumerate(cells) if not isinstance(cell, str | None)}
            if not numbers and known.any() and any(isinstance(cell, str) for cell in cells):
                raise DataError(
                    f"{self.kind} needs a category: feature {name!r} consists of numbers.",
                    remedy="Pass RankingData, in which it is a category.",
                )
            distinct, places = np.unique(values[known], return_inverse=True)
            table = np.array([numbers.get(value, UNKNOWN) for value in distinct.tolist()], dtype=np.int64)
            codes[known], shown = table[places], None
        parameters: Any = self.parameters
        if parameters.handle_unknown == "error" and (codes == UNKNOWN).any():
            value = values[int(np.argmax(codes == UNKNOWN))]
            got = "a missing value" if np.isnan(value) else repr(shown[int(value)] if shown else value)
            raise DataError(
                f"{self.kind} does not know all categories of {name!r}: got {got}.",
                remedy="Fit the model on rows that contain every category, or let the encoder ignore unknown ones.",
            )
        return codes

    def _apply(self, X: Matrix) -> Matrix:
        return self.apply(X)


def _kind(cells: CellsPart) -> FeatureKind:
    known = [cell for cell in cells.values if cell is not None]
    if any(isinstance(cell, str) for cell in known):
        return FeatureKind(CATEGORY, tuple(dict.fromkeys(map(category_name, known))))
    return FeatureKind(BOOLEAN) if known and all(isinstance(cell, bool) for cell in known) else PLAIN


class OneHotEncoderParameters(EncoderParameters):
    """Parameters of ``OneHotEncoder``; ``"given"`` drops the categories in ``dropped``."""

    drop: Literal["first", "if_binary", "given"] | None
    sparse_output: bool
    handle_unknown: Literal["error", "ignore", "infrequent_if_exist", "warn"]
    feature_name_combiner: Literal["concat"]


class OneHotEncoderPart(EncoderPart):
    """One column of zeros and ones for each category or group of infrequent ones, except dropped ones."""

    kind: Literal["OneHotEncoder"] = "OneHotEncoder"
    parameters: OneHotEncoderParameters
    dropped: list[Count | None] | None
    """Number of the category of each feature that has no column."""

    @model_validator(mode="after")
    def _dropped_exist(self) -> Self:
        check_that((self.dropped is None) == (self.parameters.drop is None), "drop needs dropped, and only then")
        if self.dropped is not None:
            check_size("dropped", self.dropped, self.n_features, "feature")
            sizes = zip(self.dropped, self.categories, strict=True)
            check_that(all(k is None or k < len(own) for k, own in sizes), "dropped must be categories")
        return self

    def _dropped_group(self, k: int) -> int | None:
        place = None if self.dropped is None else self.dropped[k]
        return None if place is None else int(self._groups(k)[place])

    @property
    def _widths(self) -> list[int]:
        kept = (int(self._dropped_group(k) is None) for k in range(self.n_features))
        return [int(self._groups(k).max()) + one for k, one in enumerate(kept)]

    @property
    def n_outputs(self) -> int:
        """Number of columns of all features."""
        return sum(self._widths)

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the categories, and those that are infrequent or dropped."""
        places = fitted_value(estimator, "drop_idx_")
        drop = estimator.drop if isinstance(estimator.drop, str | None) else "given"
        dropped = None if places is None else [None if place is None else int(place) for place in places]
        return cls(**cls._fields_of(estimator, name, drop=drop), dropped=dropped)

    def restore(self) -> Any:
        """Rebuild the fitted encoder."""
        drop: Any = self.parameters.drop
        if drop == "given":
            pairs = zip(self.categories, self.dropped or (), strict=True)
            drop = [None if place is None else own.restore()[place] for own, place in pairs]
        groups = [self._dropped_group(k) for k in range(self.n_features)]
        return self._restored(
            {"drop": drop},
            drop_idx_=None if self.dropped is None else np.array(self.dropped, dtype=object),
            _drop_idx_after_grouping=None if self.dropped is None else np.array(groups, dtype=object),
            _n_features_outs=self._widths,
        )

    def apply(self, X: Any) -> Matrix:
        """Encode a table or matrix like ``OneHotEncoder.transform``."""
        codes, widths = self._codes(X), self._widths
        for k in range(self.n_features):
            codes[:, k] = self._columns(codes[:, k], k)
        known = codes != UNKNOWN
        starts = np.cumsum([0, *widths])
        ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        places = (codes + starts[:-1]).ravel()[known.ravel()]
        shape = (len(codes), int(starts[-1]))
        made = sparse.csr_matrix((np.ones(len(places)), places, ends), shape=shape, dtype=self.parameters.dtype)
        return made if self.parameters.sparse_output else made.toarray()

    def _columns(self, codes: IntArray, k: int) -> IntArray:
        """Return the column of each category of one feature; −1 if none of them is 1."""
        groups, dropped = self._groups(k), self._dropped_group(k)
        columns = np.append(groups, UNKNOWN)
        if self._rare(k) is not None and self.parameters.handle_unknown in ("infrequent_if_exist", "warn"):
            columns[UNKNOWN] = groups.max()
        if dropped is not None:
            columns = np.where(columns == dropped, UNKNOWN, columns - (columns > dropped))
        return columns[codes]


class OrdinalEncoderParameters(EncoderParameters):
    """Parameters of ``OrdinalEncoder``; null is NaN."""

    handle_unknown: Literal["error", "use_encoded_value"]
    unknown_value: Code
    encoded_missing_value: Code


class OrdinalEncoderPart(EncoderPart):
    """The number of the category, or of the group of infrequent ones."""

    kind: Literal["OrdinalEncoder"] = "OrdinalEncoder"
    parameters: OrdinalEncoderParameters
    unknown_is_nan: bool = False
    """Whether ``unknown_value`` is NaN rather than None."""

    def _groupable(self, k: int) -> list[Any]:
        # A missing value is never infrequent.
        values = self.categories[k].values
        return values[:-1] if self._missing(k) is not None else values

    def _missing(self, k: int) -> int | None:
        cells = self.categories[k]
        return len(cells) - 1 if cells.values[-1] is None and cells.missing == "nan" else None

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the categories and those that are infrequent."""
        fields = cls._fields_of(estimator, name)
        unknown = estimator.unknown_value
        return cls(**fields, unknown_is_nan=unknown is not None and unknown != unknown)

    def restore(self) -> Any:
        """Rebuild the fitted encoder."""
        places = {k: self._missing(k) for k in range(self.n_features)}
        codes = self.parameters
        unknown = np.nan if self.unknown_is_nan else codes.unknown_value
        missing = np.nan if codes.encoded_missing_value is None else codes.encoded_missing_value
        return self._restored(
            {"unknown_value": unknown, "encoded_missing_value": missing},
            _missing_indices={k: place for k, place in places.items() if place is not None},
        )

    def apply(self, X: Any) -> Matrix:
        """Encode a table or matrix like ``OrdinalEncoder.transform``."""
        codes = self._codes(X)
        values = [self._values(k)[codes[:, k]] for k in range(self.n_features)]
        return np.column_stack(values)

    def _values(self, k: int) -> FloatArray:
        """Return the number of each category of one feature, and last that of an unknown one."""
        parameters, values = self.parameters, self._groups(k).astype(np.float64)
        if self._missing(k) is not None:
            values = np.append(values, _number(parameters.encoded_missing_value))
        return np.append(values, _number(parameters.unknown_value))


def _number(code: Any) -> float:
    return np.nan if code is None else float(code)
