"""Columns that are identical in the training rows count once; features that move together are explained together."""

import numpy as np
import pytest
from scipy.special import logit

from glassrank.modelfile.load_model import load_model
from glassrank.modelfile.save_model import save_model
from glassrank.navigational.coupling.coupling_study import CouplingStudy
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.navigational.preparation import prepare

RNG = np.random.default_rng(3)
Y = np.arange(80) % 2
SIGNAL, NOISE, OTHER = RNG.normal(size=80) + 2.0 * Y, RNG.normal(size=80), RNG.normal(size=80)
NAMES = ("a|mean", "a|max", "a|p1", "b|mean", "c|mean")
# Three copies of one column (a list of one result), one of them with the rounding of a mean, and two others.
COPIED = np.column_stack([SIGNAL, SIGNAL * (1 + 1e-16), SIGNAL, NOISE, OTHER])
QUERIES = [f"query {k}" for k in range(80)]


def test_identical_columns_are_merged_and_counted():
    made = prepare(COPIED)
    assert made.names(NAMES) == ("a|mean", "b|mean", "c|mean")
    assert made.copied_names(NAMES) == {"a|mean": ("a|max", "a|p1")}
    assert (made.n_columns, made.n_copies) == (3, 2)
    assert made(COPIED).tolist() == COPIED[:, [0, 3, 4]].tolist()
    assert made.pick([2, 0]).copied_names(NAMES) == {"a|mean": ("a|max", "a|p1")}


def test_only_equal_columns_are_copies():
    """Not a multiple, a shifted or a negated column, and not one that differs in a single row."""
    single = SIGNAL.copy()
    single[7] += 1e-6
    others = np.column_stack([SIGNAL, 2 * SIGNAL, SIGNAL + 1, -SIGNAL, single])
    assert prepare(others).n_columns == 5


def test_a_copy_of_the_training_rows_is_learned_inside_each_fold():
    differs = COPIED.copy()
    differs[-1, 1] = 9.0
    assert prepare(differs[:-1]).n_copies == 2
    assert prepare(differs).n_copies == 1


def test_an_indicator_that_equals_another_column_is_a_copy():
    gaps = NOISE.copy()
    gaps[Y == 1] = np.nan
    made = prepare(np.column_stack([Y.astype(float), gaps]))
    assert made.names(("label", "gaps")) == ("label", "gaps")
    assert made.copied_names(("label", "gaps")) == {"label": ("gaps|missing",)}


FEW = {"selectors": ["SVM weights"], "classifiers": ["maximum entropy"], "curve": (), "cv": 4, "random_state": 0}


def test_a_study_selects_distinct_columns_and_says_so():
    result = CouplingStudy(2, **FEW).fit(COPIED, Y, NAMES, groups=QUERIES).result_
    assert result.n_columns == (3, 3, 3, 3)
    assert result.n_copies == (2, 2, 2, 2)
    # Two columns are selected in each fold, the signal and one of the others, not the signal and its copy.
    kept = result.kept["SVM weights"]
    assert kept["a|mean"] == 4
    assert sum(kept.values()) == 8
    assert not {"a|max", "a|p1"} & set(kept)
    assert result.copies == {"a|mean": ("a|max", "a|p1")}
    assert "identical columns merged: 2" in str(result)


def test_a_merged_column_counts_once_in_equal_parts_for_its_operators():
    """Table 2 with one selected column that is mean, max and p1: a third for each of their groups."""
    result = CouplingStudy(1, **FEW).fit(COPIED, Y, NAMES, groups=QUERIES).result_
    assert result.by_operator["SVM weights"] == pytest.approx(
        {"vector": 1 / 3, "min/max": 1 / 3, "mean/median": 1 / 3}, abs=1e-12
    )


def test_copies_do_not_change_what_is_measured():
    alone = CouplingStudy(2, **FEW).fit(COPIED[:, [0, 3, 4]], Y, ["a", "b", "c"], groups=QUERIES).result_
    copied = CouplingStudy(2, **FEW).fit(COPIED, Y, NAMES, groups=QUERIES).result_
    assert [one.f1 for one in alone.coupled] == [one.f1 for one in copied.coupled]


def test_fewer_distinct_columns_than_asked_for_are_all_selected_and_reported():
    result = CouplingStudy(50, **FEW).fit(COPIED, Y, NAMES, groups=QUERIES).result_
    assert (result.n_features, result.n_asked) == (3, 50)
    assert "each selector selects 3 columns instead of 50: no more are distinct" in str(result)


NEAR = np.column_stack([SIGNAL, SIGNAL + 0.05 * NOISE, OTHER])


@pytest.fixture(scope="module", params=["maximum entropy", "boosting trees"])
def near(request):
    """A model on two features that move together and one that does not."""
    return NavigationalClassifier((None, request.param), cv=3, random_state=0).fit(NEAR, Y, groups=QUERIES)


def test_features_that_move_together_are_explained_together(near):
    (group,) = near.feature_groups_
    assert group.members == (0, 1)
    row = NEAR[[3]]
    found = near.explain(row)
    (together,) = found.groups
    assert together.features == ("feature 1", "feature 2")
    # By definition: the log-odds minus those with both features at their medians
    usual = row.copy()
    usual[0, :2] = np.median(NEAR[:, :2], axis=0)
    expected = logit(near.predict_proba(row)[0, 1]) - logit(near.predict_proba(usual)[0, 1])
    assert together.contribution == pytest.approx(expected, abs=1e-9)
    if found.exact:
        assert together.contribution == pytest.approx(
            sum(one.contribution for one in found.contributions if one.feature != "feature 3")
        )
    rows = str(found).splitlines()
    assert sum("feature 1" in line for line in rows) == 1
    assert not any(line.split()[1:3] == ["feature", "2"] for line in rows)
    assert "with 1 more that moves together with it" in str(found)


def test_a_saved_model_explains_the_same(near, tmp_path):
    save_model(near, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert str(loaded.explain(NEAR[[3]])) == str(near.explain(NEAR[[3]]))
