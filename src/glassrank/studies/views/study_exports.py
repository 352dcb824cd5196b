"""The model of a study in the formats of search engines, databases and programming languages."""

import io
import json
import shlex
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassrank.core.checks import DataError
from glassrank.export.export_model import ExportedModel, export_model
from glassrank.export.live_check import LiveCheck, check_export
from glassrank.export.names import AUTO, checked_names
from glassrank.export.read_model import refuse_query_scaling
from glassrank.modelfile.load_model import load_scorer
from glassrank.studies.views.saved_study import SavedStudy

# Files in the archive have a fixed date, so that the same model makes the same archive.
DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class ExportChoice:
    """A format and its options; names of features that an engine does not accept are replaced automatically."""

    format: str
    name: str = "glassrank"
    kind: str | None = None
    max_error: float | None = None
    scale: str = "score"
    definitions: tuple[tuple[str, str], ...] = ()
    """Feature, by its name in the engine, and how the engine computes it: a field, a query, or an object in JSON."""

    def command(self) -> str:
        """Return the command that writes the same export, except definitions, which are a file there.

        >>> ExportChoice("solr", name="shop").command()
        'glassrank export model.json --format solr --name shop --rename auto --output solr'
        """
        words = ["glassrank", "export", "model.json", "--format", self.format]
        words += ["--name", self.name] if self.name != "glassrank" else []
        words += ["--kind", self.kind] if self.kind else []
        words += ["--max-error", f"{self.max_error:g}"] if self.max_error is not None else []
        words += ["--scale", self.scale] if self.scale != "score" else []
        words += ["--definitions", "definitions.json"] if self.definitions else []
        return shlex.join([*words, "--rename", AUTO, "--output", self.format])


def export_study(study: SavedStudy, choice: ExportChoice) -> ExportedModel:
    """Return the model of a study in a format; raises an error with the reason if the format cannot store it.

    >>> import glassrank as gr
    >>> _ = gr.study(gr.simulate_ranking(20, 10, random_state=0).data, folder="shop", tune=0)
    >>> sorted(export_study(SavedStudy.open("shop"), ExportChoice("python")).files)
    ['check.jsonl', 'glassrank.json', 'model.py']
    """
    found = export_or_reason(study, choice)
    if isinstance(found, DataError):
        raise found
    return found


def export_or_reason(study: SavedStudy, choice: ExportChoice) -> ExportedModel | DataError:
    """Return the export, or the error that says why there is none."""
    return study.once(("export", choice), lambda: _export_or_reason(study, choice))


def _export_or_reason(study: SavedStudy, choice: ExportChoice) -> ExportedModel | DataError:
    try:
        refuse_query_scaling(study.record.options.get("scale_per_query"))
        return export_model(
            study.model,
            choice.format,
            name=choice.name,
            kind=choice.kind,
            definitions={name: _definition(text) for name, text in choice.definitions} or None,
            feature_names=study.kept_features,
            rename=AUTO,
            max_error=choice.max_error,
            scale=choice.scale,
        )
    except DataError as error:
        return error


def _definition(text: str) -> Any:
    """Return a definition in JSON as an object, and any other as it is: a field, or a query of Solr."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def engine_names(study: SavedStudy) -> dict[str, str]:
    """Return the features of the model with their names in an engine."""
    return checked_names(study.kept_features, AUTO)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files; the same files always make the same archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, own in files.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), own, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def possible_swaps(study: SavedStudy, exported: ExportedModel) -> str:
    """Say how many pairs of the measured documents the export could order differently."""
    return exported.undecided(study.measured.pick_features(study.kept_features))


def check_engine(study: SavedStudy, choice: ExportChoice, url: str, query: str, **settings: Any) -> LiveCheck:
    """Compare the scores of a running engine, to which the export was uploaded, with those of the model.

    ``settings`` are those of :func:`~glassrank.check_export`. Nothing is written to the engine.
    """
    with tempfile.TemporaryDirectory(prefix="glassrank-") as folder:
        export_study(study, choice).save(folder)
        return check_export(load_scorer(study.folder / "model.json"), folder, url, query, **settings)
