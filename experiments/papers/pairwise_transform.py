"""The pairwise transform: F. Pedregosa's post of 2012."""

from pathlib import Path

from experiments.papers.paper import FOLDER, Item, Paper, Part, Shown, table
from experiments.papers.pictures import png_of
from experiments.papers.run import OUTPUT

FIGURES = {
    "figure-1": ("1-documents", "60 documents in two blocks, and the true direction w"),
    "figure-2": ("2-ridge", "The training half, and the direction of ridge regression"),
    "figure-3": ("3-pairs", "The differences of all comparable pairs, and the line that separates the two classes"),
    "figure-4": ("4-rank-svm", "The training half, and the direction of RankSVM"),
}
POST = {"Ridge regression": "0.71122, 0.84387", "RankSVM": "higher, no number"}
WIDTH = 704
TAU_B, FORMULA = "Kendall's tau-b", "(P − Q)/(P + Q)"


def show(folder: Path) -> dict[str, Shown]:
    """The four figures, and the taus that the script has printed."""
    output = (folder / OUTPUT).read_text(encoding="utf-8")
    found = taus(output)
    rows = [(name, POST[name], one[TAU_B], one[FORMULA]) for name, one in found.items()]
    text = table(("model", "tau in the post", "tau-b here", "(P − Q)/(P + Q) here"), rows)
    pairs = output.splitlines()[0]
    made = {}
    for key, (name, caption) in FIGURES.items():
        picture = png_of((folder / f"{name}.svg").read_text(encoding="utf-8"), WIDTH)
        made[key] = Shown(pairs if key == "figure-3" else "drawn", "", picture, caption)
    line = "; ".join(f"{name} tau-b {one[TAU_B]}" for name, one in found.items())
    return made | {"kendalls-tau": Shown(line, f"{pairs}.\n\n{text}")}


def taus(output: str) -> dict[str, dict[str, str]]:
    """Model → formula → the taus of both blocks, as printed."""
    found: dict[str, dict[str, str]] = {}
    for line in output.splitlines():
        name, _, value = line.partition(": ")
        if name in POST:
            found[name] = {}
        elif name.strip() in (TAU_B, FORMULA):
            found[list(found)[-1]][name.strip()] = value
    return found


PAPER = Paper(
    name="pairwise-transform",
    title="The pairwise transform",
    citation="F. Pedregosa: Learning to rank with scikit-learn: the pairwise transform. Blog post, 22 October 2012.",
    items=(
        Item("Figure 1", "the documents"),
        Item("Figure 2", "ridge regression"),
        Item("Figure 3", "the transformed pairs"),
        Item("Figure 4", "RankSVM"),
        Item("Kendall's tau", "both models on the test half"),
    ),
    parts=(
        Part(
            "post",
            ("python", "examples/pairwise_transform.py", FOLDER),
            items=(*FIGURES, "kendalls-tau"),
            show=show,
        ),
    ),
)
