"""The recipe of a study: transform, choose C and γ on held-out queries, drop features, train, calibrate."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from glassrank.core.checks import DataError, IntArray, check_choice
from glassrank.core.column_transforms import STANDARD
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
from glassrank.studies.ranking.systems import FULL, KEPT, SINGLE, HeldOutScores
from glassrank.studies.ranking.tuned_lightgbm import TunedLightGBM

LINEAR_PART = {"linear": 0.0, "lrbf": 1.0}  # κ of the LRBF kernel, on transformed features
TOLERANCE = 1e-7  # needed for a stable elimination order of weak features
INNER_FOLDS = 3


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

    def boosting(self, n_settings: int) -> TunedLightGBM:
        """Return the baseline of boosted trees: the best of some settings, or LightGBM's defaults for 0."""
        return TunedLightGBM(n_settings, self.measure, self.convention, self.seed, self.monotone, INNER_FOLDS)

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
        return HeldOutScores(choice.C, choice.gamma, int(rfe.n_features_), feature, scores)
