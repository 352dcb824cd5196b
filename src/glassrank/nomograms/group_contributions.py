"""What groups of correlated features add together."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import FloatArray

TRUST_THE_SUM = "Inside a group, single signs are not meaningful on their own: trust the sum."


@dataclass(frozen=True)
class GroupContribution:
    """The sum of what several features add that move together; the signs of the single ones mean little."""

    name: str
    members: tuple[str, ...]
    """Names of the features."""
    contribution: float
    error: float | None
    """Bootstrap standard error of the sum; None without samples."""


def group_contributions(
    groups: Sequence[FeatureGroup],
    names: Sequence[str],
    contributions: FloatArray,
    replicates: Sequence[FloatArray] | None = None,
) -> tuple[GroupContribution, ...]:
    """Add up the contributions of each group; ``replicates`` are the contributions in resampled models.

    >>> group_contributions([FeatureGroup("text", (0, 2))], ["bm25", "age", "tf"], np.array([0.5, 1.0, -0.25]))
    (GroupContribution(name='text', members=('bm25', 'tf'), contribution=0.25, error=None),)
    """
    found = []
    for group in groups:
        members = list(group.members)
        error = None
        if replicates is not None:
            error = float(np.std([one[members].sum() for one in replicates], ddof=1))
        member_names = tuple(names[k] for k in members)
        found.append(GroupContribution(group.name, member_names, float(contributions[members].sum()), error))
    return tuple(found)


def as_reasons(features: Sequence[Any], groups: Sequence[GroupContribution]) -> tuple[Any, ...]:
    """Return groups, and features that are in no group, by absolute contribution, the largest first."""
    grouped = {name for group in groups for name in group.members}
    single = [feature for feature in features if feature.name not in grouped]
    return tuple(sorted((*single, *groups), key=lambda reason: -abs(reason.contribution)))


def group_columns(group: GroupContribution) -> dict[str, Any]:
    """Return a group as plain values for JSON."""
    columns = asdict(group)
    return {"group": columns.pop("name"), **columns}


def group_of(feature: str, groups: Sequence[GroupContribution]) -> str | None:
    """Return the name of the group of a feature; None if it is in none."""
    return next((group.name for group in groups if feature in group.members), None)
