"""Ranking SVMs as nomograms, before and after elimination: the four figures of N. T. T. Thuy's paper.

Usage: python examples/nomogram_figures.py FOLDER

If ``GLASSRANK_DATA`` names a folder that contains ``ohsumed-letor2``, the figures show one query of OHSUMED, which
takes some minutes. The paper does not name its query. The script uses the one whose linear elimination ends closest to
the paper's accuracy. Without the variable, the figures show simulated documents. This takes seconds and says nothing
about the paper.

Each figure shows the effects with the dots of two documents, the probability map, and the accuracy against the number
of features, for the linear and the LRBF kernel, before and after elimination. All figures are drawn three times. The
paper's machine learns each pair in one order, with the hinge loss and a bias (``one-orientation``), and the machine of
``difference`` mode learns both orders; both have lines of x_A − x_B with one dot each. In ``utility`` mode, lines of x
have two dots each. Each has a folder with an index.html.

Folds consist of single pairs, but only to reproduce the paper, because training and test part then share documents. The
results with folds of documents are printed as well.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
from figures.machines import (
    ONE_ORDER,
    calibrate_by_document,
    calibrate_by_pair,
    eliminate_by_document,
    eliminate_by_pair,
)
from figures.sheet import Sheet, write_page
from figures.source import NAMES, REPORTED
from threadpoolctl import threadpool_limits

import glassrank as gr

MODES = (ONE_ORDER, "difference", "utility")
# The sigmoid of each mode's figures: the paper's, and glassrank's default.
CALIBRATIONS = {
    ONE_ORDER: ("pairs", calibrate_by_pair),
    "difference": ("pairs", calibrate_by_pair),
    "utility": ("documents", calibrate_by_document),
}
START = time.monotonic()


def main(folder: Path, home: Path | None) -> None:
    """Choose a query, eliminate with both kernels in both modes, print the results, and draw them."""
    origin = "Simulated documents, not a measurement" if home is None else "OHSUMED (LETOR 2.0)"
    print(origin)
    print("Folds of pairs share documents, so accuracies are far too optimistic. See 'folds of documents'.")
    # With many small decompositions, threads of the linear algebra library would only wait for each other.
    with threadpool_limits(1):
        one = choose_query(simulate() if home is None else load(home), real=home is not None)
        for mode in MODES:
            sheets = [sheet for kernel in REPORTED for sheet in draw(one, kernel, mode, real=home is not None)]
            where = f"{origin}, query {one.qid[0]}, sigmoid fitted to folds of {CALIBRATIONS[mode][0]}"
            lead = f"{where}. Accuracies are over folds of pairs, which share documents: far too optimistic."
            write_page(folder / mode, f"Ranking nomograms, {mode} mode", lead, sheets)
    print(f"\nWrote to {folder}: {', '.join(f'{mode}/index.html' for mode in MODES)}, each figure as .svg and .png")


def load(home: Path) -> gr.RankingData:
    """The five parts of LETOR 2.0 OHSUMED."""
    return gr.load_letor([home / "ohsumed-letor2" / f"S{number}.txt.gz" for number in range(1, 6)])


def simulate() -> gr.RankingData:
    """Two simulated queries with few features, one of which is the same for all documents of a query."""
    data = gr.simulate_ranking(2, 14, noise=0.2, levels=3, random_state=0).data.pick_features(list(range(5)))
    constant = data.groups.of_row[:, None].astype(float)
    names = (*data.feature_names, "Constant in a query")
    return gr.RankingData(np.hstack([data.X, constant]), data.y, data.qid, feature_names=names)


def choose_query(data: gr.RankingData, *, real: bool) -> gr.RankingData:
    """Return the query whose linear elimination over folds of pairs ends closest to the paper's accuracy."""
    target, eliminated = REPORTED["linear"].accuracy, REPORTED["linear"].eliminated
    found, overlap = {}, {}
    for query in data.groups.ids.tolist():
        one = data.pick_queries([query])
        if len(np.unique(one.y)) < 2:
            report(f"query {query}: all documents have the same judgement, left out")
            continue
        rfe = eliminate_by_pair(one, "linear", "utility")
        found[query], overlap[query] = rfe.selection_score_, len(numbers_out(rfe) & eliminated)
        report(f"query {query}: {rfe.selection_score_:.4f} with {rfe.n_features_} features")
    chosen = min(found, key=lambda query: abs(found[query] - target))
    low, middle, high = np.quantile(list(found.values()), [0.25, 0.5, 0.75])
    print(
        f"Query {chosen}: its linear elimination ends nearest to {target:.4f}, at {found[chosen]:.4f} "
        f"(quartiles of {len(found)} queries {low:.4f}, {middle:.4f}, {high:.4f})"
    )
    if real:
        shared = list(overlap.values())
        print(f"Of the paper's 12, queries eliminate {min(shared)} to {max(shared)}, median {np.median(shared):g}")
    return data.pick_queries([chosen])


def draw(one: gr.RankingData, kernel: str, mode: str, *, real: bool) -> list[Sheet]:
    """Eliminate, print, and draw the figure before and the one after."""
    report(f"{mode} mode, {NAMES[kernel]}: elimination over folds of pairs")
    rfe = eliminate_by_pair(one, kernel, mode)
    report(f"{mode} mode, {NAMES[kernel]}: elimination over folds of documents")
    honest = eliminate_by_document(one, kernel, mode)
    leaving = [one.feature_names[k] for k in rfe.elimination_order_[: np.sum(~rfe.support_)]]
    notes = [
        f"Folds of pairs: {rfe.result_.rounds[0].mean:.4f} with all {len(rfe.support_)} features, "
        f"{rfe.selection_score_:.4f} with the {rfe.n_features_} kept.",
        f"Folds of documents: {honest.result_.rounds[0].mean:.4f} with all features; the elimination, repeated "
        f"without each outer fold, reaches {honest.nested_score_:.4f}.",
        f"Eliminated: {', '.join(leaving) or 'none'}.",
    ]
    notes += compare(one, rfe, kernel) if real else []
    print(f"\n{mode} mode, {NAMES[kernel]} kernel", *notes, sep="\n  ")
    kept = one.pick_features(np.flatnonzero(rfe.support_).tolist())
    before, after = REPORTED[kernel].figures
    of = "" if real else ", simulated"
    plain = sheet(before, one, kernel, mode, f"all features{of}", [])
    return [plain, sheet(after, kept, kernel, mode, f"after elimination{of}", notes, rfe)]


def compare(one: gr.RankingData, rfe: gr.NomogramRFE, kernel: str) -> list[str]:
    """Print what the paper reports, and how much of its list is reproduced."""
    paper, out = REPORTED[kernel], numbers_out(rfe)
    both, flat = paper.eliminated & out, set((np.flatnonzero(np.ptp(one.X, axis=0) == 0) + 1).tolist())
    return [
        f"In the paper: {paper.accuracy:.4f}, eliminated {listed(paper.eliminated)}.",
        f"Eliminated in both: {listed(both)} ({len(both)} of {len(paper.eliminated)}, {len(both & flat)} of them the "
        f"same for all documents); here only: {listed(out - paper.eliminated)}.",
    ]


def sheet(
    number: int,
    data: gr.RankingData,
    kernel: str,
    mode: str,
    state: str,
    notes: list[str],
    rfe: gr.NomogramRFE | None = None,
) -> Sheet:
    """One figure: the first document judged best (A) against the first judged worst (B)."""
    a, b = int(np.argmax(data.y)), int(np.argmin(data.y))
    heading = f"Figure {number}, {mode} mode: {NAMES[kernel]} kernel, {state}"
    models = {unit: calibrate(data, kernel, mode) for unit, calibrate in CALIBRATIONS.values()}
    picture = gr.nomogram(
        models[CALIBRATIONS[mode][0]],
        data,
        query=data.qid[0],
        document=a,
        against=b,
        title=heading,
        order="length",
        rows=data.n_features,
        groups="none",
    )
    both = [
        f"{model.predict_pair_proba(data.X[[a]], data.X[[b]])[0]:.3f} with the sigmoid fitted to folds of {unit}"
        for unit, model in models.items()
    ]
    said = f"P(A above B): {', '.join(both)}."
    longest = picture.effects.names[picture.layout.rows[0].k]
    lines = f"The longest line is that of {longest}; {flat_lines(data)}."
    print(f"  {heading}. {said} {lines}")
    curve = rfe.result_.chart() if rfe else None
    return Sheet(f"figure-{number}", heading, (*notes, f"{said} {lines}"), picture, curve)


def flat_lines(data: gr.RankingData) -> str:
    """Which features are the same for all documents: their lines are points."""
    flat = [name for name, spread in zip(data.feature_names, np.ptp(data.X, axis=0), strict=True) if spread == 0]
    return f"lines of no length: {', '.join(flat) or 'none'}"


def numbers_out(rfe: gr.NomogramRFE) -> set[int]:
    """Eliminated features, numbered from 1."""
    return set((np.flatnonzero(~rfe.support_) + 1).tolist())


def listed(numbers: set[int] | frozenset[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"


def report(message: str) -> None:
    """Report progress on stderr."""
    print(f"{time.monotonic() - START:6.1f} s  {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Output folder for the figures.")
    named = os.environ.get("GLASSRANK_DATA")
    main(parser.parse_args().folder, Path(named) if named else None)
