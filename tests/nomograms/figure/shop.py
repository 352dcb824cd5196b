"""A simulated shop: missing values, categories, yes/no values, whole numbers, heavy tails and 136 features."""

from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.pipeline import make_pipeline

from glassrank.core.additive.curves import CategoryCurve
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM

N_QUERIES, N_DOCUMENTS, N_BRANDS, N_NOISE = 30, 20, 200, 121
SYLLABLES = ("ve", "tra", "ko", "lin", "dor", "sa", "mi", "bru", "hal", "den", "os", "ka", "qui", "rel", "tarn")


def brand_names():
    """Two hundred names of different lengths."""
    first = [a.capitalize() + b for a in SYLLABLES for b in SYLLABLES if a != b]
    return tuple(first[:N_BRANDS])


@cache
def shop_data(seed=0):
    """Products found for queries, with a judgement each."""
    rng = np.random.default_rng(seed)
    n = N_QUERIES * N_DOCUMENTS
    match = rng.normal(size=n)
    worth = rng.normal(size=N_BRANDS)
    brand = np.minimum(rng.geometric(0.03, n) - 1, N_BRANDS - 1).astype(float)
    columns = {
        "BM25 title": 10 + 4 * match + rng.normal(size=n),
        "BM25 body": 20 + 6 * match + 1.5 * rng.normal(size=n),
        "tf-idf title": 8 + 3 * match + rng.normal(size=n),
        "Rating": np.clip(np.round(3.8 + 0.8 * rng.normal(size=n), 1), 1, 5),
        "Price": np.round(rng.lognormal(4, 1, n), 2),
        "Clicks, 30 d": np.floor(rng.lognormal(4, 2, n)),
        "Delivery, days": rng.integers(1, 15, n).astype(float),
        "Sizes in stock, %": rng.integers(0, 101, n).astype(float),
        "Returns, %": rng.gamma(2, 4, n),
        "In stock": (rng.random(n) < 0.8).astype(float),
        "Express": (rng.random(n) < 0.3).astype(float),
        "Brand": brand,
        "Season": rng.integers(0, 4, n).astype(float),
        "Constant": np.full(n, 3.0),
    }
    rest = {f"Signal {number}": rng.normal(size=n) * 10.0 ** rng.integers(-2, 4) for number in range(N_NOISE + 1)}
    columns |= rest
    X = np.column_stack(list(columns.values()))
    names = list(columns)
    price, delivery, clicks = (X[:, names.index(name)].copy() for name in ("Price", "Delivery, days", "Clicks, 30 d"))
    score = 1.5 * match + 1.5 * X[:, names.index("In stock")] + 1.2 * worth[brand.astype(int)] - 0.5 * np.log(price)
    score += 0.3 * np.log1p(clicks) - 0.15 * delivery + 0.3 * rng.normal(size=n)
    for name, share in (("Rating", 0.18), ("Delivery, days", 0.06), ("Returns, %", 0.31), ("Brand", 0.02)):
        X[rng.random(n) < share, names.index(name)] = np.nan
    kinds = [_kind(name) for name in names]
    y = np.digitize(score, np.quantile(score, [0.5, 0.8, 0.95])).astype(float)
    qid = np.repeat([f"query {number}" for number in range(N_QUERIES)], N_DOCUMENTS)
    return RankingData(X, y, qid, None, names, kinds=kinds)


def _kind(name):
    levels = {"Brand": brand_names(), "Season": ("spring", "summer", "autumn", "winter")}
    if name in levels:
        return FeatureKind("category", levels[name])
    return FeatureKind("boolean") if name in ("In stock", "Express") else FeatureKind()


@cache
def shop_model(seed=0, kernel="linear"):
    """A ranker whose effect of the price only falls, and that of the rating only rises."""
    constraints = {"Price": -1, "Rating": 1, "Clicks, 30 d": 1, "Returns, %": 1} if kernel == "linear" else None
    scale = FeatureTransformer(by_feature={"Price": "log", "Clicks, 30 d": "log", "Sizes in stock, %": "quantile"})
    ranker = RankSVM(0.02, kernel=kernel, min_count=5, monotone=constraints)
    return PairCalibrator(make_pipeline(scale, ranker), random_state=0).fit(shop_data(seed))


def shop_picture(*, seed=0, kernel="linear", query="query 3", document=2, against=7, **options):
    """Why one product ranks above another."""
    return nomogram(
        shop_model(seed, kernel), shop_data(seed), query=query, document=document, against=against, **options
    )


def small_shop_picture(*, query="query 11", document=15, against=1, **options):
    """The features with a meaning only, each with a row of its own; A lacks some values."""
    data, made = shop_data(), effects(shop_model(), shop_data())
    kept = [k for k, name in enumerate(data.feature_names) if not name.startswith("Signal")]
    some = replace(made, features=tuple(made.features[k] for k in kept))
    options = {"rows": len(kept), **options}
    return nomogram(some, data.pick_features(kept), query=query, document=document, against=against, **options)


def brand_effects():
    """Effects known by formula: 200 brands, of which the last 50 are rare and share an effect, and a number."""
    worth = np.random.default_rng(4).normal(size=N_BRANDS)
    worth[150:] = 0.1
    brands = CategoryCurve(worth, unseen=0.1, centred=True, rare=tuple(range(150, N_BRANDS)))
    features = (
        FeatureEffect("Brand", brands, 0.0, N_BRANDS - 1.0, None, categories=brand_names()),
        FeatureEffect("Match", LinearCurve(0.1), 0.0, 10.0, 5.0),
    )
    return AdditiveEffects(features, 0.0, "log-odds")


def brand_picture(*, document=0, against=3, **options):
    """Two products of different brands."""
    rng = np.random.default_rng(0)
    codes = np.minimum(rng.geometric(0.03, 400) - 1, N_BRANDS - 1).astype(float)
    X = np.column_stack([codes, rng.uniform(0, 10, 400)])
    kinds = [FeatureKind("category", brand_names()), FeatureKind()]
    data = RankingData(X, np.arange(400) % 3, np.repeat(["q0", "q1"], 200), None, ["Brand", "Match"], kinds=kinds)
    return nomogram(brand_effects(), data, query="q0", document=document, against=against, **options)
