"""The recipe of a study: standardise, choose C on held-out queries, drop features, train, calibrate."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.measures import parse_measure
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.ranking.any_ranker import fit_ranker
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import KERNELS, RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.studies.ranking.systems import FULL, KEPT, LIGHTGBM, SINGLE, HeldOutScores

CS = (0.01, 0.1, 1.0, 10.0, 100.0)  # on the mean pair loss
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

    def __post_init__(self) -> None:
        check_choice("kernel", self.kernel, KERNELS)
        # "trec" breaks ties by document id, which estimators do not have.
        check_choice("convention", self.convention, [name for name in CONVENTIONS if name != "trec"])
        if not parse_measure(self.measure).measure.higher_is_better:
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

    def ranker(self, C: float) -> Pipeline:
        """Return a pipeline of standardisation and a ranking SVM."""
        return make_pipeline(StandardScaler(), RankSVM(C, kernel=self.kernel, tol=TOLERANCE))

    def choose_c(self, data: RankingData, valid: IntArray | None = None) -> float:
        """Choose C on the ``valid`` rows, trained on the others; without them, by cross-validation over queries."""
        cv: Any = INNER_FOLDS if valid is None else [(np.setdiff1d(np.arange(data.n_rows), valid), valid)]
        search = RankSVMCV(CS, cv, self.measure, convention=self.convention, kernel=self.kernel)
        counted = data.counted()
        scaled = StandardScaler().fit(counted.X, sample_weight=counted.weights).transform(data.X)
        return float(search.fit(scaled, data.y, qid=data.groups, sample_weight=data.weights).C_)

    def eliminate(self, data: RankingData, C: float, *, nested: bool) -> NomogramRFE:
        """Drop the features with the shortest lines and keep the set that ranks held-out queries best."""
        rfe = NomogramRFE(
            self.ranker(C),
            cv=INNER_FOLDS,
            scoring=self.measure,
            convention=self.convention,
            nested=nested,
            random_state=self.seed,
        )
        return rfe.fit(data)

    def calibrated(self, data: RankingData, C: float) -> PairCalibrator:
        """Train a ranker and fit P(A above B) on held-out pairs."""
        model = PairCalibrator(self.ranker(C), cv=INNER_FOLDS, random_state=self.seed)
        return model.fit(data)

    def held_out_scores(self, train: RankingData, test: RankingData, valid: IntArray | None = None) -> HeldOutScores:
        """Score ``test`` by the whole recipe, trained on ``train`` only, and by its baselines."""
        C = self.choose_c(train, valid)
        train = train.counted()
        rfe = self.eliminate(train, C, nested=False)
        full = fit_ranker(self.ranker(C), train.X, train.y, train.groups, train.weights)
        single = BestSingleFeature(self.measure, self.convention)
        single.fit(train)
        scores = {KEPT: rfe.predict(test), FULL: full.predict(test.X), SINGLE: single.predict(test)}
        boosted = _lambdarank(self, train, test)
        if boosted is not None:
            scores[LIGHTGBM] = boosted
        return HeldOutScores(C, int(rfe.n_features_), train.feature_names[single.feature_], scores)


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
    model = LGBMRanker(
        random_state=recipe.seed, deterministic=True, verbose=-1, label_gain=_gains(train.y), n_jobs=n_jobs
    )
    weights = None if train.weights is None else train.weights[order]
    model.fit(train.X[order], labels[order], group=train.groups.sizes, sample_weight=weights)
    return np.asarray(model.predict(test.X), dtype=np.float64)


def _gains(y: FloatArray) -> list[float]:
    """Gains of the numbered labels: 2^y − 1 for whole grades, the label's number otherwise."""
    levels = np.unique(y)
    whole = bool((levels == np.round(levels)).all() and levels.min() >= 0 and levels.max() <= 30)
    return [float(2.0**level - 1.0) if whole else float(place) for place, level in enumerate(levels)]
