"""The part of study_intent() for more than two classes: one model per class, measured without its fold."""

from glassrank.navigational.coupling.couplings import Coupling, as_couplings
from glassrank.selection.boosting_engines import ENGINES, LIGHTGBM, fastest_engine
from glassrank.studies.intent.class_folds import LEAST_QUERIES, measure_classes
from glassrank.studies.intent.class_page import class_page
from glassrank.studies.intent.class_result import IntentClassesResult
from glassrank.studies.intent.study_run import IntentRun
from glassrank.studies.library_versions import library_versions


def study_classes(run: IntentRun, candidates: list[Coupling], n_jobs: int | None) -> IntentClassesResult:
    """Measure the classifier and baselines on each fold, and write the report with ``classes.csv``."""
    run.matched.check_folds(run.cv, least=LEAST_QUERIES)
    candidates = as_couplings(candidates)
    boosted = [ENGINES[LIGHTGBM]] if fastest_engine() == LIGHTGBM else []
    versions = library_versions("numpy", "scikit-learn", "DuckDB", *boosted)
    options = {"classes": [str(one) for one in candidates], "cv": run.cv, "seed": run.seed, "versions": versions}
    steps, made = run.steps(options), run.features()
    result = IntentClassesResult(
        measures=measure_classes(made.queries, run.matched, candidates, run.cv, steps, n_jobs, run.seed),
        **run.described("Intents of queries", made, versions),
    )
    run.say("Writing the report")
    run.write("classes.csv", result.measures.rows(), result.to_json(), class_page(result))
    return result
