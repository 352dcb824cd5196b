"""NomogramRFE against the obvious loop over LinearSVC and SVC on listed pairs; OHSUMED, or data of its size.

Every loop is run in full; that over LinearSVC takes several minutes.
"""

import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.svm import SVC, LinearSVC

from glassrank import NomogramRFE, RankSVM, load_letor
from harness import Claim, best_of, main, ratio_claim
from problems import Problem, differences, letor_like

MEAN_C = 1000.0  # C · (number of pairs); at 1 LinearSVC has an easy problem, and the ratios are about 200 and 75
N_FEATURES, N_FOLDS = 25, 3


def claims() -> Iterator[Claim]:
    """The same elimination: 25 rounds, three folds and one fit to all rows in each."""
    problem, name = whole_problem()
    yield against_linear_svc(problem, name, at_least=300)
    yield against_svc(one_query(problem), f"one query of {name}", at_least=40)


def whole_problem() -> tuple[Problem, str]:
    """OHSUMED where ``GLASSRANK_DATA`` has it; simulated rows of the same size otherwise."""
    folder = Path(os.environ.get("GLASSRANK_DATA", "")) / "ohsumed-letor2"
    if not os.environ.get("GLASSRANK_DATA") or not folder.is_dir():
        return letor_like(16_140, N_FEATURES), "simulated data of OHSUMED's size"
    data = load_letor([folder / f"S{part}.txt.gz" for part in range(1, 6)])
    return Problem(np.asarray(data.X), data.y, data.qid), "OHSUMED"


def one_query(problem: Problem) -> Problem:
    rows = problem.qid == problem.qid[0]
    return Problem(problem.X[rows], problem.y[rows], problem.qid[rows])


def eliminate(problem: Problem, **parameters: object) -> NomogramRFE:
    kernel = parameters.pop("kernel", "linear")
    ranker = RankSVM(MEAN_C, kernel=kernel)
    return NomogramRFE(ranker, cv=N_FOLDS, random_state=0, **parameters).fit(problem.X, problem.y, qid=problem.qid)


def against_linear_svc(problem: Problem, name: str, at_least: float) -> Claim:
    """The loop as one would write it: 25 rounds of LinearSVC on the listed pairs, to its default tolerance, in full."""
    model = eliminate(problem)
    ours = best_of(3, lambda: eliminate(problem)).cpu
    C = MEAN_C / model_pairs(problem)
    theirs, (order, w) = timed(lambda: pairwise_elimination(problem, C))
    exact = RankSVM(MEAN_C).fit(problem.X, problem.y, qid=problem.qid)
    value = 0.5 * w @ w + C * (np.maximum(0.0, 1.0 - differences(problem) @ w) ** 2).sum()
    excess = value / exact.objective_ - 1.0
    same = len(set(order[:6]) & set(model.elimination_order_[:6].tolist()))
    return ratio_claim(
        f"nomogram-RFE on {name}, 25 features, 100 fits, against LinearSVC on the listed pairs",
        at_least,
        ours,
        theirs,
        accuracy=f"LinearSVC is {excess:+.0e} from a certified objective with all features; "
        f"{same} of the first 6 dropped features are the same",
        accurate=-1e-6 < excess < 1e-2,
        detail="CPU time, both in full",
    )


def pairwise_elimination(problem: Problem, C: float) -> tuple[list[int], np.ndarray]:
    """Order of elimination by the median range of effects within queries, and the first round's weights."""
    pairs, owner = differences(problem), pair_owners(problem)
    folds = np.array_split(np.unique(problem.qid), N_FOLDS)
    kept, order, first = list(range(N_FEATURES)), [], None
    while kept:
        part = pairs[:, kept]
        for fold in folds:
            linear_svc(part[~np.isin(owner, fold)], C)
        w = linear_svc(part, C)
        first = w if first is None else first
        order.append(kept.pop(int(np.argmin(np.abs(w) * median_ranges(problem, kept)))))
    return order, first


def pair_owners(problem: Problem) -> np.ndarray:
    """Query of each listed pair."""
    queries, starts = np.unique(problem.qid, return_index=True)
    by_appearance = queries[np.argsort(starts)]
    labels = [problem.y[problem.qid == query] for query in by_appearance]
    return np.repeat(by_appearance, [int((own[:, None] > own).sum()) for own in labels])


def median_ranges(problem: Problem, columns: list[int]) -> np.ndarray:
    parts = [problem.X[problem.qid == query][:, columns] for query in np.unique(problem.qid)]
    return np.median([np.ptp(part, axis=0) for part in parts], axis=0)


def against_svc(problem: Problem, name: str, at_least: float) -> Claim:
    """The loop as one would write it: pairs listed once, SVC refitted for every subset and fold."""
    C = MEAN_C / model_pairs(problem)
    ours = best_of(5, lambda: eliminate(problem, fold_unit="pair")).cpu
    found = eliminate(problem, fold_unit="pair")
    theirs, accuracies = timed(lambda: naive_loop(problem, C))
    ours_best, theirs_best = found.selection_score_, max(accuracies)
    return ratio_claim(
        f"nomogram-RFE on {name}, folds by pair, against SVC on the listed pairs",
        at_least,
        ours,
        theirs,
        accuracy=f"best accuracy {ours_best:.3f} (squared hinge), SVC {theirs_best:.3f} (hinge)",
        accurate=abs(ours_best - theirs_best) < 0.05,
        detail=f"CPU time, {model_pairs(problem):,} pairs",
    )


def naive_loop(problem: Problem, C: float) -> list[float]:
    pairs = differences(problem)
    signs = np.where(np.arange(len(pairs)) % 2, -1.0, 1.0)
    rows, kept, accuracies = pairs * signs[:, None], list(range(N_FEATURES)), []
    folds = list(KFold(N_FOLDS, shuffle=True, random_state=0).split(rows))
    while kept:
        part = rows[:, kept]
        machines = [SVC(kernel="linear", C=C).fit(part[train], signs[train]) for train, _ in folds]
        accuracies.append(
            np.mean([m.score(part[test], signs[test]) for m, (_, test) in zip(machines, folds, strict=True)])
        )
        w = SVC(kernel="linear", C=C).fit(part, signs).coef_[0]
        kept.pop(int(np.argmin(np.abs(w) * np.ptp(problem.X[:, kept], axis=0))))
    return accuracies


def linear_svc(pairs: np.ndarray, C: float) -> np.ndarray:
    # LinearSVC wants two classes: turn every other pair around, which changes nothing without an intercept.
    signs = np.where(np.arange(len(pairs)) % 2, -1.0, 1.0)
    machine = LinearSVC(C=C, dual=False, fit_intercept=False, max_iter=10_000)
    return machine.fit(pairs * signs[:, None], signs).coef_.ravel()


def model_pairs(problem: Problem) -> int:
    labels = [problem.y[problem.qid == query] for query in np.unique(problem.qid)]
    return int(sum((own[:, None] > own).sum() for own in labels))


def timed(call: Callable[[], object]) -> tuple[float, object]:
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = call()
    return time.process_time() - began, found


if __name__ == "__main__":
    main(claims)
