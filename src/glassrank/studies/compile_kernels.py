"""Compile every numba kernel once, with a progress line for each: ``python -m glassrank.studies.compile_kernels``."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TINY = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:2e-3\n2 qid:2 1:3 2:4\n0 qid:2 1:1 2:9\n"


def _read_letor() -> None:
    from glassrank.data.letor.load_letor import load_letor

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tiny.txt")
        path.write_text(TINY, encoding="ascii")
        load_letor(path)
        load_letor(path, layout="csr")


def _fit_rank_svm() -> None:
    from scipy.sparse import csr_matrix

    from glassrank.ranking.rank_svm import LOSSES, RankSVM

    X, y, qid = [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], [0, 1, 0], [1, 1, 1]
    for loss in LOSSES:
        RankSVM(loss=loss).fit(X, y, qid=qid).score(X, y, qid=qid)
        RankSVM(loss=loss).fit(csr_matrix(X), y, qid=qid)
        RankSVM(loss=loss, pair_weight="query").fit(X, y, qid=qid)


def _evaluate() -> None:
    from glassrank.metrics.evaluation import evaluate
    from glassrank.metrics.measures import MEASURES

    names = [f"{name}@2" if measure.cutoff == "required" else name for name, measure in MEASURES.items()]
    evaluate([1, 0, 2], [0.3, 0.2, 0.1], qid=[1, 1, 1], measures=names)


def _distill() -> None:
    import numpy as np

    from glassrank.core.sphere.smallest_sphere import fit_sphere
    from glassrank.distillation.hits import hits

    # Links that count alike and links of different weight have kernels of their own.
    hits([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    hits([[0, 2, 1], [0, 0, 1], [0, 0, 0]])
    # So many pages that the sphere starts from a sample, which has a kernel of its own.
    fit_sphere(np.eye(1600), C=0.01)


def _find_intents() -> None:
    import numpy as np

    from glassrank.core.integration_operators import integrate_lists
    from glassrank.data.search_results import SearchResults
    from glassrank.navigational.query_url_features import query_url_features

    query_url_features(SearchResults(query_id=[1], query=["zen"], rank=[1], url=["http://zen.org/"]))

    # Tables that lie by rows and by columns have kernels of their own.
    for X in (np.ones((2, 2)), np.ones((2, 2), order="F")):
        integrate_lists(X, np.array([1, 2]), np.arange(2), np.array([0, 2]))


JOBS: dict[str, Callable[[], None]] = {
    "LETOR reader": _read_letor,
    "ranking SVM": _fit_rank_svm,
    "measures": _evaluate,
    "topic distillation": _distill,
    "navigational queries": _find_intents,
}


def compile_kernels() -> None:
    """Run each kernel on a few rows, so that numba compiles and caches it."""
    _clear_cache()
    for place, (name, job) in enumerate(JOBS.items(), start=1):
        print(f"Compiling kernels {place}/{len(JOBS)}: {name} …", end="", file=sys.stderr, flush=True)
        began = time.perf_counter()
        job()
        print(f" {time.perf_counter() - began:.0f} s", file=sys.stderr)


def _clear_cache() -> None:
    """Remove compiled kernels: numba does not notice when a kernel that another file imports has changed."""
    for compiled in Path(__file__).parents[1].rglob("__pycache__/*.nb[ci]"):
        compiled.unlink()


if __name__ == "__main__":
    compile_kernels()
