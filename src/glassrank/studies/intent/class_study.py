"""The part of study_intent() for more than two classes: one model per class, measured without its fold."""

import io
from csv import DictWriter
from pathlib import Path

from glassrank.core.progress import Progress, counted_steps
from glassrank.core.wording import counted
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.navigational.coupling.couplings import Coupling, as_couplings
from glassrank.navigational.features.sources import IntentSources
from glassrank.selection.boosting_engines import ENGINES, LIGHTGBM, fastest_engine
from glassrank.studies.intent.class_folds import LEAST_QUERIES, measure_classes
from glassrank.studies.intent.class_page import class_page
from glassrank.studies.intent.class_result import IntentClassesResult
from glassrank.studies.intent.facts import study_facts
from glassrank.studies.intent.features import digest_sources, left_out_notes, make_features, stored_features
from glassrank.studies.intent.intents import Intents, MatchedIntents
from glassrank.studies.library_versions import library_versions
from glassrank.studies.resumable_steps import Steps, fingerprint


def study_classes(
    sources: IntentSources,
    intents: Intents,
    matched: MatchedIntents,
    folder: Path,
    *,
    candidates: list[Coupling],
    cv: int,
    strict: bool,
    n_jobs: int | None,
    random_state: int,
    title: str | None,
    simulated: bool,
    command: str,
    progress: Progress,
) -> IntentClassesResult:
    """Measure the classifier and baselines on each fold, and write the report."""
    matched.check_folds(cv, least=LEAST_QUERIES)
    candidates, say = as_couplings(candidates), counted_steps(progress)
    boosted = [ENGINES[LIGHTGBM]] if fastest_engine() == LIGHTGBM else []
    versions = library_versions("numpy", "scikit-learn", "DuckDB", *boosted)
    data = {"data": digest_sources(sources), "intents": dict(intents)}
    whole = data | {"classes": [str(one) for one in candidates], "cv": cv, "seed": random_state, "versions": versions}
    steps = Steps(folder / "steps", fingerprint(whole), say)
    made = stored_features(
        folder / "steps" / "features.npz",
        fingerprint(data | {"strict": strict}),
        lambda: make_features(sources, intents, strict=strict, progress=progress),
        say,
    )
    result = IntentClassesResult(
        title=title or f"Intents of queries: {counted(len(matched.y), 'query', 'queries')}",
        simulated=simulated,
        facts=study_facts(sources, made, matched, cv),
        measures=measure_classes(made.queries, matched, candidates, cv, steps, n_jobs, random_state),
        absent=made.absent,
        notes=(*matched.notes, *left_out_notes(made.queries.n_left_out), *made.unusual),
        commands=(command,) if command else (),
        versions=versions,
        folder=folder,
    )
    say("Writing the report")
    _write_files(result, folder)
    return result


def _write_files(result: IntentClassesResult, folder: Path) -> None:
    """Write ``report.html``, ``result.json``, and each system and class as a line of ``classes.csv``."""
    make_folder(folder)
    rows, text = result.measures.rows(), io.StringIO()
    writer = DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(folder / "classes.csv", text.getvalue().encode())
    write_atomically(folder / "result.json", result.to_json().encode())
    write_atomically(folder / "report.html", class_page(result).encode())
