"""Rankers of a simulated shop, and rows at the places where an export could go wrong."""

from functools import cache

import numpy as np

import glassrank as gr
from tests.shop_table import shop

NUMBERS = ("price", "rating", "in_stock", "trend")


@cache
def shop_data():
    """1,200 products of 200 queries: a category, yes/no, missing ratings, and a trend that may be below 0."""
    table = shop(200, 6, seed=3).rename(columns={"in stock": "in_stock"})
    table["trend"] = np.random.default_rng(5).normal(0, 2, len(table))
    numbers = ["price", "rating", "trend"]
    return gr.RankingData.from_frame(table.astype(dict.fromkeys(numbers, np.float32)))


@cache
def shop_model(name):
    """A fitted ranker by name: linear, lrbf, additive, or the activation of hidden nodes that use all features."""
    data = shop_data()
    if name in ADDITIVE:
        return ADDITIVE[name]().fit(data.table, data.y, qid=data.qid)
    X = shop_rows(name)
    return gr.ELMRank(40, name, missing="mean", random_state=0).fit(np.where(np.isnan(X), 3.0, X), data.y, qid=data.qid)


ADDITIVE = {
    "linear": gr.RankSVM,
    "lrbf": lambda: gr.RankSVM(kernel="lrbf", linear=1.0),
    "additive": lambda: gr.ELMRank(60, nodes="additive", random_state=0),
}
LAYERS = ("sigmoid", "tanh", "relu", "gaussian")


def shop_rows(name):
    """The rows that a model takes: hidden nodes take no category."""
    data = shop_data()
    kept = [data.feature_names.index(feature) for feature in feature_names(name)]
    return data.table.values[:, kept]


def feature_names(name):
    return list(shop_data().feature_names) if name in ADDITIVE else list(NUMBERS)


def exported(name, format_name, **options):
    return gr.export_model(shop_model(name), format_name, feature_names=feature_names(name), **options)


def predicted(name):
    """The model's own scores of all products."""
    if name not in ADDITIVE:
        return shop_model(name).predict(shop_rows(name))
    return shop_model(name).predict(shop_data().table)


@cache
def wide_model(n_features, kernel="linear", seed=2):
    """A ranker of many features with 120 documents, and its rows."""
    generator = np.random.default_rng(seed)
    X = generator.normal(1, 2, (120, n_features)).astype(np.float32).astype(float)
    y = np.digitize(X @ generator.normal(0, 1, n_features), [-1.0, 2.0])
    model = gr.RankSVM(kernel=kernel).fit(X, y, qid=np.repeat(np.arange(12), 10))
    return model, X, [f"f{k}" for k in range(n_features)]


def edge_rows(form, X, most_features=10):
    """Rows at knots, thresholds and their 32-bit neighbours, at and beyond the ends, at 0 and nearly 0, and missing."""
    rows = [np.zeros(X.shape[1])]
    for k in form.used[:most_features]:
        for value in _edges(form, k):
            rows.append(X[k % len(X)].copy())
            rows[-1][k] = value
    if _accepts_missing(form, range(len(form.features))):
        rows.append(np.full(X.shape[1], np.nan))
    return np.array(rows)


def _edges(form, k):
    feature = form.features[k]
    missing = [np.nan] if _accepts_missing(form, [k]) else []
    if feature.kind.is_category:
        unseen = [-1.0] if any(term.feature == k and term.unseen is not None for term in form.terms) else []
        return [*range(len(feature.kind.levels)), *unseen, *missing]
    if feature.kind.levels:
        return [0.0, 1.0, *missing]
    places = [*feature.valid, feature.low, feature.high, 0.0, -0.0, 1e-30]
    for term in form.terms:
        if term.feature == k:
            places += [*getattr(term, "knots", ()), *getattr(term, "thresholds", ())]
    exact = np.float32(places)
    around = [exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))]
    low, high = feature.valid
    inside = [value for value in np.concatenate(around).astype(float) if low <= value <= high]
    return [*inside, *missing]


def _accepts_missing(form, features):
    if form.layer is not None:
        return form.layer.fill is not None
    return all(term.missing is not None for term in form.terms if term.feature in features)


def documents(form, X):
    """The rows as documents of an index: fields by name, absent if missing."""
    return [
        {feature.name: _content(feature, row[k]) for k, feature in enumerate(form.features) if not np.isnan(row[k])}
        for row in X
    ]


def _content(feature, value):
    if not feature.kind.is_category:
        return float(value)
    return feature.kind.levels[int(value)] if value >= 0 else "a level that training did not have"


def wrongly_ordered(scores, expected, bound):
    """Number of pairs that the scores order against the expected ones although these differ by more than 2·bound."""
    scores = np.asarray(scores, dtype=float)
    apart = expected[:, None] - expected[None, :] > 2 * bound
    return int((apart & (scores[:, None] <= scores[None, :])).sum())


def close_pairs(expected, bound):
    """Number of pairs that may change places, because their scores differ by at most 2·bound, and of all pairs."""
    gaps = np.abs(expected[:, None] - expected[None, :])[np.triu_indices(len(expected), 1)]
    return int((gaps <= 2 * bound).sum()), len(gaps)
