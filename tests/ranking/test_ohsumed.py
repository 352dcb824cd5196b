"""The five folds of LETOR 2 OHSUMED: RankSVM by the official measure, for three normalisations."""

import numpy as np
import pytest

from glassrank.data.letor.load_letor import load_letor
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.ranking.rank_svm import RankSVM

MEASURES = ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map"]
TOLERANCE = 0.003

# Known values of these data, C chosen by MAP on the validation part; the normalisation matters more than the model.
EXPECTED = {
    "raw": [0.511, 0.461, 0.444, 0.439, 0.4415],
    "minmax": [0.552, 0.485, 0.455, 0.445, 0.4462],
    "zscore": [0.511, 0.466, 0.458, 0.447, 0.4468],
}


@pytest.fixture(scope="module")
def parts(real_data):
    return {part: load_letor(real_data / "ohsumed-letor2" / f"S{part}.txt.gz") for part in range(1, 6)}


def together(parts, names, normalisation) -> RankingData:
    chosen = [parts[name] if normalisation == "raw" else parts[name].scaled(normalisation) for name in names]
    return RankingData(
        np.vstack([part.X for part in chosen]),
        np.concatenate([part.y for part in chosen]),
        np.concatenate([part.qid for part in chosen]),
    )


def test_the_parts_have_the_documented_sizes(parts):
    whole = together(parts, range(1, 6), "raw").describe()
    assert (whole.n_rows, whole.n_queries, whole.n_features) == (16_140, 106, 25)
    assert list(whole.label_counts.values()) == [11_303, 2_585, 2_252]
    assert all(part.doc_ids is not None for part in parts.values())


@pytest.mark.parametrize("normalisation", EXPECTED)
def test_rank_svm_reaches_the_known_measures(parts, normalisation):
    folds = []
    for first in range(5):
        train, valid, test = (
            together(parts, [(first + place) % 5 + 1 for place in places], normalisation)
            for places in ([0, 1, 2], [3], [4])
        )
        models = [
            RankSVM(C=C, C_unit="mean").fit(train.X, train.y, qid=train.qid) for C in (1e-2, 1e-1, 1.0, 10.0, 100.0)
        ]
        best = max(models, key=lambda model: measure(model, valid)["map"])
        found = measure(best, test)
        folds.append([found[name] for name in MEASURES])
    assert np.mean(folds, axis=0) == pytest.approx(EXPECTED[normalisation], abs=TOLERANCE)


def measure(model, data):
    return evaluate(data.y, model.predict(data.X), qid=data.qid, measures=MEASURES, convention="letor")
