"""A trained ranker and its baseline become one self-contained page."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from glassrank.data.files import write_atomically
from glassrank.drawing.page import Section, build_page, figure, table
from glassrank.metrics.comparison import Comparison
from glassrank.nomograms.figure import CAPTION, Nomogram
from glassrank.nomograms.numbers import MINUS, Notation

FOUR = Notation(4)


@dataclass(frozen=True)
class FeatureLine:
    """One row of the table of features."""

    name: str
    length: float
    slope: float
    role: str


@dataclass(frozen=True, eq=False)
class RankingReport:
    """All that the page tells; every number was computed before it came here."""

    title: str
    facts: dict[str, str]
    comparison: Comparison
    model: str
    """Name of the model among the compared systems; the other one is the baseline."""
    nomogram: Nomogram
    why: str
    features: tuple[FeatureLine, ...]
    reproduce: str

    @property
    def lead(self) -> str:
        """The result in one sentence."""
        model, baseline = self.comparison[self.model], self.comparison[self.comparison.baseline]
        return (
            f"On {self.comparison.n_queries:,} held-out queries {self.model} reaches {self.comparison.measure.upper()} "
            f"{model.mean:.3f}; {baseline.name}, reaches {baseline.mean:.3f}. The model is {model.verdict}."
        )

    def save(self, path: str | Path) -> Path:
        """Write the page."""
        write_atomically(path, self.html().encode())
        return Path(path)

    def html(self) -> str:
        """The page as text."""
        sections = [
            Section("How good is it", self._measures()),
            Section("Why is A above B", f"<p>{escape(self.why)}</p>\n{figure(self.nomogram.page_svg, CAPTION)}"),
            Section("Which features matter", self._features()),
            Section("Reproduce", f"<pre>{escape(self.reproduce)}</pre>"),
        ]
        return build_page(self.title, sections, lead=self._lead())

    def _lead(self) -> str:
        facts = "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(fact)}</dd></div>" for name, fact in self.facts.items()
        )
        return f'<p class="verdict">{escape(self.lead)}</p>\n<dl class="facts">{facts}</dl>'

    def _measures(self) -> str:
        comparison = self.comparison
        model, baseline = comparison[self.model], comparison[comparison.baseline]
        interval = f"{comparison.confidence:.0%} interval".replace("%", " %")
        rows = [
            [model.name, FOUR(model.mean), _interval(model.interval)],
            [baseline.name, FOUR(baseline.mean), _interval(baseline.interval)],
            ["difference, paired by query", *_difference(model.difference, model.difference_interval)],
        ]
        measure = comparison.measure.upper()
        return (
            f"<p>Mean {escape(measure)} over held-out queries, convention “{escape(comparison.convention)}”.</p>\n"
            f"{table(['ranker', measure, interval], rows, numeric={1, 2}, chosen=0)}\n"
            f'<p class="note">Intervals by bootstrap over queries; {escape(comparison.test)}, p = {model.p_value:.2g}. '
            "Overlapping intervals of two means do not say that the paired difference is zero: read the last row.</p>"
        )

    def _features(self) -> str:
        rows = [
            [line.name, Notation(3)(line.length), f"{line.slope:.3g}".replace("-", MINUS), line.role]
            for line in self.features
        ]
        return (
            "<p>Length: the median over queries of a feature’s largest minus its smallest effect on the score. "
            "A feature of length 0 never moves a document.</p>\n"
            f"{table(['feature', 'length', 'score per unit', 'in the simulation'], rows, numeric={1, 2})}"
        )


def _interval(ends: tuple[float, float], *, sign: bool = False) -> str:
    return f"{FOUR(ends[0], sign=sign)} to {FOUR(ends[1], sign=sign)}"


def _difference(value: float | None, ends: tuple[float, float] | None) -> list[str]:
    return ["", ""] if value is None or ends is None else [FOUR(value, sign=True), _interval(ends, sign=True)]
