"""How Solr computes the features of a model: definitions from the user, filters for levels and for missing values."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.export.export_form import ExportFeature, LevelTerm
from glassrank.export.formats.contract import Request
from glassrank.export.formats.single_precision import shortest_text
from glassrank.export.names import RESERVED, level_column, missing_column

CLASSES = "org.apache.solr.ltr.feature."
FIELD = re.compile(r"[A-Za-z_][\w.\-]*")
EXPECTED = "a field, a query, or an object with the keys class and params"


@dataclass(frozen=True)
class Input:
    """A feature of the model in Solr: its definition and the normaliser (x − average)/deviation, if it has one."""

    name: str
    kind: str
    params: Mapping[str, Any]
    average: float | None = None
    deviation: float = 1.0

    def stored(self, store: str) -> dict[str, Any]:
        """Return its entry in the feature store."""
        return {"store": store, "name": self.name, "class": self.kind, "params": dict(self.params)}

    def used(self) -> dict[str, Any]:
        """Return its entry in the model."""
        if self.average is None:
            return {"name": self.name}
        # Numbers as text: Solr reads JSON numbers as doubles, which these setters do not take.
        params = {"avg": shortest_text(self.average), "std": shortest_text(self.deviation)}
        return {"name": self.name, "norm": {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": params}}


@dataclass(frozen=True)
class Definition:
    """How Solr computes a feature of the model."""

    kind: str
    params: Mapping[str, Any]

    @property
    def field(self) -> str | None:
        """Field that it reads, or None."""
        return self.params.get("field") if self.kind == CLASSES + "FieldValueFeature" else None

    @property
    def has_default(self) -> bool:
        """Whether the user has chosen the value of a document that has none."""
        return "defaultValue" in self.params

    def input(self, name: str, default: float, average: float | None = None, deviation: float = 1.0) -> Input:
        """Return the feature with a default, unless it has one, and a normaliser."""
        params = {**self.params, "defaultValue": self.params.get("defaultValue", shortest_text(default))}
        return Input(name, self.kind, params, average, deviation)


@dataclass(frozen=True)
class Indicator:
    """A feature that is 1 or 0, and what it adds to the score if it is 1."""

    input: Input
    effect: float


def definition_of(request: Request, feature: ExportFeature) -> Definition:
    """Return the user's definition of a feature, or the field of its name."""
    found = _given_definition(request, feature)
    if found.kind == CLASSES + "SolrFeature" and feature.low < 0.0:
        raise DataError(
            f"The feature {feature.name!r} has negative values ({feature.low:.3g} in training), and the score of a "
            "query in Solr is never below 0.",
            parameter="definitions",
            remedy="Index its values, and give the name of the field.",
        )
    return found


def _given_definition(request: Request, feature: ExportFeature) -> Definition:
    given = request.definitions.get(feature.name, feature.name)
    if isinstance(given, str) and given.strip():
        if FIELD.fullmatch(given):
            return Definition(CLASSES + "FieldValueFeature", {"field": given})
        return Definition(CLASSES + "SolrFeature", {"q": given})
    if isinstance(given, Mapping) and isinstance(given.get("class"), str):
        params = given.get("params", {})
        if isinstance(params, Mapping) and set(given) <= {"class", "params", "name", "store"}:
            kind = given["class"]
            return Definition(kind if "." in kind else CLASSES + kind, _with_known_default(feature, params))
    raise DataError(
        f"definitions must give {EXPECTED} for the feature {feature.name!r}: got {given!r}.",
        parameter="definitions",
        expected=EXPECTED,
        got=given,
    )


def _with_known_default(feature: ExportFeature, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters; without their default if it is not a number, which is how missing values are logged."""
    default = params.get("defaultValue", 0.0)
    try:
        is_missing = math.isnan(float(default))
    except (TypeError, ValueError):
        raise DataError(
            f"defaultValue must be a number in the definition of {feature.name!r}: got {default!r}.",
            parameter="definitions",
            got=default,
        ) from None
    return {name: value for name, value in params.items() if not (is_missing and name == "defaultValue")}


def missing_indicator(definition: Definition, name: str, effect: float) -> Indicator | None:
    """Return the feature that is 1 if a document has no value in the field; None if there is no field."""
    if definition.field is None:
        return None
    return Indicator(_filter(missing_column(name), f"-{definition.field}:[* TO *]"), effect)


def level_indicators(request: Request, feature: ExportFeature, term: LevelTerm) -> tuple[float, tuple[Indicator, ...]]:
    """Return the effect of a document without any of the levels, and what each level adds to it."""
    definition = definition_of(request, feature)
    if definition.field is None or definition.has_default:
        raise DataError(
            f"The category {feature.name!r} must be a field that Solr can search for its levels: got "
            f"{request.definitions[feature.name]!r}.",
            parameter="definitions",
            remedy="Index the category as a string field, and give the name of the field.",
        )
    base = next((effect for effect in (term.unseen, term.missing) if effect is not None), 0.0)
    found = [
        Indicator(_filter(level_column(feature.name, code), _term_query(definition.field, level)), effect - base)
        for code, (level, effect) in enumerate(zip(feature.kind.levels, term.effects.tolist(), strict=True))
    ]
    if term.missing is not None and term.missing != base:
        indicator = missing_indicator(definition, feature.name, term.missing - base)
        found += [indicator] if indicator else []
    return base, tuple(found)


def constant_input() -> Input:
    """Return the feature that is 1 for every document."""
    return Input(f"{RESERVED}constant", CLASSES + "ValueFeature", {"value": "1.0"})


def _filter(name: str, query: str) -> Input:
    return Input(name, CLASSES + "SolrFeature", {"fq": [query]})


def _term_query(field: str, level: str) -> str:
    if "${" not in level:
        return f"{{!term f={field}}}{level}"
    # Solr would replace ${…} by a parameter of the request; in quotes, the dollar sign can be written as an escape.
    quoted = level.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
    return f"{{!term f={field} v='{quoted}'}}"


def no_missing_feature(feature: ExportFeature) -> DataError:
    """Return the error for a missing value that a query cannot find."""
    return DataError(
        f"Solr cannot find the documents without a value of {feature.name!r}, because it is not read from a field.",
        parameter="definitions",
        remedy=(
            "Give the name of a field that contains it",
            "set defaultValue in its params to the value that training used for missing ones",
            f"use {setting('kind', 'trees')}",
        ),
    )
