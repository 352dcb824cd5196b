"""How rankings of features print themselves in a terminal."""

from typing import TYPE_CHECKING

from glassrank.drawing.text_bars import text_bar
from glassrank.metrics.tables import align

if TYPE_CHECKING:
    from glassrank.selection.rankings import FeatureRankings, MethodRanking

CHOSEN, BAR = "•", 8


def rankings_text(found: "FeatureRankings") -> str:
    """Place, choice and bar of each feature by each method, features by their mean place."""
    queries = f"{found.n_queries:,} {'query' if found.n_queries == 1 else 'queries'}"
    rows = [("feature", *(ranking.method for ranking in found.rankings), "kept by")]
    votes = found.votes
    for k in found.order:
        cells = [_cell(ranking, k) for ranking in found.rankings]
        rows.append((found.feature_names[k], *cells, f"{votes[k]} of {len(found.rankings)}"))
    kept = ", ".join(f"{ranking.method} {int(ranking.chosen.sum())}" for ranking in found.rankings)
    measures = [f"  {ranking.method}: {ranking.measure}" for ranking in found.rankings]
    return "\n".join(
        [
            f"{len(found.feature_names)} features, {queries}, by mean place; {CHOSEN} kept ({kept})",
            align(rows),
            "bars, each column by its largest:",
            *measures,
        ]
    )


def _cell(ranking: "MethodRanking", k: int) -> str:
    width = len(str(len(ranking.places)))
    bar = text_bar(float(ranking.scores[k]), float(ranking.scores.max()), BAR)
    return f"{ranking.places[k]:>{width}} {CHOSEN if ranking.chosen[k] else ' '} {bar}"
