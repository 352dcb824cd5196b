"""Arrange data for a saved model, and report features that were left out or filled."""

from pathlib import Path
from typing import TYPE_CHECKING

from glassrank.cli.console import note
from glassrank.cli.inputs import is_table
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData
    from glassrank.modelfile.scorer import Scorer


def match_to_model(
    found: "RankingData", scorer: "Scorer", path: Path, source_format: str | None, quiet: bool
) -> "RankingData":
    """Return the documents with the model's features in its order; the model decides about missing values."""
    from glassrank.core.checks import within
    from glassrank.modelfile.match_features import match_features

    zeros_left_out = not is_table(path, source_format)
    with within(path):
        matched = match_features(found, scorer.feature_names, scorer.n_features, zeros_left_out=zeros_left_out)
    if not matched.by_name:
        note("The model has no feature names: features are used in the order of the data.", quiet)
    if matched.ignored:
        unknown = counted(len(matched.ignored), "feature", "features")
        note(f"Left out {unknown} that the model does not use: {_some(matched.ignored)}.", quiet)
    if matched.absent:
        note(f"Not in {path}, and set to 0: {_some(matched.absent)}.", quiet)
    return matched.data


def _some(names: tuple[str, ...], maximum: int = 5) -> str:
    shown = ", ".join(names[:maximum])
    return shown if len(names) <= maximum else f"{shown}, …"
