"""Small inputs with values worked out by hand: (sources, {(query_id, rank): {feature: value, None for missing}})."""

from tests.reference.navigational.worked import anchors, lists, logs, pages, webs

CASES = {**lists.CASES, **logs.CASES, **anchors.CASES, **webs.CASES, **pages.CASES}

__all__ = ["CASES"]
