"""RankSVM with the LRBF kernel against SVC on the Gram matrix of the listed pairs; simulated data."""

import time
from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from glassrank import RankSVM
from harness import Claim, best_of, main, ratio_claim
from problems import Problem, letor_like

GAMMA, GAP, MEAN_C = 2.0, 1e-6, 100.0


def claims() -> Iterator[Claim]:
    """The hinge loss on about 5,000 pairs: the Gram matrix of more would not fit beside the peer's own copies."""
    problem = letor_like(300, n_features=10)
    ours = best_of(3, lambda: fit(problem))
    model = fit(problem)
    C = MEAN_C / model.n_pairs_
    better, worse = listed(problem)
    began = time.perf_counter()
    gram = pair_gram(problem, better, worse)
    gram_seconds = time.perf_counter() - began
    signs = np.where(np.arange(len(better)) % 2, -1.0, 1.0)
    peer = SVC(kernel="precomputed", C=C, tol=1e-3, cache_size=1000)
    began = time.perf_counter()
    peer.fit(gram * signs[:, None] * signs, signs)
    svc_seconds = time.perf_counter() - began
    alpha = np.zeros(len(better))
    alpha[peer.support_] = np.abs(peer.dual_coef_.ravel())
    value = 0.5 * alpha @ gram @ alpha + C * np.maximum(0.0, 1.0 - gram @ alpha).sum()
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
    model = RankSVM(C=MEAN_C, C_unit="mean", kernel="lrbf", gamma=GAMMA, loss="hinge", tol=GAP)
    return model.fit(problem.X, problem.y, qid=problem.qid)


def listed(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    return np.nonzero((problem.qid[:, None] == problem.qid) & (problem.y[:, None] > problem.y))


def pair_gram(problem: Problem, better: np.ndarray, worse: np.ndarray) -> np.ndarray:
    """k(a, c) − k(a, d) − k(b, c) + k(b, d) for pairs a above b and c above d."""
    X = problem.X
    kernel = sum(np.exp(-GAMMA * (X[:, [k]] - X[:, k]) ** 2) for k in range(X.shape[1]))
    rows = kernel[better] - kernel[worse]
    return rows[:, better] - rows[:, worse]


if __name__ == "__main__":
    main(claims)
