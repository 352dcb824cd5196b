"""The folder of an export, read again: what its description says about names, constant and errors."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.files.json_files import read_json

SIDE_FILE = "glassrank.json"


@dataclass(frozen=True)
class Bundle:
    """An export that was written to a folder."""

    format: str
    name: str
    names: dict[str, str]
    """Feature of the model → its name in the engine, for the features that the engine supplies."""
    valid: dict[str, tuple[float, float]]
    """Name in the engine → range of values for which the bound holds."""
    stand_ins: dict[str, float]
    """Name in the engine → value that it logs in place of a missing one."""
    factor: float
    """Scores of the engine are those of the model times this, plus a constant."""
    constant: float
    """What the engine's scores lack."""
    bound: float
    """Largest difference of a score."""


def read_bundle(folder: str | os.PathLike[str]) -> Bundle:
    """Read the description in the folder of an export."""
    path = Path(folder) / SIDE_FILE
    if not path.is_file():
        raise DataError(
            f"{folder} has no {SIDE_FILE}: expected the folder of an export.",
            remedy=f"Write the export there first, with {setting('format_name', ..., python='export_model')}.",
        )
    content = read_json(path)
    try:
        return _bundle(content)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{path}: not the description of an export: {type(error).__name__}: {error}.",
            remedy="Write the export again.",
        ) from error


def _bundle(content: Any) -> Bundle:
    features = content["features"]
    return Bundle(
        str(content["format"]),
        str(content["name"]),
        {str(one["in_model"]): str(one["name"]) for one in features},
        {str(one["name"]): (float(one["valid"][0]), float(one["valid"][1])) for one in features},
        {str(one["name"]): float(one["missing"]) for one in features if "missing" in one},
        float(content["factor"]),
        0.0 if content["constant_included"] else float(content["constant"]),
        float(content["table_error"]) + float(content["rounding"]),
    )
