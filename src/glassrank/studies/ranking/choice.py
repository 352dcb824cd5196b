"""The choice of C and γ of a study: what was tried, and how well it ranked held-out queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine
from glassrank.nomograms.elimination.path import noise

CS = (0.01, 0.1, 1.0, 10.0, 100.0)  # on the mean pair loss
GAMMAS = {"linear": ("scale",), "lrbf": ("scale/4", "scale", "scale*4")}
STEP, STEPS_PER_EXTENSION, MAX_EXTENSIONS = 10.0, 2, 3
LARGE_GAP = 0.05  # between probabilities and what happens, on average: above it, they need a warning
MIN_GAIN = 1e-4  # the last digit of a measure that reports show


Gamma = str | float
Results = Mapping[str, Any]
"""``C``, ``gamma`` (LRBF only), ``mean_test_score`` and ``std_test_score``, as in ``RankSVMCV.cv_results_``."""


@dataclass(frozen=True)
class Tried:
    """One combination of C and γ, with the mean and the standard deviation of the measure over the folds."""

    C: float
    gamma: Gamma
    mean: float
    deviation: float
    folds: tuple[float, ...] = ()
    """The measure of each fold in which it is defined."""


@dataclass(frozen=True)
class Choice:
    """The chosen combination, and all that were tried, by ascending C; none if both values were given."""

    C: float
    gamma: Gamma
    tried: tuple[Tried, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Choice":
        """Restore the choice from ``to_dict``."""
        tried = (Tried(**one | {"folds": tuple(one["folds"])}) for one in plain["tried"])
        return cls(plain["C"], plain["gamma"], tuple(tried))

    @property
    def within_noise(self) -> tuple["Choice", ...]:
        """The best C and others whose loss is noise, paired over the folds; the best first."""
        same = sorted((one for one in self.tried if one.gamma == self.gamma), key=lambda one: (-one.mean, one.C))
        near = zip(same, noise(np.array([one.folds for one in same]), 0), strict=True)
        return tuple(replace(self, C=one.C) for one, most in near if same[0].mean - one.mean <= most)

    @property
    def is_at_an_end(self) -> bool:
        """Whether the best C is the smallest or the largest that was tried."""
        Cs = {one.C for one in self.tried}
        return len(Cs) > 1 and self.C in (min(Cs), max(Cs))

    @property
    def chose_penalty(self) -> bool:
        """Whether C was chosen, and not given."""
        return len({one.C for one in self.tried}) > 1

    def chart(self, measure: str, held_out: str = "held-out queries") -> LinePanels:
        """Return the measure by C, with one line for each γ."""
        gammas = list(dict.fromkeys(one.gamma for one in self.tried))
        lines = [
            PanelLine(
                f"γ = {shown_gamma(gamma)}" if len(gammas) > 1 else measure.upper(),
                [(one.C, one.mean, _words(one, measure)) for one in self.tried if one.gamma == gamma],
                emphasised=gamma == self.gamma,
            )
            for gamma in gammas
        ]
        Cs = tuple(dict.fromkeys(one.C for one in self.tried))
        words = ("C, weight of the mean pair loss", f"mean {measure.upper()}")
        panel = Panel("", *words, lines, log_x=True, x_ticks=(self.C, *Cs))
        return LinePanels(f"{measure.upper()} by C on {held_out}", (panel,))

    def sentence(self, held_out: str = "held-out queries") -> str:
        """Say what was chosen, and what was given."""
        gammas = len({one.gamma for one in self.tried}) > 1
        if not self.chose_penalty:
            given = f"C = {self.C:g} was given."
            means = ", ".join(f"{one.mean:.4f} with {shown_gamma(one.gamma)}" for one in self.tried)
            chosen = f"γ = {shown_gamma(self.gamma)} ranks {held_out} best: {means}."
            return f"{given} {chosen}" if gammas else f"{given} Nothing was chosen."
        gamma = f" and γ = {shown_gamma(self.gamma)}" if gammas else ""
        best = self.within_noise[0].C
        how = f"as well as C = {best:g}, within its noise, and gives better probabilities"
        text = f"C = {self.C:g}{gamma} {'rank' if gammas else 'ranks'} {held_out} {'best' if best == self.C else how}."
        return f"{text} It is the last value that was tried." if self.is_at_an_end else text


def shown_gamma(gamma: Gamma) -> str:
    """Return γ as text: a number without trailing zeros, or a multiple of the scale."""
    return gamma if isinstance(gamma, str) else f"{gamma:g}"


def _words(one: Tried, measure: str) -> str:
    return f"C = {one.C:g}: {measure.upper()} {one.mean:.4f} ± {one.deviation:.4f} over folds"


def choose(search: Callable[[tuple[float, ...]], Results], Cs: tuple[float, ...] = CS) -> Choice:
    """Try values of C; while the best of several is at an end, try two more, at most three times.

    The search also ends when two more values raise the measure by less than 0.0001: for very small and very large C,
    the order of the documents hardly depends on C. ``search`` measures values of C with every γ. Of equally good
    combinations, the one with the smallest C wins.
    """
    tried = _tried(search(Cs))
    for _ in range(MAX_EXTENSIONS):
        found = _best(tried)
        if not found.is_at_an_end:
            break
        factor = 1.0 / STEP if min(one.C for one in tried) == found.C else STEP
        beyond = tuple(float(f"{found.C * factor**step:.6g}") for step in range(1, STEPS_PER_EXTENSION + 1))
        more, before = _tried(search(beyond)), max(one.mean for one in tried)
        tried = sorted([*tried, *more], key=lambda one: one.C)
        if max(one.mean for one in more) < before + MIN_GAIN:
            break
    return _best(tried)


def search_grid(
    Cs: Sequence[float], gammas: Sequence[Gamma], measured: Callable[[float, Gamma], list[float]]
) -> Results:
    """Return the results of every combination; ``measured`` returns the measure of each fold, NaN if undefined."""
    tried = list(product(Cs, gammas))
    folds = np.array([measured(C, gamma) for C, gamma in tried])
    defined = folds[:, ~np.isnan(folds).any(axis=0)]
    if defined.shape[1] == 0:
        raise DataError("The measure is undefined in every fold.", remedy="Add judged documents or queries.")
    return {
        "C": [C for C, _ in tried],
        "gamma": [gamma for _, gamma in tried],
        "mean_test_score": defined.mean(axis=1),
        "std_test_score": defined.std(axis=1),
    } | {f"split{number}_test_score": column for number, column in enumerate(folds.T)}


def _best(tried: list[Tried]) -> Choice:
    best = max(tried, key=lambda one: (one.mean, -one.C))
    return Choice(best.C, best.gamma, tuple(tried))


def _tried(results: Results) -> list[Tried]:
    gammas = results.get("gamma", ["scale"] * len(results["C"]))
    by_fold = [values for name, values in results.items() if name.startswith("split")]
    folds = np.column_stack([values for values in by_fold if not np.isnan(values).any()])
    rows = zip(results["C"], gammas, results["mean_test_score"], results["std_test_score"], folds, strict=True)
    return [
        Tried(float(C), gamma if isinstance(gamma, str) else float(gamma), float(mean), float(std), tuple(own.tolist()))
        for C, gamma, mean, std, own in rows
    ]
