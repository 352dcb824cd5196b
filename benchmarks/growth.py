"""How the time of a linear RankSVM grows from 10⁴ to 10⁶ documents: a table and a chart; simulated data."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

from glassrank import RankSVM
from glassrank.drawing.marks import field, rule, specification, symbol, text
from glassrank.drawing.render import render
from glassrank.drawing.theme import LIGHT
from harness import Claim, best_of, main
from problems import letor_like

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
GAP, MEAN_C = 1e-6, 100.0
TITLE = "Time to train a linear RankSVM to a certified gap of 1e-6"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 704, 420, 84, 664, 56, 350


def claims() -> Iterator[Claim]:
    """Time per document must not grow with their number: sweeps are O(n log n) in the length of a query only."""
    points = [measure(size) for size in SIZES]
    draw(points, Path(__file__).parent / "growth.svg")
    for n_documents, seconds, n_pairs, gap in points:
        yield Claim(
            f"linear RankSVM, growth: {n_documents:,} documents × 46",
            "–",
            f"{seconds:.3g} s",
            f"certified gap {gap:.0e}",
            gap <= GAP,
            f"{1e9 * seconds / n_documents:.0f} ns per document, {n_pairs:,} pairs; chart in `growth.svg`",
        )
    per_document = [seconds / n_documents for n_documents, seconds, _, _ in points]
    growth = per_document[-1] / per_document[0]
    yield Claim(
        "linear RankSVM, time per document, 1,000,000 documents against 10,000",
        "≤ 1 ×",
        f"{growth:.2f} ×",
        "the same gap",
        growth <= 1.0,
        "wall time, best of 3",
    )


def measure(n_documents: int) -> tuple[int, float, int, float]:
    problem = letor_like(n_documents)
    model = RankSVM(C=MEAN_C, tol=GAP)
    seconds = best_of(3, lambda: model.fit(problem.X, problem.y, qid=problem.qid)).wall
    return n_documents, seconds, model.n_pairs_, model.duality_gap_ / model.objective_


def draw(points: list[tuple[int, float, int, float]], path: Path) -> None:
    """Seconds against documents, both logarithmic, with the slope of proportional growth."""
    decades_x = (math.log10(SIZES[0]), math.log10(SIZES[-1]))
    low = math.floor(math.log10(min(point[1] for point in points)))
    high = math.ceil(math.log10(max(point[1] for point in points)))

    def x(n: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log10(n) - decades_x[0]) / (decades_x[1] - decades_x[0])

    def y(seconds: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (math.log10(seconds) - low) / (high - low)

    dots = [{"x": x(n), "y": y(s), "label": f"{s:.3g} s"} for n, s, _, _ in points]
    ends = [{"x": a["x"], "y": a["y"], "x2": b["x"], "y2": b["y"]} for a, b in itertools.pairwise(dots)]
    values = {
        "one": [{}],
        "dots": dots,
        "lines": ends,
        "documents": [{"x": x(10.0**e), "label": f"{10**e:,}"} for e in range(4, 7)],
        "seconds": [{"y": y(10.0**e), "label": f"{10.0**e:g} s"} for e in range(low, high + 1)],
    }
    theme = LIGHT
    marks = [
        rule("seconds", x=LEFT, x2=RIGHT, y=field("y"), y2=field("y"), stroke=theme.hair),
        text("seconds", x=LEFT - 10, y=field("y"), text=field("label"), align="right", fontSize=12, fill=theme.ink3),
        text(
            "documents", x=field("x"), y=BOTTOM + 20, text=field("label"), align="center", fontSize=12, fill=theme.ink3
        ),
        rule("lines", x=field("x"), x2=field("x2"), y=field("y"), y2=field("y2"), stroke=theme.line, strokeWidth=1.6),
        symbol("dots", x=field("x"), y=field("y"), shape="circle", size=60, fill=theme.ink),
        text(
            "dots",
            x=field("x"),
            y={"field": "y", "offset": -16},
            text=field("label"),
            align="center",
            fontSize=12,
            fill=theme.ink2,
        ),
        text("one", x=24, y=26, text=TITLE, fontSize=15, fontWeight=600, fill=theme.ink),
        text(
            "one",
            x=(LEFT + RIGHT) / 2,
            y=BOTTOM + 48,
            text="documents (46 features, 150 per query; simulated)",
            align="center",
            fontSize=12,
            fill=theme.ink2,
        ),
    ]
    path.write_bytes(render(specification(WIDTH, HEIGHT, values, marks, background=theme.page), ".svg"))


if __name__ == "__main__":
    main(claims)
