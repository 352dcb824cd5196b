"""IntentRun: what a study of two classes and one of several have in common, from the features to the files."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from glassrank.core.progress import Progress, counted_steps
from glassrank.core.wording import counted
from glassrank.files.atomic_files import write_atomically
from glassrank.files.csv_text import csv_of_records
from glassrank.navigational.features.sources import IntentSources
from glassrank.studies.intent.facts import study_facts
from glassrank.studies.intent.features import (
    MadeFeatures,
    digest_sources,
    left_out_notes,
    make_features,
    stored_features,
)
from glassrank.studies.intent.intents import Intents, MatchedIntents
from glassrank.studies.resumable_steps import Steps, digest_of_values, fingerprint
from glassrank.studies.study_record import INTENT, recorded


@dataclass(frozen=True, eq=False)
class IntentRun:
    """The data of an intent study, its folder, folds and random seed, and how it is named and reported."""

    sources: IntentSources
    intents: Intents
    matched: MatchedIntents
    folder: Path
    cv: int
    seed: int
    strict: bool
    simulated: bool
    title: str | None
    command: str
    progress: Progress

    @cached_property
    def say(self) -> Callable[[str], None]:
        """Report the label of the next step."""
        return counted_steps(self.progress)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return {"data": digest_sources(self.sources), "intents": dict(self.intents)}

    def steps(self, options: dict[str, Any]) -> Steps:
        """Return the stored steps that are valid for these data and options."""
        return Steps(self.folder / "steps", fingerprint(self._data | options), self.say)

    def recorded(self, overwrite: bool) -> AbstractContextManager[Any]:
        """Record the study; one of other data is replaced only with ``overwrite``."""
        own: dict[str, Any] = {"kind": INTENT, "data": digest_of_values(self._data), "overwrite": overwrite}
        return recorded(self.folder, title=self.title, command=self.command, **own)

    def features(self) -> MadeFeatures:
        """Return the features of the queries, stored or computed."""
        return stored_features(
            self.folder / "steps" / "features.npz",
            fingerprint(self._data | {"strict": self.strict}),
            lambda: make_features(self.sources, self.intents, strict=self.strict, progress=self.progress),
            self.say,
        )

    def described(self, what: str, made: MadeFeatures, versions: Mapping[str, str]) -> dict[str, Any]:
        """Return the fields that all results have; ``what`` begins the title if none was given."""
        return {
            "title": self.title or f"{what}: {counted(len(self.matched.y), 'query', 'queries')}",
            "simulated": self.simulated,
            "facts": study_facts(self.sources, made, self.matched, self.cv),
            "absent": made.absent,
            "notes": (*self.matched.notes, *left_out_notes(made.queries.n_left_out), *made.unusual),
            "commands": (self.command,) if self.command else (),
            "versions": versions,
            "folder": self.folder,
        }

    def write(self, table: str, rows: Sequence[Mapping[str, Any]], result: str, page: str) -> None:
        """Write the rows of a table as CSV, the result as JSON, and the report."""
        write_atomically(self.folder / table, csv_of_records(rows).encode())
        write_atomically(self.folder / "result.json", result.encode())
        write_atomically(self.folder / "report.html", page.encode())
