"""Explanations of one document: contributions, reference, probabilities and text."""

import json
import math

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.document_explanation import explain_document
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.ranking import simulate_ranking
from tests.nomograms.figure.examples import model_of


@pytest.fixture(scope="module")
def data():
    made = simulate_ranking(10, 12, random_state=3).data.pick_features(range(4))
    return RankingData(made.X, made.y, made.qid, [f"d{row}" for row in range(made.n_rows)], made.feature_names)


def test_contributions_by_hand():
    """Scores 4, 3 and −1.5: the median document is the second, and 2 · (1 − 1) = 0, 0.5 · (4 − 2) = 1."""
    data = RankingData([[1.0, 4.0], [1.0, 2.0], [-1.0, 1.0]], [2, 1, 0], doc_ids=["a", "b", "c"])
    found = explain_document(model_of([2.0, 0.5]), data, query=0, document="a")
    assert (found.reference.name, found.document.rank, found.reference.rank) == ("b", 1, 2)
    assert [feature.contribution for feature in found.features] == pytest.approx([0.0, 1.0])
    assert (found.total, found.average, found.unit, found.probability) == (pytest.approx(1.0), 0.0, "score", None)


def test_the_median_document_has_no_contributions():
    data = RankingData([[1.0], [2.0], [3.0]], [0, 1, 2])
    found = explain_document(model_of([2.0]), data, query=0, document=1)
    assert (found.total, found.features[0].contribution) == (0.0, 0.0)
    assert "document − median = 0.00 score" in str(found)


def test_the_picture_shows_the_same_numbers(data):
    model = PairCalibrator(RankSVM(), random_state=0).fit(data)
    samples = bootstrap_effects(model, data.X, data.y, data.qid, n_resamples=4, random_state=0)
    found = explain_document(model, data, query=data.qid[30], document="d30", samples=samples)
    drawn = found.nomogram().overlay
    assert drawn.total == pytest.approx(found.total, abs=1e-12)
    assert drawn.contributions.tolist() == pytest.approx([feature.contribution for feature in found.features])
    assert drawn.interval == pytest.approx(found.interval)
    assert [drawn.error([k]) for k in range(4)] == pytest.approx([feature.error for feature in found.features])
    assert found.probability == pytest.approx(1 / (1 + math.exp(-found.total)))


def test_a_classifier_is_explained_against_an_average_document(data):
    model = AdditiveSVC(random_state=0).fit(data.X, data.y > 1)
    samples = bootstrap_effects(model, data.X, data.y > 1, n_resamples=4, random_state=0)
    found = explain_document(model, data, query=data.qid[30], document="d30", samples=samples)
    output = float(model.decision_function(data.X[[30]])[0])
    average = float(model.decision_function(data.X.mean(axis=0)[None])[0])
    assert (found.total, found.average) == (pytest.approx(output, abs=1e-9), pytest.approx(average, abs=1e-9))
    assert found.probability == pytest.approx(float(model.predict_proba(data.X[[30]])[0, 1]), abs=1e-9)
    assert (found.reference, found.outcome) == (None, "True")
    assert found.nomogram().overlay.total == pytest.approx(found.total, abs=1e-9)
    assert found.interval[0] <= found.interval[1]
    assert "is that of an average document" in str(found)


def test_table_and_json_have_every_feature(data):
    found = explain_document(
        RankSVM().fit(data), data, query=data.qid[12], document="d12", units={data.feature_names[0]: "days"}
    )
    frame, message = found.to_frame("pandas"), json.loads(found.to_json())
    assert frame["feature"].tolist() == [row["feature"] for row in message["features"]]
    assert sorted(frame["feature"]) == sorted(data.feature_names)
    assert message["total"] == pytest.approx(frame["contribution"].sum(), abs=1e-9)
    assert message["document"]["score"] - message["reference"]["score"] == pytest.approx(message["total"], abs=1e-9)
    assert "(days)" in str(found)
    assert "from 3 more features" in found.to_text(most_rows=1)


def test_a_model_of_differences_needs_two_documents(data):
    model = RankSVM(kernel="lrbf", mode="difference").fit(data)
    with pytest.raises(DataError, match="compares two documents"):
        explain_document(model, data, query=data.qid[12], document="d12")


def test_missing_values_are_refused():
    data = RankingData([[1.0], [np.nan]], [0, 1], missing="keep")
    with pytest.raises(DataError, match="missing"):
        explain_document(model_of([1.0]), data, query=0, document=0)
