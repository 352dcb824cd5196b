"""What a format's writer receives, and what it returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from glassrank.core.checks import DataError
from glassrank.export.export_form import ExportModel


@dataclass(frozen=True)
class Request:
    """An export that was asked for."""

    model: ExportModel
    name: str
    """Name of the model in the engine, which ends in digits that change with the model."""
    kind: str | None = None
    """Which of the format's kinds of model to write; None leaves the choice to the writer."""
    definitions: Mapping[str, Any] = field(default_factory=dict)
    """Feature → how the engine computes it, in the engine's own terms."""

    def __post_init__(self) -> None:
        known = [feature.name for feature in self.model.features]
        unknown = sorted(set(self.definitions) - set(known))
        if unknown:
            raise DataError(
                f"definitions must name features of the model: got {unknown[0]!r}.",
                parameter="definitions",
                got=unknown[0],
                remedy=f"The features are {', '.join(map(repr, known))}.",
            )


@dataclass(frozen=True)
class Written:
    """A model in a format, and how far its scores may be from the model's."""

    files: Mapping[str, bytes]
    usage: str
    """How to upload the model and how to use it: commands and queries to copy."""
    kind: str = ""
    """Which of the format's kinds of model this is."""
    table_error: float = 0.0
    """Largest error of the tables that replace curves."""
    rounding: float = 0.0
    """Largest error of the engine's arithmetic over the valid ranges."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """Feature → its part of both errors."""
    constant_included: bool = True
    """Whether scores contain the model's constant, which does not change any order."""
    stand_ins: Mapping[str, float] = field(default_factory=dict)
    """Feature → value that the engine logs in place of a missing one, if no column says that it is missing."""
    notes: tuple[str, ...] = ()
    """What a user should know about this export."""

    @property
    def bound(self) -> float:
        """Largest difference of a score from the model's."""
        return self.table_error + self.rounding


@dataclass(frozen=True)
class ExportFormat:
    """A format: its name for people, what it is for, its writer and the kinds of model that it can hold."""

    title: str
    purpose: str
    """What the export does, in one line."""
    write: Callable[[Request], Written]
    kinds: tuple[str, ...] = ()
    """Choices of the kind of model, the engine's own words for them; empty if there is only one."""
    takes_definitions: bool = False
    """Whether features can be defined in the engine's terms."""
