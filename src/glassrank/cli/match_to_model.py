"""Data as a saved model wants them, and notes on what was left out or filled."""

from pathlib import Path
from typing import TYPE_CHECKING

from glassrank.cli.console import counted, note
from glassrank.cli.inputs import is_table

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData
    from glassrank.modelfile.scorer import Scorer


def match_to_model(
    found: "RankingData", scorer: "Scorer", path: Path, source_format: str | None, quiet: bool
) -> "RankingData":
    """The same documents with the model's features, in its order; missing values in them are refused."""
    from glassrank.core.checks import within
    from glassrank.data.ranking_data import RankingData
    from glassrank.modelfile.match_features import check_present, match_features

    zeros_left_out = not is_table(path, source_format)
    with within(path):
        matched = match_features(found, scorer.feature_names, scorer.n_features, zeros_left_out=zeros_left_out)
        check_present(matched.X, scorer.feature_names or found.feature_names)
    if not matched.by_name:
        note("The model knows no feature names: features are taken in the order of the data.", quiet)
    if matched.ignored:
        unknown = counted(len(matched.ignored), "feature", "features")
        note(f"Left out {unknown} that the model does not know: {_some(matched.ignored)}.", quiet)
    if matched.absent:
        note(f"Not mentioned in {path}, and so 0: {_some(matched.absent)}.", quiet)
    names = scorer.feature_names or found.feature_names
    return RankingData(matched.X, found.y, found.qid, found.doc_ids, names, found.weights)


def _some(names: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, …"
