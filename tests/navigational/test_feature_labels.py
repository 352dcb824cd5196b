"""Every feature and every column has a label that a reader understands without the catalogue."""

import pytest

from glassrank.core.integration_operators import OPERATORS
from glassrank.navigational.feature_labels import LABELS, feature_label, operator_label
from glassrank.navigational.features.catalogue import FEATURES


def test_every_feature_has_a_label_and_every_label_a_feature():
    assert sorted(LABELS) == sorted(feature.name for feature in FEATURES)


def test_no_two_columns_have_the_same_label():
    columns = [f"{feature.name}|{operator}" for feature in FEATURES for operator in OPERATORS]
    assert len({feature_label(column) for column in columns}) == len(columns) == 2955


def test_every_operator_has_a_label():
    assert [operator for operator in OPERATORS if operator_label(operator) == operator] == []


@pytest.mark.parametrize("name", ["", "|", "price|mean", "bo_cov|", "own|p1", "a|b|c"])
def test_names_of_other_features_are_unchanged(name):
    assert feature_label(name) in {name, LABELS["bo_cov"]}
