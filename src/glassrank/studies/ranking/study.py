"""gr.study(): train, measure, simplify and explain a ranker of judged documents, and write a report."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import numpy as np

from glassrank import __version__
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import DataError, FloatArray, IntArray, check_finite
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.join_data import join_data
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.metrics.compare import compare
from glassrank.metrics.comparison import Comparison
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.nomograms.named_effects import named_effects
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.query_folds import query_folds
from glassrank.studies.ranking.dense_features import dense_features
from glassrank.studies.ranking.output_files import write_effects, write_selection
from glassrank.studies.ranking.page import page
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.result import StudyResult
from glassrank.studies.ranking.shown_documents import (
    choose_example_pair,
    draw_example_nomogram,
    find_hardest_queries,
    list_picker_queries,
)
from glassrank.studies.ranking.systems import KEPT, SINGLE, HeldOutScores, MeasuredSystems, join_folds
from glassrank.studies.resumable_steps import Steps, fingerprint
from glassrank.studies.study_folder import alone_in_folder

N_FOLDS = 5
RESAMPLES = {"linear": 60, "lrbf": 30}
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
    random_state: int = 0,
    title: str | None = None,
    command: str = "",
    units: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> StudyResult:
    """Train a ranking SVM, select features, measure, calibrate, explain, and write a report into ``folder``.

    Features are standardised by the training data. C is chosen on ``valid``, or by three folds of the training
    queries; the model is then trained on both. Features with the shortest lines in the nomogram are dropped first. The
    result is measured on ``test`` or, without it, by five folds of the queries; then everything, including the choice
    of C and of the features, is repeated without the fold that is measured. Finished steps are stored in
    ``folder/steps``, so an interrupted study resumes where it stopped.

    Row weights are used in every fit and every resample, and rows of weight 0 are left out there. Only the ratios of
    weights matter. The measures are unweighted and include all rows. Sparse features are converted to dense ones.

    ``units`` by feature name, such as ``{"Freshness": "days"}``, appear in the nomogram. ``command`` is shown in the
    report as the way to reproduce it. The folder receives ``report.html``, ``model.json`` (large models also have a
    ``.npz`` file), ``effects.json`` and ``selection.csv``.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 12, random_state=0).data
    >>> found = gr.study(data, folder="study")
    >>> found.main[found.model].mean > 0.5, gr.load_model("study/model.json").n_queries_
    (True, 30)
    """
    say = counted_steps(progress, total=7 + (N_FOLDS if test is None else 1))
    recipe = Recipe(kernel, measure, convention, random_state)
    folder = Path(folder)
    train = dense_features(train, say)
    valid, test = (None if part is None else dense_features(part, say) for part in (valid, test))
    data, valid_rows = _training_rows(train, valid)
    _check_test(data, test)
    steps = Steps(folder / "steps", fingerprint(recipe.options, train, valid, test), say)
    C = steps.run("C", lambda: recipe.choose_c(data, valid_rows), label="Choosing C on held-out queries")
    elimination = steps.run(
        "elimination",
        lambda: recipe.eliminate(data, C, nested=True).result_,
        EliminationResult.to_dict,
        EliminationResult.from_dict,
        label="Eliminating features, nested estimate included",
    )
    measured = data if test is None else test
    systems = _held_out(recipe, data, valid_rows, test, steps)
    say("Training and calibrating on all queries")
    kept_names = [name for name in data.feature_names if name in {line.feature for line in elimination.kept}]
    kept = data.counted().pick_features(kept_names)
    model = recipe.calibrated(kept, C)
    say("Resampling queries for intervals")
    samples = _samples(model, kept, recipe)
    say("Comparing with the baselines")
    labels = systems.labels(kernel, len(kept_names), data.n_features)
    comparisons = tuple(replace(one, labels=labels) for one in _compare(systems.scores, measured, recipe))
    say("Drawing the nomogram")
    shown = measured.pick_features(kept_names)
    pair = choose_example_pair(model, shown, systems.scores[SINGLE])
    picture = draw_example_nomogram(model, shown, pair, samples, units)
    result = StudyResult(
        title=title or f"A ranker with {counted(len(kept_names), 'feature')} you can see through",
        facts=_facts(data, test, elimination, recipe, C, systems.evaluation),
        model=KEPT,
        evaluation=systems.evaluation,
        comparisons=comparisons,
        reliability=model.calibration_,
        nomogram=picture,
        picker_queries=list_picker_queries(picture, shown, model, pair),
        elimination=elimination,
        hardest=find_hardest_queries(model, shown, systems.scores[KEPT], recipe),
        commands=(command,) if command else (),
        versions=_versions(),
        folder=folder,
    )
    say("Writing the report")
    return _write(result, model, kept, samples)


def _write(result: StudyResult, model: PairCalibrator, kept: RankingData, samples: EffectSamples) -> StudyResult:
    if result.folder is None:
        raise DataError(parameter="folder", expected="a folder for the files of the study", got=None)
    make_folder(result.folder)
    save_model(model, result.folder / "model.json")
    write_effects(result.folder / "effects.json", result.nomogram.effects, samples, kept)
    write_selection(result.folder / "selection.csv", result.elimination)
    write_atomically(result.folder / "report.html", page(result).encode())
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
    check_finite(name, data.X, "A ranking SVM cannot use missing values: fill them first.")


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


def _held_out(
    recipe: Recipe, data: RankingData, valid: IntArray | None, test: RankingData | None, steps: Steps
) -> MeasuredSystems:
    """Scores of every measured document by models that have not seen its query."""
    written = (HeldOutScores.to_dict, HeldOutScores.from_dict)
    if test is not None:
        compute = partial(recipe.held_out_scores, data, test, valid)
        found = steps.run("test", compute, *written, label="Measuring on the test queries")
        return MeasuredSystems(found.by_system, found.single_feature, "test queries")
    parts = []
    folds = query_folds(N_FOLDS, data.X, data.y, data.groups)
    for number, (rest, rows) in enumerate(folds, start=1):
        compute = partial(recipe.held_out_scores, data.pick_rows(rest), data.pick_rows(rows))
        label = f"Measuring on held-out queries, fold {number} of {N_FOLDS}"
        parts.append((rows, steps.run(f"fold-{number}", compute, *written, label=label)))
    return join_folds(parts, data.n_rows, f"held-out queries ({N_FOLDS} folds)")


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


def _samples(model: PairCalibrator, kept: RankingData, recipe: Recipe) -> EffectSamples:
    made = bootstrap_effects(
        model,
        kept.X,
        kept.y,
        kept.qid,
        kept.weights,
        n_resamples=RESAMPLES[recipe.kernel],
        random_state=recipe.seed,
    )
    return EffectSamples(tuple(named_effects(one, None, kept.feature_names) for one in made.replicates))


def _facts(
    data: RankingData,
    test: RankingData | None,
    elimination: EliminationResult,
    recipe: Recipe,
    C: float,
    evaluation: str,
) -> dict[str, str]:
    labels = np.unique(data.y)
    shown = " / ".join(f"{label:g}" for label in labels) if len(labels) <= 6 else f"{len(labels):,} values"
    trained = f"{data.n_queries:,} queries, {data.n_rows:,} documents"
    facts = {"Training": trained}
    if data.weights is not None:
        absent = counted(int((data.weights == 0).sum()), "row")
        facts["Weights"] = f"in every fit, {absent} of weight 0 left out; measures are unweighted and keep all rows"
    if test is not None:
        facts["Test"] = f"{test.n_queries:,} queries, {test.n_rows:,} documents"
    return facts | {
        "Features": f"{elimination.n_kept} of {data.n_features} kept",
        "Labels": shown,
        "Model": f"RankSVM, {recipe.kernel}, mean C = {C:g}, standardised features",
        "Measured on": f"{evaluation}, convention “{recipe.convention}”",
    }


def _versions() -> dict[str, str]:
    found = {"glassrank": __version__, "Python": python_version()}
    return found | {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
