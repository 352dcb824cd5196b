"""Baselines, probabilities and later clicks of an intent study, by independent arithmetic."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import clean_log
from glassrank.data.query_log import QueryLog
from glassrank.metrics.classification import PrecisionRecall
from glassrank.navigational.coupling.baselines import (
    ALL_POSITIVE,
    NAME,
    NAME_COLUMN,
    SINGLE,
    Baseline,
    BestSingleColumn,
    measure_baselines,
)
from glassrank.navigational.coupling.coupling_result import Coupled
from glassrank.navigational.coupling.couplings import Coupling
from glassrank.navigational.coupling.fold_work import stratified_folds
from glassrank.navigational.features.sources import IntentSources
from glassrank.studies.intent.assessment import Assessment, HeldOutQuery, held_out_probabilities
from glassrank.studies.intent.later_clicks import split_by_time
from glassrank.studies.intent.result import _beside_baseline
from tests.cli.test_raw_logs import SITES, TOPICS

RNG = np.random.default_rng(2)
Y = np.arange(60) % 3 == 0
X = np.column_stack([RNG.normal(size=60), -2.0 * Y + RNG.normal(size=60), RNG.permutation(Y)])
FOLDS = stratified_folds(3, Y.astype(int), 0)


def test_the_best_single_column_is_that_of_an_exhaustive_search():
    """Every column, direction and value as a threshold, by scikit-learn's F1."""
    tried = [
        (f1_score(Y, sign * X[:, k] >= sign * cut), k, sign)
        for k in range(3)
        for sign in (1.0, -1.0)
        for cut in X[:, k]
    ]
    best = max(tried)
    model = BestSingleColumn().fit(X, Y.astype(int))
    assert (model.column_, model.sign_) == best[1:] == (1, -1.0)
    assert f1_score(Y, model.predict(X)) == pytest.approx(best[0])


def test_baselines_are_measured_on_held_out_rows():
    found = {one.name: one for one in measure_baselines(X, Y.astype(int), ["a", "b", NAME_COLUMN], FOLDS, 0)}
    # Each fold has 20 rows, about a third of them positive: all positive has F1 = 2n/(n + 20).
    n = [int(Y[held].sum()) for _, held in FOLDS]
    assert [one.f1 for one in found[ALL_POSITIVE].folds] == pytest.approx([2 * k / (k + 20) for k in n])
    rule = [f1_score(Y[held], X[held, 2]) for _, held in FOLDS]
    assert found[NAME].f1 == pytest.approx(np.mean(rule))
    models = [BestSingleColumn().fit(X[train], Y[train].astype(int)) for train, _ in FOLDS]
    called = [f1_score(Y[held], model.predict(X[held])) for model, (_, held) in zip(models, FOLDS, strict=True)]
    assert found[SINGLE].f1 == pytest.approx(np.mean(called))
    assert NAME not in {one.name for one in measure_baselines(X, Y.astype(int), ["a", "b", "c"], FOLDS, 0)}


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        ((9, 1, 1), "is better: the coupling gains nothing over it."),
        ((6, 4, 4), "is as good: the coupling gains nothing over it."),
        ((1, 9, 9), "0.500 less."),
    ],
)
def test_a_baseline_that_wins_is_named_in_the_headline(baseline, words):
    best = Coupled(None, "maximum entropy", 3, (PrecisionRecall(6, 4, 4),) * 2)
    (said,) = _beside_baseline(best, Baseline("plain LightGBM", "", (PrecisionRecall(*baseline),) * 2))
    assert said.startswith("The best baseline, plain LightGBM, reaches 0.")
    assert said.endswith(words)


def test_probabilities_are_held_out_and_rank_like_the_model():
    fixed = (np.arange(60), ("a", "b", "c"), Coupling(None, "maximum entropy", None), FOLDS, 0)
    p = held_out_probabilities(X, Y.astype(int), *fixed)
    assert average_precision_score(Y, p) > 0.6
    train, held = FOLDS[0]
    flipped = np.where(np.isin(np.arange(60), held), ~Y, Y).astype(int)
    again = held_out_probabilities(X, flipped, *fixed)
    # The labels of a fold do not change its own probabilities.
    assert p[held] == pytest.approx(again[held], abs=1e-12)
    assert not np.allclose(p[train], again[train])


def assessment():
    shares = [0.9, 0.2, 0.4, 0.1]
    rows = [HeldOutQuery(str(k), f"q{k}", k < 2, share) for k, share in enumerate(shares)]
    return Assessment((), tuple(rows), None)


def test_the_worst_errors_come_first_and_the_brier_score_is_the_mean_square():
    found = assessment()
    assert [one.query_id for one in found.worst(2)] == ["1", "2"]
    assert found.brier == pytest.approx(((0.01 + 0.64 + 0.16 + 0.01) / 4, 0.25))
    assert Assessment.of_dict(found.to_dict()) == found


def log_of(changed):
    """Clicks on one site per navigational query and on several per topic; later on, ``changed`` topics have one too."""
    rows = []
    for time in range(40):
        for query, urls in (SITES | TOPICS).items():
            late = time >= 20 and query in changed
            rows.append((query, "click", urls[0] if late or query in SITES else urls[time % len(urls)], float(time)))
    query, action, url, time = zip(*rows, strict=True)
    return QueryLog(query=query, action=action, url=url, time=time)


def split(log, clicks=None):
    from glassrank.data.logs.derived_results import results_from_log

    sources = IntentSources(results_from_log(log, bare_hosts=True), clicks or log, bare_hosts=True)
    ids = list(dict.fromkeys(sources.results.query_id))
    y = np.array([query in SITES for query in ids], dtype=int)
    coupling = Coupling(None, "maximum entropy", None)
    return split_by_time(sources, np.arange(len(ids)), y, coupling, stratified_folds(3, y, 0), 0, lambda _: None)


def test_later_clicks_that_behave_differently_lower_f1_on_later_clicks_only():
    steady, drifting = split(log_of(())), split(log_of(tuple(TOPICS)))
    assert steady.time == drifting.time == 19.5
    assert steady.same == drifting.same
    assert drifting.f1[1] <= steady.f1[1]


def test_a_cleaned_file_is_split_like_the_log_in_memory(tmp_path):
    log = log_of(())
    rows = [f"{q},{a},{u},{t:g}" for q, a, u, t in zip(log.query, log.action, log.url, log.time, strict=True)]
    (tmp_path / "log.csv").write_text("query,action,url,time\n" + "\n".join(rows) + "\n")
    clean_log(tmp_path / "log.csv", tmp_path / "log.parquet")
    assert split(log, str(tmp_path / "log.parquet")) == split(log)


def test_a_log_without_times_cannot_be_split():
    log = log_of(())
    with pytest.raises(DataError, match="needs times: the log has none"):
        split(QueryLog(query=log.query, action=log.action, url=log.url))
