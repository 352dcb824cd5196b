"""Topic distillation by SVDD: the slides of Saradhi, Karnick and Mitra, 2008."""

import csv
import json
from pathlib import Path
from typing import Any

from experiments.papers.paper import FOLDER, Item, Paper, Part, Shown, decimal, table
from experiments.papers.pictures import chart_of

ARCHIVE = "wiki-schools/wp-html.tar.xz"
KERNELS = ("unit", "raw")
METHODS = {
    "hits": "HITS",
    "bharat-henzinger root-median": "B & H",
    "svdd unit": "SVDD `unit`",
    "svdd raw": "SVDD `raw`",
}
STEPS = {
    "search": ("search",),
    "candidates, links": ("candidates", "links"),
    "relevance": ("relevance",),
    "kernel": ("kernel",),
    "sphere": ("sphere",),
    "link analysis": ("link analysis",),
}


def show_wiki(folder: Path) -> dict[str, Shown]:
    """The study of the Schools Wikipedia, and the five queries of the slides on it."""
    study = folder / "wiki-schools"
    with (study / "source-queries.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return show_study(study, tables=True) | {"queries": queries(rows), "irrelevant-pages": irrelevant(study, rows)}


def show_study(study: Path, *, tables: bool = False) -> dict[str, Shown]:
    """The five dimensions and the comparison of a study's folder; tables by C and p are for real pages only."""
    result = json.loads((study / "result.json").read_text(encoding="utf-8"))
    report = study / "report.html"
    return {
        "radius": by_setting(result, "radius", chart_of(report, "Radius of the sphere"), tables=tables),
        "pruned-set": by_setting(result, "kept", chart_of(report, "Size of the pruned set"), tables=tables),
        "irrelevant-pages": irrelevant(study),
        "computing-time": times(result),
        "closeness-to-hits": closeness(result, chart_of(report, "Agreement of SVDD")),
        "precision-and-relative-recall": compared(result, chart_of(report, "Precision at k")),
    }


def by_setting(result: dict[str, Any], value: str, chart: tuple[bytes, str], *, tables: bool) -> Shown:
    """A value of the sphere by C and p for both kernels, at the default weight of the words."""
    _, share, C, weight = result["default"]
    texts, lines = [], []
    for kernel in KERNELS:
        points = [one for one in result["sphere"] if (one["kernel"], one["text_weight"]) == (kernel, weight)]
        cells = {(one["C"], one["share"]): decimal(one[value]) for one in points}
        shares = sorted({place[1] for place in cells})
        rows = [
            (f"{own:g}", *(cells.get((own, one), "–") for one in shares))
            for own in sorted({place[0] for place in cells})
        ]
        texts.append(f"Kernel `{kernel}`:\n\n" + table(("C", *(f"p = {one:g} |R|" for one in shares)), rows))
        lines.append(f"{kernel} {cells[C, share]}")
    line = f"at p = {share:g} |R|, C = {C:g}: {', '.join(lines)}"
    return Shown(line, "\n\n".join(texts) if tables else f"{line[0].upper()}{line[1:]}.", *chart)


def irrelevant(study: Path, queries: list[dict[str, str]] | None = None) -> Shown:
    """How the pages farthest outside are judged, and the page that the slides' own query prunes first."""
    with (study / "pruned.csv").open(newline="", encoding="utf-8") as file:
        labels = [row["label"] for row in csv.DictReader(file)]
    counts = {label: labels.count(label) for label in sorted(set(labels))}
    judged = ", ".join(f"{n} judged {float(label):g}" for label, n in counts.items())
    line = f"{len(labels)} pages farthest outside the sphere: {judged}"
    text = f"{line} (kernel `unit`, five per topic)."
    for row in queries or ():
        if row["query"] == "recycling cans":
            text += (
                f"\n\nFor *recycling cans*, kernel `{row['kernel']}`: *{row['farthest outside the sphere']}* lies "
                f"{row['radii']} radii from the centre. Of its squared distance, {row['due to words']} is due to words "
                f"({row['words']}), the rest to links."
            )
    return Shown(line, text)


def times(result: dict[str, Any]) -> Shown:
    """CPU milliseconds by step."""
    rows, totals = [], {}
    for one in result["times"]:
        if one["method"] in METHODS:
            steps = [sum(one["steps"][name] for name in names if name in one["steps"]) for names in STEPS.values()]
            cells = [f"{1000 * seconds:.1f}" if seconds else "" for seconds in steps]
            total = f"{1000 * sum(one['steps'].values()):.1f}"
            rows.append((one["candidates"], METHODS[one["method"]], *cells, total))
            totals[one["candidates"], one["method"]] = total
    line = "; ".join(
        f"{candidates} set: HITS {totals[candidates, 'hits']} ms, SVDD {totals[candidates, 'svdd unit']} ms"
        for candidates in ("root", "base")
    )
    return Shown(line, table(("set", "method", *STEPS, "total, ms"), rows))


def closeness(result: dict[str, Any], chart: tuple[bytes, str]) -> Shown:
    """What both kernels have in common with HITS, at the default setting."""
    _, share, C, weight = result["default"]
    setting = {"share": share, "C": C, "text_weight": weight}
    rows, lines = [], []
    for one in result["sphere"]:
        if one["kernel"] in KERNELS and all(one[name] == value for name, value in setting.items()):
            values = (one["overlap"], one["overlap_top"], one["tau"])
            rows.append((f"`{one['kernel']}`", *(decimal(value) for value in values)))
            lines.append(f"{one['kernel']} {decimal(one['overlap'])}")
    k = result["k"]
    head = ("kernel", f"first {k} in common with HITS", "with HITS on the top p", "tau-b with HITS")
    return Shown(f"first {k} in common with HITS: {', '.join(lines)}", table(head, rows), *chart)


def compared(result: dict[str, Any], chart: tuple[bytes, str]) -> Shown:
    """Precision and relative recall of the three algorithms on both sets."""
    rows, lines = [], []
    for measured in result["measured"]:
        found: dict[str, list[str]] = {method: [] for method in METHODS}
        for comparison in measured["comparisons"]:
            if comparison["measure"].startswith(("p@", "relative")) and comparison["baseline"] == "bm25":
                for system in comparison["systems"]:
                    if system["name"] in METHODS:
                        low, high = system["interval"]
                        found[system["name"]].append(f"{decimal(system['mean'])} [{decimal(low)}, {decimal(high)}]")
        rows += [(measured["candidates"], METHODS[method], *cells) for method, cells in found.items()]
        means = (f"{METHODS[method].replace('`', '')} {cells[0].split()[0]}" for method, cells in found.items())
        lines.append(f"{measured['candidates']} set: {', '.join(means)}")
    k = result["k"]
    head = ("set", "method", f"precision at {k} [95 % interval]", f"relative recall at {k} [95 % interval]")
    return Shown("; ".join(lines), table(head, rows), *chart)


def queries(rows: list[dict[str, str]]) -> Shown:
    """The answers to the five queries of the slides; there are no judgements."""
    head = ("query", "kernel", "first authorities", "first hubs", "farthest outside the sphere")
    cells = [tuple(row[name] for name in head) for row in rows]
    return Shown(f"{len({row['query'] for row in rows})} queries answered, without scores", table(head, cells))


DIMENSIONS = (
    *("radius", "pruned-set", "irrelevant-pages", "computing-time", "closeness-to-hits"),
    "precision-and-relative-recall",
)
PAPER = Paper(
    name="svdd",
    title="Topic distillation by SVDD",
    citation="V. Vijaya Saradhi, H. Karnick, P. Mitra: Topic Distillation using Support Vector Data Description. "
    "Slides, TRDDC Pune, IIT Kanpur and IIT Kharagpur, 16 December 2008.",
    items=(
        Item("Queries", "five broad topics"),
        Item("Radius", "the hyper-sphere"),
        Item("Pruned set", "the pages that are kept"),
        Item("Irrelevant pages", "what the sphere prunes"),
        Item("Computing time", "what the sphere costs"),
        Item("Closeness to HITS", "how much the lists share"),
        Item("Precision and relative recall", "HITS, B & H and SVDD"),
    ),
    parts=(
        Part(
            "wiki-schools",
            ("python", "-m", "experiments.topic_distillation", FOLDER),
            items=("queries", *DIMENSIONS),
            show=show_wiki,
            data=ARCHIVE,
        ),
        Part(
            "simulated-web",
            ("glassrank", "distill", "study", "--simulated", "--folder", FOLDER),
            items=DIMENSIONS,
            show=show_study,
        ),
    ),
)
