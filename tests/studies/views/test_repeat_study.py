"""A study again: the same options and documents, with fewer features or other transforms."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.studies.views.repeat_study import repeat_arguments, repeat_study
from glassrank.studies.views.saved_study import SavedStudy
from tests.cli.commands import glassrank
from tests.dirty_study import MISSING, SITE, TAIL, dirty_data
from tests.quick_study import few_resamples  # noqa: F401 - fixture


def test_the_command_studies_the_documents_with_the_same_options(saved, tmp_path):
    features = ["clicks", MISSING, TAIL, SITE]
    options = repeat_study(saved, tmp_path / "again", "Again", features=features, transforms={MISSING: "quantile"})
    command = repeat_arguments(tmp_path / "again", options)
    found = glassrank(*command, "--quiet", "--folder", tmp_path / "again", folder=tmp_path)
    assert found.code == 0, found.err
    again, data = SavedStudy.open(tmp_path / "again"), dirty_data()
    assert again.record.title == "Again"
    assert again.recipe.transforms == ((TAIL, "auto"), (MISSING, "quantile"))
    assert again.recipe.options | {"transforms": ()} == saved.recipe.options | {"transforms": ()}
    assert again.record.options["tune"] == saved.record.options["tune"] == 0
    np.testing.assert_array_equal(again.training.X, data.pick_features(features).X)
    np.testing.assert_array_equal(again.training.weights, data.weights)
    assert again.training.kinds[-1].levels == data.kinds[-1].levels


def test_all_features_and_transforms_are_those_of_the_study_unless_changed(saved, tmp_path):
    options = repeat_study(saved, tmp_path / "all", "All", transforms={"bm25": "log", TAIL: "standard"})
    given = [argument for argument in options if argument.startswith(("--transform", "--monotone", "--C"))]
    assert given == ["--C=1.0", "--transform=bm25=log", "--monotone=clicks=1"]
    command = repeat_arguments(tmp_path / "all", options)
    assert open_partitions(command[1]).feature_names == saved.training.feature_names


def test_unknown_features_and_unprintable_titles_are_errors_before_anything_is_written(saved, tmp_path):
    with pytest.raises(DataError, match="There is no feature 'nothing'"):
        repeat_study(saved, tmp_path / "none", "None", transforms={"nothing": "log"})
    with pytest.raises(DataError, match="a command line cannot"):
        repeat_study(saved, tmp_path / "none", "a\0b")
    assert not (tmp_path / "none").exists()
