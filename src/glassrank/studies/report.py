"""report(): write the result of any study as one page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import write_atomically
from glassrank.studies.distillation.page import page as distillation_page
from glassrank.studies.distillation.result import DistillationResult
from glassrank.studies.intent.page import page as intent_page
from glassrank.studies.intent.result import IntentResult
from glassrank.studies.ranking.page_files import write_page as write_ranking_page
from glassrank.studies.ranking.result import StudyResult


def _on_one_page(page: Callable[[Any], str]) -> Callable[[Any, Path], None]:
    return lambda result, path: write_atomically(path, page(result).encode())


WRITERS: dict[type, Callable[[Any, Path], None]] = {
    StudyResult: write_ranking_page,
    DistillationResult: _on_one_page(distillation_page),
    IntentResult: _on_one_page(intent_page),
}


def report(result: StudyResult | DistillationResult | IntentResult, path: str | Path) -> Path:
    """Write the result of a study as one HTML page that needs no network and can be printed.

    ``result`` is the return value of ``study``, ``study_distillation`` or ``study_intent``. The page of a large
    ranking study keeps the documents of its queries in a folder beside it: ``r-data`` for ``r.html``.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 12, random_state=0).data
    >>> gr.report(gr.study(data, folder="study"), "report.html").name
    'report.html'
    """
    if type(result) not in WRITERS:
        known = " or ".join(kind.__name__ for kind in WRITERS)
        raise DataError(f"report needs the result of a study: expected {known}, got {type(result).__name__}.")
    WRITERS[type(result)](result, Path(path))
    return Path(path)
