"""The dot plot of a comparison: one dot per query at the change of its measure, each a link to the query."""

from collections.abc import Callable
from html import escape
from math import ceil

from glassrank.drawing.numbers import Notation, round_ticks
from glassrank.drawing.text_width import fitted, text_width
from glassrank.nomograms.model_comparison.compared_scores import UNCHANGED, QueryChange, signed
from glassrank.studies.views.study_comparison import StudyComparison

WIDTH, LEFT, TOP = 736.0, 16.0, 52.0
LEAST_HEIGHT, MOST_HEIGHT = 80.0, 200.0  # of the dots
MOST_STEP, MOST_RADIUS = 16.0, 4.0
NAME_ROOM, HEAD_ROOM = 200.0, 160.0
LEAST_HALF = 10  # bins on either side of 0 that are always shown


class QueryDots:
    """The dots of all queries in bins, stacked above an axis."""

    def __init__(self, found: StudyComparison, link: Callable[[str], str], chosen: str) -> None:
        self.found, self.link, self.chosen = found, link, chosen
        self.bins, self.width = found.bins(), found.bin_width
        self.low, self.high = min([*self.bins, -LEAST_HALF]) - 1, max([*self.bins, LEAST_HALF]) + 1
        self.step = min(MOST_STEP, (WIDTH - 2 * LEFT) / (self.high - self.low))
        self.radius = min(MOST_RADIUS, 0.42 * self.step)
        self.rise = 2 * self.radius + 1.5
        # Unchanged queries fill two columns, as they are often many.
        tallest = max([len(own) if place else ceil(len(own) / 2) for place, own in self.bins.items()], default=1)
        self.per_dot = max(1, ceil(tallest * self.rise / MOST_HEIGHT))
        self.base = TOP + max(LEAST_HEIGHT, min(MOST_HEIGHT, tallest * self.rise))

    def x(self, change: float) -> float:
        """Return the pixel of a change."""
        middle = WIDTH / 2 - self.step * (self.low + self.high) / 2
        return round(middle + self.step * change / self.width, 2)

    def svg(self) -> str:
        """Return the whole plot."""
        words = self.found.measured.changes_in_words
        dots = "".join(self._column(place, own) for place, own in sorted(self.bins.items()))
        return (
            f'<svg class="dots" viewBox="0 0 {WIDTH:g} {self.base + 56:g}" role="group" aria-label="{escape(words)}" '
            f'data-zero="{self.x(0.0)}" data-unit="{self.step / self.width}">'
            f'<rect class="brush" y="{TOP}" height="{self.base - TOP:g}" width="0"/>'
            f'<path class="zero" d="M{self.x(0.0)} 24V{self.base}"/>'
            f"{self._heads()}{dots}{self._name()}{self._axis()}</svg>"
        )

    def _heads(self) -> str:
        found, middle = self.found.measured, min(max(self.x(0.0), HEAD_ROOM), WIDTH - HEAD_ROOM)
        return (
            f'<text class="head" x="{LEFT}" y="14">○ {found.n_lose:,} lose</text>'
            f'<text x="{middle:g}" y="14" text-anchor="middle">{found.n_unchanged:,} unchanged</text>'
            f'<text class="head" x="{WIDTH - LEFT}" y="14" text-anchor="end">{found.n_gain:,} gain ●</text>'
        )

    def _column(self, place: int, own: list[QueryChange]) -> str:
        shared = [own[at : at + self.per_dot] for at in range(0, len(own), self.per_dot)]
        if place:
            return "".join(self._dot(one, self.x(place * self.width), row, place) for row, one in enumerate(shared))
        half = self.radius + 1
        spots = ((one, self.x(0.0) + (half if at % 2 else -half), at // 2) for at, one in enumerate(shared))
        return "".join(self._dot(one, x, row, 0) for one, x, row in spots)

    def _name(self) -> str:
        """Return the name of the chosen query, above its column and those that the name covers."""
        found = [place for place, own in self.bins.items() if self.chosen in (one.query for one in own)]
        if not found:
            return ""
        text, x = fitted(self.chosen, NAME_ROOM, 12, bold=True), self.x(found[0] * self.width)
        half = text_width(text, 12, bold=True) / 2
        x, reach = min(max(x, half), WIDTH - half), half + self.rise
        covered = [place for place in self.bins if abs(self.x(place * self.width) - x) < reach]
        rows = max(ceil(len(self.bins[place]) / self.per_dot / (1 if place else 2)) for place in covered)
        y = self.base - self.rise * rows - 10
        return f'<text class="head" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'

    def _dot(self, queries: list[QueryChange], x: float, row: int, place: int) -> str:
        first = next((one for one in queries if one.query == self.chosen), queries[0])
        is_chosen = first.query == self.chosen
        y = round(self.base - self.rise * (row + 0.5) - 2, 2)
        look = "lose" if place < 0 else "gain" if place > 0 else "same"
        words = f"{first.query}: {signed(first.change, sign=True)} ({first.value_1:.3f} → {first.value_2:.3f})"
        words += f", and {len(queries) - 1} more" if len(queries) > 1 else ""
        ring = f'<circle class="ring" cx="{x}" cy="{y}" r="{self.radius + 4}"/>' if is_chosen else ""
        return (
            f'<a href="{escape(self.link(first.query))}" tabindex="{0 if is_chosen else -1}" '
            f'aria-label="{escape(words)}"{" aria-current=true" if is_chosen else ""}><title>{escape(words)}</title>'
            f'{ring}<circle class="{look}" cx="{x}" cy="{y}" r="{self.radius}"/></a>'
        )

    def _axis(self) -> str:
        low, high = self.low * self.width, self.high * self.width
        ticks = round_ticks(low, high, 8)
        write = Notation(2 if any(abs(round(10 * tick) - 10 * tick) > UNCHANGED for tick in ticks) else 1)
        marks = "".join(
            f'<path d="M{self.x(tick)} {self.base}v5"/><text x="{self.x(tick)}" y="{self.base + 18}" '
            f'text-anchor="middle">'
            f"{write(tick, sign=True) if tick else '0'}</text>"
            for tick in ticks
        )
        return f'<path d="M{self.x(low)} {self.base}H{self.x(high)}"/>{marks}{self._mean()}'

    def _mean(self) -> str:
        second, y = self.found.measured.second, self.base + 42
        mean = second.difference or 0.0
        low, high = second.difference_interval or (mean, mean)
        left = self.x(low) > WIDTH / 2
        at, anchor = (self.x(low) - 8, "end") if left else (self.x(high) + 8, "start")
        words = f"mean difference {signed(mean, sign=True)}"
        return (
            f'<path class="mean" d="M{self.x(low)} {y}H{self.x(high)}"/><circle class="gain" cx="{self.x(mean)}" '
            f'cy="{y}" r="4"/><text x="{at}" y="{y + 4}" text-anchor="{anchor}">{words}</text>'
        )
