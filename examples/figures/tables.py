"""Tables of two classes with numbers and categories: real ones by folder, one bundled, one simulated."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer


@dataclass(frozen=True)
class Table:
    """Rows of features and a class each; ``document`` is the row whose dots are drawn."""

    name: str
    origin: str
    X: pd.DataFrame
    y: np.ndarray
    positive: str
    """The class whose probability is drawn."""

    @property
    def folder(self) -> str:
        """The name as that of a folder."""
        return self.name.lower().replace(" ", "-")

    @property
    def document(self) -> int:
        """The first row of the positive class."""
        return int(np.flatnonzero(self.y == self.positive)[0])

    @property
    def categorical(self) -> list[str]:
        return [name for name in self.X if not pd.api.types.is_numeric_dtype(self.X[name])]

    @property
    def numeric(self) -> list[str]:
        return [name for name in self.X if name not in self.categorical]


def load_heart(path: Path) -> Table:
    """Heart disease: the class is whether a vessel is narrowed; rows with a missing value are left out."""
    frame = _read(path)
    whole = frame[(frame != "?").all(axis=1)].reset_index(drop=True)
    y = np.where(whole.pop("diameter narrowing") == "1", "narrowed", "healthy")
    numeric = ["age", "rest SBP", "cholesterol", "max HR", "ST by exercise", "major vessels colored"]
    for flag in ("fasting blood sugar > 120", "exerc ind ang"):
        whole[flag] = whole[flag].map({"0": "no", "1": "yes"})
    X = whole.astype(dict.fromkeys(numeric, float))
    origin = f"{len(whole)} of {len(frame)} patients, those without missing values"
    return Table("Heart disease", origin, X, y, "narrowed")


def load_titanic(path: Path) -> Table:
    """The passengers and crew of the Titanic: three columns of categories."""
    frame = _read(path)
    y = np.where(frame.pop("survived") == "yes", "survived", "lost")
    return Table("Titanic", f"{len(frame):,} people on board", frame, y, "survived")


def bundled_tumours() -> Table:
    """Breast tumours, as bundled with scikit-learn: numbers only, six means of each tumour's cell nuclei."""
    bunch = load_breast_cancer(as_frame=True)
    X = bunch.data.iloc[:, :6]
    y = np.where(bunch.target == 0, "malignant", "benign")
    return Table("Breast tumours", f"{len(y)} tumours, bundled with scikit-learn", X, y, "malignant")


def simulate_passengers() -> Table:
    """Passengers with categories and an age, whose log-odds of arriving on time are known."""
    rng = np.random.default_rng(0)
    n = 400
    cabin = rng.choice(["first", "second", "third"], n, p=[0.2, 0.3, 0.5])
    ticket = rng.choice(["flexible", "fixed"], n)
    age = rng.integers(1, 80, n).astype(float)
    worth = pd.Series({"first": 1.0, "second": 0.2, "third": -0.6, "flexible": 0.7, "fixed": -0.7})
    log_odds = worth[cabin].to_numpy() + worth[ticket].to_numpy() + 0.8 * np.cos(age / 13)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-log_odds)), "on time", "late")
    X = pd.DataFrame({"cabin": cabin, "ticket": ticket, "age": age})
    return Table("Simulated passengers", f"{n} simulated passengers", X, y, "on time")


def _read(path: Path) -> pd.DataFrame:
    """A table with three header lines: names, kinds and roles; all cells as text."""
    return pd.read_csv(path, sep="\t", skiprows=[1, 2], dtype=str, keep_default_na=False)
