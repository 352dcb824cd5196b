"""The demo: a study of simulated documents and judgements."""

from pathlib import Path

from glassrank.core.progress import Progress
from glassrank.files.atomic_files import check_folder
from glassrank.simulation.ranking import simulate_ranking
from glassrank.studies.ranking.result import StudyResult
from glassrank.studies.ranking.study import study

DOCUMENTS_PER_QUERY = 40
SETTINGS_TRIED = 4  # of LightGBM; fewer than in a study, so that the demo ends soon


def run_demo(
    folder: str | Path, *, n_queries: int, seed: int, overwrite: bool = False, progress: Progress
) -> StudyResult:
    """Simulate data, train on half of the queries and test on the rest; ``progress`` is called before each step."""
    check_folder(folder)
    progress(0, None, "Simulating documents and judgements")
    simulated = simulate_ranking(n_queries, DOCUMENTS_PER_QUERY, random_state=seed)
    train, test = simulated.data.split(0.5, random_state=seed)
    return study(
        train,
        test=test,
        folder=folder,
        random_state=seed,
        title=f"glassrank demo: simulated data (seed {seed})",
        command=f"glassrank demo --queries {n_queries} --seed {seed}",
        units=simulated.units,
        tune=SETTINGS_TRIED,
        overwrite=overwrite,
        progress=progress,
    )
