"""ORCAS-I: can navigational queries be identified from the query and the address of one result alone?"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from experiments.f1_bootstrap import ComparedF1, compare_f1
from experiments.nested_choice import Candidate, NestedChoice, candidates
from experiments.orcas_baselines import (
    BASELINES,
    CALIBRATED,
    Calibration,
    decide_by_baselines,
    describe_calibration,
    errors_by_label,
)
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.progress import Progress, silent
from glassrank.data.delimited import DelimitedFile
from glassrank.data.search_results import SearchResults
from glassrank.navigational.coupling.fold_work import stratified_folds
from glassrank.navigational.integrate import integrate
from glassrank.navigational.preparation import prepare
from glassrank.navigational.query_url_features import query_url_features
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web

NAVIGATIONAL, ABSTAIN = "Navigational", "Abstain"
COLUMNS = ("qid", "query", "url", "label_manual")
SYSTEM, WINNER = "committee of 10", "winner alone"
REFERENCE, SAME_FEATURES = "linear SVM, 24 + 4", "linear SVM, 24 + 1"
SIZES = {SYSTEM: 10, WINNER: 1}
"""How many of the best candidates decide together."""
QUESTION_WORDS = frozenset({"what", "how", "who", "where", "when", "why", "which", "is", "are", "can", "does", "do"})


@dataclass(frozen=True, eq=False)
class LabelledQueries:
    """Queries with one result each, and their manual labels."""

    results: SearchResults
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def positive(self) -> IntArray:
        """1 for a navigational query, else 0."""
        return np.array([label == NAVIGATIONAL for label in self.labels], dtype=np.int64)

    def without(self, label: str) -> "LabelledQueries":
        """Leave out the queries with a label."""
        rows = [row for row, own in enumerate(self.labels) if own != label]
        columns = {name: getattr(self.results, name)[rows] for name in ("query_id", "query", "rank", "url")}
        return LabelledQueries(SearchResults(**columns), tuple(self.labels[row] for row in rows))


def read_orcas_i(path: str | os.PathLike[str]) -> LabelledQueries:
    """Read the manually labelled queries of ORCAS-I: tab-separated qid, query, did, url, label_manual."""
    file = DelimitedFile(path, "\t")
    missing = [name for name in COLUMNS if name not in file.names]
    if missing:
        raise DataError(f"{path}: expected the columns {', '.join(COLUMNS)}: {', '.join(missing)} not found.")
    columns = file.fetch(dict.fromkeys(COLUMNS, "identifier"))
    labels = tuple(map(str, columns["label_manual"]))
    if NAVIGATIONAL not in labels:
        raise DataError(f"{path}: no label_manual is {NAVIGATIONAL}: got {', '.join(sorted(set(labels))) or 'no row'}.")
    return LabelledQueries(_one_result_each(columns["qid"], columns["query"], columns["url"]), labels)


def simulate_labelled(n_queries: int = 150, random_state: Any = 0) -> LabelledQueries:
    """Simulated queries with their first result; what is not navigational is labelled ``Informational``."""
    web = simulate_web(4, 60, 600, random_state=random_state)
    log = simulate_log(web, n_queries, 1, sessions_per_query=1, random_state=random_state)
    labels = tuple(NAVIGATIONAL if intent else "Informational" for intent in log.intents)
    return LabelledQueries(_one_result_each(log.results.query_id, log.results.query, log.results.url), labels)


def _one_result_each(query_id: Any, query: Any, url: Any) -> SearchResults:
    # ORCAS contains queries such as 1040, which a table reader would treat as numbers.
    texts, urls = [str(text) for text in query], [str(one) for one in url]
    return SearchResults(query_id=query_id, query=texts, rank=np.ones(len(texts)), url=urls)


@dataclass(frozen=True)
class Columns:
    """What the fifteen operators make of the features of one result."""

    made: int
    constant: int
    copies: int
    """Columns that are identical to another one."""
    distinct: int


@dataclass(frozen=True, eq=False)
class Inputs:
    """Features of the queries, one row each, as the systems see them."""

    table: FloatArray
    """What the table of 197 features has without click, links or pages; constant columns included."""
    same: FloatArray
    """24 features of the address, and the number of words of the query."""
    reference: FloatArray
    """The same, and three features of the query that are not in the table."""
    names: FloatArray
    """1 if the query without spaces is the name of the host."""
    columns: "Columns"


def make_inputs(queries: LabelledQueries) -> Inputs:
    """Compute the features; none of them uses labels or other queries."""
    made = query_url_features(queries.results)
    of_address = [name for name, category in zip(made.names, made.categories, strict=True) if category == "url"]
    same = np.column_stack([made[name] for name in (*of_address, "q_len")])
    facts = np.array([query_facts(query) for query in queries.results.query], dtype=np.float64)
    integrated = integrate(made)
    prepared = prepare(integrated.X)
    columns = Columns(len(integrated.names), prepared.n_constant, prepared.n_copies, prepared.n_columns)
    return Inputs(np.asarray(made.X), same, np.hstack([same, facts]), np.asarray(made["sld_exact"]), columns)


def query_facts(query: str) -> tuple[float, float, float]:
    """Return the number of characters without spaces, 1 if there is a digit, and 1 if the first word asks.

    >>> query_facts("what is 5g")
    (8.0, 1.0, 1.0)
    """
    words = query.lower().split()
    asks = bool(words) and words[0] in QUESTION_WORDS
    return float(sum(map(len, words))), float(any(c.isdigit() for c in query)), float(asks)


@dataclass(frozen=True)
class Effort:
    """How often the queries are cut into folds, and what is chosen from."""

    n_repeats: int = 20
    n_folds: int = 5
    candidates: tuple[Candidate, ...] = candidates()
    n_resamples: int = 10_000


FULL = Effort()
TASTE = Effort(2, 2, candidates(selectors=("SVM weights",)), 1_000)


@dataclass(frozen=True)
class OrcasResult:
    """F1 of the systems on one set of queries, and what was chosen how often."""

    data: str
    n_queries: int
    n_positive: int
    n_repeats: int
    n_candidates: int
    systems: tuple[ComparedF1, ...]
    chosen: dict[str, int]
    """Classifier → in how many outer folds it was the winner."""
    columns: Columns
    calibration: Calibration
    errors: dict[str, tuple[int, float]]
    """Label → its queries, and the mean number of wrong decisions of the calibrated classifier about them."""

    @property
    def line(self) -> str:
        """The result in one line."""
        system = next(one for one in self.systems if one.system == SYSTEM)
        reference = next(one for one in self.systems if one.system == REFERENCE)
        return (
            f"{self.data} navigational F1 = {_share(system.f1)} (95 % interval {_between(system.interval)}), against "
            f"{REFERENCE} features {_share(reference.f1)}: difference {_signed(system.difference)} (interval "
            f"{_between(system.difference_interval, _signed)}): {system.verdict}"
        )


def study_orcas(
    queries: LabelledQueries,
    data: str,
    effort: Effort = FULL,
    *,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress = silent,
) -> OrcasResult:
    """Classify every query in every repeat by models that have not seen it, and compare by F1."""
    inputs, positive = make_inputs(queries), queries.positive
    cuts = [
        (random_state + repeat, train, held_out)
        for repeat in range(effort.n_repeats)
        for train, held_out in stratified_folds(effort.n_folds, positive, random_state + repeat)
    ]
    called = {name: np.zeros((effort.n_repeats, len(queries)), dtype=np.int64) for name in _SYSTEMS}
    probability = np.zeros((effort.n_repeats, len(queries)))
    running = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(decide_held_out)(inputs, positive, effort.candidates, *cut) for cut in cuts
    )
    chosen: Counter[str] = Counter()
    for (seed, _, held_out), (decisions, candidate, shares) in zip(cuts, running, strict=True):
        probability[seed - random_state, held_out] = shares
        chosen[candidate.classifier] += 1
        for name, values in decisions.items():
            called[name][seed - random_state, held_out] = values
        if chosen.total() % effort.n_folds == 0:
            progress(chosen.total() // effort.n_folds, effort.n_repeats, f"repeats on {data}")
    systems = compare_f1(positive, called, REFERENCE, n_resamples=effort.n_resamples, random_state=random_state)
    return OrcasResult(
        data,
        len(queries),
        int(positive.sum()),
        effort.n_repeats,
        len(effort.candidates),
        systems,
        dict(chosen),
        inputs.columns,
        describe_calibration(positive, probability, effort.n_resamples, random_state),
        errors_by_label(positive, queries.labels, called[CALIBRATED]),
    )


_SYSTEMS = (*SIZES, REFERENCE, SAME_FEATURES, *BASELINES)


def decide_held_out(
    inputs: Inputs, positive: IntArray, asked: tuple[Candidate, ...], seed: int, train: IntArray, held_out: IntArray
) -> tuple[dict[str, IntArray], Candidate, FloatArray]:
    """Decisions of all systems on the rows held out, whose labels are not handed on, the winner, and probabilities."""
    with threadpool_limits(limits=1):
        choice = NestedChoice(asked, tuple(SIZES.values()), seed=seed)
        decided = choice.decide(inputs.table[train], positive[train], inputs.table[held_out])
        decisions = {name: decided[size][0] for name, size in SIZES.items()}
        for name, X in ((REFERENCE, inputs.reference), (SAME_FEATURES, inputs.same)):
            decisions[name] = reference_machine().fit(X[train], positive[train]).predict(X[held_out])
        simple, probability = decide_by_baselines(
            inputs.same, inputs.reference, inputs.names, positive, seed, train, held_out
        )
    return decisions | simple, decided[SIZES[WINNER]][1].members[0].candidate, probability


def reference_machine() -> Any:
    """Return the fixed linear SVM: standardised features, C = 1, both classes with the same weight."""
    return make_pipeline(StandardScaler(), SVC(kernel="linear", class_weight="balanced"))


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}".replace("0.", ".", 1).replace("-", "−")


def _between(ends: tuple[float, float] | None, show: Callable[[float], str] = _share) -> str:
    return "" if ends is None else f"{show(ends[0])} to {show(ends[1])}"
