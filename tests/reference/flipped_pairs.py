"""Flipped pairs of two rankings by the definition: every pair of documents, one after the other."""


def flipped_pairs(qid, first, second):
    """All (A, B) of one query with A above B by the first scores and below by the second."""
    rows = range(len(qid))
    return [(a, b) for a in rows for b in rows if qid[a] == qid[b] and first[a] > first[b] and second[a] < second[b]]


def changes_by_feature(pairs, effects_1, effects_2):
    """Per pair: feature → contribution to A − B by model 2 minus that by model 1; effects are feature → values."""
    names = [*effects_1, *(name for name in effects_2 if name not in effects_1)]

    def contribution(effects, name, a, b):
        return effects[name][a] - effects[name][b] if name in effects else 0.0

    return [
        {name: contribution(effects_2, name, a, b) - contribution(effects_1, name, a, b) for name in names}
        for a, b in pairs
    ]
