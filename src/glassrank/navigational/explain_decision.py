"""Compute what each feature, and each group of features that move together, adds to a prediction."""

from collections.abc import Callable, Sequence

import numpy as np

from glassrank.core.additive.feature_groups import THRESHOLD, FeatureGroup, correlated_columns
from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import group_rows
from glassrank.navigational.decision_explanation import DecisionContribution, DecisionGroup


def features_that_move_together(X: FloatArray, used: IntArray, names: Sequence[str]) -> tuple[FeatureGroup, ...]:
    """Return the groups of used features that are strongly correlated over the training rows, by average linkage.

    >>> X = np.column_stack([np.arange(40.0), -np.arange(40.0), np.arange(40) % 3])
    >>> features_that_move_together(X, np.arange(3), ["clicks", "rank", "day"])
    (FeatureGroup(name='clicks + rank', members=(0, 1)),)
    """
    one_group = group_rows(None, len(X))
    found = correlated_columns(X[:, used], one_group, None, [names[k] for k in used.tolist()], THRESHOLD)
    return tuple(FeatureGroup(one.name, tuple(used[list(one.members)].tolist())) for one in found)


def replaced_by_medians(
    row: FloatArray,
    medians: FloatArray,
    used: IntArray,
    groups: Sequence[FeatureGroup],
    log_odds: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the log-odds of a row and of the medians, and what each feature and each group contributes.

    A contribution is the log-odds minus those with the feature, or all features of the group, at the training median.
    """
    sets = [[k] for k in used.tolist()] + [list(one.members) for one in groups]
    rows = np.repeat(row, len(sets) + 2, axis=0)
    for place, members in enumerate(sets, start=1):
        rows[place, members] = medians[members]
    rows[-1] = medians
    found = log_odds(rows)
    contributions = found[0] - found[1:-1]
    return found[[0, -1]], contributions[: len(used)], contributions[len(used) :]


def described(
    row: FloatArray, medians: FloatArray, used: IntArray, names: Sequence[str], contributions: FloatArray
) -> tuple[DecisionContribution, ...]:
    """Return the contributions with names and values, the strongest first."""
    found = [
        DecisionContribution(
            names[k], None if np.isnan(row[k]) else float(row[k]), float(medians[k]), float(contribution)
        )
        for k, contribution in zip(used.tolist(), contributions, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: -abs(one.contribution)))


def described_groups(
    groups: Sequence[FeatureGroup], names: Sequence[str], contributions: FloatArray
) -> tuple[DecisionGroup, ...]:
    """Return the groups with the names of their features and what they contribute together."""
    return tuple(
        DecisionGroup(tuple(names[k] for k in one.members), float(contribution))
        for one, contribution in zip(groups, contributions, strict=True)
    )
