"""The tables of a distillation study as files."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from glassrank.files.atomic_files import write_atomically
from glassrank.files.csv_text import csv_of_records
from glassrank.studies.distillation.result import DistillationResult


def write_tables(result: DistillationResult, folder: Path) -> None:
    """Write ``result.json`` and each table that has rows as CSV."""
    tables = {
        "systems.csv": result.system_rows(),
        "judges.csv": result.judge_system_rows(),
        "agreement.csv": [] if result.agreement is None else [asdict(one) for one in result.agreement.pairs],
        "sphere.csv": [asdict(one) for one in result.sphere],
        "pruned.csv": [asdict(one) for one in result.pruned],
        "times.csv": result.time_rows(),
    }
    for name, rows in tables.items():
        if rows:
            write_atomically(folder / name, csv_of_records([_flat(row) for row in rows]).encode())
    write_atomically(folder / "result.json", result.to_json().encode())


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """The two ends of a range become two columns."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, tuple):
            flat |= {f"{name}_low": value[0], f"{name}_high": value[1]}
        else:
            flat[name] = value
    return flat
