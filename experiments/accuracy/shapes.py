"""Shapes of effects: straight lines, curves, transforms, and boosted trees of one, two and many features, compared.

Usage: python -m experiments.accuracy.shapes ohsumed compounds lightgbm --folder FOLDER

The data are read from the folder that ``GLASSRANK_DATA`` names (``ohsumed-letor2``, ``qsar``, ``lightgbm-rank``);
``simulated`` needs no data and takes seconds. Prints the tables in Markdown, and writes them into FOLDER with all
settings (JSON) and a chart (SVG and PNG). Finished models are stored in FOLDER/steps: an interrupted run resumes.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import glassrank as gr
from experiments.accuracy.chart import draw_shapes
from experiments.accuracy.effort import FULL, TASTE, Effort
from experiments.accuracy.shape_models import MODELS, Learnt, learn
from experiments.accuracy.shape_tables import Compared
from experiments.accuracy.tasks import SOURCES, DataSet, Task
from experiments.accuracy.verdicts import Tested, compare_over_documents, compare_over_queries
from glassrank.drawing.render import render
from glassrank.studies.library_versions import library_versions
from glassrank.studies.resumable_steps import Steps, digest_of_data, fingerprint

LINEAR, TUNED = "RankSVM linear", "LightGBM, tuned"
BASELINES = TUNED, LINEAR
TRANSFORMS = ("standard", "auto", "quantile")
RANKERS = {
    LINEAR: ("linear-standard",),
    "linear, transforms": tuple(f"linear-{transform}" for transform in TRANSFORMS),
    "LRBF": ("curves-standard",),
    "LRBF + linear": ("curves-and-lines-standard",),
    # Curves bend by themselves, so that the logarithms of "auto" are left out.
    "LRBF + linear, transforms": ("curves-and-lines-standard", "curves-and-lines-quantile"),
    "trees of one feature": ("trees-1",),
    "trees of two features": ("trees-2",),
    TUNED: ("trees",),
}
"""The models of a ranker; of several, the best on the held-out rows is taken."""
START = time.monotonic()


def compare_shapes(data: DataSet, effort: Effort, folder: Path, report: Callable[[str], None]) -> Compared:
    """Learn every model on every task, take the best one of each ranker, and test the rankers."""
    learnt = [_learn_all(data.name, number, task, effort, folder, report) for number, task in enumerate(data.tasks, 1)]
    best = {ranker: [max(_of(found, ranker), key=lambda one: one.value) for found in learnt] for ranker in RANKERS}
    scores = {ranker: [np.array(one.scores) for one in found] for ranker, found in best.items()}
    tests = {
        measure: {baseline: _tested(data, measure, scores, baseline) for baseline in BASELINES}
        for measure in data.measures
    }
    chosen = {ranker: [one.setting for one in found] for ranker, found in best.items()}
    cpu = {ranker: sum(one.cpu_seconds for found in learnt for one in _of(found, ranker)) for ranker in RANKERS}
    return Compared(data.name, data.tasks[0].convention, tests, chosen, cpu)


def _learn_all(
    data: str, number: int, task: Task, effort: Effort, folder: Path, report: Callable[[str], None]
) -> dict[str, Learnt]:
    splits = [own.tolist() for _, own in task.splits]
    options = {"effort": asdict(effort), "splits": splits, "train": task.train.tolist()}
    place = folder / "steps" / f"{data.replace(' ', '-')}-{number}"
    steps = Steps(place, fingerprint(options | {"data": digest_of_data(task.pool, task.test)}), report)

    def one(name: str) -> Learnt:
        label = f"{data}, task {number}: {name}"
        return steps.run(name, lambda: learn(MODELS[name], task, effort), Learnt.to_dict, Learnt.from_dict, label=label)

    return {name: one(name) for name in _models_of(task)}


def _models_of(task: Task) -> list[str]:
    """All models; without those of the transform ``auto`` if it would only standardise, which others do."""
    methods = gr.FeatureTransformer("auto").fit(task.pool.X[task.train]).methods_
    return [name for name in MODELS if "auto" not in name or set(methods) != {"standard"}]


def _of(found: dict[str, Learnt], ranker: str) -> list[Learnt]:
    return [found[model] for model in RANKERS[ranker] if model in found]


def _tested(data: DataSet, measure: str, scores: dict[str, list[np.ndarray]], baseline: str) -> list[Tested]:
    if measure == "misranking":
        lists = {ranker: np.array(values) for ranker, values in scores.items()}
        return compare_over_documents(data.name, data.tasks[0].test.y, lists, baseline)
    values = {ranker: np.array([_per_query(found, data.tasks, measure)]) for ranker, found in scores.items()}
    return compare_over_queries(data.name, measure, values, baseline)


def _per_query(scores: list[np.ndarray], tasks: list[Task], measure: str) -> np.ndarray:
    """Values of all test queries, except those that the convention leaves out."""
    parts = [
        gr.evaluate(task.test.y, own, qid=task.test.qid, measures=[measure], convention=task.convention)
        for own, task in zip(scores, tasks, strict=True)
    ]
    values = np.concatenate([part.per_query[measure] for part in parts])
    return values[~np.isnan(values)]


def report(message: str) -> None:
    """Report progress on stderr."""
    print(f"{time.monotonic() - START:6.1f} s  {message}", file=sys.stderr, flush=True)


def main(sources: list[str], folder: Path) -> None:
    """Compare the shapes on some data, print the tables, and write them with a chart."""
    home = Path(os.environ.get("GLASSRANK_DATA", "."))
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    with threadpool_limits(1):
        _warm_up()
        for source in sources:
            effort = TASTE if source == "simulated" else FULL
            found += [compare_shapes(data, effort, folder, report) for data in SOURCES[source](home)]
    write(folder, found, simulated="simulated" in sources)


def write(folder: Path, found: list[Compared], *, simulated: bool) -> None:
    """Print the tables, and write them with all settings, the versions and a chart."""
    text = "\n".join(str(one) for one in found)
    print(text)
    (folder / "shapes.md").write_text(text, encoding="utf-8")
    versions = library_versions("numpy", "scipy", "scikit-learn", "LightGBM")
    whole = {"versions": versions, "data": [asdict(one) for one in found]}
    (folder / "shapes.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = [row for one in found for by_baseline in one.tests.values() for row in by_baseline[TUNED]]
    figure = draw_shapes(rows, simulated=simulated)
    for suffix in (".svg", ".png"):
        (folder / f"shapes{suffix}").write_bytes(render(figure, suffix))


def _warm_up() -> None:
    """Load compiled code, so that the first ranker is not charged for it."""
    (task, *_) = SOURCES["simulated"](Path())[0].tasks
    for model in ("linear-standard", "curves-standard", "trees-1"):
        learn(MODELS[model], task, TASTE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", choices=SOURCES, metavar="DATA", help=f"One of {', '.join(SOURCES)}.")
    parser.add_argument("--folder", type=Path, required=True, help="Output folder.")
    arguments = parser.parse_args()
    main(arguments.sources, arguments.folder)
