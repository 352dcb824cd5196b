"""Names of a query's documents that differ, also if their ids do not."""

from collections import Counter

from glassrank.core.checks import IntArray
from glassrank.data.ranking_data import RankingData


def document_names(data: RankingData, rows: IntArray) -> tuple[str, ...]:
    """Return the ids of the documents; their positions if there are no ids, and a number after a repeated id.

    >>> data = RankingData([[1.0], [2.0], [3.0]], y=[0, 1, 2], qid=[7, 7, 7], doc_ids=["a", "b", "a"])
    >>> document_names(data, data.groups.rows(0))
    ('a (1)', 'b', 'a (2)')
    """
    if data.doc_ids is None:
        return tuple(f"document {place}" for place in range(len(rows)))
    ids = [str(name) for name in data.doc_ids[rows]]
    times, taken, names = Counter(ids), set(ids), list[str]()
    for name in ids:
        place = 1
        shown = name
        while times[name] > 1 and (shown in taken or shown in names):
            shown = f"{name} ({place})"
            place += 1
        names.append(shown)
    return tuple(names)
