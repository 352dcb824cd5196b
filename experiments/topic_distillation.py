"""Topic distillation: does an SVDD sphere before HITS find better pages, and where does each method break?

Usage: python -m experiments.topic_distillation FOLDER

Part 1 runs if ``GLASSRANK_DATA`` names a folder with ``wiki-schools/wp-html.tar.xz``. It uses 87 subjects of the
Schools Wikipedia with one query each (``wiki_schools_queries.csv``, written before any method was run). Pages are
judged by the subjects of the articles, whose names are removed from the pages first. The script prints every method's
precision at 10 with intervals and paired tests, on the root set and on the base set, and writes the whole study as a
page. It also prints which pages drift into the lists, how the pruned pages are judged, and the results of the five
queries in the method's source.

Part 2 simulates webs with increasing drift, and prints the drift from which each method is worse than without drift.
Its numbers say nothing about the real web.
"""

import argparse
import csv
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.wiki_schools import open_wiki_schools
from glassrank.data.collection import Collection
from glassrank.distillation.distill import distill
from glassrank.distillation.distilled import RankedPage
from glassrank.distillation.options import Options
from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine
from glassrank.drawing.text_table import align
from glassrank.metrics.compare_values import compare_values
from glassrank.metrics.comparison import Comparison
from glassrank.studies.distillation.list_measures import topic_values
from glassrank.studies.distillation.result import DistillationResult
from glassrank.studies.distillation.simulated_topics import simulate_topics
from glassrank.studies.distillation.steps import DEFAULT_LIST, KERNELS, METHODS, methods_step, ranked_pages
from glassrank.studies.distillation.study import study_distillation
from glassrank.studies.distillation.topics import Topic

START = time.monotonic()
QUERIES = Path(__file__).parent / "wiki_schools_queries.csv"
SETS = ("root", "base")
K, SEED = 10, 7
EMPHASISED = ("svdd raw", "hits")
SOURCE_QUERIES = ("parallel architecture", "zen buddhism", "vintage cars", "recycling cans", "thailand tourism")


@dataclass(frozen=True)
class Effort:
    """How much is simulated: everything if there are real data, a small part otherwise."""

    n_topics: int
    drifts: tuple[float, ...]

    @property
    def size(self) -> tuple[int, int, int]:
        """Topics, hosts and pages of a simulated web."""
        return self.n_topics, 10 * self.n_topics, 125 * self.n_topics


FULL, TASTE = Effort(24, (0.0, 0.25, 0.5, 1.0, 2.0)), Effort(4, (0.0, 2.0))


def main(folder: Path, data: Path | None) -> None:
    """Run both parts, or only the simulated one, print the results, and write them."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = None if data is None else data / "wiki-schools" / "wp-html.tar.xz"
    if archive is not None and archive.is_file():
        study_wiki_schools(folder / "wiki-schools", archive)
    else:
        print("No wiki-schools/wp-html.tar.xz in GLASSRANK_DATA: only the simulated part is run.")
    study_drift(folder, TASTE if data is None else FULL)


def report(done: int, total: int | None, what: str) -> None:
    """Report progress on stderr."""
    place = "" if total is None else f"{done} of {total}: "
    print(f"{time.monotonic() - START:6.1f} s  {place}{what}", file=sys.stderr, flush=True)


def study_wiki_schools(folder: Path, archive: Path) -> None:
    """The paper's analysis and the comparison of all methods on the Schools Wikipedia."""
    report(0, None, "Opening the Schools Wikipedia")
    wiki = open_wiki_schools(archive)
    topics = wiki.topics(QUERIES)
    result = study_distillation(
        wiki.collection,
        topics,
        folder,
        k=K,
        relevant=2,
        title="Topic distillation on the Schools Wikipedia",
        command="python -m experiments.topic_distillation FOLDER",
        progress=report,
    )
    print(result)
    print_against_default(topics, folder)
    print_kernels(result)
    print_pruned_labels(result)
    print_drifters(wiki.collection, topics)
    rows = source_queries(wiki.collection)
    print("\nThe five queries of the source, by svdd on the root set")
    print(align([tuple(rows[0]), *(tuple(map(str, row.values())) for row in rows)]))
    write_rows(folder / "source-queries.csv", rows)


def print_against_default(topics: Sequence[Topic], folder: Path) -> None:
    """Every method against the default method, and for how many topics a sphere gives the list of ``hits-top``."""
    for candidates in SETS:
        paths = sorted((folder / "steps").glob(f"*-{candidates}.json"))
        steps = [json.loads(path.read_text(encoding="utf-8"))["result"] for path in paths]
        lists = [{method: one["ranking"][:K] for method, one in step.items()} for step in steps]
        per_topic = [
            topic_values(one, topic.judgements, K, relevant=2)[f"p@{K}"]
            for topic, one in zip(topics, lists, strict=True)
        ]
        values = {method: [topic[method] for topic in per_topic] for method in METHODS}
        print(f"\n{candidates} set, against the default method")
        print(compare_values(values, measure=f"p@{K}", baseline=DEFAULT_LIST, asked=(), random_state=0))
        for kernel in KERNELS:
            same = sum(one[f"svdd {kernel}"] == one["hits-top"] for one in lists)
            print(f"svdd {kernel}: the first {K} of hits-top in the same order for {same} of {len(lists)} topics")


def print_kernels(result: DistillationResult) -> None:
    """Every kernel at the default C and p by the weight of the words, and at the default weight by C and p."""
    _, share, C, weight = result.default
    print("\nThe sphere by kernel (root set)")
    head = ("kernel", "p/|R|", "C", "μ", "radius", "trained", "others", "overlap hits", "overlap hits-top", f"P@{K}")
    table = [head]
    for one in result.sphere:
        if (one.C == C and (one.share == share or one.text_weight == weight)) or one.setting[1::2] == (share, weight):
            values = (one.kept_trained, one.kept_unseen, one.overlap, one.overlap_top, one.precision)
            cells = ("" if value is None else f"{value:.3f}" for value in values)
            row = (one.kernel, f"{one.share:g}", f"{one.C:g}", f"{one.text_weight:g}", f"{one.radius:.3f}", *cells)
            table.append(row)
    print(align(table))


def print_pruned_labels(result: DistillationResult) -> None:
    """How the pages that lie farthest outside the sphere are judged."""
    counts = Counter(one.label for one in result.pruned)
    said = ", ".join(f"{counts[label]} judged {label:g}" for label in sorted(counts))
    print(f"\nFarthest outside the sphere (root set): {len(result.pruned)} pages, {said}")


def print_drifters(collection: Collection, topics: Sequence[Topic]) -> None:
    """Print the pages that HITS ranks among its first ten for any query, on the base set."""
    counts = Counter(
        page
        for topic in topics
        for page in ranked_pages(distill(collection, topic.query, "hits", candidates="base", random_state=0), K)
    )
    said = ", ".join(f"{collection.pages.title[page]} {n}" for page, n in counts.most_common(5))
    print(f"Most often among the first {K} of HITS (base set), of {len(topics)} topics: {said}")


def source_queries(collection: Collection) -> list[dict[str, str]]:
    """Return the results of SVDD for the queries in the method's source, for which there are no judgements."""
    rows = []
    for query in SOURCE_QUERIES:
        for kernel in ("unit", "raw"):
            found = distill(collection, query, "svdd", kernel=kernel, random_state=0)
            outside = found.first_pruned(1)
            parts = {
                "first authorities": found.authorities[:3],
                "first hubs": found.hubs[:2],
                "farthest outside the sphere": outside,
            }
            titles = {name: " · ".join(page.title for page in part) for name, part in parts.items()}
            rows.append({"query": query, "kernel": kernel, **titles, **reasons_outside(outside)})
    return rows


def reasons_outside(outside: Sequence[RankedPage]) -> dict[str, str]:
    """Distance of the first page, in radii, how much of it is due to words, and the words that matter most."""
    reasons = outside[0].topicality if outside else None
    if reasons is None or reasons.distance is None or reasons.words_share is None:
        return {"radii": "", "due to words": "", "words": ""}
    share = f"{100 * reasons.words_share:.0f} %"
    return {"radii": f"{reasons.distance:.3f}", "due to words": share, "words": ", ".join(reasons.away[:5])}


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@dataclass(frozen=True)
class Drifting:
    """Values of one method on one candidate set, by drift: one per topic."""

    candidates: str
    method: str
    by_drift: dict[float, list[float]]

    @property
    def comparison(self) -> Comparison:
        """Every drift against none, over the same topics."""
        named = {f"drift {drift:g}": values for drift, values in self.by_drift.items()}
        return compare_values(named, measure=f"p@{K}", asked=(), random_state=SEED)

    @property
    def breaks_at(self) -> str:
        """The smallest drift from which on the method is worse than without drift, by the paired test."""
        verdicts = [system.verdict for system in self.comparison.systems]
        first = len(verdicts)
        while first > 1 and verdicts[first - 1] == "worse":
            first -= 1
        return "–" if first == len(verdicts) else f"{list(self.by_drift)[first]:g}"


def study_drift(folder: Path, effort: Effort) -> None:
    """Measure precision at 10 of every method on simulated webs that differ only in their drift."""
    found = {(candidates, method): {} for candidates in SETS for method in METHODS}
    for drift in effort.drifts:
        report(0, None, f"Simulated web, drift {drift:g}")
        for key, values in precision_at(drift, effort).items():
            found[key][drift] = values
    rows = [Drifting(*key, by_drift) for key, by_drift in found.items()]
    print_drift(rows, effort)
    with (folder / "drift.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["set", "method", "drift", "topic", f"p@{K}"])
        for row in rows:
            for drift, values in row.by_drift.items():
                writer.writerows((row.candidates, row.method, drift, topic, v) for topic, v in enumerate(values))
    chart = drift_chart(rows, effort)
    for suffix in (".svg", ".png"):
        chart.save(folder / f"drift{suffix}")
    print(f"Wrote to {folder}: drift.csv, drift.svg, drift.png")


def precision_at(drift: float, effort: Effort) -> dict[tuple[str, str], list[float]]:
    """Candidate set and method → precision at 10 of each topic; a page counts that is about the topic."""
    web, topics = simulate_topics(*effort.size, drift=drift, random_state=SEED)
    found: dict[tuple[str, str], list[float]] = {}
    for topic in topics:
        for candidates in SETS:
            lists = methods_step(web.collection, topic.query, Options(candidates=candidates, random_state=SEED))
            ranked = {method: one.ranking for method, one in lists.items()}
            values = topic_values(ranked, topic.judgements, K, relevant=1)[f"p@{K}"]
            for method, value in values.items():
                found.setdefault((candidates, method), []).append(value)
    return found


def print_drift(rows: list[Drifting], effort: Effort) -> None:
    """A line per candidate set and method: mean and interval at each drift, and where it breaks."""
    print(f"\nSimulated webs (seed {SEED}), {effort.n_topics} topics: P@{K} by drift, with 95 % intervals over topics")
    table = [("set", "method", *(f"drift {drift:g}" for drift in effort.drifts), "worse from drift")]
    for row in rows:
        cells = [f"{s.mean:.3f} [{s.interval[0]:.3f}, {s.interval[1]:.3f}]" for s in row.comparison.systems]
        table.append((row.candidates, row.method, *cells, row.breaks_at))
    print(align(table))
    print("worse from: paired randomisation test against drift 0 over the same topics, Holm-adjusted, 5 %")


def drift_chart(rows: list[Drifting], effort: Effort) -> LinePanels:
    """Mean precision against drift, a panel per candidate set."""
    panels = tuple(
        Panel(
            title=f"{candidates.capitalize()} set",
            x_title="drift of the simulated web",
            y_title=f"precision at {K}",
            lines=[
                PanelLine(
                    row.method,
                    [(drift, sum(v) / len(v)) for drift, v in row.by_drift.items()],
                    row.method in EMPHASISED,
                )
                for row in rows
                if row.candidates == candidates
            ],
            x_ticks=effort.drifts,
            y_range=(0.0, 1.0),
        )
        for candidates in SETS
    )
    return LinePanels(f"Where methods break as drift grows (simulated webs, {effort.n_topics} topics)", panels)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for tables, charts and the page.")
    home = os.environ.get("GLASSRANK_DATA")
    main(parser.parse_args().folder, Path(home) if home else None)
