"""Effects with the feature names and units of the data."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError


def known_names(model: Any) -> Sequence[str] | None:
    """Return the feature names of a model or of effects; None if the model was fitted without names."""
    return model.names if isinstance(model, AdditiveEffects) else getattr(model, "feature_names_in_", None)


def named_effects(made: AdditiveEffects, known: Sequence[str] | None, names: Sequence[str]) -> AdditiveEffects:
    """Return the effects with the data's feature names; a model's own names must be the same, in the same order."""
    if known is None:
        return replace(made, features=tuple(replace(f, name=n) for f, n in zip(made.features, names, strict=True)))
    check_names(known, names)
    return made


def check_names(known: Sequence[str], names: Sequence[str]) -> None:
    """Raise an error unless a model's feature names are those of the data, in the same order."""
    for k, (expected, got) in enumerate(zip(known, names, strict=False)):
        if expected != got:
            raise DataError(
                f"Feature {k} is {expected!r} in the model and {got!r} in the data.",
                remedy="Put the data's columns in the model's order.",
            )


def with_units(made: AdditiveEffects, units: Mapping[str, str]) -> AdditiveEffects:
    """Return the effects with these units by feature name, which must be names of the model."""
    unknown = sorted(set(units) - set(made.names))
    if unknown:
        raise DataError(
            f"units must name features of the model: got {unknown[0]!r}.", parameter="units", got=unknown[0]
        )
    return replace(made, features=tuple(replace(f, unit=units.get(f.name, f.unit)) for f in made.features))
