"""A shop ranked by trees of two features: interactions of numbers, missing values, yes/no values and categories."""

from functools import cache

import lightgbm
import numpy as np

from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.figure.nomogram import nomogram

N_QUERIES, N_DOCUMENTS = 24, 15
NAMES = ["BM25 title", "Price", "Rating", "Delivery, days", "Express", "Brand", "Season"]
BRANDS = tuple(f"Brand {letter}" for letter in "ABCDEFGHIJKL")
SEASONS = ("spring", "summer", "autumn", "winter")


@cache
def tree_shop():
    """Products whose rating matters more if they are dear, and whose delivery matters less if it is express."""
    rng = np.random.default_rng(0)
    n = N_QUERIES * N_DOCUMENTS
    match, price = rng.normal(size=n), np.round(rng.lognormal(4, 1, n), 2)
    rating, delivery = np.clip(np.round(3.8 + 0.8 * rng.normal(size=n), 1), 1, 5), rng.integers(1, 15, n).astype(float)
    express, brand = (rng.random(n) < 0.4).astype(float), rng.integers(0, len(BRANDS), n).astype(float)
    season = rng.integers(0, len(SEASONS), n).astype(float)
    score = match - 0.5 * np.log(price) * np.where(rating > 4, 0.3, 1.2) + 0.6 * rating
    score += 0.6 * np.sin(2 * brand) * np.where(express > 0, 1, -0.4) - 0.12 * delivery * np.where(express > 0, 0.2, 1)
    rating[rng.random(n) < 0.18] = np.nan
    delivery[rng.random(n) < 0.06] = np.nan
    X = np.column_stack([10 + 4 * match, price, rating, delivery, express, brand, season])
    kinds = [FeatureKind()] * 4 + [FeatureKind("boolean")]
    kinds += [FeatureKind("category", BRANDS), FeatureKind("category", SEASONS)]
    y = np.digitize(score, np.quantile(score, [0.5, 0.8, 0.95])).astype(float)
    return RankingData(
        X, y, np.repeat([f"q{number}" for number in range(N_QUERIES)], N_DOCUMENTS), None, NAMES, kinds=kinds
    )


@cache
def tree_model(n_trees=60):
    """Trees of depth two on the codes of the shop."""
    data = tree_shop()
    model = lightgbm.LGBMRanker(
        n_jobs=1, n_estimators=n_trees, max_depth=2, verbose=-1, min_child_samples=8, min_data_per_group=5, cat_smooth=1
    )
    return model.fit(data.X, data.y, group=data.groups.sizes, categorical_feature=[5, 6])


def tree_picture(query="q3", document=2, against=7, **options):
    """Why one product ranks above another."""
    return nomogram(tree_model(), tree_shop(), query=query, document=document, against=against, **options)


def tree_rows(query, *places):
    """Rows of documents, as the model takes them."""
    data = tree_shop()
    return data.X[np.flatnonzero(data.qid == query)[list(places)]]
