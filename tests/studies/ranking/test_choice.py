"""The choice of C and γ: the grid extends where the best C is at its end."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank import RankSVMCV
from glassrank.studies.ranking.choice import CS, Choice, Tried, choose
from glassrank.studies.ranking.recipe import Recipe


def noisy(seed, n_informative, n_features, noise):
    """Six queries of twenty documents; labels follow the first features and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, n_features))
    y = np.digitize(X[:, :n_informative].sum(axis=1) + noise * rng.normal(size=120), [-0.5, 0.5])
    return X, y, np.repeat(np.arange(6), 20)


def searching(X, y, qid, **options):
    """A search over C on the data, and the grids that it was asked for."""
    asked = []

    def search(Cs):
        asked.append(Cs)
        return RankSVMCV(Cs, cv=3, **options).fit(X, y, qid=qid).cv_results_

    return search, asked


def mean_at(C, X, y, qid, **options):
    return RankSVMCV([C], cv=3, **options).fit(X, y, qid=qid).best_score_


def test_a_best_value_inside_the_grid_needs_one_search():
    search, asked = searching(*noisy(0, 3, 10, 1.0))
    choice = choose(search)
    assert min(CS) < choice.C < max(CS)
    assert asked == [CS]
    assert [one.C for one in choice.tried] == sorted(one.C for one in choice.tried)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_informative", "noise"), [(1, 4.0), (4, 0.0)], ids=["all noise", "no noise"])
def test_the_grid_extends_by_two_steps_beyond_a_best_end_at_most_three_times(seed, n_informative, noise):
    data = noisy(seed, n_informative, 12, noise)
    search, asked = searching(*data)
    choice = choose(search)
    assert asked[0] == CS
    assert len(asked) <= 4
    means = {}
    for number, grid in enumerate(asked):
        if number:
            # Every later grid is two steps of a factor of 10 beyond the end at which the best value so far lies.
            best = max(means, key=lambda C: (means[C], -C))
            assert best in (min(means), max(means))
            step = 0.1 if best == min(means) else 10.0
            np.testing.assert_allclose(grid, [best * step, best * step**2])
        means |= {C: mean_at(C, *data) for C in grid}
    before, last = ([means[C] for grid in grids for C in grid] for grids in (asked[:-1], asked[-1:]))
    if len(asked) < 4 and max(last) >= max(before, default=0.0) + 1e-4:
        assert min(means) < choice.C < max(means)
        assert not choice.is_at_an_end
    assert max(means, key=lambda C: (means[C], -C)) == choice.C
    # Paths over C start from the previous solution; alone, every value gives the same measure.
    np.testing.assert_allclose([one.mean for one in choice.tried], [means[one.C] for one in choice.tried], atol=1e-9)


def test_of_equally_good_values_the_smallest_wins_and_the_grid_extends_once():
    """One feature that orders all pairs: every C gives the same order."""
    labels = np.tile([0.0, 1.0], 20)
    search, asked = searching((labels + np.linspace(0.0, 0.1, 40))[:, None], labels, np.repeat(np.arange(20), 2))
    choice = choose(search)
    assert asked == [CS, (1e-3, 1e-4)]
    assert min(one.C for one in choice.tried if one.mean == 1.0) == choice.C


def test_every_gamma_is_tried_with_every_value_and_the_best_pair_wins():
    data = noisy(2, 3, 4, 0.5)
    options = {"kernel": "lrbf", "gamma": ("scale/4", "scale", "scale*4")}
    search, asked = searching(*data, **options)
    choice = choose(search)
    values = sorted({C for grid in asked for C in grid})
    assert [(one.C, one.gamma) for one in choice.tried] == [(C, g) for C in values for g in options["gamma"]]
    means = {
        (one.C, one.gamma): mean_at(one.C, *data, kernel="lrbf", gamma=one.gamma) for one in choice.tried if one.C <= 1
    }
    for one in choice.tried:
        if one.C <= 1:
            np.testing.assert_allclose(one.mean, means[one.C, one.gamma], atol=1e-9)
    best = max(one.mean for one in choice.tried)
    winners = [one for one in choice.tried if one.mean == best]
    assert (choice.C, choice.gamma) == (winners[0].C, winners[0].gamma)


def test_within_the_noise_the_value_that_calibrates_is_preferred():
    """By ``PairCalibrator``: 0.0001 is off by 0.077 on average, 0.001 by 0.084, 0.01 by 0.085 and 0.1 by 0.047."""
    data = gr.simulate_ranking(9, 8, random_state=13).data
    choice = Recipe(measure="pair_accuracy").choose(data)
    gaps, means = {}, {one.C: one.mean for one in choice.tried}
    for C in (1e-4, 1e-3, 1e-2, 0.1):
        ranker = make_pipeline(gr.FeatureTransformer(), gr.RankSVM(C))
        gaps[C] = gr.PairCalibrator(ranker, random_state=0).fit(data).calibration_.calibration_gap
    assert max(means, key=lambda C: (means[C], -C)) == 1e-4
    assert [gap > 0.05 for gap in gaps.values()] == [True, True, True, False]
    assert choice.C == 0.1
    assert means[1e-4] - means[0.1] <= 0.002
    assert choice.sentence().startswith("C = 0.1 ranks held-out queries as well as C = 0.0001, within its noise, and ")


def test_one_standard_error_of_the_difference_over_folds_is_noise():
    """Folds that differ by 0.0005 ± 0.001: the standard error is 0.001/√3 = 0.000577. C = 10 is beyond it."""
    means = {1.0: (0.6, 0.7, 0.8), 0.1: (0.5985, 0.6995, 0.8005), 10.0: (0.5983, 0.6993, 0.8003)}
    tried = tuple(Tried(C, "scale", float(np.mean(folds)), 0.0, folds) for C, folds in sorted(means.items()))
    assert [one.C for one in Choice(1.0, "scale", tried).within_noise] == [1.0, 0.1]


def test_a_choice_is_restored_from_plain_values():
    choice = Choice(
        1.0, "scale", (Tried(0.1, "scale", 0.5, 0.01), Tried(1.0, "scale", 0.6, 0.02), Tried(10.0, "scale", 0.4, 0.0))
    )
    assert Choice.from_dict(json.loads(json.dumps(choice.to_dict()))) == choice
    assert not choice.is_at_an_end
    assert choice.sentence() == "C = 1 ranks held-out queries best."
    last = Choice(10.0, "scale", choice.tried)
    assert last.is_at_an_end
    assert "It is the last value that was tried" in last.sentence()


def test_several_gammas_are_named_in_the_sentence_and_drawn_as_lines():
    tried = tuple(Tried(C, gamma, 0.5 + 0.01 * C, 0.0) for C in (0.1, 1.0) for gamma in ("scale", "scale*4"))
    choice = Choice(1.0, "scale", tried)
    assert choice.sentence().startswith("C = 1 and γ = scale rank held-out queries best.")
    panel = choice.chart("ndcg@10").panels[0]
    assert [len(line.points) for line in panel.lines] == [2, 2]
    assert [line.emphasised for line in panel.lines] == [True, False]
