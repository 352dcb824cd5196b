"""Slow twins of link analysis, with links as a list of rows of weights and every sum as a loop."""

from decimal import Decimal, localcontext


def hits_step_by_step(rows, tol=1e-10, max_iter=100_000):
    """Authority and hub scores by the two sums, from hubs that are all 1, and whether the L1 changes fell below tol."""
    hub = _unit([1.0] * len(rows))
    authority = [0.0] * len(rows)
    for _ in range(max_iter):
        old_authority, old_hub = authority, hub
        authority = _unit(collect_from_sources(rows, hub))
        hub = _unit(collect_from_targets(rows, authority))
        if max(_distance(authority, old_authority), _distance(hub, old_hub)) < tol:
            return authority, hub, True
    return authority, hub, False


def collect_from_sources(rows, hub):
    """a_j = Σ_i rows[i][j] · hub_i."""
    return [sum(rows[i][j] * hub[i] for i in range(len(rows))) for j in range(len(rows))]


def collect_from_targets(rows, authority):
    """h_i = Σ_j rows[i][j] · authority_j."""
    return [sum(rows[i][j] * authority[j] for j in range(len(rows))) for i in range(len(rows))]


def limit_of_iteration(to_authorities, to_hubs, doublings=70, digits=120):
    """Authority and hub scores after 2^doublings iterations, by squaring the matrix of one of them.

    With 120 digits, spectra that agree in their first 15 digits are told apart, which no iteration in floating point
    can wait for.
    """
    n = len(to_authorities)
    with localcontext() as context:
        context.prec = digits
        P = [[Decimal(float(weight)) for weight in row] for row in to_authorities]
        Q = [[Decimal(float(weight)) for weight in row] for row in to_hubs]
        step = [[sum(P[m][i] * Q[m][j] for m in range(n)) for j in range(n)] for i in range(n)]
        for _ in range(doublings):
            largest = max(max(row) for row in step)
            if largest == 0:
                break
            step = [[entry / largest for entry in row] for row in step]
            step = [[sum(step[i][k] * step[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        start = collect_from_sources(P, [Decimal(1)] * n)
        authority = _unit([sum(step[i][j] * start[j] for j in range(n)) for i in range(n)])
        hub = _unit(collect_from_targets(Q, authority))
    return [float(score) for score in authority], [float(score) for score in hub]


def bharat_henzinger_weights(rows, hosts):
    """Authority and hub weight of every cell: 0 within a host or without a link, else 1/k and 1/l by counting."""
    n = len(rows)
    to_authorities = [[0.0] * n for _ in range(n)]
    to_hubs = [[0.0] * n for _ in range(n)]
    for m in range(n):
        for t in range(n):
            if rows[m][t] and hosts[m] != hosts[t]:
                k = sum(1 for other in range(n) if rows[other][t] and hosts[other] == hosts[m])
                l = sum(1 for other in range(n) if rows[m][other] and hosts[other] == hosts[t])  # noqa: E741
                to_authorities[m][t] = 1.0 / k
                to_hubs[m][t] = 1.0 / l
    return to_authorities, to_hubs


def bharat_henzinger_limit(rows, hosts, relevance):
    """a[n] = Σ h[m]·auth_wt(m→n)·W[m]; h[n] = Σ a[m]·hub_wt(n→m)·W[m], to the limit."""
    n = len(rows)
    to_authorities, to_hubs = bharat_henzinger_weights(rows, hosts)
    P = [[to_authorities[m][t] * relevance[m] for t in range(n)] for m in range(n)]
    Q = [[to_hubs[m][t] * relevance[t] for t in range(n)] for m in range(n)]
    return limit_of_iteration(P, Q)


def pagerank_step_by_step(rows, damping=0.85, jump=None, n_iter=2000):
    """Return the share of visits by iteration; a page without links passes its share equally to all pages."""
    n = len(rows)
    jump = [1.0 / n] * n if jump is None else [value / sum(jump) for value in jump]
    x = jump
    for _ in range(n_iter):
        onward = [(1.0 - damping) * jump[j] for j in range(n)]
        for i in range(n):
            leaving = sum(rows[i])
            for j in range(n):
                onward[j] += damping * x[i] * (rows[i][j] / leaving if leaving else 1.0 / n)
        x = onward
    return x


def _unit(vector):
    length = sum(value * value for value in vector)
    length = length.sqrt() if isinstance(length, Decimal) else length**0.5
    return [value / length for value in vector] if length else vector


def _distance(left, right):
    return sum(abs(one - other) for one, other in zip(left, right, strict=True))
