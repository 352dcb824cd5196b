"""The elimination of a study as plain values, and back."""

import json
from typing import Any

from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.elimination.eliminated import EliminatedLine, EliminationResult, NestedEstimate, Round
from glassrank.studies.ranking.recipe import Recipe


def elimination_step(recipe: Recipe, data: RankingData, C: float) -> dict[str, Any]:
    """Eliminate, with the nested estimate; features by the data's names."""
    rfe = recipe.eliminate(data, C, nested=True)
    found: dict[str, Any] = json.loads(rfe.result_.to_json())
    names = dict(zip(_numbered(data.n_features), data.feature_names, strict=True))
    for lines in (found["kept"], *(one["leaves"] for one in found["rounds"])):
        for line in lines:
            line["feature"] = names[line["feature"]]
    return found


def elimination_from(found: dict[str, Any]) -> EliminationResult:
    """The result that a finished step describes."""
    rounds = [
        Round(
            **(one | {"folds": tuple(one["folds"]), "leaves": tuple(EliminatedLine(**line) for line in one["leaves"])})
        )
        for one in found["rounds"]
    ]
    nested = found["nested"]
    return EliminationResult(
        **(
            found
            | {
                "rounds": tuple(rounds),
                "kept": tuple(EliminatedLine(**line) for line in found["kept"]),
                "nested": nested
                and NestedEstimate(
                    nested["mean"],
                    nested["std"],
                    # JSON says None for a fold that has nothing to measure.
                    tuple(float("nan") if score is None else score for score in nested["folds"]),
                    tuple(nested["n_features"]),
                ),
            }
        )
    )


def _numbered(n_features: int) -> list[str]:
    """How a model that was fitted to an array calls its features."""
    return [f"feature {number}" for number in range(1, n_features + 1)]
