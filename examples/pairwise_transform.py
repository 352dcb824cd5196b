"""Learning to rank by the pairwise transform: F. Pedregosa's experiment of 2012, with its four figures.

Usage: python examples/pairwise_transform.py FOLDER

Simulates 60 documents with two features and the labels 0, 1 and 2, in two blocks (queries). Ridge regression compares
documents of different blocks and finds a poor direction; a linear classifier of the differences within blocks finds a
good one. Prints the weights and Kendall's tau of both, and draws the figures as SVG and PNG into FOLDER.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from figures.vega import COLOURS, field, mark, rule, save, specification, text
from sklearn.linear_model import Ridge
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC

import glassrank as gr

ANGLE = np.deg2rad(60)
DIRECTION = np.array([np.sin(ANGLE), np.cos(ANGLE)])  # the true w
BLOCK_CENTRES = {0: (-3.0, -7.0), 1: (0.0, 0.0)}  # of the documents with label 0


@dataclass(frozen=True)
class Documents:
    """Documents with two features and a label each; only those of one block can be compared."""

    X: np.ndarray
    y: np.ndarray
    blocks: np.ndarray


def simulate() -> list[Documents]:
    """Return all documents, the training half and the test half, with exactly the numbers of the post."""
    generator = np.random.RandomState(0)
    X = np.concatenate([generator.randn(20, 2) + 4 * label * DIRECTION for label in range(3)])
    X[::2] += BLOCK_CENTRES[0]
    y, blocks = np.repeat([0, 1, 2], 20), np.tile([0, 1], 30)
    train, test = next(StratifiedShuffleSplit(n_splits=10, test_size=0.5, random_state=generator).split(X, y))
    return [Documents(X[rows], y[rows], blocks[rows]) for rows in (np.arange(60), train, test)]


def main(folder: Path) -> None:
    """Run the experiment, print the results, and draw them."""
    documents, train, test = simulate()
    differences, signs = gr.pairwise_transform(train.X, train.y, qid=train.blocks)
    print(f"{len(train.y)} training documents make {len(signs)} pairs: {sum(signs > 0)} of +1, {sum(signs < 0)} of −1")
    ridge = Ridge(alpha=1.0).fit(train.X, train.y)
    rank_svm = gr.PairwiseRanker(SVC(kernel="linear", C=0.1)).fit(train.X, train.y, qid=train.blocks)
    ridge_taus, svm_taus = report("Ridge regression", ridge.coef_, test), report("RankSVM", rank_svm.coef_, test)

    # The transform of the labels themselves: by how much the labels of each pair differ.
    gaps = gr.pairwise_transform(train.y[:, None], train.y, qid=train.blocks)[0].ravel()
    figures = {
        "1-documents": draw_documents(
            "Two blocks, one direction w", "60 documents and the true direction", documents, DIRECTION, "w", length=11.2
        ),
        "2-ridge": draw_documents("Ridge regression mixes the blocks", ridge_taus, train, ridge.coef_, "ŵ"),
        "3-pairs": draw_pairs(differences, gaps),
        "4-rank-svm": draw_documents("RankSVM compares within blocks", svm_taus, train, rank_svm.coef_, "ŵ"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        save(figure, folder / name)
    print(f"Wrote to {folder}: {', '.join(figures)}, each as .svg and .png")


def report(name: str, weights: np.ndarray, test: Documents) -> str:
    """Print a model's direction and its taus on the test half, and return the tau-b in words."""
    measured = gr.evaluate(test.y, test.X @ weights, qid=test.blocks, measures=["tau_b", "tau"])
    taus = {measure: values[np.argsort(measured.queries)] for measure, values in measured.per_query.items()}
    first, second = weights / np.linalg.norm(weights)
    print(f"{name}: w/‖w‖ = [{first:.8f}, {second:.8f}]")
    for formula, measure in {"Kendall's tau-b": "tau_b", "(P − Q)/(P + Q)": "tau"}.items():
        print(f"  {formula}: {', '.join(f'{value:.5f}' for value in taus[measure])}")
    return "training half; on the test half tau-b is {:.3f} in block 0 and {:.3f} in block 1".format(*taus["tau_b"])


# Drawing: positions in pixels, the same unit on both axes so that directions are true.

WIDTH, HEIGHT = 704, 792
LEFT, TOP, SIZE = 72, 132, 600
FILLS = {0: COLOURS.page, 1: COLOURS.rule, 2: COLOURS.ink}  # of labels: hollow, grey, black
SHAPES = {0: "triangle-up", 1: "circle"}  # of blocks
GAPS = {
    2: (COLOURS.ink, COLOURS.ink),
    1: (COLOURS.rule, COLOURS.line),
    -1: (COLOURS.page, COLOURS.line),
    -2: (COLOURS.page, COLOURS.ink),
}


@dataclass(frozen=True)
class Plane:
    """A square piece of the plane: from ``left``, ``low`` over ``span`` units both ways."""

    left: float
    low: float
    span: float

    def x(self, value: float) -> float:
        return LEFT + SIZE * (value - self.left) / self.span

    def y(self, value: float) -> float:
        return TOP + SIZE - SIZE * (value - self.low) / self.span


def draw_documents(
    title: str, facts: str, documents: Documents, weights: np.ndarray, name: str, length: float = 8.0
) -> dict:
    """Documents by block (shape) and label (fill), with a direction drawn through each block."""
    plane = Plane(left=-7.0, low=-10.5, span=17.5)
    points = [
        {"x": plane.x(x), "y": plane.y(y), "fill": FILLS[label], "shape": SHAPES[block]}
        for (x, y), label, block in zip(documents.X.tolist(), documents.y, documents.blocks, strict=True)
    ]
    key = [("square", fill, COLOURS.ink, f"label {label}") for label, fill in FILLS.items()]
    key += [(shape, COLOURS.page, COLOURS.ink, f"block {block}") for block, shape in SHAPES.items()]
    step = length * weights / np.linalg.norm(weights)
    marks = [mark for centre in BLOCK_CENTRES.values() for mark in arrow(plane, np.array(centre), step, name)]
    marks.append(dots("points", size=110, stroke=COLOURS.ink))
    return figure(title, f"Simulated: {facts}.", plane, key, points, marks)


def draw_pairs(differences: np.ndarray, gaps: np.ndarray) -> dict:
    """Differences of pairs by the difference of their labels, and the line that separates the classes."""
    plane = Plane(left=-11.0, low=-11.0, span=22.0)
    points = [
        {"x": plane.x(x), "y": plane.y(y), "fill": GAPS[gap][0], "stroke": GAPS[gap][1], "shape": "circle"}
        for (x, y), gap in zip(differences.tolist(), gaps, strict=True)
    ]
    across = 11 * np.array([DIRECTION[1], -DIRECTION[0]])
    line = {"x": plane.x(-across[0]), "y": plane.y(-across[1]), "x2": plane.x(across[0]), "y2": plane.y(across[1])}
    key = [("circle", *colours, f"labels differ by {gap:+d}".replace("-", "−")) for gap, colours in GAPS.items()]
    marks = [
        rule("one", **line, stroke=COLOURS.line, strokeWidth=1.6, strokeDash=[6, 4]),
        text("one", x=plane.x(5.8), y=plane.y(-9.4), text="x·w = 0", fontSize=14, fill=COLOURS.ink2),
        *arrow(plane, np.zeros(2), 10.5 * DIRECTION, "w"),
        dots("points", size=70, stroke=field("stroke")),
    ]
    facts = f"Simulated: {len(gaps)} pairs of the training half, turned so that the signs alternate."
    return figure("The pairs are two classes that a line through 0 separates", facts, plane, key, points, marks)


def dots(data: str, **channels) -> dict:
    """Symbols at x and y with the shape and fill of their row."""
    place = {"x": field("x"), "y": field("y"), "shape": field("shape"), "fill": field("fill")}
    return mark("symbol", data, **place, strokeWidth=1.3, **channels)


def arrow(plane: Plane, start: np.ndarray, step: np.ndarray, name: str) -> list[dict]:
    """A line with a head and a name."""
    (x, y), (tip_x, tip_y) = ((plane.x(point[0]), plane.y(point[1])) for point in (start, start + step))
    line = {"stroke": COLOURS.ink2, "strokeWidth": 3, "strokeCap": "round"}
    marks = [rule("one", x=x, y=y, x2=tip_x, y2=tip_y, **line)]
    for turn in np.deg2rad([152, -152]):
        angle = np.arctan2(tip_y - y, tip_x - x) + turn
        marks.append(
            rule("one", x=tip_x, y=tip_y, x2=tip_x + 16 * np.cos(angle), y2=tip_y + 16 * np.sin(angle), **line)
        )
    return [*marks, text("one", x=tip_x + 12, y=tip_y - 10, text=name, fontSize=18, fontWeight=600, fill=COLOURS.ink)]


def figure(title: str, facts: str, plane: Plane, key: list, points: list[dict], marks: list[dict]) -> dict:
    """Title, key and labelled axes around the marks."""
    data = {
        "one": [{}],
        "points": points,
        "key": [
            {
                "x": LEFT + 8 + SIZE / len(key) * place,
                "y": 88,
                "shape": shape,
                "fill": fill,
                "stroke": stroke,
                "name": name,
            }
            for place, (shape, fill, stroke, name) in enumerate(key)
        ],
        "columns": [{"at": plane.x(value), "label": sign(value)} for value in ticks(plane.left, plane.span)],
        "lines": [{"at": plane.y(value), "label": sign(value)} for value in ticks(plane.low, plane.span)],
    }
    bottom, right = TOP + SIZE, LEFT + SIZE
    label = {"fontSize": 12, "fill": COLOURS.ink2}
    around = [
        text("one", x=24, y=32, text=title, fontSize=20, fontWeight=600, fill=COLOURS.ink),
        text("one", x=24, y=60, text=facts, fontSize=13, fill=COLOURS.ink3),
        dots("key", size=90, stroke=field("stroke")),
        text("key", x={"field": "x", "offset": 12}, y=field("y"), text=field("name"), **label),
        rule("columns", x=field("at"), x2=field("at"), y=TOP, y2=bottom, stroke=COLOURS.hair),
        rule("lines", y=field("at"), y2=field("at"), x=LEFT, x2=right, stroke=COLOURS.hair),
        text("columns", x=field("at"), y=bottom + 16, text=field("label"), align="center", **label),
        text("lines", x=LEFT - 10, y=field("at"), text=field("label"), align="right", **label),
        text("one", x=LEFT + SIZE / 2, y=bottom + 40, text="feature 1", align="center", **label),
        text("one", x=LEFT, y=TOP - 14, text="feature 2", **label),
    ]
    description = f"{title}. {facts}"
    return specification(WIDTH, HEIGHT, data, around + marks, description)


def ticks(low: float, span: float) -> np.ndarray:
    """Multiples of 5 within the plane."""
    return np.arange(np.ceil(low / 5), np.floor((low + span) / 5) + 1) * 5


def sign(value: float) -> str:
    """A whole number with a real minus sign."""
    return f"{value:.0f}".replace("-", "−")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for the four figures.")
    main(parser.parse_args().folder)
