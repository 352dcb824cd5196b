"""study_intent(): from results, clicks, links and pages to the tables of navigational query identification."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from glassrank.core.checks import DataError, check_positive
from glassrank.core.progress import Progress, silent
from glassrank.core.setting import setting
from glassrank.navigational.coupling.baselines import measure_baselines
from glassrank.navigational.coupling.classifiers import chosen_classifiers
from glassrank.navigational.coupling.coupling_result import CouplingResult
from glassrank.navigational.coupling.coupling_study import ALL, CURVE, CouplingStudy, engines_of
from glassrank.navigational.coupling.fold_work import stratified_folds
from glassrank.navigational.coupling.selectors import chosen_selectors
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.query_features import QueryFeatures
from glassrank.selection.boosting_engines import ENGINES, LIGHTGBM
from glassrank.studies.intent.assessment import Assessment, HeldOutQuery, coupling_of, held_out_probabilities
from glassrank.studies.intent.class_folds import class_candidates
from glassrank.studies.intent.class_result import IntentClassesResult
from glassrank.studies.intent.class_study import study_classes
from glassrank.studies.intent.intents import Intents, MatchedIntents, match_intents
from glassrank.studies.intent.later_clicks import split_by_time
from glassrank.studies.intent.page import page
from glassrank.studies.intent.result import IntentResult
from glassrank.studies.intent.study_run import IntentRun
from glassrank.studies.library_versions import library_versions
from glassrank.studies.resumable_steps import Steps

# Figure 3 without its slowest steps, so that a demonstration takes minutes at most.
DEMO_CURVE = (25, 50, 100, 200, ALL)


def study_intent(
    sources: IntentSources,
    intents: Intents,
    folder: str | Path = "intent",
    *,
    n_features: int = 50,
    cv: int = 5,
    selectors: Sequence[str] | None = None,
    classifiers: Sequence[str] | None = None,
    curve: Sequence[int | str] | None = None,
    time_split: bool = False,
    strict: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    simulated: bool = False,
    title: str | None = None,
    command: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> IntentResult | IntentClassesResult:
    """Study how well navigational queries are identified, and write a report into ``folder``.

    The study generates features, integrates, selects and classifies. The clicks of the ``sources`` are a ``QueryLog``
    or, for logs larger than memory, the path of a file written by ``clean_log``. ``intents`` maps each query_id to
    navigational (1) or informational (0), or to the name of one of more than two classes. Features of an absent source
    are left out and reported. Selection happens inside each of ``cv`` folds; ``curve`` contains the numbers of columns
    of figure 3, by default up to 800 and all. Features and finished steps are stored in ``folder/steps``: an
    interrupted study resumes where it stopped. A finished study of other sources or intents in ``folder`` is an error,
    unless ``overwrite`` is set. The folder receives ``report.html``, ``result.json`` and
    ``coupling.csv``. Baselines are measured on the same folds. With ``time_split``, the best coupling is also trained
    on the earlier clicks and tested on the later clicks for other queries. With ``strict``, unusual input is an error.
    With ``simulated``, the report says that the data are simulated.

    The coupling of the paper is for two classes. With more, ``NavigationalClassifier`` is measured instead: on each
    fold, by macro-F1, with every choice made on the other folds. ``selectors``, ``classifiers`` and ``n_features`` are
    what it chooses from, by default a small grid; ``curve`` and ``time_split`` are refused. The folder receives
    ``report.html``, ``result.json`` and ``classes.csv``.

    Source: Lu, Peng, Li and Ahmed, Coupling Feature Selection and Machine Learning Methods for Navigational Query
    Identification (2006), sections 3 to 6.

    >>> from glassrank.studies.intent.simulated_intents import known_intents, simulate_intents
    >>> log = simulate_intents("small")
    >>> few = {"selectors": ["information gain"], "classifiers": ["maximum entropy"], "curve": [5], "cv": 2}
    >>> result = study_intent(IntentSources(log.results), known_intents(log), n_features=5, simulated=True, **few)
    >>> result.title
    'Navigational queries: 100 queries'
    """
    check_positive("n_features", n_features, whole=True)
    matched = match_intents(list(dict.fromkeys(sources.results.query_id)), intents, strict=strict)
    named = (simulated, title, command, progress or silent)
    run = IntentRun(sources, intents, matched, Path(folder), cv, random_state, strict, *named)
    if matched.several:
        _refuse_for_several(matched, {setting("time_split"): time_split, setting("curve"): curve is not None})
        candidates = class_candidates(selectors, classifiers, n_features)
        with run.recorded(overwrite):
            return study_classes(run, candidates, n_jobs)
    sizes = CURVE if curve is None else tuple(curve)
    study = CouplingStudy(n_features, cv, selectors, classifiers, sizes, n_jobs, random_state)
    with run.recorded(overwrite):
        return _study_couplings(run, study, time_split=time_split)


def _study_couplings(run: IntentRun, study: CouplingStudy, *, time_split: bool) -> IntentResult:
    """Couple selectors and classifiers, assess the best coupling, and write the report with ``coupling.csv``."""
    # Results depend on the engines and their versions, so a change of either invalidates stored steps.
    engines = (engines_of(chosen_selectors(study.selectors)), engines_of(chosen_classifiers(study.classifiers)))
    boosted = [name for name in (ENGINES[LIGHTGBM],) if any(name in who.values() for who in engines)]
    versions = library_versions("numpy", "scikit-learn", "DuckDB", *boosted)
    options = str(study.get_params() | {"n_jobs": None})
    steps = run.steps({"study": options, "engines": engines, "versions": versions, "columns": "distinct"})
    made = run.features()
    coupling = _coupled(study, made.queries, run.matched, steps, run.progress)
    assessed = steps.run(
        "assessment-by-time" if time_split else "assessment",
        lambda: _assess(run, made.queries, coupling, time_split=time_split),
        Assessment.to_dict,
        Assessment.of_dict,
        label="Baselines and probabilities",
    )
    result = IntentResult(
        coupling=coupling,
        assessment=assessed,
        profiles=made.profiles,
        **run.described("Navigational queries", made, versions),
    )
    run.say("Writing the report")
    run.write("coupling.csv", result.coupling.rows(), result.to_json(), page(result))
    return result


def _refuse_for_several(matched: MatchedIntents, given: Mapping[str, bool]) -> None:
    """Raise for an option of the coupling, which is for two classes, if it is given."""
    for option in (name for name, is_given in given.items() if is_given):
        raise DataError(
            f"{option} is for two classes: got {', '.join(matched.classes)}.",
            remedy=f"Map the others to informational with {setting('label_map')}, or leave it out.",
        )


def _coupled(
    study: CouplingStudy, queries: QueryFeatures, matched: MatchedIntents, steps: Steps, progress: Progress
) -> CouplingResult:
    texts = [normal_query(queries.queries[row]) for row in matched.rows]
    study.fit(
        queries.X[matched.rows],
        matched.y,
        queries.names,
        queries.categories,
        groups=texts,
        store=steps,
        progress=progress,
    )
    return study.result_


def _assess(run: IntentRun, queries: QueryFeatures, found: CouplingResult, *, time_split: bool) -> Assessment:
    """Measure baselines on the folds of the study, and describe its best coupling."""
    matched, seed = run.matched, run.seed
    X, ids, texts = queries.X[matched.rows], queries.query_ids, queries.queries
    groups = [normal_query(texts[row]) for row in matched.rows]
    folds = stratified_folds(run.cv, matched.y, seed, groups)
    coupling = coupling_of(found.best)
    split = None
    if time_split:
        split = split_by_time(run.sources, matched.rows, matched.y, coupling, folds, seed, run.say)
    shares = held_out_probabilities(X, matched.y, groups, queries.names, coupling, folds, seed)
    held_out = tuple(
        HeldOutQuery(ids[row], texts[row], bool(label), float(share))
        for row, label, share in zip(matched.rows.tolist(), matched.y.tolist(), shares, strict=True)
    )
    return Assessment(measure_baselines(X, matched.y, queries.names, folds, seed), held_out, split)
