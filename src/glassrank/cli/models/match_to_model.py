"""Read documents for a saved model: only the columns that it needs, as the kinds that they had in training."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note
from glassrank.cli.inputs import is_table, named_columns, read_data, role_columns
from glassrank.core.wording import counted, listed

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData
    from glassrank.modelfile.foreign_model import ForeignModel
    from glassrank.modelfile.match_features import MatchedFeatures
    from glassrank.modelfile.saved_model import SavedModel


by_position_option = click.option(
    "--by-position",
    is_flag=True,
    help="Take the columns of a table in their order, for a model that was saved without feature names.",
)


def check_by_position(reading: dict[str, Any], *models: "SavedModel | ForeignModel") -> None:
    """Raise a usage error if ``--by-position`` has no effect: none of the models lacks feature names."""
    if reading["by_position"] and all(model.feature_names is not None for model in models):
        raise click.UsageError("--by-position is for a table and a model without feature names: leave it out.")


def read_for_model(
    path: Path,
    saved: "SavedModel | ForeignModel",
    quiet: bool,
    reading: dict[str, Any],
    *,
    judged: bool = True,
) -> "RankingData":
    """Return the documents with the model's features in its order; the model decides about missing values.

    They are not yet scaled within queries, if the model takes them so.
    """
    from glassrank.core.checks import within
    from glassrank.modelfile.match_features import match_features

    reading = dict(reading)
    by_position = bool(reading.pop("by_position", False))
    left_out: tuple[str, ...] = ()
    if is_table(path, reading["source_format"]):
        reading, left_out = _only_needed(path, saved, reading)
    found = read_data(path, quiet, judged=judged, **reading)
    zeros_left_out = not is_table(path, reading["source_format"])
    with within(path):
        names = saved.feature_names_in(found.feature_names)
        matched = match_features(found, names, saved.n_features, zeros_left_out=zeros_left_out, by_position=by_position)
    note_matches(path, saved, matched, quiet, set(), left_out)
    return matched.data


def note_matches(
    path: Path | str,
    saved: Any,
    matched: "MatchedFeatures",
    quiet: bool,
    said: set[str],
    left_out: tuple[str, ...] = (),
) -> None:
    """Report how features were matched, and values that the model has not seen, unless it was ``said`` before."""
    notes = [] if matched.by_name else ["The model has no feature names: features are used in the order of the data."]
    ignored = left_out or matched.ignored
    if ignored:
        unknown = counted(len(ignored), "feature", "features")
        notes.append(f"Left out {unknown} that the model does not use: {listed(ignored)}.")
    if matched.absent:
        notes.append(f"Not in {path}, and set to 0: {listed(matched.absent)}.")
    surprises = saved.surprises(matched.data) if matched.by_name else ()
    for text in [*notes, *(f"{path} has {surprise}." for surprise in surprises)]:
        if text not in said:
            note(text, quiet)
            said.add(text)


def has_labels(path: Path, reading: dict[str, Any]) -> bool:
    """Whether a file has labels, as all but tables have, or ``--label-column`` says so."""
    from glassrank.data.tables import table_columns

    if not is_table(path, reading["source_format"]) or reading["label"] is not None:
        return True
    return "label" in table_columns(path, reading["source_format"])


def _only_needed(
    path: Path, saved: "SavedModel | ForeignModel", reading: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options for reading the model's features alone, and the columns that are left out.

    The model knows which of them are categories, also if their levels look like numbers.
    """
    from glassrank.core.checks import within
    from glassrank.data.ranking_columns import pick_columns
    from glassrank.data.tables import table_columns
    from glassrank.modelfile.match_features import missing_features

    columns = table_columns(path, reading["source_format"])
    names = saved.feature_names_in(columns)
    if names is None:
        return reading, ()
    roles = role_columns(named_columns(reading))
    with within(path):
        reading = {**reading, "features": tuple(pick_columns("features", reading["features"], columns, roles))}
    missing = [name for name in names if name not in columns]
    if missing and len(missing) < len(names) and not reading["features"]:
        with within(path):
            raise missing_features(names, missing, [name for name in columns if name not in roles])
    read = reading["features"] or (names if not missing else ())
    categories = {name for name, kind in zip(names, saved.kinds, strict=True) if kind.is_category and name in read}
    given = {**reading, "features": read, "categorical": tuple(sorted({*reading["categorical"], *categories}))}
    if reading["features"] or missing:
        return given, ()
    return given, tuple(name for name in columns if name not in (*names, *roles))
