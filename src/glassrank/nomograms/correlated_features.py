"""correlated_features(): features that move together within queries, and whose contributions are shown as one sum."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from warnings import warn

from glassrank.core.additive.feature_groups import THRESHOLD, FeatureGroup, correlated_columns
from glassrank.core.checks import DataError, Matrix, check_choice
from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.ranking_data import RankingData, check_ranking_data

CORRELATED, NONE = "correlated", "none"
GROUPINGS = (CORRELATED, NONE)
# The matrix of correlations is as wide as it is long, and clustering is cubic at worst.
MAX_FEATURES = 2000

Grouping = str | Mapping[str, Sequence[str]] | Sequence[FeatureGroup]
"""``"correlated"``, ``"none"``, names of groups with their features, or what ``correlated_features`` returns."""


def correlated_features(data: RankingData, threshold: float = THRESHOLD) -> tuple[FeatureGroup, ...]:
    """Return the groups of features that are strongly correlated within queries.

    If two features move together, a model can divide their effect between them in many ways with the same ranking: one
    may even become negative. The signs of the single contributions then mean little, but their sum can be trusted.

    Correlations are weighted by the rows' weights, around the mean of each query; a missing value counts as the mean of
    its query. Groups are formed by average linkage: the mean |r| between two groups that are joined is at least
    ``threshold``. Categories are in no group, and there are no groups if the queries have fewer than 30 documents
    beyond their first ones: so few can be correlated by chance.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 10, random_state=0).data
    >>> [group.name for group in gr.correlated_features(data)]
    ['BM25 body + Language-model score', 'URL length + URL depth']
    """
    _check_threshold(threshold)
    check_ranking_data(data)
    data = data.counted()
    return correlated_columns(data.table, data.groups, data.weights, data.feature_names, threshold)


def _check_threshold(threshold: float) -> None:
    if not 0.0 < threshold <= 1.0:
        raise DataError(
            f"threshold must be a correlation above 0, at most 1: got {threshold}.",
            parameter="threshold",
            expected="0 < threshold ≤ 1",
            got=threshold,
        )


def feature_groups(groups: Grouping, data: RankingData, subject: str) -> tuple[FeatureGroup, ...]:
    """Return the groups that are shown as one row each, from what the user asked for.

    A classifier compares all rows with each other, so that its features move together over all queries.
    """
    if isinstance(groups, str):
        check_choice("groups", groups, GROUPINGS)
        return () if groups == NONE else _search(replace(data, qid=None) if subject == "class" else data)
    if isinstance(groups, Mapping):
        return _named(groups, data)
    if not isinstance(groups, list | tuple) or not all(isinstance(group, FeatureGroup) for group in groups):
        raise DataError(
            parameter="groups",
            expected="'correlated', 'none', a mapping such as {'text match': ['bm25', 'tf-idf']}, or the result of "
            "correlated_features",
            got=groups,
        )
    return tuple(groups)


def table_groups(
    groups: Grouping, rows: Matrix, kinds: Sequence[FeatureKind], names: Sequence[str]
) -> tuple[FeatureGroup, ...]:
    """Return the groups of a classifier's rows, which are not RankingData; codes of categories move with nothing."""
    data = RankingData(rows, None, feature_names=names)
    if not isinstance(groups, str):
        return feature_groups(groups, data, "class")
    numeric = [k for k, kind in enumerate(kinds) if not kind.is_category]
    found = feature_groups(groups, data.pick_features(numeric), "class")
    return tuple(FeatureGroup(group.name, tuple(numeric[k] for k in group.members)) for group in found)


def _search(data: RankingData) -> tuple[FeatureGroup, ...]:
    if data.n_features > MAX_FEATURES:
        warn(
            f"Correlated features are not searched among more than {MAX_FEATURES:,} features: got "
            f"{data.n_features:,}. All features are shown one by one.",
            stacklevel=4,
        )
        return ()
    return correlated_features(data)


def _named(groups: Mapping[str, Sequence[str]], data: RankingData) -> tuple[FeatureGroup, ...]:
    found, used = [], dict[int, str]()
    for name, features in groups.items():
        if isinstance(features, str) or not isinstance(features, Sequence):
            raise DataError(parameter=f"groups[{name!r}]", expected="a list of at least two features", got=features)
        members = [data.feature_index(feature) for feature in features]
        if len(set(members)) < 2:
            raise DataError(
                f"A group needs at least two features: {name!r} has {len(set(members))}.",
                parameter="groups",
                expected="at least two different features per group",
                got=list(features),
            )
        shared = next((k for k in members if k in used or members.count(k) > 1), None)
        if shared is not None:
            raise DataError(
                f"A feature can be in one group only: {data.feature_names[shared]!r} is in {used.get(shared, name)!r} "
                f"and {name!r}.",
                parameter="groups",
            )
        used |= dict.fromkeys(members, name)
        found.append(FeatureGroup(str(name), tuple(members)))
    return tuple(found)
