"""The recipe of a study: transform, choose C and γ on held-out queries, drop features, train, calibrate."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice, check_positive
from glassrank.core.column_transforms import NONE, STANDARD
from glassrank.core.missing_rule import MEAN
from glassrank.core.process.freed_memory import release_freed_memory
from glassrank.core.setting import setting
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.measures import parse_measure
from glassrank.nomograms.elimination.criterion import PAIR_ACCURACY, Scoring, mean_of_defined
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.nomograms.elimination.path import BEST, check_keep
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.any_ranker import compare_rows, fit_ranker, list_scores, scores_documents
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.feature_columns import KERNELS, check_gamma
from glassrank.ranking.feature_transformer import TRANSFORMS, FeatureTransformer, as_scratch
from glassrank.ranking.pairwise import PairwiseRanker
from glassrank.ranking.query_folds import query_folds
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.reliability import NoProbabilitiesError
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.studies.ranking.choice import CS, GAMMAS, LARGE_GAP, Choice, Gamma, Results, choose, search_grid
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from glassrank.studies.ranking.measuring.study_folds import INNER_FOLDS, PAIR, StudyFolds
from glassrank.studies.ranking.model_options import check_options
from glassrank.studies.ranking.query_sample import draw_sample, sample_of_queries
from glassrank.studies.ranking.systems import FULL, KEPT, SINGLE, FoldScores, HeldOutScores, fit_with_probabilities
from glassrank.studies.ranking.tuned_lightgbm import TunedLightGBM

TOLERANCE = 1e-7  # needed for a stable elimination order of weak features
MAX_ITER = 1000  # steps of a fit with this tolerance
UTILITY, DIFFERENCE, ONE_ORIENTATION = "utility", "difference", "one-orientation"
# κ of the LRBF kernel, on transformed features: with scores of documents, trends reach the ends of the data. A model of
# differences has the source's kernel, equation 17, which is Gaussians alone.
LINEAR_PART = {("lrbf", UTILITY): 1.0}


def _rank_svm(recipe: "Recipe", choice: Choice, monotone: Mapping[str | int, int] | None) -> RankSVM:
    return RankSVM(
        choice.C,
        kernel=recipe.kernel,
        loss=recipe.loss,
        gamma=choice.gamma,
        linear=recipe.linear_part,
        # A fold, and later the documents to rank, may have missing values where the training rows have none.
        missing=MEAN,
        monotone=monotone,
        mode=recipe.mode,
        C_unit=recipe.unit,
        random_state=recipe.seed,
        tol=TOLERANCE,
        max_iter=MAX_ITER,
    )


def _one_orientation(recipe: "Recipe", choice: Choice, monotone: Mapping[str | int, int] | None) -> PairwiseRanker:
    """Return the source's own machine, which learns each pair in one order, with a bias (equations 9–11)."""
    machine = AdditiveSVC(
        choice.C,
        kernel=recipe.kernel,
        loss=recipe.loss,
        gamma=choice.gamma,
        linear=recipe.linear_part,
        cv=None,
        random_state=recipe.seed,
        tol=TOLERANCE,
        max_iter=MAX_ITER,
    )
    return PairwiseRanker(machine, mode=DIFFERENCE)


MODES: dict[str, Callable[["Recipe", Choice, Mapping[str | int, int] | None], Any]] = {
    UTILITY: _rank_svm,
    DIFFERENCE: _rank_svm,
    ONE_ORIENTATION: _one_orientation,
}
"""Mode -> the estimator of a choice, with directions of features."""

MODE_WORDS = {UTILITY: "", DIFFERENCE: " of differences", ONE_ORIENTATION: " of differences in one order, with a bias"}


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
    mode: str = UTILITY
    loss: str = "squared_hinge"
    gamma: Gamma | None = None
    """γ of the LRBF kernel; None if it is chosen."""
    C: float | None = None
    """None if it is chosen."""
    C_unit: str | None = None
    """``"mean"`` or ``"pair"``; None is the model's own: the mean pair loss or, in one orientation, each pair's."""
    folds: StudyFolds = field(default_factory=StudyFolds)
    keep: str | int = BEST
    """How many features are kept, as in ``NomogramRFE``."""

    def __post_init__(self) -> None:
        check_keep(self.keep)
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
        self._check_model()
        self._check_measure()

    def _check_model(self) -> None:
        """Raise an error for unknown options of the model, and for those without effect."""
        check_choice("mode", self.mode, MODES)
        if self.C is not None:
            check_positive("C", self.C)
        if self.gamma is not None:
            check_gamma(self.gamma)
        one_order = self.mode == ONE_ORIENTATION
        given: dict[str, Any] = {"kernel": self.kernel, "loss": self.loss}
        given |= {"mode": DIFFERENCE if one_order else self.mode}
        given |= {} if self.gamma is None else {"gamma": self.gamma}
        given |= {} if self.C_unit in (None, "pair" if one_order else None) else {"C_unit": self.C_unit}
        given |= {"monotone": dict(self.monotone)} if self.monotone else {}
        check_options("pairwise-additive-svc" if one_order else "rank-svm", given)
        if self.C is None and self.C_unit is not None:
            raise DataError(
                f"C_unit has no effect without {setting('C', ...)}: a chosen C is in the model's own unit.",
                parameter="C_unit",
                got=self.C_unit,
            )
        bent = {self.transform, *(method for _, method in self.transforms)} - {NONE, STANDARD}
        if self.mode != UTILITY and bent:
            raise DataError(
                f"{setting('mode', self.mode)} compares documents by x_A − x_B, and a difference after the transform "
                f"{min(bent)!r} is not a function of the difference before it.",
                parameter="transform",
                got=min(bent),
                remedy=(f"Use {setting('transform', STANDARD)}", f"use {setting('mode', UTILITY)}"),
            )

    def _check_measure(self) -> None:
        if self.folds.unit == PAIR and self.measure != PAIR_ACCURACY:
            raise DataError(
                f"{setting('folds', PAIR)} holds out single pairs, which only {setting('measure', PAIR_ACCURACY)} "
                f"measures: got {self.measure}.",
                parameter="measure",
                got=self.measure,
                remedy="Leave out the measure.",
            )

    def graded(self, *parts: RankingData) -> "Recipe":
        """Name the highest grade of all data in the measure, if it needs one: a fold or a query may not contain it."""
        labels = np.concatenate([part.y for part in parts])
        return replace(self, measure=parse_measure(self.measure).graded(labels, CONVENTIONS[self.convention]).text)

    @property
    def model_in_words(self) -> str:
        """The kernel, and what is not at its default."""
        loss = "" if self.loss == "squared_hinge" else f", {self.loss} loss"
        return f"{self.kernel}{MODE_WORDS[self.mode]}{loss}"

    @property
    def unit(self) -> str:
        """What C multiplies: the mean of the pair losses, or each of them."""
        return self.C_unit or ("pair" if self.mode == ONE_ORIENTATION else "mean")

    @property
    def linear_part(self) -> float:
        """κ, the weight of the LRBF kernel's linear part."""
        return LINEAR_PART.get((self.kernel, self.mode), 0.0)

    @property
    def gammas(self) -> tuple[Gamma, ...]:
        """The values of γ to choose from."""
        return GAMMAS[self.kernel] if self.gamma is None else (self.gamma,)

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
        """Return a pipeline of the transforms and the model."""
        return make_pipeline(self.transformer(data), MODES[self.mode](self, choice, self._monotone(data)))

    def choose(self, data: RankingData, valid: IntArray | None = None) -> Choice:
        """Choose C and γ on the ``valid`` rows, trained on the others; without them, by folds.

        Very many rows are replaced by a sample of their queries, here and in ``eliminate``.
        """
        if self.C is not None and len(self.gammas) == 1:
            return Choice(self.C, self.gammas[0], ())
        data, valid = draw_sample(data, self.seed, valid)
        cv: Any = self.folds.inner if valid is None else [(np.setdiff1d(np.arange(data.n_rows), valid), valid)]
        search = self._path(data, cv) if self.mode == UTILITY else self._grid(data, cv)
        return self._calibrating(data, choose(search, CS if self.C is None else (self.C,)))

    def _calibrating(self, data: RankingData, best: Choice) -> Choice:
        """Return the choice, or another C within its noise whose probabilities are closer, if its own are far off."""
        near = best.within_noise
        for one in near if len(near) > 1 else ():
            model, refused = self.calibrated(data.counted(), one)
            if not refused and model.calibration_.calibration_gap <= LARGE_GAP:
                return one
        return best

    def _path(self, data: RankingData, cv: Any) -> Callable[[tuple[float, ...]], Results]:
        """Return a search over C that starts each fit from the previous one."""
        counted = data.counted()
        made = self.transformer(data).fit(counted, sample_weight=counted.weights).transform(data)

        def search(Cs: tuple[float, ...]) -> Results:
            found = RankSVMCV(
                Cs,
                cv,
                self.measure,
                convention=self.convention,
                kernel=self.kernel,
                loss=self.loss,
                gamma=self.gammas,
                linear=self.linear_part,
                missing=MEAN,
                monotone=self._monotone(data),
                C_unit=self.unit,
            )
            found.search(made, data.y, qid=data.groups, sample_weight=data.weights)
            results: Results = found.cv_results_
            return results

        return search

    def _grid(self, data: RankingData, cv: Any) -> Callable[[tuple[float, ...]], Results]:
        """Return a search over C that fits a model of any mode to each fold."""
        if data.weights is not None and not hasattr(cv, "split"):
            rows = np.flatnonzero(data.weights)
            cv = [tuple(np.flatnonzero(np.isin(rows, part)) for part in split) for split in cv]
        parts = self._parts(data.counted(), cv)

        def measured(C: float, gamma: Gamma) -> list[float]:
            return self._measured(parts, Choice(C, gamma, ()))

        return lambda Cs: search_grid(Cs, self.gammas, measured)

    def _parts(self, data: RankingData, cv: Any) -> list[tuple[RankingData, RankingData]]:
        """Return the rows to train on and the held-out rows of each fold."""
        folds = query_folds(cv, data.X, data.y, data.groups)
        return [(data.pick_rows(rest), data.pick_rows(rows)) for rest, rows in folds]

    def _measured(self, parts: list[tuple[RankingData, RankingData]], choice: Choice) -> list[float]:
        scoring = Scoring.of(self.measure, classifier=False, convention=self.convention)
        made = ((self._fitted(train, choice), own) for train, own in parts)
        return [mean_of_defined(scoring.of_model(model, own.table, own.y, own.groups.of_row)) for model, own in made]

    def fold_scores(self, data: RankingData, choice: Choice) -> list[float]:
        """Return the measure of a model of these features in each of the folds on which features are chosen."""
        data = sample_of_queries(data, self.seed).counted()
        return self._measured(self._parts(data, self.folds.inner), choice)

    def _scores(self, model: Any, data: RankingData) -> FloatArray:
        """Return the scores of documents; a model of differences gives the two rows of a pair ±½ of its decision."""
        if self.folds.unit != PAIR or scores_documents(model):
            return list_scores(model, data.table, data.groups)
        rows = np.arange(0, data.n_rows, 2)
        decided = 0.5 * compare_rows(model, data.table, rows, rows + 1)
        return np.column_stack([decided, -decided]).ravel()

    def _fitted(self, train: RankingData, choice: Choice) -> Any:
        return fit_ranker(self.ranker(train, choice), train.table, train.y, train.groups, train.weights)

    def _fitted_once(self, train: RankingData, choice: Choice) -> Any:
        """Fit to rows that nothing else uses: they are overwritten by their transforms."""
        ranker = self.ranker(train, choice)
        return fit_ranker(ranker, as_scratch(train.table, ranker), train.y, train.groups, train.weights)

    def eliminate(self, data: RankingData, choice: Choice, *, nested: bool, by_pair: bool = False) -> NomogramRFE:
        """Drop the features with the shortest lines and keep the set that ranks held-out queries best.

        With ``by_pair``, the pairs of the documents are held out, as in the source, which has no nested estimate.
        """
        data = sample_of_queries(data, self.seed)
        rfe = NomogramRFE(
            self.ranker(data, choice),
            cv=INNER_FOLDS if by_pair else self.folds.inner,
            scoring=self.measure,
            length="pair-difference" if self.folds.unit == PAIR else None,
            keep=self.keep,
            fold_unit=PAIR if by_pair else "query",
            convention=self.convention,
            nested=nested and not by_pair,
            random_state=self.seed,
        )
        return rfe.fit(data)

    def calibrated(
        self, data: RankingData, choice: Choice, whole: PartitionedData | None = None
    ) -> tuple[Any, NoProbabilitiesError | None]:
        """Train a ranker and fit P(A above B) on held-out pairs; the data may be a sample of the ``whole``.

        If the pairs give no probabilities, the ranker has none, and the error says why.
        """
        model = PairCalibrator(self.ranker(data, choice), cv=self.folds.calibration, random_state=self.seed)
        return fit_with_probabilities(model, data if whole is None else whole.pick_features(data.feature_names))

    def boosting(self, n_settings: int) -> TunedLightGBM:
        """Return the baseline of boosted trees: the best of some settings, or LightGBM's defaults for 0."""
        return TunedLightGBM(n_settings, self.measure, self.convention, self.seed, self.monotone, self.folds.inner)

    def boosted_scores(self, n_settings: int, fold: FoldRows) -> FoldScores:
        """Score the documents of a fold by the baseline of boosted trees."""
        boosting = self.boosting(n_settings)
        booster, setting = boosting.fit(fold)
        return FoldScores(boosting.scores(booster, fold.test), setting.to_dict())

    def held_out_scores(self, fold: FoldRows) -> HeldOutScores:
        """Score the documents of a fold by the whole recipe, trained on the fold's rows only, and by its baselines."""
        sample, valid = fold.sample(self.seed)
        choice = self.choose(sample, valid)
        is_whole, sample = sample.n_rows == len(fold.rows), sample.counted()
        rfe = self.eliminate(sample, choice, nested=False)
        kept, every = np.flatnonzero(rfe.support_).tolist(), range(sample.n_features)
        scores: dict[str, FloatArray] = {}
        feature = ""
        if any(not kind.is_category for kind in sample.kinds):
            single = BestSingleFeature(self.measure, self.convention).fit(sample)
            scores[SINGLE], feature = single.predict(fold.test), sample.feature_names[single.feature_]
        # All rows are copied next: what the choices took need not be in memory beside them.
        del sample
        release_freed_memory()
        own = rfe.estimator_ if is_whole else self._fitted_once(fold.copy_for_fit(kept), choice)
        scores[KEPT] = self._scores(own, fold.test.pick_features(kept))
        scores[FULL] = self._scores(self._fitted_once(fold.copy_for_fit(every), choice), fold.test)
        return HeldOutScores(choice.C, choice.gamma, int(rfe.n_features_), feature, scores)
