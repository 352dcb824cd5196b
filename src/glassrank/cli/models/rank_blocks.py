"""Score a folder of blocks with a saved model, one block after the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glassrank.cli.console import note, progress_bar, show
from glassrank.cli.models.match_to_model import note_matches
from glassrank.cli.models.ranked_lists import WRITERS
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.core.checks import FloatArray
    from glassrank.data.partitions.partitioned_data import PartitionedData
    from glassrank.data.ranking_data import RankingData

# Layouts whose text of several blocks is that of each block, one after the other.
BLOCK_BY_BLOCK = ("scores", "trec")


def rank_blocks(
    folder: "PartitionedData",
    saved: Any,
    layout: str,
    top: int | None,
    output: Path | None,
    *,
    by_position: bool,
    quiet: bool,
) -> None:
    """Write the scores of all blocks in a layout of ``WRITERS``, to a file or to stdout."""
    from glassrank.files.atomic_files import packed_whole

    scored = _scored_blocks(folder, saved, by_position, quiet)
    parts = scored if layout in BLOCK_BY_BLOCK else iter([_joined(list(scored))])
    texts = (WRITERS[layout](data, scores, top) for data, scores in parts)
    if output is None:
        for text in texts:
            show(text, data=layout != "table", nl=False)
        return
    with packed_whole(output) as file:
        for text in texts:
            file.write(text.encode())
    rows, queries = counted(folder.n_rows, "row"), counted(folder.n_queries, "query", "queries")
    note(f"Wrote {output}: {rows}, {queries} ranked.", quiet)


def _scored_blocks(
    folder: "PartitionedData", saved: Any, by_position: bool, quiet: bool
) -> Iterator[tuple["RankingData", "FloatArray"]]:
    """Yield each block with its scores; its features are left out, except one."""
    from glassrank.core.checks import within
    from glassrank.modelfile.match_features import match_features
    from glassrank.studies.ranking.score_documents import score_documents

    if not saved.scores_documents:
        note("The model compares pairs: a score is the number of documents of the query that rank below.", quiet)
    names = saved.feature_names_in(folder.feature_names)
    said: set[str] = set()
    with progress_bar(quiet) as progress:
        for number in range(folder.n_blocks):
            with within(f"{folder.folder.name}, block {number}"):
                matched = match_features(folder.read_block(number), names, saved.n_features, by_position=by_position)
                note_matches(folder.folder.name, saved, matched, quiet, said)
                scores = score_documents(saved, matched.data)
            progress(number + 1, folder.n_blocks, "Scoring")
            yield matched.data.pick_features([0]), scores


def _joined(blocks: list[tuple["RankingData", "FloatArray"]]) -> tuple["RankingData", "FloatArray"]:
    import numpy as np

    from glassrank.data.join_data import join_data

    return join_data([data for data, _ in blocks]), np.concatenate([scores for _, scores in blocks])
