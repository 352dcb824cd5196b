"""gr.study(): train, measure, simplify and explain a ranker of judged documents, and write a report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import DataError, FloatArray, IntArray, check_positive
from glassrank.core.column_transforms import STANDARD
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.join_data import join_data
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import make_folder
from glassrank.metrics.compare import compare
from glassrank.metrics.comparison import Comparison
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.ranking.calibration import PairCalibrator
from glassrank.studies.library_versions import library_versions
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.dense_features import dense_features
from glassrank.studies.ranking.facts import study_facts
from glassrank.studies.ranking.given_systems import (
    ESTIMATOR,
    MODEL,
    SCORES,
    GivenSystem,
    in_training_levels,
    read_systems,
)
from glassrank.studies.ranking.output_files import write_effects, write_selection
from glassrank.studies.ranking.page_files import write_page
from glassrank.studies.ranking.picker_queries import list_picker_queries
from glassrank.studies.ranking.recipe import INNER_FOLDS, Recipe
from glassrank.studies.ranking.report.hardest_queries import RankedSystem, find_hardest_queries
from glassrank.studies.ranking.resampled_models import resampled_effects
from glassrank.studies.ranking.result import StudyResult
from glassrank.studies.ranking.shown_documents import choose_example_pair, draw_example_nomogram
from glassrank.studies.ranking.systems import (
    FULL,
    KEPT,
    LIGHTGBM,
    SINGLE,
    SYSTEMS,
    FoldScores,
    FoldSystem,
    MeasuredSystems,
    measure_by_folds,
    system_reliability,
)
from glassrank.studies.ranking.tuned_lightgbm import is_installed, tuning_in_words
from glassrank.studies.resumable_steps import Steps, fingerprint
from glassrank.studies.study_folder import alone_in_folder

N_FOLDS = 5
PER_QUERY_COST = "a score depends on the other documents of the query, so a search engine cannot compute it"
RESAMPLES = {"linear": 60, "lrbf": 30}
LIBRARIES = ("numpy", "scipy", "scikit-learn")
ENGINES = {LIGHTGBM: "LightGBM"}  # key of a system -> the library that it needs
SETTINGS_TRIED = 20
MEASURES = ("ndcg@1", "ndcg@5", "ndcg@10", "map")


@alone_in_folder
def study(
    train: RankingData,
    valid: RankingData | None = None,
    test: RankingData | None = None,
    folder: str | Path = "out",
    *,
    kernel: str = "linear",
    measure: str = "ndcg@10",
    convention: str = "standard",
    transform: str = STANDARD,
    transforms: Mapping[str, str] | None = None,
    monotone: Mapping[str, int] | None = None,
    scale_per_query: str | None = None,
    random_state: int = 0,
    title: str | None = None,
    command: str = "",
    units: Mapping[str, str] | None = None,
    systems: Mapping[str, Any] | None = None,
    tune: int = SETTINGS_TRIED,
    progress: Progress | None = None,
) -> StudyResult:
    """Train a ranking SVM, select features, measure, calibrate, explain, and write a report into ``folder``.

    Features are transformed as in ``FeatureTransformer``, by default standardised; ``transforms`` by feature name, such
    as ``{"price": "log"}``, have precedence over ``transform``. Missing values and categories have effects of their
    own. Features in ``monotone``, such as ``{"price": -1}``, only rise (1) or only fall (−1), also in the LightGBM
    baseline. With ``scale_per_query``, ``"minmax"`` or ``"zscore"``, features are first scaled within each query; a
    score then depends on the other documents of the query, so that a search engine cannot compute it.

    C, and γ of the LRBF kernel, are chosen on ``valid``, or by three folds of the training queries; the model is then
    trained on both. A best C at the end of the grid extends the grid. Features with the shortest lines in the nomogram
    are dropped first. The result is measured on ``test`` or, without it, by five folds of the queries; then everything,
    including the choice of C and of the features, is repeated without the fold that is measured. Finished steps are
    stored in ``folder/steps``, so an interrupted study resumes where it stopped.

    Row weights are used in every fit and every resample, and rows of weight 0 are left out there. Only the ratios of
    weights matter. The measures are unweighted and include all rows. Sparse features are converted to dense ones.

    ``systems`` by name are measured in the same paired tests: scores of documents (an array with one score per measured
    row, a mapping from (query, document) to score, a ``Run``, or the path of a table or a TREC run), fitted models
    (LightGBM, XGBoost, scikit-learn, glassrank, or the path of a model file), and unfitted estimators. Fitted models
    and scores are measured as they are; estimators are fitted without the fold that is measured. ``tune`` is the number
    of settings that are tried for the LightGBM baseline, on the folds that also choose C; 0 takes LightGBM's defaults.

    ``units`` by feature name, such as ``{"Freshness": "days"}``, appear in the nomogram. ``command`` is shown in the
    report as the way to reproduce it. The folder receives ``report.html``, ``model.json`` (large models also have a
    ``.npz`` file), ``effects.json`` and ``selection.csv``.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 12, random_state=0).data
    >>> found = gr.study(data, folder="study")
    >>> found.main[found.model].mean > 0.5, gr.load_model("study/model.json").n_queries_
    (True, 30)
    """
    given = read_systems(systems)
    if tune != 0:
        check_positive("tune", tune, whole=True)
    n_fitted = 1 + is_installed() + sum(system.kind == ESTIMATOR for system in given)
    say = counted_steps(progress, total=7 + n_fitted * (N_FOLDS if test is None else 1))
    by_name = {"transforms": _sorted(transforms), "monotone": _sorted(monotone)}
    recipe = Recipe(kernel, measure, convention, random_state, transform, **by_name)
    folder = Path(folder)
    train = dense_features(train, say)
    valid, test = (None if part is None else dense_features(part, say) for part in (valid, test))
    raw, valid_rows = _training_rows(train, valid)
    _check_test(raw, test)
    _check_names(raw, by_name)
    raw_test = None if test is None else in_training_levels(test, raw.kinds)
    raw_measured = raw if raw_test is None else raw_test
    scores = {one.name: one.scores(raw_measured, (raw,)) for one in given if one.kind != ESTIMATOR}
    data, test = raw, raw_test
    if scale_per_query is not None:
        data, test = raw.scaled(scale_per_query), None if test is None else test.scaled(scale_per_query)
    # A change of a library invalidates stored steps, so that the versions in the report are those of all results.
    versions = library_versions(*LIBRARIES, *ENGINES.values())
    options = (recipe.options | {"scale_per_query": scale_per_query, "versions": versions}, (train, valid, test))
    steps = Steps(folder / "steps", fingerprint(options[0], *options[1]), say)
    choice = steps.run(
        "C",
        lambda: recipe.choose(data, valid_rows),
        Choice.to_dict,
        Choice.from_dict,
        label="Choosing C on held-out queries",
    )
    elimination = steps.run(
        "elimination",
        lambda: recipe.eliminate(data, choice, nested=True).result_,
        EliminationResult.to_dict,
        EliminationResult.from_dict,
        label="Eliminating features, nested estimate included",
    )
    measured = data if test is None else test
    fitted = _fold_systems(recipe, tune, given, folder, options, say)
    found = measure_by_folds(recipe.held_out_scores, fitted, data, valid_rows, test, steps, N_FOLDS)
    say("Training and calibrating on all queries")
    kept_names = [name for name in data.feature_names if name in {line.feature for line in elimination.kept}]
    kept = data.counted().pick_features(kept_names)
    model = recipe.calibrated(kept, choice)
    samples = resampled_effects(model, kept, steps, n_resamples=RESAMPLES[recipe.kernel], random_state=recipe.seed)
    say("Comparing the systems")
    if elimination.n_kept == data.n_features:
        # The model of all features is then the study's own.
        found.scores.pop(FULL)
    measured_systems = replace(found, scores=_in_order(found.scores | scores, [one.name for one in given]))
    labels = measured_systems.labels(
        kernel,
        len(kept_names),
        data.n_features,
        tune,
        {one.name: one.label_in_report(has_test=test is not None) for one in given},
    )
    comparisons = tuple(replace(one, labels=labels) for one in _compare(measured_systems.scores, measured, recipe))
    explained, shown_by = {KEPT: model}, {KEPT: measured.pick_features(kept_names)}
    for one in given:
        if one.kind != SCORES:
            is_fitted = one.kind == MODEL
            explained[one.name] = one.explained(raw_measured if is_fitted else data, random_state, INNER_FOLDS)
            shown_by[one.name] = one.shown(raw_measured) if is_fitted else measured
    say("Drawing the nomogram")
    shown = shown_by[KEPT]
    pair = choose_example_pair(model, shown, found.scores.get(SINGLE, found.scores.get(FULL, found.scores[KEPT])))
    picture = draw_example_nomogram(model, shown, pair, samples, units)
    result = StudyResult(
        title=title or f"A ranker with {counted(len(kept_names), 'feature')} you can see through",
        facts=study_facts(data, test, elimination, recipe, choice, model, found.evaluation)
        | ({} if scale_per_query is None else {"Scaled within each query": f"{scale_per_query}; {PER_QUERY_COST}"}),
        choice=choice,
        model=KEPT,
        evaluation=found.evaluation,
        comparisons=comparisons,
        reliabilities={
            key: system_reliability(values, measured, random_state) for key, values in measured_systems.scores.items()
        },
        nomogram=picture,
        picker_queries=list_picker_queries(picture, shown, model, found.scores[KEPT], recipe, pair),
        elimination=elimination,
        failures=find_hardest_queries(
            [
                RankedSystem(labels[key], one, shown_by[key], measured_systems.scores[key])
                for key, one in explained.items()
            ],
            measure,
            convention,
        ),
        commands=(command,) if command else (),
        versions=library_versions(*LIBRARIES, *(ENGINES[name] for name in ENGINES if name in found.scores)),
        folder=folder,
        scores=measured_systems.scores,
        explained=explained,
        shown=shown_by,
        notes=_notes(given, raw_measured, found, tune, has_test=test is not None),
        settings=found.settings,
        n_kept=found.n_kept,
    )
    say("Writing the report")
    return _write(result, model, kept, samples, scale_per_query)


def _write(
    result: StudyResult, model: PairCalibrator, kept: RankingData, samples: EffectSamples, query_scaling: str | None
) -> StudyResult:
    if result.folder is None:
        raise DataError(parameter="folder", expected="a folder for the files of the study", got=None)
    make_folder(result.folder)
    save_model(model, result.folder / "model.json", query_scaling=query_scaling)
    write_effects(result.folder / "effects.json", result.nomogram.effects, samples, kept)
    write_selection(result.folder / "selection.csv", result.elimination)
    write_page(result, result.folder / "report.html")
    return result


def _training_rows(train: RankingData, valid: RankingData | None) -> tuple[RankingData, IntArray | None]:
    """All rows to train on, and which of them are for validation."""
    _check_part("Training data", train)
    if valid is None:
        return train, None
    _check_part("Validation data", valid)
    _check_same_features(train, valid, "validation")
    _check_other_queries(train, valid, "validation")
    return join_data([train, valid]), train.n_rows + np.arange(valid.n_rows)


def _check_test(data: RankingData, test: RankingData | None) -> None:
    # Three folds within three folds, and five folds without test data: both need five queries.
    _check_comparable("Training data", data.counted(), N_FOLDS)
    if test is not None:
        _check_part("Test data", test)
        _check_same_features(data, test, "test")
        _check_other_queries(data, test, "test")
        _check_comparable("Test data", test, 1)


def _check_part(name: str, data: RankingData) -> None:
    data.check_judged(name)


def _sorted(given: Mapping[str, Any] | None) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((given or {}).items()))


def _check_names(data: RankingData, settings: Mapping[str, tuple[tuple[str, Any], ...]]) -> None:
    """Raise an error if settings by feature name contain an unknown name."""
    for parameter, given in settings.items():
        unknown = next((name for name, _ in given if name not in data.feature_names), None)
        if unknown is not None:
            raise DataError(
                f"{parameter} must name features of the data: got {unknown!r}.", parameter=parameter, got=unknown
            )


def _check_comparable(name: str, data: RankingData, minimum: int) -> None:
    lists = (data.y[data.groups.rows(query)] for query in range(data.n_queries))
    found = sum(bool(labels.min() < labels.max()) for labels in lists)
    if found < minimum:
        raise DataError(
            f"{name} must have at least {counted(minimum, 'query', 'queries')} with documents of different labels: got "
            f"{found} among {counted(data.n_queries, 'query', 'queries')}.",
            parameter=name,
            remedy="Add judged queries.",
        )


def _check_same_features(train: RankingData, other: RankingData, name: str) -> None:
    expected, got = train.feature_names, other.feature_names
    if expected != got:
        place = next((k for k, (one, two) in enumerate(zip(expected, got, strict=False)) if one != two), None)
        what = f"{len(expected)} features, got {len(got)}"
        if place is not None:
            what = f"{expected[place]!r} as feature {place + 1}, got {got[place]!r}"
        raise DataError(
            f"The {name} data must have the features of the training data, in the same order: expected {what}.",
            remedy=("Give both files the same columns in the same order", f"pick them with {setting('pick_features')}"),
        )


def _check_other_queries(train: RankingData, other: RankingData, name: str) -> None:
    shared = np.intersect1d(train.groups.ids.astype(np.str_), other.groups.ids.astype(np.str_))
    if len(shared):
        raise DataError(
            f"The {name} data share {counted(len(shared), 'query', 'queries')} with the training data, the first "
            f"{shared[0]}: a model cannot be measured on queries that it was trained on.",
            remedy="Rename or remove it.",
        )


def _fold_systems(
    recipe: Recipe, n_settings: int, given: Sequence[GivenSystem], folder: Path, options: Any, say: Any
) -> list[FoldSystem]:
    """Return LightGBM, if it is installed, and the given estimators; each has steps of its own fingerprint."""
    made = []
    if is_installed():
        boosting = recipe.boosting(n_settings)

        def boosted(train: RankingData, test: RankingData, valid: IntArray | None) -> FoldScores:
            booster, setting = boosting.fit(train, valid)
            return FoldScores(boosting.scores(booster, test), setting.to_dict())

        own = Steps(folder / "steps", fingerprint(options[0] | {"tune": n_settings}, *options[1]), say)
        made.append(FoldSystem(LIGHTGBM, "lightgbm", "LightGBM", own, boosted))
    for system in given:
        if system.kind == ESTIMATOR:
            digest = system.digest
            own = Steps(folder / "steps", fingerprint(options[0] | {"system": digest}, *options[1]), say)
            score = partial(_fitted_scores, system)
            made.append(FoldSystem(system.name, f"system-{digest[:12]}", system.label, own, score))
    return made


def _fitted_scores(
    system: GivenSystem, train: RankingData, test: RankingData, valid: IntArray | None = None
) -> FoldScores:
    return FoldScores(system.fold_scores(train, test))


def _in_order(scores: dict[str, FloatArray], given: Sequence[str]) -> dict[str, FloatArray]:
    """Return the scores with the study's own systems first, then the given ones as they were given."""
    return {key: scores[key] for key in (*SYSTEMS, *given) if key in scores}


def _notes(
    given: Sequence[GivenSystem], data: RankingData, found: MeasuredSystems, tune: int, *, has_test: bool
) -> tuple[str, ...]:
    """Say how LightGBM was tuned, or why it is missing, and how the given systems were measured."""
    notes = [one.note(data, has_test) for one in given]
    if not found.settings:
        return ("LightGBM is not among the systems, because it is not installed.", *notes)
    return (tuning_in_words(tune, found.settings), *notes) if tune else tuple(notes)


def _compare(systems: dict[str, FloatArray], data: RankingData, recipe: Recipe) -> tuple[Comparison, ...]:
    wanted = dict.fromkeys([recipe.measure, *MEASURES])
    return tuple(
        compare(
            systems,
            data.y,
            qid=data.qid,
            measure=measure,
            baseline=KEPT,
            convention=recipe.convention,
            random_state=recipe.seed,
        )
        for measure in wanted
    )
