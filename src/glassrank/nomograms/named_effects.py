"""Effects under the names and units of the data."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError


def known_names(model: Any) -> Sequence[str] | None:
    """Feature names that a model, or effects, were made with; None where they were numbers only."""
    return model.names if isinstance(model, AdditiveEffects) else getattr(model, "feature_names_in_", None)


def named_effects(made: AdditiveEffects, known: Sequence[str] | None, names: Sequence[str]) -> AdditiveEffects:
    """Effects under the data's feature names; a model that knows names must know the same ones, in the same order."""
    if known is None:
        return replace(made, features=tuple(replace(f, name=n) for f, n in zip(made.features, names, strict=True)))
    for k, (expected, got) in enumerate(zip(known, names, strict=False)):
        if expected != got:
            raise DataError(
                f"Feature {k} is {expected!r} to the model and {got!r} in the data.", remedy="Order the data's columns."
            )
    return made


def with_units(made: AdditiveEffects, units: Mapping[str, str]) -> AdditiveEffects:
    """The same with units by feature name, which must be names of the model."""
    unknown = sorted(set(units) - set(made.names))
    if unknown:
        raise DataError(
            f"units must name features of the model: got {unknown[0]!r}.", parameter="units", got=unknown[0]
        )
    return replace(made, features=tuple(replace(f, unit=units.get(f.name, f.unit)) for f in made.features))
