"""One point of the elimination curve: its score, and its difference to the chosen point, paired over the folds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from glassrank.metrics.verdict import verdict
from glassrank.studies.views.saved_study import SavedStudy

CONFIDENCE = 0.95


@dataclass(frozen=True)
class FoldDifference:
    """The mean difference of two scores over the folds in which both are defined, with its 95 % interval."""

    mean: float
    interval: tuple[float, float] | None
    """Student's t over the folds; None if there are fewer than two."""

    @classmethod
    def of(cls, scores: Sequence[float | None], others: Sequence[float | None]) -> "FoldDifference | None":
        """Compare two systems fold by fold; None if no fold measures both.

        >>> found = FoldDifference.of([0.5, 0.6, None], [0.4, 0.6, 0.9])
        >>> round(found.mean, 2), [round(end, 3) for end in found.interval]
        (0.05, [-0.585, 0.685])
        """
        pairs = [
            (one, other) for one, other in zip(scores, others, strict=True) if one is not None and other is not None
        ]
        if not pairs:
            return None
        differences = np.array([one - other for one, other in pairs])
        mean, n_folds = float(differences.mean()), len(pairs)
        if n_folds < 2:
            return cls(mean, None)
        half = float(t.ppf((1 + CONFIDENCE) / 2, n_folds - 1) * differences.std(ddof=1) / np.sqrt(n_folds))
        return cls(mean, (mean - half, mean + half))

    @property
    def verdict(self) -> str:
        """What the interval shows, for a measure of which more is better."""
        return "undecided" if self.interval is None else verdict(self.interval)


@dataclass(frozen=True)
class ModelSize:
    """A number of features on the elimination curve."""

    n_features: int
    score: float
    """Mean over the folds on which features were chosen."""
    difference: FoldDifference | None
    """To the chosen number of features; None for that number itself."""
    n_folds: int
    leaves: tuple[str, ...]
    """Features that are dropped next."""
    fewer: int | None
    """The next smaller number of features on the curve."""
    more: int | None


def model_size(saved: SavedStudy, n_features: int) -> ModelSize:
    """Return what the elimination found for this number of features.

    >>> import glassrank as gr
    >>> _ = gr.study(gr.simulate_ranking(20, 10, random_state=0).data, folder="shop", tune=0)
    >>> found = model_size(SavedStudy.open("shop"), 2)
    >>> found.n_folds, found.fewer, found.more
    (3, 1, 3)
    """
    saved.features_with(n_features)
    elimination, sizes = saved.elimination, saved.sizes
    place = sizes.index(n_features)
    here, chosen = elimination.rounds[place], elimination.rounds[elimination.selected]
    return ModelSize(
        n_features=n_features,
        score=here.mean,
        difference=None if here is chosen else FoldDifference.of(here.folds, chosen.folds),
        n_folds=sum(score is not None for score in here.folds),
        leaves=tuple(line.feature for line in here.leaves),
        fewer=sizes[place + 1] if place + 1 < len(sizes) else None,
        more=sizes[place - 1] if place else None,
    )
