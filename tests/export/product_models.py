"""Models of a shop's products for tests of exports: gaps, a category, yes/no values, tiny, large and signed numbers."""

from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.pipeline import make_pipeline

import glassrank as gr
from tests.shop_table import shop

NUMBERS = ("price", "rating", "year", "tiny", "change")


@cache
def products():
    """Simulated data of 200 queries with 6 documents each."""
    table = shop(n_queries=200, per_query=6, seed=3).rename(columns={"in stock": "in_stock"})
    rng = np.random.default_rng(4)
    table["year"] = rng.integers(1990, 2026, len(table)).astype(float)
    table["tiny"] = 1e-7 * rng.lognormal(0, 1, len(table))
    table["change"] = rng.normal(0, 2, len(table))
    signal = 0.1 * (table["year"] - 2008) + 5e6 * table["tiny"] - np.abs(table["change"])
    table["label"] = np.digitize(table["label"] + signal, [-1, 1, 3])
    # Levels that a query language could misread.
    table["brand"] = table["brand"].replace({"brand 0": "it's ${x}", "brand 1": "a {b}: \\c", "brand 2": "é"})
    for name in ("tiny", "change"):
        table.loc[rng.random(len(table)) < 0.1, name] = np.nan
    table.loc[rng.random(len(table)) < 0.1, "brand"] = None
    return gr.RankingData.from_frame(table, weight="weight")


@cache
def ranked_by(name):
    """A fitted model and the values that it takes."""
    ranker, takes = MODELS[name]
    data = products()
    X = takes(data)
    prefix = f"{ranker.steps[-1][0]}__" if hasattr(ranker, "steps") else ""
    return ranker.fit(X, data.y, **{f"{prefix}qid": data.qid, f"{prefix}sample_weight": data.weights}), X


def _all(data):
    return data.table


def _filled_numbers(data):
    """Full nodes need known numbers in training."""
    table = data.pick_features(NUMBERS).table
    return replace(table, values=np.where(np.isnan(table.values), np.nanmedian(table.values, axis=0), table.values))


def _elm(n_nodes=60, **settings):
    scaler = gr.FeatureTransformer("standard")
    return make_pipeline(scaler, gr.ELMRank(n_nodes=n_nodes, alpha=0.1, missing="mean", random_state=0, **settings))


MODELS = {
    "linear": (gr.RankSVM(), _all),
    "lrbf": (gr.RankSVM(kernel="lrbf"), _all),
    "elm sigmoid": (_elm(n_nodes=500, activation="sigmoid"), _filled_numbers),
    "elm tanh": (_elm(activation="tanh"), _filled_numbers),
    "elm relu": (_elm(activation="relu"), _filled_numbers),
    "elm additive": (_elm(nodes="additive"), _all),
}
