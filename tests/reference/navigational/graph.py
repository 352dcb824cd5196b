"""Rankings of the pages of a graph, by plain iteration over lists of edges."""

from functools import wraps

DAMPING = 0.85


def once(function):
    """Compute a function once for equal arguments: all rows of a query ask for the same graph."""
    known = {}

    @wraps(function)
    def remembered(*arguments):
        key = repr(arguments)
        if key not in known:
            known[key] = function(*arguments)
        return known[key]

    return remembered


@once
def pagerank(nodes, edges, teleport=None):
    """x = (1 − c) v + c (Σ_{i→j} x_i / out_i + v · mass of nodes without out-links), c = 0.85, v uniform or given."""
    jump = teleport or {node: 1 / len(nodes) for node in nodes}
    out = dict.fromkeys(nodes, 0)
    for source, _ in edges:
        out[source] += 1
    rank = {node: 1 / len(nodes) for node in nodes}
    for _ in range(1000):
        lost = sum(rank[node] for node in nodes if not out[node])
        new = {node: (1 - DAMPING + DAMPING * lost) * jump.get(node, 0) for node in nodes}
        for source, target in edges:
            new[target] += DAMPING * rank[source] / out[source]
        change = sum(abs(new[node] - rank[node]) for node in nodes)
        rank = new
        if change < 1e-14:
            break
    return rank


@once
def harmonic(nodes, edges):
    """Σ over the nodes x ≠ h from which h can be reached of 1 / length of the shortest path."""
    result = {}
    for target in nodes:
        distance, front, steps = {target: 0}, {target}, 0
        while front:
            steps += 1
            front = {s for s, t in edges if t in front and s not in distance}
            distance |= dict.fromkeys(front, steps)
        result[target] = sum(1 / d for d in distance.values() if d)
    return result


def unit(values):
    """Values divided by their Euclidean length; zeros stay 0."""
    length = sum(value * value for value in values.values()) ** 0.5
    return {node: value / length if length else 0.0 for node, value in values.items()}


@once
def hits(nodes, edges, authority_weight=None, hub_weight=None):
    """a_j = Σ_{i→j} h_i w, h_i = Σ_{i→j} a_j w', each made a unit vector; uniform start; to the limit."""
    hub = unit(dict.fromkeys(nodes, 1.0))
    authority = dict(hub)
    for _ in range(100_000):
        new_authority = dict.fromkeys(nodes, 0.0)
        for source, target in edges:
            new_authority[target] += hub[source] * (authority_weight[source, target] if authority_weight else 1)
        new_authority = unit(new_authority)
        new_hub = dict.fromkeys(nodes, 0.0)
        for source, target in edges:
            new_hub[source] += new_authority[target] * (hub_weight[source, target] if hub_weight else 1)
        new_hub = unit(new_hub)
        change = sum(abs(new_authority[n] - authority[n]) + abs(new_hub[n] - hub[n]) for n in nodes)
        authority, hub = new_authority, new_hub
        if change < 1e-13:
            break
    return authority, hub
