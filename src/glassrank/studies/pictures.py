"""Writes the pictures of the documentation: ``python -m glassrank.studies.pictures docs/pictures``."""

import sys
import tempfile
from pathlib import Path

from glassrank.drawing.theme import THEMES
from glassrank.studies.demo import run_demo


def write_pictures(folder: str | Path) -> list[Path]:
    """Draw the demo's nomogram in each theme, from simulated data that say so in their title."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        picture = run_demo(scratch, n_queries=400, seed=0, progress=lambda step: None).report.nomogram
    names = {theme: "nomogram.png" if theme == "light" else f"nomogram-{theme}.png" for theme in THEMES}
    return [picture.save(folder / name, theme=theme) for theme, name in names.items()]


if __name__ == "__main__":
    for path in write_pictures(sys.argv[1]):
        print(path)
