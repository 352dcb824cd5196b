"""The documents and queries that a report shows."""

import numpy as np

import glassrank as gr
from glassrank.data.join_data import join_data
from glassrank.data.ranking_data import RankingData
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.report.hardest_queries import RankedSystem, find_hardest_queries


def test_a_list_that_is_too_short_to_score_is_not_a_hard_query():
    long = gr.simulate_ranking(8, 12, random_state=0).data.pick_features([0, 1])
    short = RankingData(np.eye(2), [1, 0], ["short", "short"], ["a", "b"], feature_names=long.feature_names)
    data = join_data([long, short])
    for convention, measure, listed in [
        ("letor4", "ndcg@5", False),
        ("standard", "ndcg@5", True),
        ("letor4", "map", True),
    ]:
        model = Recipe(measure=measure, convention=convention).calibrated(data, Choice(1.0, "scale", ()))[0]
        # Only the documents of the short list are in the wrong order.
        system = RankedSystem("model", model, data, np.where(data.qid == "short", -data.y, data.y))
        (found,) = find_hardest_queries([system], measure, convention)
        assert ("short" in [query.query for query in found.queries]) == listed
