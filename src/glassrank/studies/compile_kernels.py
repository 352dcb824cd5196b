"""compile_kernels(): run each kernel on a few rows, so that numba compiles and caches it."""

import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from glassrank.core.progress import Progress, silent

DEFAULT_LOSS = "squared_hinge"
# The last line leaves out a feature: rows with and without gaps use different kernels.
TINY = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:2e-3\n2 qid:2 1:3 2:4\n0 qid:2 2:9\n"


def _read_letor() -> None:
    from glassrank.data.letor.load_letor import load_letor

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tiny.txt")
        path.write_text(TINY, encoding="ascii")
        load_letor(path)
        load_letor(path, layout="csr")


def _fit_rank_svm(loss: str, *, sparse: bool = False, pair_weight: str = "uniform", tol: float = 1e-6) -> None:
    from scipy.sparse import csr_matrix

    from glassrank.ranking.rank_svm import RankSVM

    X, y, qid = [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], [0, 1, 0], [1, 1, 1]
    model = RankSVM(loss=loss, pair_weight=pair_weight, tol=tol)
    model.fit(csr_matrix(X) if sparse else X, y, qid=qid).score(X, y, qid=qid)


def _fit_other_losses() -> None:
    from glassrank.ranking.weighed_rows import LOSSES

    for loss in LOSSES:
        if loss != DEFAULT_LOSS:
            _fit_rank_svm(loss)
            _fit_rank_svm(loss, sparse=True)
            _fit_rank_svm(loss, pair_weight="query")


def _fit_other_data() -> None:
    _fit_rank_svm(DEFAULT_LOSS, sparse=True)
    _fit_rank_svm(DEFAULT_LOSS, pair_weight="query")
    # Near the limits of rounding, certificates have kernels of their own.
    _fit_rank_svm(DEFAULT_LOSS, tol=1e-14)
    _fit_rank_svm("logistic", tol=1e-14)


def _fit_resamples() -> None:
    from glassrank.nomograms.bootstrap_effects import bootstrap_effects
    from glassrank.ranking.calibration import PairCalibrator
    from glassrank.ranking.rank_svm import RankSVM
    from glassrank.simulation.ranking import simulate_ranking

    data = simulate_ranking(12, 8, random_state=0).data
    model = PairCalibrator(RankSVM(), cv=2, random_state=0).fit(data)
    bootstrap_effects(model, data.X, data.y, data.qid, n_resamples=2, random_state=0)


def _fit_many_features() -> None:
    """Beyond some number of features, and on much data, fits multiply by the Hessian instead of forming it."""
    import numpy as np
    from scipy.sparse import csr_matrix

    from glassrank.core.pairs.newton import MAX_FEATURES_EXACT
    from glassrank.ranking.rank_svm import RankSVM

    X = np.zeros((3, MAX_FEATURES_EXACT + 1))
    X[1, 0] = 1.0
    for loss in (DEFAULT_LOSS, "logistic"):
        for pair_weight in ("uniform", "query"):
            RankSVM(loss=loss, pair_weight=pair_weight).fit(X, [0, 1, 0], qid=[1, 1, 1])
    RankSVM().fit(csr_matrix(X), [0, 1, 0], qid=[1, 1, 1])


def _evaluate() -> None:
    from glassrank.metrics.evaluation import evaluate
    from glassrank.metrics.measures import MEASURES

    names = [f"{name}@2" if measure.cutoff == "required" else name for name, measure in MEASURES.items()]
    evaluate([1, 0, 2], [0.3, 0.2, 0.1], qid=[1, 1, 1], measures=names)


def _distill() -> None:
    import numpy as np

    from glassrank.core.sphere.smallest_sphere import fit_sphere
    from glassrank.distillation.hits import hits

    # Unweighted and weighted links use different kernels.
    hits([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    hits([[0, 2, 1], [0, 0, 1], [0, 0, 0]])
    # Enough pages that the sphere starts from a sample, which uses a different kernel.
    fit_sphere(np.eye(1600), C=0.01)


def _find_intents() -> None:
    import numpy as np

    from glassrank.core.integration_operators import integrate_lists
    from glassrank.data.collection import Links, Pages
    from glassrank.data.search_results import SearchResults
    from glassrank.navigational.query_url_features import query_url_features

    address = "http://zen.org/"
    query_url_features(
        SearchResults(query_id=[1], query=["zen"], rank=[1], url=[address]),
        links=Links(source=["http://a.org/"], target=[address], anchor=["zen"]),
        pages=Pages(url=[address], title=["Zen"], text=["zen"]),
    )

    # numba compiles a separate kernel for each memory layout.
    for X in (np.ones((2, 2)), np.ones((2, 2), order="F")):
        integrate_lists(X, np.array([1, 2]), np.arange(2), np.array([0, 2]))


# Jobs run in parallel, so the longest start first.
JOBS: dict[str, Callable[[], None]] = {
    "ranking SVM": partial(_fit_rank_svm, DEFAULT_LOSS),
    "measures": _evaluate,
    "other losses": _fit_other_losses,
    "sparse and weighted data": _fit_other_data,
    "many features": _fit_many_features,
    "resampled fits": _fit_resamples,
    "navigational queries": _find_intents,
    "LETOR reader": _read_letor,
    "topic distillation": _distill,
}


def compile_kernels(progress: Progress = silent, jobs: Mapping[str, Callable[[], None]] = JOBS) -> None:
    """Compile all kernels in parallel processes."""
    _clear_cache()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        running = {pool.submit(job): name for name, job in jobs.items()}
        for place, done in enumerate(as_completed(running), start=1):
            done.result()
            progress(place, len(jobs), f"{running[done]} compiled.")


def _clear_cache() -> None:
    """Remove compiled kernels: numba does not recompile a kernel when one that it imports has changed.

    A cache folder that the user has chosen for numba may contain other packages' kernels, and is left alone.
    """
    if not os.environ.get("NUMBA_CACHE_DIR"):
        for compiled in Path(__file__).parents[1].rglob("__pycache__/*.nb[ci]"):
            compiled.unlink(missing_ok=True)
