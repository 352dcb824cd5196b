"""How the time of a linear RankSVM grows from 10⁴ to 10⁶ documents: a table and a chart; simulated data."""

from collections.abc import Iterator
from pathlib import Path

from glassrank import RankSVM
from growth_chart import draw_growth
from harness import Claim, best_of, main
from problems import letor_like

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
GAP, MEAN_C = 1e-6, 100.0
TITLE = "Time to train a linear RankSVM to a certified gap of 1e-6"
CAPTION = "documents (46 features, 150 per query; simulated)"


def claims() -> Iterator[Claim]:
    """Time per document must not grow with their number: sweeps are O(n log n) in the length of a query only."""
    points = [measure(size) for size in SIZES]
    times = [(n_documents, seconds) for n_documents, seconds, _, _ in points]
    draw_growth({"": times}, TITLE, CAPTION, Path(__file__).parent / "growth.svg")
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


if __name__ == "__main__":
    main(claims)
