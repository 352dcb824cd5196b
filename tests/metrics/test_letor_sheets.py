"""The convention ``letor`` reproduces the published LETOR figures for single features of OHSUMED."""

import csv
import gzip
from io import BytesIO

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from glassrank.metrics.evaluation import evaluate

SHEETS = {
    "NDCG": [f"ndcg@{k}" for k in range(1, 11)],
    "Precision": [*(f"p@{k}" for k in range(1, 11)), "map"],
}


@pytest.fixture(scope="module")
def ohsumed(real_data):
    """Features, labels and queries of OHSUMED, and its folder."""
    folder = real_data / "ohsumed-letor2"
    if not folder.is_dir():
        pytest.skip(f"no ohsumed-letor2 in {real_data}")
    text = b"".join(gzip.decompress((folder / f"S{part}.txt.gz").read_bytes()) for part in range(1, 6))
    X, y, qid = load_svmlight_file(BytesIO(text), query_id=True)
    return X.toarray(), y, qid, folder


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("feature", range(1, 26))
def test_single_features_reproduce_the_published_figures(ohsumed, sheet, feature):
    X, y, qid, folder = ohsumed
    with (folder / "Baselines" / f"SingleFeatures_OHSUMED.{sheet}.csv").open() as file:
        published = {float(row[0]): [float(cell) for cell in row[1:]] for row in list(csv.reader(file))[2:]}
    assert len(published) == 25
    found = evaluate(y, X[:, feature - 1], qid=qid, measures=SHEETS[sheet], convention="letor")
    # The sheets were computed with the same arithmetic: they agree far beyond four decimals.
    np.testing.assert_allclose(list(found.values()), published[float(feature)], rtol=0, atol=1e-12)
