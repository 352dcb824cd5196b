"""RankSVM with the LRBF kernel against SVC on the Gram matrix of the listed pairs, and its memory; simulated data."""

import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from glassrank import RankSVM
from harness import Claim, best_of, main, ratio_claim
from problems import Problem, letor_like

GAMMA, GAP, MEAN_C = 2.0, 1e-6, 100.0


def claims() -> Iterator[Claim]:
    """The hinge loss on about 20,000 pairs, whose Gram matrix takes 3 GB; and the memory of 500,000 pairs."""
    yield from against_svc(letor_like(600, n_features=10))
    yield memory_of_pairs(16_500, at_most=0.6)


def against_svc(problem: Problem) -> Iterator[Claim]:
    """SVC on the precomputed kernel of pairs, with the time of the kernel and without."""
    ours = best_of(3, lambda: fit(problem))
    model = fit(problem)
    C = MEAN_C / model.n_pairs_
    better, worse = listed(problem)
    began = time.perf_counter()
    gram = pair_gram(problem, better, worse)
    # SVC wants two classes: turn every other pair around, which changes nothing about an odd machine.
    signs = np.where(np.arange(len(better)) % 2, -1.0, 1.0)
    gram *= signs[:, None]
    gram *= signs
    gram_seconds = time.perf_counter() - began
    peer = SVC(kernel="precomputed", C=C, tol=1e-3, cache_size=2000)
    began = time.perf_counter()
    peer.fit(gram, signs)
    svc_seconds = time.perf_counter() - began
    value = objective(gram, signs, peer, C)
    for name, theirs, at_least in (
        ("with the Gram matrix", svc_seconds + gram_seconds, 100),
        ("without it", svc_seconds, 15),
    ):
        yield ratio_claim(
            f"LRBF RankSVM, hinge, {model.n_pairs_:,} pairs, against SVC, {name}",
            at_least,
            ours.wall,
            theirs,
            accuracy=f"certified gap {model.duality_gap_ / model.objective_:.0e}; "
            f"SVC's w is {value / model.objective_ - 1.0:+.0e} from our objective",
            accurate=model.duality_gap_ <= GAP * model.objective_,
            detail="wall time",
        )


def fit(problem: Problem) -> RankSVM:
    model = RankSVM(C=MEAN_C, kernel="lrbf", gamma=GAMMA, loss="hinge", tol=GAP)
    return model.fit(problem.X, problem.y, qid=problem.qid)


def listed(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    return np.nonzero((problem.qid[:, None] == problem.qid) & (problem.y[:, None] > problem.y))


def pair_gram(problem: Problem, better: np.ndarray, worse: np.ndarray) -> np.ndarray:
    """k(a, c) − k(a, d) − k(b, c) + k(b, d) for pairs a above b and c above d."""
    X = problem.X
    kernel = sum(np.exp(-GAMMA * (X[:, [k]] - X[:, k]) ** 2) for k in range(X.shape[1]))
    rows = kernel[better] - kernel[worse]
    return rows[:, better] - rows[:, worse]


def objective(gram: np.ndarray, signs: np.ndarray, peer: SVC, C: float) -> float:
    """Value of SVC's machine without its bias, which a ranking has no use for; pairs are turned as in ``gram``."""
    coefficients = np.zeros(len(gram))
    coefficients[peer.support_] = peer.dual_coef_.ravel()
    outputs = gram @ coefficients
    return float(0.5 * coefficients @ outputs + C * np.maximum(0.0, 1.0 - signs * outputs).sum())


def memory_of_pairs(n_documents: int, at_most: float) -> Claim:
    """Peak memory that a fit adds to its process, in GB."""
    script = (
        "import resource, sys; sys.path.insert(0, 'benchmarks')\n"
        "from problems import letor_like\n"
        "from glassrank import RankSVM\n"
        "small = letor_like(300, 10); RankSVM(kernel='lrbf', loss='hinge').fit(small.X, small.y, qid=small.qid)\n"
        f"problem = letor_like({n_documents}, 25)\n"
        "before = int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize()\n"
        "open('/proc/self/clear_refs', 'w').write('5')\n"
        f"model = RankSVM(C={MEAN_C}, kernel='lrbf', gamma={GAMMA}, loss='hinge', tol={GAP})\n"
        "model.fit(problem.X, problem.y, qid=problem.qid)\n"
        "peak = next(int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM'))\n"
        "print((peak - before) / 1e9, model.n_pairs_, model.duality_gap_ / model.objective_)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    gigabytes, n_pairs, gap = (float(number) for number in run.stdout.split())
    return Claim(
        f"LRBF RankSVM, hinge, {n_pairs:,.0f} pairs × 25 features, memory",
        f"≤ {at_most:g} GB",
        f"{gigabytes:.2f} GB",
        f"certified gap {gap:.0e}",
        gigabytes <= at_most and gap <= GAP,
        f"the peak that the fit adds; the Gram matrix of the pairs would take {8e-9 * n_pairs**2:,.0f} GB",
    )


if __name__ == "__main__":
    main(claims)
