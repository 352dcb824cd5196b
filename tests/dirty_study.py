"""A small study of dirty data: a constant, missing values, a heavy tail, a twin, a category, hostile names, weights."""

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.feature_kinds import FeatureKind
from tests.quick_study import resample_seldom

CONSTANT, PER_QUERY, MISSING, TAIL, TWIN, SITE = "<b>one</b>", "of query", "rating & stars", "a=b", "-twin", "site"
NAMES = ("bm25", "clicks", CONSTANT, PER_QUERY, MISSING, TAIL, TWIN, SITE)


def dirty_data():
    """Return 20 queries of different lengths; every tenth row has the weight 0."""
    rng = np.random.default_rng(5)
    qid = np.repeat(np.arange(20), np.arange(8, 28) // 2)
    n_rows = len(qid)
    bm25, clicks = rng.normal(size=n_rows), rng.gamma(1.0, size=n_rows)
    rating = np.where(rng.random(n_rows) < 0.2, np.nan, rng.integers(1, 6, n_rows))
    tail = np.where(np.arange(n_rows) == 3, 1e9, rng.random(n_rows))
    twin = 2 * bm25 + 0.01 * rng.normal(size=n_rows)
    site = rng.integers(0, 3, n_rows)
    columns = (bm25, clicks, np.ones(n_rows), qid % 7, rating, tail, twin, site)
    y = np.digitize(bm25 + clicks + 0.3 * rng.normal(size=n_rows), [0.5, 1.5])
    y[qid == 0] = 1
    kinds = [FeatureKind()] * 7 + [FeatureKind("category", ("news", "shop", "<i>wiki</i>"))]
    weights = (np.arange(n_rows) % 10 > 0).astype(float)
    return gr.RankingData(np.column_stack(columns), y, qid, feature_names=NAMES, weights=weights, kinds=kinds)


def make_dirty_study(folder):
    """Study the data in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        resample_seldom(patch)
        options = {"C": 1.0, "tune": 0, "transforms": {TAIL: "auto"}, "monotone": {"clicks": 1}}
        gr.study(dirty_data(), folder=folder, title='Dirty <script>alert("x")</script>', **options)
    return folder
