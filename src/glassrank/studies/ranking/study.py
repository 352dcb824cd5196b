"""gr.study(): train, measure, simplify and explain a ranker of judged documents, and write a report."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from glassrank import __version__
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.column_transforms import STANDARD
from glassrank.core.feature_kinds import BOOLEAN
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.join_data import join_data
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import make_folder
from glassrank.metrics.compare import compare
from glassrank.metrics.comparison import Comparison
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.nomograms.named_effects import named_effects
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.query_folds import query_folds
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.dense_features import dense_features
from glassrank.studies.ranking.hardest_queries import RankedSystem, find_hardest_queries
from glassrank.studies.ranking.output_files import write_effects, write_selection
from glassrank.studies.ranking.page_files import write_page
from glassrank.studies.ranking.picker_queries import list_picker_queries
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.result import StudyResult
from glassrank.studies.ranking.shown_documents import choose_example_pair, draw_example_nomogram
from glassrank.studies.ranking.systems import FULL, KEPT, SINGLE, HeldOutScores, MeasuredSystems, join_folds
from glassrank.studies.resumable_steps import Steps, fingerprint
from glassrank.studies.study_folder import alone_in_folder

N_FOLDS = 5
PER_QUERY_COST = "a score depends on the other documents of the query, so a search engine cannot compute it"
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
    transform: str = STANDARD,
    transforms: Mapping[str, str] | None = None,
    monotone: Mapping[str, int] | None = None,
    scale_per_query: str | None = None,
    random_state: int = 0,
    title: str | None = None,
    command: str = "",
    units: Mapping[str, str] | None = None,
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
    by_name = {"transforms": _sorted(transforms), "monotone": _sorted(monotone)}
    recipe = Recipe(kernel, measure, convention, random_state, transform, **by_name)
    folder = Path(folder)
    train = dense_features(train, say)
    valid, test = (None if part is None else dense_features(part, say) for part in (valid, test))
    if scale_per_query is not None:
        train = train.scaled(scale_per_query)
        valid, test = (None if part is None else part.scaled(scale_per_query) for part in (valid, test))
    data, valid_rows = _training_rows(train, valid)
    _check_test(data, test)
    options = recipe.options | {"scale_per_query": scale_per_query}
    steps = Steps(folder / "steps", fingerprint(options, train, valid, test), say)
    _check_names(data, by_name)
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
    systems = _held_out(recipe, data, valid_rows, test, steps)
    say("Training and calibrating on all queries")
    kept_names = [name for name in data.feature_names if name in {line.feature for line in elimination.kept}]
    kept = data.counted().pick_features(kept_names)
    model = recipe.calibrated(kept, choice)
    say("Resampling queries for intervals")
    samples = _samples(model, kept, recipe)
    say("Comparing with the baselines")
    labels = systems.labels(kernel, len(kept_names), data.n_features)
    comparisons = tuple(replace(one, labels=labels) for one in _compare(systems.scores, measured, recipe))
    say("Drawing the nomogram")
    shown = measured.pick_features(kept_names)
    pair = choose_example_pair(model, shown, systems.scores.get(SINGLE, systems.scores[FULL]))
    picture = draw_example_nomogram(model, shown, pair, samples, units)
    result = StudyResult(
        title=title or f"A ranker with {counted(len(kept_names), 'feature')} you can see through",
        facts=_facts(data, test, elimination, recipe, choice, model, systems.evaluation)
        | ({} if scale_per_query is None else {"Scaled within each query": f"{scale_per_query}; {PER_QUERY_COST}"}),
        choice=choice,
        model=KEPT,
        evaluation=systems.evaluation,
        comparisons=comparisons,
        reliability=model.calibration_,
        nomogram=picture,
        picker_queries=list_picker_queries(picture, shown, model, systems.scores[KEPT], recipe, pair),
        elimination=elimination,
        failures=find_hardest_queries(
            [RankedSystem(labels[KEPT], model, shown, systems.scores[KEPT])], measure, convention
        ),
        commands=(command,) if command else (),
        versions=_versions(),
        folder=folder,
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
        kept.table,
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
    choice: Choice,
    model: PairCalibrator,
    evaluation: str,
) -> dict[str, str]:
    labels = np.unique(data.y)
    shown = " / ".join(f"{label:g}" for label in labels) if len(labels) <= 6 else f"{len(labels):,} values"
    trained = f"{data.n_queries:,} queries, {data.n_rows:,} documents"
    facts = {"Training": trained}
    if data.weights is not None:
        facts["Weights"] = _weights_in_words(data.weights)
    kinds = _kinds_in_words(data)
    if kinds:
        facts["Columns"] = kinds
    if test is not None:
        facts["Test"] = f"{test.n_queries:,} queries, {test.n_rows:,} documents"
    if recipe.monotone:
        ways = {1: "rises", -1: "falls"}
        facts["Held to one direction"] = ", ".join(f"{name} only {ways[way]}" for name, way in recipe.monotone)
    return facts | {
        "Features": f"{elimination.n_kept} of {data.n_features} kept",
        "Labels": shown,
        "Model": f"RankSVM, {recipe.kernel}, mean C = {choice.C:g}{_gamma_in_words(recipe, choice)}",
        "Transforms": _transforms_in_words(model),
        "Measured on": f"{evaluation}, convention “{recipe.convention}”",
    }


def _gamma_in_words(recipe: Recipe, choice: Choice) -> str:
    return "" if recipe.kernel == "linear" else f", γ = {choice.gamma}"


def _weights_in_words(weights: FloatArray) -> str:
    """Say what was weighted and by how much: the effective number of rows is (Σ v)²/Σ v²."""
    absent, used = counted(int((weights == 0).sum()), "row"), weights[weights > 0]
    effective = float(used.sum() ** 2 / (used**2).sum())
    return (
        f"rows count {used.min():g} to {used.max():g} (median {np.median(used):g}) in every fit, worth "
        f"{effective:,.0f} equal rows of {len(weights):,}; {absent} of weight 0 left out. Measures are unweighted and "
        "keep all rows"
    )


def _kinds_in_words(data: RankingData) -> str:
    """Say which features are not plain numbers, and how many values are missing; empty for plain numbers."""
    categories = [kind for kind in data.kinds if kind.is_category]
    booleans = sum(kind.name == BOOLEAN for kind in data.kinds)
    missing = np.isnan(data.X)
    parts = []
    if categories:
        parts.append(
            f"{counted(len(categories), 'category', 'categories')} with up to "
            f"{counted(max(len(kind.levels) for kind in categories), 'level')}"
        )
    if booleans:
        parts.append(f"{booleans} yes/no")
    if missing.any():
        parts.append(
            f"{missing.mean():.1%} of the values missing, in {counted(int(missing.any(axis=0).sum()), 'feature')}"
        )
    return ", ".join(parts)


def _transforms_in_words(model: PairCalibrator) -> str:
    """List the features by transform; the most common one only by number."""
    transformer = model.estimator_[0]
    by_method: dict[str, list[str]] = {}
    for name, method, kind in zip(
        transformer.feature_names_in_, transformer.methods_, transformer.feature_kinds_, strict=True
    ):
        if not kind.is_category:
            by_method.setdefault(method, []).append(str(name))
    if not by_method:
        return "none: all features are categories"
    usual = max(by_method, key=lambda method: len(by_method[method]))
    listed = [f"{method}: {', '.join(names)}" for method, names in by_method.items() if method != usual]
    return "; ".join([*listed, f"{usual}: {'all' if not listed else 'the other'} {len(by_method[usual])}"])


def _versions() -> dict[str, str]:
    found = {"glassrank": __version__, "Python": python_version()}
    return found | {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
