"""rank, explain and nomogram with a saved Pipeline of scikit-learn's steps, on a table with gaps and new categories."""

import json

import numpy as np
import pytest

from glassrank.modelfile.save_model import save_model
from glassrank.ranking.rank_svm import RankSVM
from tests.cli.commands import glassrank
from tests.nomograms.adapters.mixed_pipelines import TABLE, UNSEEN, VALUE, pipeline


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a folder with a model and a table, and the model's own scores of the table."""
    folder = tmp_path_factory.mktemp("pipeline")
    model = pipeline("words", RankSVM(C=1.0)).fit(TABLE, np.argsort(np.argsort(VALUE)) // 20)
    save_model(model, folder / "model.json")
    UNSEEN.assign(qid=1, label=0, doc_id=[f"d{row}" for row in range(len(UNSEEN))]).to_csv(
        folder / "new.csv", index=False
    )
    return folder, model.predict(UNSEEN)


def test_rank_gives_the_scores_of_the_model(saved):
    folder, scores = saved
    done = glassrank("rank", "model.json", "new.csv", folder=folder)
    assert done.code == 0, done.err
    assert [float(line) for line in done.out.split()] == pytest.approx(scores.tolist(), abs=1e-12)
    assert "levels of 'brand' not seen in training (<script>, Nordvik)" in done.err


def test_explain_splits_the_difference_of_the_scores(saved):
    folder, scores = saved
    options = ("--query", 1, "--document", "d0", "--against", "d5", "--json")
    done = glassrank("explain", "model.json", "new.csv", *options, folder=folder)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["total"] == pytest.approx(scores[0] - scores[5], abs=1e-9)
    assert sum(one["contribution"] for one in found["features"]) == pytest.approx(found["total"], abs=1e-9)
    assert len(found["features"]) == TABLE.shape[1]


def test_nomogram_draws_one_line_per_original_column(saved):
    folder, _ = saved
    done = glassrank("nomogram", "model.json", "new.csv", "--output", "model.svg", folder=folder)
    assert done.code == 0, done.err
    assert all(name in done.out for name in ("price", "brand", "size"))
    assert "missing" in (folder / "model.svg").read_text()
