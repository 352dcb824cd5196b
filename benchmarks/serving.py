"""Serving: a saved model that scores lists and explains pairs, against LightGBM and ONNX; simulated."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from lightgbm import LGBMRanker
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank.modelfile.scorer import Scorer
from harness import Claim, best_side_by_side, main

N_DOCUMENTS, N_FEATURES = 100, 50
MODELS: dict[str, Callable[[], Any]] = {
    "lines": lambda: gr.RankSVM(),
    "curves": lambda: gr.RankSVM(kernel="lrbf"),
    "500 full nodes": lambda: gr.ELMRank(500, random_state=0),
    "500 additive nodes": lambda: gr.ELMRank(500, nodes="additive", random_state=0),
}
ROUNDS = 200


def claims() -> Iterator[Claim]:
    """Time one list after loading, one thread; the peer has 100 trees of up to 31 leaves."""
    os.environ["OMP_NUM_THREADS"] = "1"
    train, served = judged(60, 0), judged(20, 1)
    sizes = [N_DOCUMENTS] * train.n_queries
    peer = LGBMRanker(n_estimators=100, n_jobs=1, random_state=0, verbose=-1).fit(train.X, train.y, group=sizes)
    lists = [served.X[first : first + N_DOCUMENTS] for first in range(0, served.n_rows, N_DOCUMENTS)]
    for name, make in MODELS.items():
        model = gr.PairCalibrator(make_pipeline(gr.FeatureTransformer(), make()), cv=2).fit(train)
        scorer = saved_and_loaded(model)
        yield scores_a_list(name, model, scorer, peer.booster_, lists)
        if name != "500 full nodes":
            yield explains_a_pair(name, model, scorer, peer.booster_, served)


def judged(n_queries: int, seed: int) -> gr.RankingData:
    """Lists of 100 documents; the first features have curved effects, the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * N_DOCUMENTS, N_FEATURES))
    utility = X[:, 0] + np.sin(2 * X[:, 1]) - X[:, 2] ** 2 / 2 + 0.3 * rng.normal(size=len(X))
    return gr.RankingData(X, np.digitize(utility, [-1.0, 0.5, 2.0]), np.repeat(np.arange(n_queries), N_DOCUMENTS))


def saved_and_loaded(model: Any) -> Scorer:
    """Save a model, and load it for ranking only."""
    with tempfile.TemporaryDirectory() as folder:
        gr.save_model(model, Path(folder) / "model.json")
        return gr.load_scorer(Path(folder) / "model.json")


def scores_a_list(name: str, model: Any, scorer: Scorer, peer: Any, lists: list[Any]) -> Claim:
    """Compare the time of one list; scores must be those of the estimator, bit for bit."""
    one = lists[0]
    graph = onnx_session(model)
    ours, theirs = best_side_by_side(ROUNDS, lambda: scorer.predict(one), lambda: peer.predict(one, num_threads=1))
    _, onnx = best_side_by_side(ROUNDS, lambda: scorer.predict(one), lambda: graph.run(None, {"features": one}))
    equal = all(scorer.predict(some).tolist() == model.predict(some).tolist() for some in lists)
    return Claim(
        f"load_scorer, {name}, one list of {N_DOCUMENTS} × {N_FEATURES}, against LightGBM with 100 trees and ONNX",
        "< 1 ms",
        f"{1e3 * ours.wall:.2f} ms",
        f"scores of {len(lists)} lists {'bitwise equal to' if equal else 'different from'} the estimator's",
        equal and ours.wall < 1e-3,
        f"LightGBM {1e3 * theirs.wall:.2f} ms, {theirs.wall / ours.wall:.1f} × as long; the same model in onnxruntime "
        f"{1e3 * onnx.wall:.2f} ms, {onnx.wall / ours.wall:.1f} × as long; wall time, one thread",
    )


def onnx_session(model: Any) -> Any:
    """Load the exported graph, in double precision, for one thread."""
    exported = gr.export_model(model, "onnx", rename="auto")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(exported.files["model.onnx"], options)


def explains_a_pair(name: str, model: Any, scorer: Scorer, peer: Any, served: gr.RankingData) -> Claim:
    """Compare the time of one pair with LightGBM's contributions of the two documents."""
    one = served.X[:N_DOCUMENTS]
    ours, theirs = best_side_by_side(
        ROUNDS, lambda: scorer.explain_pair(one, 3, 7), lambda: peer.predict(one[[3, 7]], pred_contrib=True)
    )
    found, full = scorer.explain_pair(one, 3, 7), gr.explain_pair(model, served, query=0, document=3, against=7)
    amounts = {reason.name: reason.contribution for reason in full.features}
    gap = max(abs(reason.contribution - amounts[reason.feature]) for reason in found.features)
    return Claim(
        f"load_scorer, {name}, contributions of {N_FEATURES} features to one pair, against LightGBM's TreeSHAP",
        "< 5 ms",
        f"{1e3 * ours.wall:.2f} ms",
        f"largest difference from explain_pair {gap:.0e} log-odds",
        gap < 1e-9 and ours.wall < 5e-3,
        f"LightGBM {1e3 * theirs.wall:.2f} ms, {theirs.wall / ours.wall:.1f} × as long; wall time, one thread",
    )


if __name__ == "__main__":
    main(claims)
