"""Arrange data for a saved model, and report features that were left out or filled."""

from pathlib import Path
from typing import TYPE_CHECKING

from glassrank.cli.console import note
from glassrank.cli.inputs import is_table
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData
    from glassrank.modelfile.saved_model import SavedModel


def match_to_model(
    found: "RankingData", saved: "SavedModel", path: Path, source_format: str | None, quiet: bool
) -> "RankingData":
    """Return the documents with the model's features in its order; missing values in them are an error."""
    from glassrank.core.checks import within
    from glassrank.data.ranking_data import RankingData
    from glassrank.modelfile.match_features import check_present, match_features

    zeros_left_out = not is_table(path, source_format)
    with within(path):
        matched = match_features(found, saved.feature_names, saved.n_features, zeros_left_out=zeros_left_out)
        check_present(matched.X, saved.feature_names or found.feature_names)
    if not matched.by_name:
        note("The model has no feature names: features are used in the order of the data.", quiet)
    if matched.ignored:
        unknown = counted(len(matched.ignored), "feature", "features")
        note(f"Left out {unknown} that the model does not use: {_some(matched.ignored)}.", quiet)
    if matched.absent:
        note(f"Not in {path}, and set to 0: {_some(matched.absent)}.", quiet)
    names = saved.feature_names or found.feature_names
    return RankingData(matched.X, found.y, found.qid, found.doc_ids, names, found.weights)


def _some(names: tuple[str, ...], maximum: int = 5) -> str:
    shown = ", ".join(names[:maximum])
    return shown if len(names) <= maximum else f"{shown}, …"
