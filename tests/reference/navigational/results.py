"""One list of results per query, and the 10 features of the list alone (and of the snippet)."""

from tests.reference.navigational.text import coverage, ratio, terms
from tests.reference.navigational.url import domain, host


def known(values):
    """Values that are not missing."""
    return [value for value in values if value is not None]


def single_list(results):
    """Rows with query_id, query, rank, url, score, snippet terms; the lists of several engines are fused first."""
    if not known(result.get("engine") for result in results):
        return [
            {
                "query_id": result["query_id"],
                "query": result["query"],
                "rank": result["rank"],
                "url": result["url"],
                "score": result.get("score"),
                "snippet": None if result.get("snippet") is None else terms(result["snippet"]),
            }
            for result in results
        ]
    rows = []
    for query_id in dict.fromkeys(result["query_id"] for result in results):
        rows += fused([result for result in results if result["query_id"] == query_id])
    return rows


def fused(results):
    """One row per address, ranked by Σ_e 1/(60 + rank_e), largest first, then by address."""
    rows = []
    for url in {result["url"] for result in results}:
        same = [result for result in results if result["url"] == url]
        best = {e: min(r["rank"] for r in same if r["engine"] == e) for e in {r["engine"] for r in same}}
        scores = known(result.get("score") for result in same)
        snippets = known(result.get("snippet") for result in same)
        rows.append(
            {
                "query_id": same[0]["query_id"],
                "query": same[0]["query"],
                "url": url,
                "score": sum(scores) / len(scores) if scores else None,
                "snippet": set().union(*(terms(snippet) for snippet in snippets)) if snippets else None,
                "votes": len(best),
                "rrf": sum(1 / (60 + best[engine]) for engine in sorted(best)),
            }
        )
    rows.sort(key=lambda row: (-round(row["rrf"], 12), row["url"]))
    return [{**row, "rank": place} for place, row in enumerate(rows, start=1)]


def of_query(row, world):
    """Rows of the same query, sorted by rank."""
    return sorted((r for r in world.rows if r["query_id"] == row["query_id"]), key=lambda r: r["rank"])


def top_score(row, world):
    """Score of the query's first result."""
    return of_query(row, world)[0]["score"]


def rk_rel(row, world):
    """Score / score of the first result."""
    top = top_score(row, world)
    return None if row["score"] is None or not top else row["score"] / top


def rk_z(row, world):
    """(score − mean) / standard deviation (divided by n) over the query's known scores; 0 if they are all equal."""
    scores = known(r["score"] for r in of_query(row, world))
    if row["score"] is None:
        return None
    mean = sum(scores) / len(scores)
    deviation = (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5
    return (row["score"] - mean) / deviation if max(scores) > min(scores) else 0.0


def rk_gap(row, world):
    """(score − score of the next result) / score of the first; missing for the last."""
    later = [r for r in of_query(row, world) if r["rank"] > row["rank"]]
    top = top_score(row, world)
    if not later or not top or row["score"] is None or later[0]["score"] is None:
        return None
    return (row["score"] - later[0]["score"]) / top


def rk_hostdup(row, world):
    """Results of the query with the same host, including this one."""
    return sum(1 for r in of_query(row, world) if host(r["url"]) == host(row["url"]))


def rk_domdup(row, world):
    """Share of the query's results with the same domain, including this one."""
    rows = of_query(row, world)
    return sum(1 for r in rows if domain(r["url"]) == domain(row["url"])) / len(rows)


def rk_hostfirst(row, world):
    """1 / rank of the host's first result."""
    return 1 / min(r["rank"] for r in of_query(row, world) if host(r["url"]) == host(row["url"]))


def sn_cov(row, world):
    """Coverage of the query in the snippet."""
    return None if row["snippet"] is None else coverage(terms(row["query"]), row["snippet"])


FEATURES = {
    "rk_rr": lambda row, world: ratio(1, row["rank"]),
    "rk_score": lambda row, world: row["score"],
    "rk_rel": rk_rel,
    "rk_z": rk_z,
    "rk_gap": rk_gap,
    "rk_hostdup": rk_hostdup,
    "rk_domdup": rk_domdup,
    "rk_hostfirst": rk_hostfirst,
    "rk_votes": lambda row, world: row["votes"],
    "rk_rrf": lambda row, world: row["rrf"],
    "sn_cov": sn_cov,
}
