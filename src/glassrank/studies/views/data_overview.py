"""What a study read, before any model: sizes, labels, documents and pairs per query, and each feature with warnings."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.column_transforms import LOG, QUANTILE, below_one
from glassrank.core.feature_kinds import BOOLEAN, NUMBER, FeatureKind
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.wording import counted
from glassrank.data.description import DataDescription
from glassrank.data.feature_statistics import FeatureStatistics
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.numbers import Notation
from glassrank.nomograms.correlated_features import MAX_FEATURES
from glassrank.studies.views.count_bins import CountBin, bin_counts
from glassrank.studies.views.features_together import Companion, companions_of_features
from glassrank.studies.views.saved_study import SavedStudy

N_BINS = 24
MISSING, CONSTANT = 0.05, 0.5  # shares from which a feature deserves a look


@dataclass(frozen=True)
class ValueBin:
    """Values of a feature from ``low`` to ``high``, or a level of a category."""

    label: str
    count: int


@dataclass(frozen=True)
class FeatureOverview:
    """A feature: its statistics, its values, how the study transforms it, and what deserves a look."""

    statistics: FeatureStatistics
    values: tuple[ValueBin, ...]
    transform: str | None
    """What the study was told; None for a category, which has no transform."""
    used: str | None
    """The transform that this became: ``auto`` is a choice between others."""
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.statistics.name


@dataclass(frozen=True)
class DataOverview:
    """The documents that a study was trained on, and the sizes of its test data."""

    description: DataDescription
    test: RankingData | None
    """The test data, if there are any: only their sizes are shown."""
    documents: tuple[CountBin, ...]
    """Queries by their number of documents."""
    pairs: tuple[CountBin, ...]
    """Queries by their number of pairs with different labels."""
    median_pairs: float
    features: tuple[FeatureOverview, ...]
    is_sample: bool
    """Whether the study read more documents than it stored."""
    scaled: str | None
    """How features were scaled within queries before anything else."""
    searched: bool
    """Whether features that move together were searched: not among thousands."""

    @property
    def n_warned(self) -> int:
        """Number of features that deserve a look."""
        return sum(bool(one.warnings) for one in self.features)


def data_overview(saved: SavedStudy) -> DataOverview:
    """Describe what a study read; it is computed once for each study in memory."""
    return saved.once("data overview", lambda: _overview(saved))


def _overview(saved: SavedStudy) -> DataOverview:
    data = saved.training
    described = data.describe()
    pairs = comparable_pairs(data.y, data.groups)
    has_test = saved.measured is not saved.training
    searched = data.n_features <= MAX_FEATURES
    return DataOverview(
        description=described,
        test=saved.measured if has_test else None,
        documents=bin_counts(data.groups.sizes),
        pairs=bin_counts(pairs),
        median_pairs=float(np.median(pairs)),
        features=tuple(_features(saved, described, searched=searched)),
        is_sample=saved.is_sample,
        scaled=saved.record.options.get("scale_per_query"),
        searched=searched,
    )


def _features(saved: SavedStudy, described: DataDescription, *, searched: bool) -> Iterator[FeatureOverview]:
    data, recipe = saved.training, saved.recipe
    rows = data.counted()
    methods = recipe.transformer(rows).fit(rows, sample_weight=rows.weights).methods_
    own = dict(recipe.transforms)
    together = companions_of_features(data) if searched else {}
    for k, one in enumerate(described.features):
        is_category = data.kinds[k].is_category
        used = None if is_category else methods[k]
        yield FeatureOverview(
            statistics=one,
            values=value_bins(data.X[:, k], data.kinds[k]),
            transform=None if is_category else own.get(one.name, recipe.transform),
            used=used,
            warnings=tuple(_warnings(one, described, data, used, together.get(one.name, ()))),
        )


def _warnings(
    one: FeatureStatistics,
    described: DataDescription,
    data: RankingData,
    used: str | None,
    together: tuple[Companion, ...],
) -> Iterator[str]:
    if one.name in described.constant_features:
        yield "One value only: it cannot order documents."
        return
    if one.constant_share == 1.0:
        yield "Constant within every query: it cannot order documents."
        return
    if one.constant_share >= CONSTANT:
        others = data.n_queries - round(one.constant_share * data.n_queries)
        yield f"Constant within {one.constant_share:.0%} of the queries: it can only help in the other {others:,}."
    if one.missing_share >= MISSING:
        without = counted(one.n_missing, "document has", "documents have")
        yield f"{one.missing_share:.0%} missing: {without} the effect of a missing value."
    if one.name in described.heavy_tailed_features and used not in (LOG, QUANTILE):
        yield "Heavy tail: a few extreme values decide its scale. Try log."
    if together:
        more = "" if len(together) == 1 else f" and {counted(len(together) - 1, 'other')}"
        how = f"correlation {Notation(2)(together[0].correlation)} within queries"
        yield f"Moves with {together[0].name} ({how}){more}: one of them may suffice."


def value_bins(values: FloatArray, kind: FeatureKind) -> tuple[ValueBin, ...]:
    """Count the known values of a feature: of numbers in bins of equal width, of categories by level.

    >>> from glassrank.core.feature_kinds import PLAIN
    >>> value_bins(np.array([1.0, 1.0, np.nan]), PLAIN), len(value_bins(np.array([0.0, 1.0, 9.0]), PLAIN))
    ((ValueBin(label='1', count=2),), 24)
    """
    known = values[~np.isnan(values)]
    if kind.name != NUMBER:
        counts = np.bincount(known.astype(np.int64), minlength=len(kind.levels))
        order = range(len(counts)) if kind.name == BOOLEAN else np.argsort(-counts, kind="stable")[:N_BINS]
        return tuple(ValueBin(kind.levels[k], int(counts[k])) for k in order)
    if not len(known) or known.min() == known.max():
        return (ValueBin(f"{known[0]:.4g}", len(known)),) if len(known) else ()
    scaled, exponent = below_one(known)  # the width of the range may overflow
    counts, edges = np.histogram(scaled, bins=N_BINS)
    ends = np.ldexp(edges, exponent)
    return tuple(
        ValueBin(f"{low:.4g} to {high:.4g}", int(count))
        for low, high, count in zip(ends[:-1], ends[1:], counts, strict=True)
    )
