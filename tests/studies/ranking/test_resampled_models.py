"""Resampled models as a step: what is read back is what was trained."""

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.feature_kinds import CATEGORY, PLAIN, FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.resampled_models import resampled_effects
from glassrank.studies.resumable_steps import Steps


def dirty():
    """Weights, a category with a hostile name, missing values and a constant."""
    plain = gr.simulate_ranking(12, 10, random_state=0).data.pick_features([0, 1, 2])
    rng = np.random.default_rng(0)
    X = np.column_stack([plain.X, rng.integers(3, size=plain.n_rows), np.ones(plain.n_rows)])
    X[rng.random(plain.n_rows) < 0.2, 1] = np.nan
    names = ["a", '<b>&\n"', "c" * 300, "brand", "constant"]
    kinds = [PLAIN, PLAIN, PLAIN, FeatureKind(CATEGORY, ("ä", "</script>", "🙂")), PLAIN]
    weights = rng.choice([0.5, 1.0, 2.0], size=plain.n_rows)
    return RankingData(X, plain.y, plain.qid, feature_names=names, weights=weights, kinds=kinds)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
@pytest.mark.parametrize("longest_inline", [20_000, 10], ids=["in text", "as vectors"])
def test_stored_resamples_have_bitwise_the_effects_of_the_trained_ones(kernel, longest_inline, tmp_path, monkeypatch):
    monkeypatch.setattr("glassrank.modelfile.codec.vectors.MAX_INLINE_LENGTH", longest_inline)
    data = dirty()
    model = Recipe(kernel, transform="auto").calibrated(data, Choice(1.0, "scale", ()))[0]
    said = []
    trained, stored = (
        resampled_effects(model, data, Steps(tmp_path, "f", said.append), n_resamples=3, random_state=0)
        for _ in range(2)
    )
    label = "Resampling queries for intervals"
    assert said == [label, f"{label}: reused from an earlier run."]
    assert len(stored) == 3
    rows = trained.replicates[0].encode(data.table)
    for one, other in zip(trained.replicates, stored.replicates, strict=True):
        assert [feature.name for feature in other.features] == list(data.feature_names)
        assert (one.contributions(rows) == other.contributions(rows)).all()
