"""export_model(): a fitted model in the format of a search engine, a database or a programming language."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassrank import __version__
from glassrank.core.checks import DataError, check_choice
from glassrank.core.input_types import Estimator, TableLike
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.export.check_rows import check_rows
from glassrank.export.export_folder import SIDE_FILE
from glassrank.export.export_form import ExportModel
from glassrank.export.formats.contract import ExportFormat, Request, Written
from glassrank.export.formats.format_table import FORMATS
from glassrank.export.names import check_model_name
from glassrank.export.read_model import read_model
from glassrank.files.atomic_files import make_folder, write_atomically

ROWS_FILE = "check.jsonl"
MAX_VALUE = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class ExportedModel:
    """A model in a format: its files, how to use them, and how far its scores may be from the model's."""

    format: str
    name: str
    model: ExportModel
    written: Written

    @property
    def files(self) -> dict[str, bytes]:
        """Name → content of every file, also of the description and the rows to check it with."""
        return {
            **self.written.files,
            SIDE_FILE: (json.dumps(self.description(), indent=2, ensure_ascii=False) + "\n").encode(),
            ROWS_FILE: check_rows(self.model),
        }

    @property
    def bound(self) -> float:
        """Largest difference of a score from the model's, computed exactly, over the valid range of each feature."""
        return self.written.bound

    @property
    def usage(self) -> str:
        """How to upload the model and how to use it."""
        return self.written.usage

    def description(self) -> dict[str, Any]:
        """Return what the engine's own files do not contain: errors, ranges, constant and slope."""
        model = self.model
        return {
            "glassrank": __version__,
            "format": self.format,
            "kind": self.written.kind,
            "name": self.name,
            "constant": model.constant,
            "constant_included": self.written.constant_included,
            "slope": model.slope,
            "factor": model.factor,
            "table_error": self.written.table_error,
            "rounding": self.written.rounding,
            "tolerance": model.tolerance,
            "features": [_described(model, k, self.written.stand_ins) for k in model.used],
        }

    def undecided(self, data: Any) -> str:
        """Say how many pairs of documents of one query have scores so close that the export could swap them."""
        scores = self.model.score(self.model.rows(data))
        close, pairs = 0, 0
        for query in range(data.groups.n_queries):
            own = np.sort(scores[data.groups.rows(query)])
            # Pairs of a document with those behind it that are at most twice the bound away.
            close += int((np.searchsorted(own, own + 2.0 * self.bound, side="right") - np.arange(len(own)) - 1).sum())
            pairs += len(own) * (len(own) - 1) // 2
        share = f" ({close / pairs:.2%})" if pairs else ""
        return f"{close:,} of {pairs:,} pairs of documents{share} differ by at most twice that: only they can swap."

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write all files into a folder, which is created if it does not exist."""
        place = make_folder(folder)
        for name, content in self.files.items():
            write_atomically(place / name, content)
        return place

    def __str__(self) -> str:
        return f"{self.summary()}\n\n{self.usage}"

    def summary(self) -> str:
        """Return what was written, its errors, and what a user should know about it."""
        size = sum(map(len, self.written.files.values()))
        kind = f" ({self.written.kind})" if self.written.kind else ""
        lines = [
            f"{FORMATS[self.format].title}{kind}: {self.name}, "
            f"{counted(len(self.model.used), 'feature')}, {size:,} bytes",
            f"Largest difference from the model's scores: {self.bound:.2g} "
            f"(tables {self.written.table_error:.2g}, rounding {self.written.rounding:.2g}); allowed "
            f"{self.model.tolerance:.2g}",
        ]
        return "\n".join([*lines, *self.written.notes])


def export_model(
    model: Estimator,
    format: str,  # noqa: A002 - the word that users look for
    *,
    data: TableLike | None = None,
    name: str = "glassrank",
    kind: str | None = None,
    definitions: Mapping[str, Any] | None = None,
    feature_names: Sequence[str] | None = None,
    rename: Mapping[str, str] | str | None = None,
    max_error: float | None = None,
    scale: str = "score",
) -> ExportedModel:
    """Convert a fitted model to the format of a search engine, a database or a programming language.

    Curves become straight lines between knots, or steps where a format has only trees. Scores of the export differ from
    the model's by at most ``bound``, which is computed for each format, rounding included, and must not exceed
    ``max_error``. An export that could not keep this promise, or would treat missing values or unknown categories
    differently, is refused.

    Parameters
    ----------
    model : fitted ranker
        An additive model, such as RankSVM, or ELMRank, also in a Pipeline or a PairCalibrator.
    format : str
        ``"solr"``, ``"opensearch"``, ``"elasticsearch"``, ``"ranklib"``, ``"postgresql"``, ``"duckdb"``, ``"onnx"``,
        ``"python"`` or ``"javascript"``.
    data : RankingData or table, optional
        Shows the range of each feature, if the model has not stored it.
    name : str
        Name of the model in the engine; eight hexadecimal digits that change with the model are added.
    kind : str, optional
        Which of the format's kinds of model to write, such as ``"trees"`` for Solr. By default, the most exact one.
    definitions : mapping, optional
        Feature → how the engine computes it, in the engine's own terms.
    feature_names : sequence of str, optional
        Names of the features, if the model was fitted without names.
    rename : mapping or "auto", optional
        Feature → its name in the engine, which must consist of letters, digits and underscores. ``"auto"`` replaces
        other characters by underscores.
    max_error : float, optional
        Largest allowed difference of a score. By default 0.01 in log-odds of P(A above B) or, without probabilities, a
        thousandth of the spread of the scores.
    scale : "score" or "logit"
        ``"logit"`` multiplies scores so that P(A above B) = 1/(1 + exp(score_B − score_A)).

    Examples
    --------
    >>> from glassrank import RankSVM, export_model
    >>> ranker = RankSVM().fit([[0.1, 2.0], [0.4, 1.0]], [0, 1])
    >>> exported = export_model(ranker, "python", feature_names=["bm25", "age"])
    >>> sorted(exported.files)
    ['check.jsonl', 'glassrank.json', 'model.py']
    """
    check_choice("format", format, FORMATS)
    chosen = FORMATS[format]
    _check_options(format, chosen, kind, definitions)
    form = read_model(model, data, feature_names=feature_names, rename=rename, max_error=max_error, scale=scale)
    if not form.used:
        raise DataError(
            "The model gives all documents the same score: none of its features has an effect.",
            remedy="Train it on labels that differ within a query, and on features that are not constant.",
        )
    _check_ranges(form)
    full_name = f"{check_model_name(name)}_{_fingerprint(form, format, kind, definitions)}"
    written = chosen.write(Request(form, full_name, kind, dict(definitions or {})))
    if not written.bound <= form.tolerance:
        raise _too_inexact(chosen, written, form)
    return ExportedModel(format, full_name, form, written)


def _fingerprint(form: ExportModel, *choices: Any) -> str:
    """Return eight hexadecimal digits that change with the model and with everything that changes its files."""
    content = json.dumps([form.fingerprint, *choices], sort_keys=True, default=repr)
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def _check_options(name: str, chosen: ExportFormat, kind: str | None, definitions: Mapping[str, Any] | None) -> None:
    if kind is not None and not chosen.kinds:
        raise DataError(
            f"The format {name!r} has one kind of model only.", parameter="kind", remedy=f"Omit {setting('kind')}."
        )
    if kind is not None:
        check_choice("kind", kind, chosen.kinds)
    if definitions and not chosen.takes_definitions:
        raise DataError(
            f"The format {name!r} has no definitions of features: the caller passes their values.",
            parameter="definitions",
            remedy=f"Omit {setting('definitions')}.",
        )


def _check_ranges(form: ExportModel) -> None:
    """Raise an error for a feature with values that single precision, in which engines keep features, does not have."""
    for feature in (form.features[k] for k in form.used):
        largest = max(map(abs, feature.valid))
        if largest > MAX_VALUE:
            raise DataError(
                f"Feature {feature.name!r} has values from {feature.low:g} to {feature.high:g}, and an export must "
                f"work up to {largest:g}. Search engines keep features in single precision, which ends at "
                f"{MAX_VALUE:.2g}.",
                expected=f"at most {MAX_VALUE:.2g} in size",
                got=largest,
                remedy="Replace the value if it stands for a missing one, or divide the feature, and train again.",
            )


def _too_inexact(chosen: ExportFormat, written: Written, form: ExportModel) -> DataError:
    worst = max(written.costs, key=lambda name: written.costs[name], default="")
    most = f" The feature {worst!r} alone costs {written.costs[worst]:.2g}." if worst else ""
    return DataError(
        f"{chosen.title} would change scores by up to {written.bound:.2g} (tables {written.table_error:.2g}, rounding "
        f"{written.rounding:.2g}): at most {form.tolerance:.2g} is allowed.{most}",
        remedy=(
            f"Raise {setting('max_error')}",
            *(() if form.layer is None else (f"train with a larger {setting('alpha')}, whose weights cancel less",)),
            "use a format that calculates in double precision",
        ),
    )


def _described(model: ExportModel, k: int, stand_ins: Mapping[str, float]) -> dict[str, Any]:
    feature = model.features[k]
    kind = {"kind": feature.kind.name, **({"levels": list(feature.kind.levels)} if feature.kind.is_category else {})}
    low, high = feature.valid
    return {
        "name": feature.name,
        "in_model": feature.source,
        **kind,
        "training": [feature.low, feature.high],
        "valid": [low, high],
        **({"missing": stand_ins[feature.name]} if feature.name in stand_ins else {}),
    }
