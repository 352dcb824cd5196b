"""The recipe of a study: transform, choose C and γ on held-out queries, drop features, train, calibrate."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice
from glassrank.core.column_transforms import STANDARD
from glassrank.core.feature_kinds import in_levels_of
from glassrank.core.missing_rule import MEAN
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.measures import parse_measure
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.ranking.any_ranker import fit_ranker
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.feature_columns import KERNELS
from glassrank.ranking.feature_transformer import TRANSFORMS, FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.studies.ranking.choice import GAMMAS, Choice, choose
from glassrank.studies.ranking.systems import FULL, KEPT, LIGHTGBM, SINGLE, HeldOutScores

LINEAR_PART = {"linear": 0.0, "lrbf": 1.0}  # κ of the LRBF kernel, on transformed features
TOLERANCE = 1e-7  # needed for a stable elimination order of weak features
INNER_FOLDS = 3
MIN_ROWS_FOR_THREADS = 100_000


@dataclass(frozen=True)
class Recipe:
    """How a study trains a model: always on whole queries, without their rows of weight 0."""

    kernel: str = "linear"
    measure: str = "ndcg@10"
    convention: str = "standard"
    seed: int = 0
    transform: str = STANDARD
    transforms: tuple[tuple[str, str], ...] = ()
    """Features with a transform of their own."""
    monotone: tuple[tuple[str, int], ...] = ()
    """Features whose effect may only rise (1) or only fall (−1)."""

    def __post_init__(self) -> None:
        check_choice("kernel", self.kernel, KERNELS)
        check_choice("transform", self.transform, TRANSFORMS)
        # "trec" breaks ties by document id, which estimators do not have.
        check_choice("convention", self.convention, [name for name in CONVENTIONS if name != "trec"])
        measure = parse_measure(self.measure)
        object.__setattr__(self, "measure", measure.text)
        if not measure.measure.higher_is_better:
            raise DataError(
                parameter="measure",
                expected="a measure for which higher is better",
                got=self.measure,
                remedy="Use 'pair_accuracy'.",
            )

    @property
    def options(self) -> dict[str, Any]:
        """The options of the recipe as plain values."""
        return asdict(self)

    def transformer(self, data: RankingData) -> FeatureTransformer:
        """Return the transformer of these features."""
        known = {name: method for name, method in self.transforms if name in data.feature_names}
        return FeatureTransformer(self.transform, known or None)

    def _monotone(self, data: RankingData) -> dict[str | int, int] | None:
        return {name: direction for name, direction in self.monotone if name in data.feature_names} or None

    def ranker(self, data: RankingData, choice: Choice) -> Pipeline:
        """Return a pipeline of the transforms and a ranking SVM."""
        svm = RankSVM(
            choice.C,
            kernel=self.kernel,
            gamma=choice.gamma,
            linear=LINEAR_PART[self.kernel],
            # A fold, and later the documents to rank, may have missing values where the training rows have none.
            missing=MEAN,
            monotone=self._monotone(data),
            tol=TOLERANCE,
        )
        return make_pipeline(self.transformer(data), svm)

    def choose(self, data: RankingData, valid: IntArray | None = None) -> Choice:
        """Choose C and γ on the ``valid`` rows, trained on the others; without them, by folds of the queries."""
        cv: Any = INNER_FOLDS if valid is None else [(np.setdiff1d(np.arange(data.n_rows), valid), valid)]
        counted = data.counted()
        made = self.transformer(data).fit(counted, sample_weight=counted.weights).transform(data)

        def search(Cs: tuple[float, ...]) -> RankSVMCV:
            found = RankSVMCV(
                Cs,
                cv,
                self.measure,
                convention=self.convention,
                kernel=self.kernel,
                gamma=GAMMAS[self.kernel],
                linear=LINEAR_PART[self.kernel],
                missing=MEAN,
                monotone=self._monotone(data),
            )
            return found.fit(made, data.y, qid=data.groups, sample_weight=data.weights)

        return choose(search)

    def eliminate(self, data: RankingData, choice: Choice, *, nested: bool) -> NomogramRFE:
        """Drop the features with the shortest lines and keep the set that ranks held-out queries best."""
        rfe = NomogramRFE(
            self.ranker(data, choice),
            cv=INNER_FOLDS,
            scoring=self.measure,
            convention=self.convention,
            nested=nested,
            random_state=self.seed,
        )
        return rfe.fit(data)

    def calibrated(self, data: RankingData, choice: Choice) -> PairCalibrator:
        """Train a ranker and fit P(A above B) on held-out pairs."""
        model = PairCalibrator(self.ranker(data, choice), cv=INNER_FOLDS, random_state=self.seed)
        return model.fit(data)

    def held_out_scores(self, train: RankingData, test: RankingData, valid: IntArray | None = None) -> HeldOutScores:
        """Score ``test`` by the whole recipe, trained on ``train`` only, and by its baselines."""
        choice = self.choose(train, valid)
        train = train.counted()
        rfe = self.eliminate(train, choice, nested=False)
        full = fit_ranker(self.ranker(train, choice), train.table, train.y, train.groups, train.weights)
        scores = {KEPT: rfe.predict(test), FULL: full.predict(test.table)}
        feature = ""
        if any(not kind.is_category for kind in train.kinds):
            single = BestSingleFeature(self.measure, self.convention).fit(train)
            scores[SINGLE], feature = single.predict(test), train.feature_names[single.feature_]
        boosted = _lambdarank(self, train, test)
        if boosted is not None:
            scores[LIGHTGBM] = boosted
        return HeldOutScores(choice.C, choice.gamma, int(rfe.n_features_), feature, scores)


def _lambdarank(recipe: Recipe, train: RankingData, test: RankingData) -> FloatArray | None:
    """Scores by LightGBM's lambdarank with default settings; None if LightGBM is not installed."""
    try:
        from lightgbm import LGBMRanker
    except (ImportError, OSError):
        return None
    order = train.groups.order
    labels = np.unique(train.y, return_inverse=True)[1]
    # Trees do not depend on the scale, so the data are not standardised. Threads are worthwhile for large data only:
    # on a busy machine they wait for each other.
    n_jobs = 1 if train.n_rows < MIN_ROWS_FOR_THREADS else None
    ways = dict(recipe.monotone)
    bounds: dict[str, Any] = (
        {"monotone_constraints": [ways.get(name, 0) for name in train.feature_names]} if ways else {}
    )
    model = LGBMRanker(
        random_state=recipe.seed, deterministic=True, verbose=-1, label_gain=_gains(train.y), n_jobs=n_jobs, **bounds
    )
    weights = None if train.weights is None else train.weights[order]
    categories: Any = [k for k, kind in enumerate(train.kinds) if kind.is_category] or "auto"
    model.fit(
        train.X[order],
        labels[order],
        group=train.groups.sizes,
        sample_weight=weights,
        categorical_feature=categories,
    )
    rows = in_levels_of(test.table, train.kinds, train.feature_names)
    unseen = (rows < 0) & [kind.is_category for kind in train.kinds]
    # LightGBM takes a level that it has not seen as missing.
    return np.asarray(model.predict(np.where(unseen, np.nan, rows)), dtype=np.float64)


def _gains(y: FloatArray) -> list[float]:
    """Gains of the numbered labels: 2^y − 1 for whole grades, the label's number otherwise."""
    levels = np.unique(y)
    whole = bool((levels == np.round(levels)).all() and levels.min() >= 0 and levels.max() <= 30)
    return [float(2.0**level - 1.0) if whole else float(place) for place, level in enumerate(levels)]
