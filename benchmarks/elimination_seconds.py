"""CPU seconds of a whole nomogram-based elimination; OHSUMED, or data of its size."""

from collections.abc import Iterator

from elimination import eliminate, whole_problem
from harness import Claim, best_of, main
from problems import Problem

SECONDS_ALLOWED = {"linear": 2.0, "lrbf": 8.0}


def claims() -> Iterator[Claim]:
    """25 rounds, three folds and one fit to all rows in each."""
    problem, name = whole_problem()
    for kernel in SECONDS_ALLOWED:
        yield seconds(problem, name, kernel)


def seconds(problem: Problem, name: str, kernel: str) -> Claim:
    """CPU seconds of a whole elimination with three folds."""
    allowed = SECONDS_ALLOWED[kernel]
    taken = best_of(3, lambda: eliminate(problem, kernel=kernel)).cpu
    found = eliminate(problem, kernel=kernel)
    return Claim(
        f"nomogram-RFE on {name}, {kernel}, 25 features, 3 folds",
        f"≤ {allowed:g} s CPU",
        f"{taken:.2f} s CPU",
        f"{found.n_features_} features kept, selection score {found.selection_score_:.4f}",
        taken <= allowed,
        "every subset solved until half the Newton decrement is 1e-16 of the objective",
    )


if __name__ == "__main__":
    main(claims)
