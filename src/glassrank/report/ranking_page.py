"""A trained ranker and its baseline become one self-contained page."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from glassrank.data.files import write_atomically
from glassrank.drawing.page import Section, build_page, figure
from glassrank.nomogram.figure import Nomogram
from glassrank.nomogram.numbers import number


@dataclass(frozen=True)
class Contender:
    """One system in the table of measures."""

    name: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class FeatureLine:
    """One row of the table of features."""

    name: str
    unit: str
    length: float
    slope: float
    role: str


@dataclass(frozen=True, eq=False)
class RankingReport:
    """All that the page tells; every number was computed before it came here."""

    title: str
    lead: str
    facts: dict[str, str]
    measure: str
    convention: str
    baseline: Contender
    model: Contender
    verdict: str
    difference: Contender
    p_value: float
    nomogram: Nomogram
    why: str
    features: tuple[FeatureLine, ...]
    reproduce: str

    def save(self, path: str | Path) -> Path:
        """Write the page."""
        write_atomically(path, self.html().encode())
        return Path(path)

    def html(self) -> str:
        """The page as text."""
        sections = [
            Section("How good is it", self._measures()),
            Section("Why is A above B", self._why()),
            Section("Which features matter", self._features()),
            Section("Reproduce", f"<pre>{escape(self.reproduce)}</pre>"),
        ]
        return build_page(self.title, sections, lead=self._lead())

    def _lead(self) -> str:
        facts = "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in self.facts.items()
        )
        return f'<p class="verdict">{escape(self.lead)}</p>\n<dl class="facts">{facts}</dl>'

    def _measures(self) -> str:
        rows = [_row([c.name, _estimate(c), _interval(c)], chosen=c is self.model) for c in (self.model, self.baseline)]
        difference = _row(
            [
                "Difference, paired by query",
                _estimate(self.difference, sign=True),
                _interval(self.difference, sign=True),
            ]
        )
        head = _head(["Ranker", f"{self.measure.upper()}", "95 % interval"], numeric=1)
        return (
            f"<p>Mean {escape(self.measure.upper())} over held-out queries, convention “{escape(self.convention)}”. "
            f"{escape(self.verdict)}</p>\n<table>{head}<tbody>{''.join(rows)}{difference}</tbody></table>\n"
            f'<p class="note">Intervals: bootstrap over queries. Paired randomisation test: p = {self.p_value:.2g}. '
            "Overlapping intervals of the two rows do not mean that the paired difference is zero: read the last row.</p>"
        )

    def _why(self) -> str:
        caption = (
            "Every feature is a line; the two dots are the documents’ values, and the segment between them is what "
            "the feature adds to the difference of scores. The segments add up to the total exactly."
        )
        return f"<p>{escape(self.why)}</p>\n{figure(self.nomogram.page_svg, caption)}"

    def _features(self) -> str:
        head = _head(["Feature", "Length", "Score per unit", "In the simulation"], numeric=2)
        rows = [
            _row(
                [_with_unit(f.name, f.unit), number(f.length, 3), f"{f.slope:.3g}".replace("-", "\u2212"), f.role],
                numeric=2,
            )
            for f in self.features
        ]
        return (
            "<p>Length is the median over queries of the largest minus the smallest effect of the feature on the score: "
            "a feature of length 0 can be dropped without any change.</p>\n"
            f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
        )


def _with_unit(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name


def _estimate(contender: Contender, *, sign: bool = False) -> str:
    return number(contender.mean, 4, sign=sign)


def _interval(contender: Contender, *, sign: bool = False) -> str:
    return f"{number(contender.low, 4, sign=sign)} to {number(contender.high, 4, sign=sign)}"


def _head(names: list[str], numeric: int) -> str:
    cells = [_cell("th", name, 0 < place <= numeric, ' scope="col"') for place, name in enumerate(names)]
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def _row(values: list[Any], *, chosen: bool = False, numeric: int = 1) -> str:
    cells = [_cell("td", str(value), 0 < place <= numeric) for place, value in enumerate(values)]
    return f"<tr{' class=' + chr(34) + 'chosen' + chr(34) if chosen else ''}>{''.join(cells)}</tr>"


def _cell(tag: str, content: str, numeric: bool, attributes: str = "") -> str:
    style = ' class="number"' if numeric else ""
    return f"<{tag}{attributes}{style}>{escape(content)}</{tag}>"
