"""Selectors side by side: places, scores of their first features, and the file that keeps them."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from glassrank.selection.rank_features import rank_features
from glassrank.studies.views.saved_study import SavedStudy
from glassrank.studies.views.selector_places import METHODS, PLACES, compute_places, read_places


@pytest.fixture(scope="module")
def own(saved, tmp_path_factory):
    """A copy of the study, whose folder may be changed."""
    folder = tmp_path_factory.mktemp("selectors") / "copy"
    shutil.copytree(saved.folder, folder)
    return SavedStudy.open(folder)


@pytest.fixture(scope="module")
def found(own):
    assert read_places(own) is None
    return compute_places(own)


def test_the_nomogram_places_are_the_order_of_the_elimination(found, own):
    places = dict(zip(found.features, found.rankings[0].places, strict=True))
    for n_features in own.sizes:
        assert {name for name, place in places.items() if place <= n_features} == set(own.features_with(n_features))


def test_the_other_places_are_those_of_glassrank_select(found, own):
    expected = rank_features(own.training, random_state=0)
    assert [one.method for one in found.rankings] == list(METHODS)
    for one in found.rankings[1:]:
        np.testing.assert_array_equal(one.places, expected[one.method].places)
    firsts = sum(expected[one].places[0] <= found.n_kept for one in METHODS[1:])
    assert found.votes(0) == firsts + (found.rankings[0].places[0] <= found.n_kept)


def test_scores_of_a_subset_are_those_of_an_elimination_in_one_order(own):
    # The elimination starts each fit from the one before, and this one from nothing.
    literal = replace(own.recipe, keep="literal").eliminate(own.training, own.choice, nested=False).result_
    for one in literal.rounds:
        picked = own.training.pick_features(own.features_with(one.n_features))
        np.testing.assert_allclose(own.recipe.fold_scores(picked, own.choice), one.folds, atol=1e-9)


def test_places_are_read_from_the_folder_and_only_of_this_study(found, own):
    assert read_places(own) == found
    later = own.record.model_copy(update={"finished": own.record.started})
    assert read_places(SavedStudy(own.folder, later)) is None
    for damaged in ("{", "[]", '{"features": 3}'):
        (own.folder / PLACES).write_text(damaged)
        assert read_places(own) is None
