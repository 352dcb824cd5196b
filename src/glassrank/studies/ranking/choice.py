"""The choice of C and γ of a study: what was tried, and how well it ranked held-out queries."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine
from glassrank.ranking.rank_svm_cv import RankSVMCV

CS = (0.01, 0.1, 1.0, 10.0, 100.0)  # on the mean pair loss
GAMMAS = {"linear": ("scale",), "lrbf": ("scale/4", "scale", "scale*4")}
STEP, STEPS_PER_EXTENSION, MAX_EXTENSIONS = 10.0, 2, 3


@dataclass(frozen=True)
class Tried:
    """One combination of C and γ, with the mean and the standard deviation of the measure over the folds."""

    C: float
    gamma: str
    mean: float
    deviation: float


@dataclass(frozen=True)
class Choice:
    """The best combination, and all that were tried, by ascending C."""

    C: float
    gamma: str
    tried: tuple[Tried, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Choice":
        """Restore the choice from ``to_dict``."""
        return cls(plain["C"], plain["gamma"], tuple(Tried(**one) for one in plain["tried"]))

    @property
    def is_at_an_end(self) -> bool:
        """Whether the best C is the smallest or the largest that was tried."""
        Cs = [one.C for one in self.tried]
        return self.C in (min(Cs), max(Cs))

    def chart(self, measure: str) -> LinePanels:
        """Return the measure by C, with one line for each γ."""
        gammas = list(dict.fromkeys(one.gamma for one in self.tried))
        lines = [
            PanelLine(
                f"γ = {gamma}" if len(gammas) > 1 else measure.upper(),
                [(one.C, one.mean, _words(one, measure)) for one in self.tried if one.gamma == gamma],
                emphasised=gamma == self.gamma,
            )
            for gamma in gammas
        ]
        Cs = tuple(dict.fromkeys(one.C for one in self.tried))
        words = ("C, weight of the mean pair loss", f"mean {measure.upper()}")
        panel = Panel("", *words, lines, log_x=True, x_ticks=(self.C, *Cs))
        return LinePanels(f"{measure.upper()} by C on held-out queries", (panel,))

    def sentence(self) -> str:
        """Say what was chosen."""
        several = len({one.gamma for one in self.tried}) > 1
        gamma = f" and γ = {self.gamma}" if several else ""
        text = f"C = {self.C:g}{gamma} {'rank' if several else 'ranks'} held-out queries best."
        return f"{text} It is the last value that was tried." if self.is_at_an_end else text


def _words(one: Tried, measure: str) -> str:
    return f"C = {one.C:g}: {measure.upper()} {one.mean:.4f} ± {one.deviation:.4f} over folds"


def choose(search: Callable[[tuple[float, ...]], RankSVMCV], Cs: tuple[float, ...] = CS) -> Choice:
    """Try the grid of C; while the best C is at an end, try two more values beyond it, at most three times.

    ``search`` fits values of C and every γ. Of equally good combinations, the one with the smallest C wins.
    """
    tried = _tried(search(Cs))
    for _ in range(MAX_EXTENSIONS):
        found = _best(tried)
        if not found.is_at_an_end:
            break
        factor = 1.0 / STEP if min(one.C for one in tried) == found.C else STEP
        beyond = tuple(float(f"{found.C * factor**step:.6g}") for step in range(1, STEPS_PER_EXTENSION + 1))
        tried = sorted([*tried, *_tried(search(beyond))], key=lambda one: one.C)
    return _best(tried)


def _best(tried: list[Tried]) -> Choice:
    best = max(tried, key=lambda one: (one.mean, -one.C))
    return Choice(best.C, best.gamma, tuple(tried))


def _tried(search: RankSVMCV) -> list[Tried]:
    results = search.cv_results_
    gammas = results.get("gamma", ["scale"] * len(results["C"]))
    rows = zip(results["C"], gammas, results["mean_test_score"], results["std_test_score"], strict=True)
    return [Tried(float(C), str(gamma), float(mean), float(std)) for C, gamma, mean, std in rows]
