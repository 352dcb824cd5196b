"""gr.study(): train, measure, simplify and explain a ranker of judged documents, and write a report."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import FloatArray, check_positive
from glassrank.core.column_transforms import STANDARD
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.process.freed_memory import release_freed_memory
from glassrank.core.process.stopwatch import Stopwatch
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.wording import counted
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.compare_documents import PAIR_ACCURACY
from glassrank.metrics.comparison import Comparison
from glassrank.metrics.conventions import has_gains
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.nomograms.elimination.path import BEST, ONE_SE, check_keep
from glassrank.ranking.any_ranker import list_scores
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.reliability import NoProbabilitiesError
from glassrank.studies.library_versions import library_versions
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.facts import NO_GAINS, PER_QUERY_COST, study_facts
from glassrank.studies.ranking.given_systems import ESTIMATOR, MODEL, SCORES, GivenSystem, read_systems
from glassrank.studies.ranking.measuring.measured_lists import MeasuredLists
from glassrank.studies.ranking.measuring.study_folds import INNER_FOLDS, PAIR, QUERY, StudyFolds, check_fold_unit
from glassrank.studies.ranking.output_files import record_fields, save_documents, write_files, write_times
from glassrank.studies.ranking.picker_queries import list_picker_queries
from glassrank.studies.ranking.query_sample import check_partitioned_study, sample_facts
from glassrank.studies.ranking.recipe import UTILITY, Recipe
from glassrank.studies.ranking.report.hardest_queries import RankedSystem, find_hardest_queries, not_explained
from glassrank.studies.ranking.resampled_models import pairs_per_query, resampled_effects
from glassrank.studies.ranking.result import StudyResult
from glassrank.studies.ranking.shown_documents import choose_example_pair, draw_example_nomogram
from glassrank.studies.ranking.study_data import StudyData
from glassrank.studies.ranking.systems import (
    FULL,
    KEPT,
    LIGHTGBM,
    SINGLE,
    SYSTEMS,
    FoldSystem,
    MeasuredSystems,
    guard_in_words,
    measure_by_folds,
    system_reliabilities,
)
from glassrank.studies.ranking.tuned_lightgbm import is_installed, tuning_in_words
from glassrank.studies.resumable_steps import Steps, fingerprint
from glassrank.studies.study_record import default_folder, recorded

RESAMPLES = {"linear": 60, "lrbf": 30}
LIBRARIES = ("numpy", "scipy", "scikit-learn")
ENGINES = {LIGHTGBM: "LightGBM"}  # key of a system -> the library that it needs
SETTINGS_TRIED = 20
CHECKING, WRITING = "Checking the data", "Writing the report"


def study(
    train: RankingData | PartitionedData,
    valid: RankingData | None = None,
    test: RankingData | None = None,
    folder: str | Path | None = None,
    *,
    kernel: str = "linear",
    mode: str = UTILITY,
    loss: str = "squared_hinge",
    C: float | None = None,
    C_unit: str | None = None,
    gamma: str | float | None = None,
    folds: str | None = None,
    measure: str | None = None,
    convention: str = "standard",
    transform: str = STANDARD,
    transforms: Mapping[str, str] | None = None,
    monotone: Mapping[str, int] | None = None,
    scale_per_query: str | None = None,
    keep: str | int = BEST,
    random_state: int = 0,
    title: str | None = None,
    command: str = "",
    units: Mapping[str, str] | None = None,
    systems: Mapping[str, Any] | None = None,
    tune: int = SETTINGS_TRIED,
    margin: float | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> StudyResult:
    """Train a ranking SVM, select features, measure, calibrate, explain, and write a report into ``folder``.

    Features are transformed as in ``FeatureTransformer``, by default standardised; ``transforms`` by feature name, such
    as ``{"price": "log"}``, have precedence over ``transform``. Missing values and categories have effects of their
    own. Features in ``monotone``, such as ``{"price": -1}``, only rise (1) or only fall (−1), also in the LightGBM
    baseline. With ``scale_per_query``, ``"minmax"`` or ``"zscore"``, features are first scaled within each query; a
    score then depends on the other documents of the query, so that a search engine cannot compute it.

    C, and γ of the LRBF kernel, are chosen on ``valid``, or by three folds of the training queries; the model is then
    trained on both. A best C at the end of the grid extends the grid, as long as this helps. Features with the shortest
    lines in the nomogram are dropped first, and ``keep`` chooses their number, as in ``NomogramRFE``. The result is
    measured on ``test`` or, without it, by five folds of the queries; then everything, including the choice of C and of
    the features, is repeated without the fold that is measured. With more than 100,000 documents, all choices are made
    on a random sample of the queries, as the report says.

    The default ``folder`` is named after the file of ``train``: ``t-study`` for ``t.csv``, and ``study`` for data in
    memory. Finished steps are stored in ``folder/steps``, so an interrupted study resumes where it stopped. A folder
    with a finished study of the same data is used again, also with other options; one of other data is an error, unless
    ``overwrite`` is set.

    With two to four queries, one query at a time is held out. With one query, the folds consist of its documents, and
    tests and intervals come from resampled documents: they say nothing about other queries. ``folds="pair"`` holds out
    single pairs of one query's documents, as in Thuy's "Feature selection with ranking support vector machine
    visualization". Training and held-out pairs then share documents, and all measures are far too optimistic: use it
    only to compare with that paper.

    ``C`` and ``gamma`` are used as they are if they are given; ``gamma`` is a number, ``"scale"`` or a multiple such as
    ``"scale*4"``. A given C is in the unit ``C_unit``: ``"pair"`` is LIBSVM's. With ``mode="difference"``, the model is
    a function of x_A − x_B; with the LRBF kernel it has no score of a document, and lists are ordered by wins.
    ``mode="one-orientation"`` is the paper's own machine, which learns each pair in one order and has a bias; its C is
    LIBSVM's. The default ``measure`` is NDCG@10, for folds of pairs the pair accuracy.

    Row weights are used in every fit and every resample, and rows of weight 0 are left out there. Only the ratios of
    weights matter. The measures are unweighted and include all rows. Sparse features are converted to dense ones.

    ``systems`` by name are measured in the same paired tests: scores of documents (an array with one score per measured
    row, a mapping from (query, document) to score, a ``Run``, or the path of a table or a TREC run), fitted models
    (LightGBM, XGBoost, scikit-learn, glassrank, or the path of a model file), and unfitted estimators. Fitted models
    and scores are measured as they are; estimators are fitted without the fold that is measured. ``tune`` is the number
    of settings that are tried for the LightGBM baseline, on the folds that also choose C; 0 takes LightGBM's defaults.
    Each of these systems is tested by itself, and the study's own baselines are Holm-adjusted among themselves. One
    is as good as the model if the interval of their difference lies within ±``margin``. Of partitioned data with more
    than 500,000 documents, a sample of queries is studied, and the final model is trained on all blocks.

    ``units`` by feature name, such as ``{"Freshness": "days"}``, appear in the nomogram. ``command`` is shown in the
    report as the way to reproduce it. The folder receives ``report.html``, ``model.json`` (large models also have a
    ``.npz`` file), ``effects.json``, ``selection.csv``, ``times.csv`` with the CPU seconds of each step, and for
    the app ``study.json``, ``result.json`` and the documents; of more than 100,000 documents, a sample of queries.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 12, random_state=0).data
    >>> found = gr.study(data)
    >>> found.main[found.model].mean > 0.5, gr.load_model("study/model.json").n_queries_
    (True, 30)
    """
    given = read_systems(systems)
    if tune != 0:
        check_positive("tune", tune, whole=True)
    if margin is not None:
        check_positive("margin", margin)
    check_fold_unit(folds, has_valid=valid is not None, has_test=test is not None)
    settings = {"transforms": transforms or {}, "monotone": monotone or {}}
    by_name: Any = {name: tuple(sorted(given.items(), key=lambda one: str(one[0]))) for name, given in settings.items()}
    model: Any = {"mode": mode, "loss": loss, "gamma": gamma, "C": C, "C_unit": C_unit, "keep": keep}
    measure = measure or (PAIR_ACCURACY if folds == PAIR else "ndcg@10")
    recipe = Recipe(
        kernel, measure, convention, random_state, transform, **by_name, **model, folds=StudyFolds(folds or QUERY)
    )
    check_partitioned_study(train, mode, C_unit, scale_per_query)
    watch = Stopwatch()
    with watch.step(CHECKING):
        first = counted_steps(progress)
        tell = partial(warnings.warn, stacklevel=4) if progress is None else first
        data = StudyData.of(train, valid, test, scale_per_query, first, random_state, tell)
        data.check_names(by_name)
        check_keep(keep, range(data.rows.n_features, 0, -1))
        made, digest = StudyFolds.of(folds, data.rows), data.digest
    n_fitted = 1 + is_installed() + sum(system.kind == ESTIMATOR for system in given)
    say = counted_steps(progress, total=8 + n_fitted * (made.n_measured(data.rows) if test is None else 1))
    recipe = replace(recipe.graded(data.rows, data.measured), folds=made)
    place = default_folder(train.source) if folder is None else Path(folder)
    work = _Study(recipe, data, given, tune, margin, scale_per_query, place, say, watch)
    own: dict[str, Any] = {"data": digest, "source": train.source, "overwrite": overwrite}
    # Passes over the rows have threads of their own; for small systems, threads of BLAS would wait more than compute.
    with recorded(place, title=title, command=command, **own) as finish, one_blas_thread():
        result = work.run(title, command, units)
        options = {"scale_per_query": scale_per_query, "tune": tune, "margin": margin}
        finish(record_fields(result, data, work.recipe, options))
        return result


@dataclass(frozen=True, eq=False)
class _Study:
    """The steps of a study, from the choice of C to the report."""

    recipe: Recipe
    data: StudyData
    given: tuple[GivenSystem, ...]
    tune: int
    margin: float | None
    scaling: str | None
    folder: Path
    say: Callable[[str], None]
    watch: Stopwatch

    def run(self, title: str | None, command: str, units: Mapping[str, str] | None) -> StudyResult:
        given_scores = self._given_scores()
        choice, elimination = self._chosen()
        found = self._measured(given_scores, elimination)
        with self._step("Comparing the systems"):
            comparisons = self._comparisons(found)
            guard = guard_in_words(comparisons[0], found.n_kept, self.data.rows.n_features)
            if guard and self.recipe.keep in (BEST, ONE_SE):
                elimination, found = elimination.keep_all(guard), found.keep_all(self.data.rows.n_features)
                comparisons = self._comparisons(found)
            scores = {one.name: found.scores[one.name] for one in comparisons[0].ranked}
            reliabilities = system_reliabilities(scores, self.measured.lists, self.recipe.seed)
        model, refused, kept, samples = self._trained(choice, elimination)
        with self._step("Drawing the nomogram"):
            labels = self._labels(found, elimination)
            compared = tuple(replace(one, labels=labels, systems=one.ranked) for one in comparisons)
            explained, shown = self._explained(model, kept.feature_names)
            listed = self._list_scores(found, explained, shown)
            pair = choose_example_pair(model, shown[KEPT], self._baseline_scores(found, listed))
            picture = draw_example_nomogram(model, shown[KEPT], pair, samples, units)
            scale = -model.slope_ if isinstance(model, PairCalibrator) else 1.0
            elimination = elimination.in_units_of(picture.effects, kept, scale)
        with self._step("Finding the hardest queries"):
            failures = find_hardest_queries(
                [RankedSystem(labels[key], one, shown[key], listed[key]) for key, one in explained.items()],
                self.recipe.measure,
                self.recipe.convention,
            )
            hardest = [query.query for one in failures for query in one.queries]
            offered = list_picker_queries(picture, shown[KEPT], model, listed[KEPT], self.recipe, pair, hardest)
        called = f"A ranker with {counted(kept.n_features, 'feature')} you can see through"
        result = StudyResult(
            title=title or called + (", without probabilities" if refused else ""),
            facts=self._facts(elimination, choice, model),
            choice=choice,
            model=KEPT,
            measured=self.measured.words,
            comparisons=compared,
            reliabilities=reliabilities,
            nomogram=picture,
            picker_queries=offered,
            elimination=elimination,
            failures=failures,
            commands=(command,) if command else (),
            versions=library_versions(*LIBRARIES, *(ENGINES[name] for name in ENGINES if name in found.scores)),
            folder=self.folder,
            scores=found.scores,
            explained=explained,
            shown=shown,
            notes=(*self._notes(found), *not_explained([labels[key] for key in explained], failures)),
            settings=found.settings,
            n_kept=found.n_kept,
            times=dict(self.watch.seconds),
            no_probabilities="" if refused is None else refused.problem,
        )
        with self._step(WRITING):
            write_files(result, model, samples, query_scaling=self.scaling)
            held_out = found.scores if self.measured.by_query else listed
            save_documents(result, self.data.rows, self.data.test, held_out, self.recipe.seed)
        write_times(self.folder / "times.csv", self.watch.seconds)
        return result

    def _comparisons(self, found: MeasuredSystems) -> tuple[Comparison, ...]:
        """Compare all systems with the model; each one that the user gave is tested by itself."""
        asked = [one.name for one in self.given if one.name in found.scores]
        tested: Any = {"baseline": KEPT, "random_state": self.recipe.seed, "margin": self.margin, "asked": asked}
        return tuple(self.measured.compare(found.scores, self.recipe.measure, self.recipe.convention, **tested))

    @contextmanager
    def _step(self, label: str) -> Iterator[None]:
        """Report a step that is not stored, and measure its CPU time."""
        self.say(label)
        with self.watch.step(label):
            yield
        release_freed_memory()

    @cached_property
    def measured(self) -> MeasuredLists:
        """The lists on which the systems are measured."""
        return MeasuredLists.of(self.data.rows, self.data.test, self.recipe.folds)

    def _list_scores(
        self, found: MeasuredSystems, explained: Mapping[str, Any], shown: Mapping[str, RankingData]
    ) -> dict[str, FloatArray]:
        """Return a score of each measured document by each explained model, by which the lists of queries are shown.

        If a query's documents are in different folds, their held-out scores are of different models, and not
        comparable: the final models then rank them.
        """
        if self.measured.by_query:
            return {key: found.scores[key] for key in explained}
        return {key: list_scores(one, shown[key].table, shown[key].groups) for key, one in explained.items()}

    def _baseline_scores(self, found: MeasuredSystems, listed: Mapping[str, FloatArray]) -> FloatArray:
        """Return the scores of another system, whose first document the example compares with the model's."""
        if not self.measured.by_query:
            return listed[KEPT]
        return found.scores.get(SINGLE, found.scores.get(FULL, found.scores[KEPT]))

    @property
    def has_test(self) -> bool:
        return self.data.test is not None

    def _given_scores(self) -> dict[str, FloatArray]:
        """Return the scores of systems that the study does not fit; a fault in them is found before any work."""
        documents, place = self.data.raw_measured, self.measured.place
        systems = (one for one in self.given if one.kind != ESTIMATOR)
        return {one.name: one.scores(documents, (self.data.raw,))[place] for one in systems}

    @cached_property
    def steps(self) -> Steps:
        """The stored steps of the study's own model."""
        return self._steps_with({})

    def _steps_with(self, more: Mapping[str, Any]) -> Steps:
        """Return the stored steps of these data and options."""
        # A change of a library invalidates stored steps, so that the versions in the report are those of all results.
        versions = library_versions(*LIBRARIES, *ENGINES.values())
        options = self.recipe.options | {"scale_per_query": self.scaling, "versions": versions} | dict(more)
        return Steps(self.folder / "steps", fingerprint(options | {"data": self.data.digest}), self.say, self.watch)

    def _chosen(self) -> tuple[Choice, EliminationResult]:
        """Choose C and γ, and drop features."""
        steps, rows, by_pair = self.steps, self.data.rows, self.recipe.folds.unit == PAIR
        choice = steps.run(
            "C",
            lambda: self.recipe.choose(self.measured.data if by_pair else rows, self.data.valid),
            Choice.to_dict,
            Choice.from_dict,
            label=f"Choosing C on held-out {self.recipe.folds.plural}",
        )
        elimination = steps.run(
            "elimination",
            lambda: self.recipe.eliminate(rows, choice, nested=not by_pair, by_pair=by_pair).result_,
            EliminationResult.to_dict,
            EliminationResult.from_dict,
            label=f"Eliminating features{'' if by_pair else ', nested estimate included'}",
        )
        return choice, elimination

    def _measured(self, given_scores: dict[str, FloatArray], elimination: EliminationResult) -> MeasuredSystems:
        """Score the measured documents by every system."""
        rows, own = self.data.rows, self.recipe.held_out_scores
        found = measure_by_folds(own, self._fold_systems(), rows, self.data.valid, self.measured, self.steps)
        scores = found.scores | given_scores
        if elimination.n_kept == rows.n_features:
            # The model of all features is then the study's own.
            scores.pop(FULL)
        order = (*SYSTEMS, *(one.name for one in self.given))
        return replace(found, scores={key: scores[key] for key in order if key in scores})

    def _trained(
        self, choice: Choice, elimination: EliminationResult
    ) -> tuple[Any, NoProbabilitiesError | None, RankingData, EffectSamples]:
        """Train the model on all queries; return it, why it has no probabilities, its data and resampled effects."""
        with self._step("Training and calibrating on all queries"):
            selected = {line.feature for line in elimination.kept}
            kept = self.data.rows.counted()
            kept = kept.pick_features([name for name in kept.feature_names if name in selected])
            model, refused = self.recipe.calibrated(kept, choice, self.data.whole)
        settings: Any = {"n_resamples": RESAMPLES[self.recipe.kernel], "random_state": self.recipe.seed}
        # A resample of very few queries often consists of copies of one.
        samples = resampled_effects(model, kept, self.steps, within_queries=self.recipe.folds.leave_one_out, **settings)
        return model if refused else model.set_params(cv=INNER_FOLDS), refused, kept, samples

    def _labels(self, found: MeasuredSystems, elimination: EliminationResult) -> dict[str, str]:
        given = {one.name: one.label_in_report(has_test=self.has_test) for one in self.given}
        n_features = self.data.rows.n_features
        return found.labels(self.recipe.model_in_words, elimination.n_kept, n_features, self.tune, given)

    def _explained(self, model: Any, kept: Sequence[str]) -> tuple[dict[str, Any], dict[str, RankingData]]:
        """Return the models that can explain a pair, and the measured documents with the features of each."""
        explained, shown = {KEPT: model}, {KEPT: self.data.measured.pick_features(kept)}
        for one in self.given:
            if one.kind != SCORES:
                is_fitted = one.kind == MODEL
                seen = self.data.raw_measured if is_fitted else self.data.rows
                explained[one.name] = one.explained(seen, self.recipe.seed, self.recipe.folds.calibration)
                shown[one.name] = one.shown(self.data.raw_measured) if is_fitted else self.data.measured
        return explained, shown

    def _facts(self, elimination: EliminationResult, choice: Choice, model: Any) -> dict[str, str]:
        evaluation = self.measured.words.evaluation
        rows, test, valid = self.data.rows, self.data.test, self.data.valid
        facts = study_facts(rows, test, elimination, self.recipe, choice, model, evaluation, valid)
        cost = {} if self.scaling is None else {"Scaled within each query": f"{self.scaling}; {PER_QUERY_COST}"}
        fewer = pairs_per_query(model, rows.counted())
        pairs = {} if fewer is None else {"Pairs of a query in a resample": f"{fewer}, for the intervals of effects"}
        repeated = [words for part in (self.data.raw, test) if part is not None and (words := str(part.duplicates))]
        duplicates = {"Duplicated documents": "; ".join(repeated)} if repeated else {}
        return facts | duplicates | cost | pairs | sample_facts(self.data.whole, self.data.rows)

    def _fold_systems(self) -> list[FoldSystem]:
        """Return LightGBM, if it is installed, and the given estimators; each has steps of its own fingerprint."""
        made = []
        if is_installed():
            own = self._steps_with({"tune": self.tune})
            made.append(
                FoldSystem(LIGHTGBM, "lightgbm", "LightGBM", own, partial(self.recipe.boosted_scores, self.tune))
            )
        for system in self.given:
            if system.kind == ESTIMATOR:
                digest = system.digest
                own, step = self._steps_with({"system": digest}), f"system-{digest[:12]}"
                made.append(FoldSystem(system.name, step, system.label, own, system.fold_scores))
        return made

    def _notes(self, found: MeasuredSystems) -> tuple[str, ...]:
        """Say how LightGBM was tuned, or why it is missing, and how the given systems were measured."""
        notes = [one.note(self.data.raw_measured, self.has_test) for one in self.given]
        if not has_gains(self.data.measured.y, self.recipe.convention):
            notes.append(NO_GAINS)
        if not found.settings:
            return ("LightGBM is not among the systems, because it is not installed.", *notes)
        return (tuning_in_words(self.tune, found.settings), *notes) if self.tune else tuple(notes)
