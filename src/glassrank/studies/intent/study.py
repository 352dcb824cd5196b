"""study_intent(): from results, clicks, links and pages to the tables of navigational query identification."""

import io
from collections.abc import Callable, Mapping, Sequence
from csv import DictWriter
from pathlib import Path

from glassrank.core.checks import DataError, check_positive
from glassrank.core.progress import Progress, counted_steps, silent
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.files.atomic_files import make_folder, write_atomically
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
from glassrank.studies.intent.facts import study_facts
from glassrank.studies.intent.features import (
    digest_sources,
    left_out_notes,
    make_features,
    stored_features,
)
from glassrank.studies.intent.intents import Intents, MatchedIntents, match_intents
from glassrank.studies.intent.later_clicks import split_by_time
from glassrank.studies.intent.page import page
from glassrank.studies.intent.result import IntentResult
from glassrank.studies.library_versions import library_versions
from glassrank.studies.resumable_steps import Steps, fingerprint
from glassrank.studies.study_folder import alone_in_folder

# Figure 3 without its slowest steps, so that a demonstration takes minutes at most.
DEMO_CURVE = (25, 50, 100, 200, ALL)


@alone_in_folder
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
    progress: Progress | None = None,
) -> IntentResult | IntentClassesResult:
    """Study how well navigational queries are identified, and write a report into ``folder``.

    The study generates features, integrates, selects and classifies. The clicks of the ``sources`` are a ``QueryLog``
    or, for logs larger than memory, the path of a file written by ``clean_log``. ``intents`` maps each query_id to
    navigational (1) or informational (0), or to the name of one of more than two classes. Features of an absent source
    are left out and reported. Selection happens inside each of ``cv`` folds; ``curve`` contains the numbers of columns
    of figure 3, by default up to 800 and all. Features and finished steps are stored in ``folder/steps``: an
    interrupted study resumes where it stopped. The folder receives ``report.html``, ``result.json`` and
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
    report = progress or silent
    say = counted_steps(report)
    check_positive("n_features", n_features, whole=True)
    matched = match_intents(list(dict.fromkeys(sources.results.query_id)), intents, strict=strict)
    if matched.several:
        _refuse_for_several(matched, {setting("time_split"): time_split, setting("curve"): curve is not None})
        return study_classes(
            sources,
            intents,
            matched,
            Path(folder),
            candidates=class_candidates(selectors, classifiers, n_features),
            cv=cv,
            strict=strict,
            n_jobs=n_jobs,
            random_state=random_state,
            title=title,
            simulated=simulated,
            command=command,
            progress=report,
        )
    study = CouplingStudy(
        n_features, cv, selectors, classifiers, CURVE if curve is None else tuple(curve), n_jobs, random_state
    )
    # Results depend on the engines and their versions, so a change of either invalidates stored steps.
    engines = (engines_of(chosen_selectors(selectors)), engines_of(chosen_classifiers(classifiers)))
    boosted = [name for name in (ENGINES[LIGHTGBM],) if any(name in who.values() for who in engines)]
    versions = library_versions("numpy", "scikit-learn", "DuckDB", *boosted)
    folder, data = Path(folder), {"data": digest_sources(sources), "intents": dict(intents)}
    options = str(study.get_params() | {"n_jobs": None})
    whole = data | {"study": options, "engines": engines, "versions": versions, "columns": "distinct"}
    steps = Steps(folder / "steps", fingerprint(whole), say)
    made = stored_features(
        folder / "steps" / "features.npz",
        fingerprint(data | {"strict": strict}),
        lambda: make_features(sources, intents, strict=strict, progress=report),
        say,
    )
    coupling = _coupled(study, made.queries, matched, steps, report)
    assessed = steps.run(
        "assessment-by-time" if time_split else "assessment",
        lambda: _assess(sources, made.queries, matched, coupling, cv, random_state, time_split, say),
        Assessment.to_dict,
        Assessment.of_dict,
        label="Baselines and probabilities",
    )
    result = IntentResult(
        title=title or f"Navigational queries: {counted(len(matched.y), 'query', 'queries')}",
        simulated=simulated,
        facts=study_facts(sources, made, matched, cv),
        coupling=coupling,
        assessment=assessed,
        profiles=made.profiles,
        absent=made.absent,
        notes=(*matched.notes, *left_out_notes(made.queries.n_left_out), *made.unusual),
        commands=(command,) if command else (),
        versions=versions,
        folder=folder,
    )
    say("Writing the report")
    write_files(result, folder)
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


def _assess(
    sources: IntentSources,
    queries: QueryFeatures,
    matched: MatchedIntents,
    found: CouplingResult,
    cv: int,
    seed: int,
    time_split: bool,
    say: Callable[[str], None],
) -> Assessment:
    """Measure baselines on the folds of the study, and describe its best coupling."""
    X, ids, texts = queries.X[matched.rows], queries.query_ids, queries.queries
    groups = [normal_query(texts[row]) for row in matched.rows]
    folds = stratified_folds(cv, matched.y, seed, groups)
    coupling = coupling_of(found.best)
    split = None
    if time_split:
        split = split_by_time(sources, matched.rows, matched.y, coupling, folds, seed, say)
    shares = held_out_probabilities(X, matched.y, groups, queries.names, coupling, folds, seed)
    held_out = tuple(
        HeldOutQuery(ids[row], texts[row], bool(label), float(share))
        for row, label, share in zip(matched.rows.tolist(), matched.y.tolist(), shares, strict=True)
    )
    return Assessment(measure_baselines(X, matched.y, queries.names, folds, seed), held_out, split)


def write_files(result: IntentResult, folder: Path) -> None:
    """Write ``report.html``, ``result.json``, and every coupling as a line of ``coupling.csv``."""
    make_folder(folder)
    rows = result.coupling.rows()
    text = io.StringIO()
    writer = DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(folder / "coupling.csv", text.getvalue().encode())
    write_atomically(folder / "result.json", result.to_json().encode())
    write_atomically(folder / "report.html", page(result).encode())
