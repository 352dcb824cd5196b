"""A trained model of intents: it does not depend on the batch size, keeps its settings, and reports all notes."""

import io
import re

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.csv_dialect import CsvText
from glassrank.data.search_results import SearchResults
from glassrank.navigational import query_url_features as generation
from glassrank.navigational.coupling.class_model import ClassTrainer
from glassrank.navigational.feature_settings import FeatureSettings
from glassrank.navigational.features.log import summed_log
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.navigational.query_url_features import query_url_features
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.studies.intent.features import make_features
from glassrank.studies.intent.model import (
    IntentModel,
    predict_each,
    rows_of_results,
    rows_of_table,
    train_intent,
)
from glassrank.studies.intent.simulated_intents import known_intents

N_QUERIES = 40
COUPLING = ("SVM weights", "maximum entropy", 12)


@pytest.fixture(scope="module")
def log():
    web = simulate_web(4, 30, 300, random_state=0)
    return simulate_log(web, N_QUERIES, 10, sessions_per_query=5, random_state=0)


@pytest.fixture(scope="module")
def sources(log):
    """Two engines, one of which has scores for half of the queries; some results have snippets."""
    results, web = log.results, log.web.collection
    rows = np.concatenate([np.arange(len(results)), np.flatnonzero(results.rank <= 5)])
    rank, query = results.rank[rows], results.query[rows]
    is_first = np.arange(len(rows)) < len(results)
    half = set(list(dict.fromkeys(results.query_id))[::2])
    scored = is_first & np.array([query_id in half for query_id in results.query_id[rows]])
    both = SearchResults(
        query_id=results.query_id[rows],
        query=query,
        rank=rank,
        url=results.url[rows],
        engine=np.where(is_first, "a", "b").tolist(),
        score=np.where(scored, 10.0 / rank, np.nan),
        snippet=[f"{text} again" if place % 3 == 0 else None for text, place in zip(query, rank, strict=True)],
    )
    return IntentSources(both, log.log, web.links, web.pages)


@pytest.fixture(scope="module")
def intents(log):
    return known_intents(log)


@pytest.fixture(scope="module")
def model(sources, intents):
    return train_intent(sources, intents, coupling=COUPLING, cv=2)


def features_in_batches(sources, batch, **options):
    return list(rows_of_results(sources, batch, **options))


@pytest.mark.parametrize("batch", [1, 7])
def test_predictions_do_not_depend_on_the_batch(batch, sources, model):
    """They are identical, although half of the batches of size 1 have no score at all."""
    whole, parts = features_in_batches(sources, N_QUERIES), features_in_batches(sources, batch)
    assert len(whole) == N_QUERIES
    for one, other in zip(whole, parts, strict=True):
        assert (one.query_id, one.query, list(one.values)) == (other.query_id, other.query, list(other.values))
        np.testing.assert_array_equal(list(one.values.values()), list(other.values.values()))
    assert list(predict_each(model, whole)) == list(predict_each(model, parts))


def test_features_in_batches_are_those_of_the_whole_table(sources, intents):
    queries = make_features(sources, intents).queries
    rows = features_in_batches(sources, 7)
    assert [row.query_id for row in rows] == list(queries.query_ids)
    assert {tuple(row.values) for row in rows} == {queries.names}
    np.testing.assert_allclose([list(row.values.values()) for row in rows], queries.X, rtol=1e-9, atol=1e-12)


def test_all_results_together_decide_which_features_exist(sources):
    """A query without a score has the features of scores as missing values."""
    unscored = next(
        query_id
        for query_id in dict.fromkeys(sources.results.query_id)
        if np.isnan(sources.results.score[sources.results.query_id == query_id]).all()
    )
    (row,) = features_in_batches(sources, 1, only=[unscored])
    assert np.isnan(row.values["rk_score|mean"])
    own = sources.results.pick_rows(np.flatnonzero(sources.results.query_id == unscored))
    assert "rk_score" not in query_url_features(own).names


def test_the_log_is_aggregated_once_for_all_batches(sources, monkeypatch):
    calls, real = [], summed_log.summarise_log

    def count(*arguments):
        calls.append(1)
        return real(*arguments)

    monkeypatch.setattr(summed_log, "summarise_log", count)
    features_in_batches(IntentSources(sources.results, sources.clicks), 5)
    assert len(calls) == 1


def test_only_the_requested_queries_are_computed(sources, monkeypatch):
    computed = []
    real = generation.compute_features

    def watch(part, *arguments):
        computed.extend(dict.fromkeys(part.results.query_id))
        return real(part, *arguments)

    monkeypatch.setattr("glassrank.studies.intent.model.compute_features", watch)
    ids = list(dict.fromkeys(sources.results.query_id))
    asked = [ids[9], ids[2]]
    rows = features_in_batches(sources, 500, only=asked)
    assert [row.query_id for row in rows] == computed == [ids[2], ids[9]]
    with pytest.raises(DataError, match="The input has no query 'nowhere'"):
        features_in_batches(sources, 500, only=["nowhere"])


def test_training_and_prediction_report_the_same_notes_on_the_sources(log, intents):
    results = log.results
    deep = SearchResults(
        query_id=results.query_id, query=results.query, rank=results.rank + 95, url=[*results.url[:-1], "nohost"]
    )
    lean = IntentSources(deep)
    trained, predicted = [], []
    train_intent(lean, intents, coupling=COUPLING, cv=2, note=trained.append)
    list(rows_of_results(lean, note=predicted.append))
    assert trained == predicted
    reported = "\n".join(predicted)
    assert "No clicks: without clk_n and " in reported
    assert "Unusual input, address without a host: 1 address, the first 'nohost'" in reported
    beyond = int((deep.rank > 100).sum())
    assert f"{beyond} results are left out: the operators read the first 100 ranks only." in reported


def test_a_trusted_host_without_a_link_is_reported(log, intents):
    web = log.web.collection
    known = re.match("https?://([^/:]+)", web.links.source[0]).group(1)
    sources = IntentSources(log.results, links=web.links, trusted_hosts=(known, "mispelt.example"))
    reported = []
    next(rows_of_results(sources, note=reported.append))
    (said,) = [note for note in reported if "trusted host" in note]
    assert said.startswith("Unusual input, trusted host without a link: 1 host, the first 'mispelt.example'")
    with pytest.raises(DataError, match="trusted host without a link"):
        next(rows_of_results(sources, strict=True))


def test_a_saved_model_remembers_language_and_trusted_hosts(log, intents, tmp_path):
    web = log.web.collection
    sources = IntentSources(log.results, links=web.links, language="en", trusted_hosts=("b.org", "a.org"))
    train_intent(sources, intents, coupling=COUPLING, cv=2).save(tmp_path / "model.json")
    loaded = IntentModel.load(tmp_path / "model.json")
    own = FeatureSettings("en", ("b.org", "a.org"))
    assert loaded.settings == own
    assert loaded.agreed(None, None) == own
    assert loaded.agreed("en", ("a.org", "b.org", "a.org")) == own
    with pytest.raises(DataError, match="trained with language en: got fr"):
        loaded.agreed("fr", None)
    with pytest.raises(DataError, match=r"trained with trusted_hosts a\.org, b\.org: got a\.org\. Leave"):
        loaded.agreed(None, ("a.org",))


def test_settings_that_a_model_was_trained_without_are_refused(model):
    with pytest.raises(DataError, match="trained without language: got en"):
        model.agreed("en", None)


def test_a_fold_that_cannot_reach_the_precision_does_not_lose_the_model(tmp_path):
    """One informational query looks most navigational: precision 0.9 is reached among 16 positives, not among 8."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [16, 84])
    x = 3.5 * y + rng.uniform(-0.5, 0.5, 100)
    x[-1] = 5.0
    X = np.column_stack([x, rng.normal(size=100)])
    made = NavigationalClassifier((None, "maximum entropy"), cv=2, precision=0.9, nested=True, random_state=0).fit(X, y)
    # Without one fold nothing is chosen; without the other, all 8 are found and that query is predicted too.
    assert made.nested_scores_.tolist() == pytest.approx([np.nan, 16 / 17], nan_ok=True)
    assert made.nested_score_ == pytest.approx(16 / 17)
    IntentModel(made, ("a", "b")).save(tmp_path / "model.json")
    loaded = IntentModel.load(tmp_path / "model.json").classifier
    assert loaded.nested_scores_.tolist() == pytest.approx([np.nan, 16 / 17], nan_ok=True)


def test_folds_that_cannot_be_cut_again_are_refused_before_the_fit(monkeypatch):
    def not_yet(*arguments):
        raise AssertionError("nothing is fitted before the check")

    monkeypatch.setattr(ClassTrainer, "fit", not_yet)
    X, y = np.arange(20.0).reshape(-1, 1), np.repeat([1, 0], [4, 16])
    with pytest.raises(DataError, match="without one of the folds, the rarer class has 2"):
        NavigationalClassifier((None, "maximum entropy"), cv=3, nested=True, random_state=0).fit(X, y)


def test_rows_of_a_table_name_the_line_of_the_reader():
    """A quoted line break counts as a line, so the reported line is the one that an editor shows."""

    def read(text, needed=("a",)):
        return list(rows_of_table(CsvText(io.BytesIO(text.encode()), ",", "t.csv"), needed, "t.csv"))

    assert [row.values["a"] for row in read("query_id,a\nq,1.5\n")] == [1.5]
    assert np.isnan(read("query_id,a\nq, \n")[0].values["a"])
    with pytest.raises(DataError, match=r"t\.csv:4: a must be a finite number"):
        read('query_id,query,a\nq,"two\nlines",1\nr,x,inf\n')
    with pytest.raises(DataError, match=r"t\.csv: column 'b' is missing, which the model needs: got 2 other columns"):
        read("query_id,a\nq,1\n", ("b",))
    with pytest.raises(DataError, match=r"t\.csv:2: expected 2 fields as in the header, got 1"):
        read("query_id,a\nq\n")


def test_a_table_in_another_encoding_is_refused():
    text = io.BytesIO(b"query_id,a\nq\xe9,1\n")
    with pytest.raises(DataError, match=r"t\.csv:2: expected UTF-8 text"):
        list(rows_of_table(CsvText(text, ",", "t.csv"), ("a",), "t.csv"))
