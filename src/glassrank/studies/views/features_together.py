"""Features that move with others within queries, each with the others and the correlations."""

from dataclasses import dataclass

from glassrank.core.additive.feature_groups import correlations_within_queries
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.correlated_features import correlated_features


@dataclass(frozen=True)
class Companion:
    """Another feature, and its correlation within queries."""

    name: str
    correlation: float


def companions_of_features(data: RankingData) -> dict[str, tuple[Companion, ...]]:
    """Return the features that move with others, as ``correlated_features`` groups them; the closest other first.

    >>> import glassrank as gr
    >>> found = companions_of_features(gr.simulate_ranking(30, 10, random_state=0).data)
    >>> {name: [one.name for one in others] for name, others in found.items()}["URL depth"]
    ['URL length']
    """
    data = data.counted()
    found = {}
    for group in correlated_features(data):
        picked = data.pick_features(group.members)
        correlations = correlations_within_queries(picked.X, picked.groups, picked.weights)
        for place, name in enumerate(picked.feature_names):
            others = [
                Companion(other, float(correlations[place, k]))
                for k, other in enumerate(picked.feature_names)
                if k != place
            ]
            found[name] = tuple(sorted(others, key=lambda one: -abs(one.correlation)))
    return found
