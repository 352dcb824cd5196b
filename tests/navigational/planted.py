"""Queries with planted features: a few are informative about the class, most are not."""

import numpy as np

OPERATORS = ("mean", "median", "max", "min", "entropy", "std", "p1", "p2", "p3", "p4", "p5", "r2", "r5", "r10", "r20")
CATEGORY = {"clk_CR": "click", "urlmr": "url", "anc_link_H": "anchor", "pg_img": "other"}


def planted_queries(n=160, *, seed=0, gaps=True):
    """Rows, labels (a quarter navigational), names such as "clk_CR|p1", and the features' categories."""
    rng = np.random.default_rng(seed)
    names = [f"{feature}|{operator}" for feature in CATEGORY for operator in OPERATORS]
    categories = [CATEGORY[name.partition("|")[0]] for name in names]
    y = (rng.random(n) < 0.25).astype(int)
    X = rng.normal(size=(n, len(names)))
    X[:, names.index("clk_CR|p1")] += 2.0 * y
    X[:, names.index("clk_CR|r2")] += 1.5 * y
    X[:, names.index("urlmr|max")] += 1.0 * y
    X[:, names.index("pg_img|min")] = 3.0
    if gaps:
        short = rng.random(n) < 0.2
        for name in ("clk_CR|p5", "urlmr|p5"):
            X[short, names.index(name)] = np.nan
    return X, y, names, categories
