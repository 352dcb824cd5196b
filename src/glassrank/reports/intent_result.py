"""What a study of intents found: plain values, ready for a page; nothing is computed from here on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassrank.navigational.coupling_chart import RankChart
from glassrank.navigational.coupling_result import CouplingResult

SIMULATED = (
    "Simulated data: the queries, lists and clicks were drawn by a program and are no evidence about real users."
)


@dataclass(frozen=True, eq=False, repr=False)
class IntentResult:
    """A study of intents: tables 1 to 4 and figures 2 and 3 of Lu, Peng, Li and Ahmed (2006), on one's own queries."""

    title: str
    simulated: bool
    facts: dict[str, str]
    coupling: CouplingResult
    """Tables 1 to 4, and figure 3."""
    profiles: tuple[RankChart, ...]
    """Figure 2: features over the ranks of the lists."""
    absent: Mapping[str, tuple[str, ...]]
    """What is not there, and the features that are left out for want of it."""
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    versions: dict[str, str]
    folder: Path | None = None

    def lead(self) -> str:
        """The result in a few plain words."""
        found, best = self.coupling, self.coupling.best
        whole = found[None, best.classifier]
        columns = (
            "all columns" if best.selector is None else f"the {best.n_features:g} columns that {best.selector} selects"
        )
        said = (
            f"Of {found.n_rows:,} queries {found.n_positive:,} are navigational. The highest F1 is {best.f1:.3f} "
            f"(± {best.f1_std:.3f} over folds), by {best.classifier} on {columns}; it is the best of "
            f"{len(found.coupled)} and so optimistic."
        )
        if best.selector is not None:
            said += f" On all columns the same classifier reaches {whole.f1:.3f}."
        return said

    def __str__(self) -> str:
        parts = [self.title]
        parts += [SIMULATED] if self.simulated else []
        parts += [str(self.coupling), *self.notes]
        parts += [f"Report: {self.folder / 'report.html'}"] if self.folder else []
        return "\n".join(parts)

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per coupling and point of figure 3."""
        return self.coupling.to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            **{name: getattr(self, name) for name in ("title", "simulated", "facts", "notes", "commands", "versions")},
            "absent": {need: list(names) for need, names in self.absent.items()},
            "coupling": json.loads(self.coupling.to_json()),
            "profiles": [_plain_profile(one) for one in self.profiles],
            "folder": None if self.folder is None else str(self.folder),
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())


def _plain_profile(chart: RankChart) -> dict[str, Any]:
    """The values of a chart; None where no list has one."""
    curves = [
        {
            "name": name,
            "n_queries": n_queries,
            **{key: _known(values) for key, values in (("low", low), ("mean", mean), ("high", high))},
        }
        for name, low, mean, high, n_queries in chart.kinds
    ]
    return {"feature": chart.feature, "curves": curves}


def _known(values: Any) -> list[float | None]:
    return [None if value != value else float(value) for value in values]
