"""The elimination of a study, under the feature names of its data."""

from dataclasses import replace

from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.elimination.eliminated import EliminatedLine, EliminationResult
from glassrank.ranking.estimator import feature_names
from glassrank.studies.ranking.recipe import Recipe


def elimination_step(recipe: Recipe, data: RankingData, C: float) -> EliminationResult:
    """Eliminate, with the nested estimate; features by the data's names."""
    rfe = recipe.eliminate(data, C, nested=True)
    names = dict(zip(feature_names(rfe), data.feature_names, strict=True))

    def named(lines: tuple[EliminatedLine, ...]) -> tuple[EliminatedLine, ...]:
        return tuple(replace(line, feature=names[line.feature]) for line in lines)

    found = rfe.result_
    rounds = tuple(replace(one, leaves=named(one.leaves)) for one in found.rounds)
    return replace(found, rounds=rounds, kept=named(found.kept))
