"""additive_surrogate(): an additive model that imitates another ranker's order, and how faithful it is."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.input_types import Estimator, RandomState
from glassrank.core.pairs.concordance import concordance
from glassrank.core.pairs.label_levels import has_comparable_pair
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.metrics.compare import compare
from glassrank.metrics.comparison import Comparison
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.any_ranker import check_ranker, document_scores, fit_ranker, scores_documents, tolerant
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.query_folds import query_folds
from glassrank.ranking.rank_svm import RankSVM

RANKER, SURROGATE = "ranker", "surrogate"
C = 1_000.0  # large: there is no noise in the order of a ranker


@dataclass(frozen=True)
class Fidelity:
    """How well a surrogate imitates a ranker on queries that it was not fitted to."""

    n_queries: int
    n_pairs: int
    """Pairs of documents of one query that the ranker does not tie."""
    equal_pairs: float
    """Share of these pairs that the surrogate orders in the same way; ties of the surrogate count half."""
    tau: float
    """Kendall's tau-b of the two orders, mean over queries."""
    r2: float
    """Share of the variance of the ranker's scores within queries that the surrogate's scores explain."""
    folds: int
    comparison: Comparison | None
    """Both compared by the labels; None if the documents have none."""

    def __str__(self) -> str:
        held_out = f"{counted(self.n_queries, 'held-out query', 'held-out queries')} ({self.folds} folds)"
        lines = [
            f"fidelity on {held_out}:",
            f"  {self.equal_pairs:.1%} of {counted(self.n_pairs, 'pair')} in the ranker's order".replace("%", " %"),
            f"  Kendall's tau {self.tau:.3f}, mean over queries",
            f"  R² {self.r2:.3f} of the ranker's scores within queries",
        ]
        return "\n".join(lines if self.comparison is None else [*lines, "", str(self.comparison)])


@dataclass(frozen=True, eq=False, repr=False)
class Surrogate:
    """An additive model that imitates a ranker; printing it shows its fidelity."""

    estimator: Any
    """The model, fitted to all queries; its scores have a scale of their own."""
    fidelity: Fidelity
    ranker: str
    """Class of the imitated ranker."""
    feature_names: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        features = counted(len(self.feature_names), "feature")
        return f"{_described(self.estimator)} that imitates {self.ranker}, {features}\n{self.fidelity}"

    __repr__ = __str__

    def to_json(self) -> str:
        """Return the figures of the fidelity as JSON."""
        return json.dumps({"ranker": self.ranker, "surrogate": _described(self.estimator), **asdict(self.fidelity)})

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        save_model(self.estimator, path, feature_names=self.feature_names)


def additive_surrogate(
    model: Estimator,
    data: RankingData,
    *,
    estimator: Estimator | None = None,
    cv: int = 3,
    measure: str | None = None,
    random_state: RandomState = None,
) -> Surrogate:
    """Fit an additive model to the order in which another ranker puts documents, and measure how faithful it is.

    The labels are replaced by the ranker's scores. The fidelity is that of models fitted to the other folds of the
    queries: the share of pairs in the ranker's order, Kendall's tau, R² of its scores, and, if there are labels, both
    rankings compared by ``measure``. The ranker's own measure is optimistic if it was trained on these queries. The
    surrogate is fitted to all queries. Its curves explain the ranker only as far as the two agree.

    Parameters
    ----------
    model
        A fitted ranker, such as a LightGBM or XGBoost model of deep trees.
    data
        Documents, with or without labels. Rows of weight 0 are left out.
    estimator
        The additive model to fit. Default: a RankSVM of curves on standardised features.
    cv
        Number of folds of the queries.
    measure
        Measure by which both rankings are compared. Default: ``"ndcg@10"``, or ``"pair_accuracy"`` if there are
        negative labels, which have no gain.
    random_state
        Random seed of the resampling in the comparison.

    Examples
    --------
    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 10, random_state=0).data
    >>> kernel = gr.KernelLeastSquaresRanker(0.1).fit(data)
    >>> found = additive_surrogate(kernel, data)
    >>> 0.9 < found.fidelity.equal_pairs <= 1.0
    True
    """
    check_ranker(model, fitted=True)
    if not scores_documents(model):
        raise DataError(f"A surrogate imitates scores: {type(model).__name__} only compares two documents.")
    check_ranking_data(data)
    data = data.counted() if data.weights is not None else data
    scores = _scores(model, data)
    made = _default() if estimator is None else estimator
    held_out, fold_of_row = _held_out(made, data, scores, cv)
    fitted = fit_ranker(clone(made), data.table, scores, data.groups, data.weights)
    fidelity = _fidelity(data, scores, held_out, fold_of_row, measure or _measure(data), random_state)
    return Surrogate(fitted, fidelity, type(model).__name__, data.feature_names)


def _default() -> Any:
    return make_pipeline(FeatureTransformer(), RankSVM(C=C, kernel="lrbf", missing="mean"))


def _measure(data: RankingData) -> str:
    return "ndcg@10" if data.y is None or data.y.min() >= 0 else "pair_accuracy"


def _scores(model: Any, data: RankingData) -> FloatArray:
    scores = document_scores(model, data.table)
    if not has_comparable_pair(scores, data.groups):
        raise DataError("The ranker gives all documents of each query the same score: there is no order to imitate.")
    return scores


def _held_out(estimator: Any, data: RankingData, scores: FloatArray, cv: int) -> tuple[FloatArray, Any]:
    """Return the scores of each query by a surrogate that was fitted to the other folds, and the fold of each row."""
    found, fold_of_row = np.empty(data.n_rows), np.empty(data.n_rows, dtype=np.int64)
    for number, (train, test) in enumerate(query_folds(cv, data.X, scores, data.groups)):
        part = data.pick_rows(train)
        fitted = fit_ranker(tolerant(clone(estimator)), part.table, scores[train], part.groups, part.weights)
        if not scores_documents(fitted):
            raise DataError(
                f"A surrogate gives scores: this {_described(estimator)} only compares two documents.",
                remedy=f"Fit it with {setting('mode', 'utility')}.",
            )
        found[test], fold_of_row[test] = document_scores(fitted, data.pick_rows(test).table), number
    return found, fold_of_row


def _fidelity(
    data: RankingData, scores: FloatArray, held_out: FloatArray, fold_of_row: Any, measure: str, random_state: Any
) -> Fidelity:
    agreed = concordance(scores, held_out, data.groups)
    n_pairs = agreed.concordant + agreed.discordant + agreed.score_tied
    systems = {RANKER: scores, SURROGATE: held_out}
    settings: dict[str, Any] = {"qid": data.qid, "doc_ids": data.doc_ids, "random_state": random_state}
    return Fidelity(
        n_queries=data.n_queries,
        n_pairs=int(n_pairs.sum()),
        equal_pairs=float((agreed.concordant + 0.5 * agreed.score_tied).sum() / n_pairs.sum()),
        tau=float(np.nanmean(agreed.tau_b)),
        r2=_explained(data, scores, held_out, fold_of_row),
        folds=int(fold_of_row.max()) + 1,
        comparison=None if data.y is None else compare(systems, data.y, measure=measure, **settings),
    )


def _explained(data: RankingData, scores: FloatArray, held_out: FloatArray, fold_of_row: Any) -> float:
    """Return 1 − Σ (s − a·u)²/Σ s² with s and u centred within queries, and one factor a per fold."""
    s, u = (own - _means(data, own) for own in (scores, held_out))
    missed = 0.0
    for number in range(int(fold_of_row.max()) + 1):
        rows = fold_of_row == number
        scale = float(u[rows] @ u[rows])
        factor = float(s[rows] @ u[rows]) / scale if scale > 0 else 0.0
        missed += float(((s[rows] - factor * u[rows]) ** 2).sum())
    return 1.0 - missed / float(s @ s)


def _means(data: RankingData, values: FloatArray) -> FloatArray:
    """Return the mean of each row's query."""
    of_row = data.groups.of_row
    return np.asarray((np.bincount(of_row, values) / np.bincount(of_row))[of_row])


def _described(estimator: Any) -> str:
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    return type(last).__name__
