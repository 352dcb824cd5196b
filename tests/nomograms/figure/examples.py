"""Data, models and pictures for the tests of nomograms."""

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.ranking.rank_svm import RankSVM

HARD_NAMES = [
    "<script>alert(1)</script>",
    "a < b & c > d",
    "\"double\" and 'single'",
    "</text></svg><img src=x onerror=alert(1)>",
    "]]>&lt;&#0;",
    "naïve café №1",
    "検索順位 特徴",
    "ترتيب البحث",
    "👩‍🔬 signal",
    "{{signal}} ${x} \\u003cb\\u003e",
    "tab\tand\nnew line",
    "javascript:alert(1)",
    "--ink: red;}",
]


def model_of(coef):
    """A fitted RankSVM whose weights are then set by hand."""
    coef = np.asarray(coef, dtype=np.float64)
    X = np.random.default_rng(0).normal(size=(20, len(coef)))
    model = RankSVM().fit(X, np.arange(20) % 3)
    model.coef_ = coef
    return model


def random_data(n_features, *, names=None, doc_ids=None, scale=1.0, offset=0.0, seed=0):
    """Ten queries of twelve documents with normal features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, n_features)) * scale + offset
    return RankingData(X, np.arange(120) % 4, np.repeat([f"q{n}" for n in range(10)], 12), doc_ids, names)


def random_weights(n_features, seed=1):
    """Weights of both signs, most of them small."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n_features) * rng.exponential(size=n_features)


def random_picture(n_features, *, weights=None, rows=None, title="Ranking nomogram", **data):
    """Nomogram of the first two documents of the first query, of a model with random weights."""
    model = model_of(random_weights(n_features) if weights is None else weights)
    documents = random_data(n_features, **data)
    return nomogram(model, documents, query="q0", document=0, against=1, rows=rows, title=title)


def small_picture(**options):
    """Four documents, two features, weights 0.3 and −0.5: small enough for arithmetic by hand.

    A = (10, 1) and B = (0, 4) have the extreme values of both features, so that the lines span exactly 0 to 10 and
    1 to 4: ranges 3.0 and 1.5, M = 3.0.
    """
    X = [[10.0, 1.0], [0.0, 4.0], [5.0, 2.0], [6.0, 2.0]]
    data = RankingData(X, [2, 0, 1, 1], ["q"] * 4, ["d1", "d2", "d3", "d4"], ["clicks", "spam"])
    return nomogram(model_of([0.3, -0.5]), data, query="q", document="d1", against="d2", **options)


def named_picture(name):
    """A picture in which everything has this name."""
    X = [[10.0, 1.0], [0.0, 4.0], [5.0, 2.0]]
    data = RankingData(X, [2, 0, 1], [name] * 3, [name, f"{name}2", "d3"], [name, "other"])
    model = model_of([0.3, -0.5])
    return nomogram(model, data, query=name, document=name, against=f"{name}2", title=name, units={name: name})


def curved_effects(strength=1.0, tilt=0.0):
    """In log-odds: two straight lines, one that saturates, two that rise and fall; ``tilt`` bends them all."""
    curves = (
        LinearCurve(0.2 * strength + tilt),
        LinearCurve(-0.3 * strength - tilt),
        lambda values: strength * np.tanh(values / 3.0) + tilt * values,
        lambda values: strength * 1.5 * np.exp(-(((values - 4.0) / 2.0) ** 2)) + tilt * values,
        lambda values: strength * 0.5 * np.sin(values) + tilt * values,
    )
    names = ("clicks", "spam", "BM25 of the title", "freshness", "length of the document in words")
    features = tuple(FeatureEffect(name, curve, 0.0, 10.0, 3.0) for name, curve in zip(names, curves, strict=True))
    return AdditiveEffects(features, 0.0, "log-odds")


def curved_samples():
    return EffectSamples(tuple(curved_effects(tilt=tilt) for tilt in (-0.05, -0.02, 0.0, 0.03, 0.06)))


def curved_data():
    X = np.random.default_rng(3).uniform(0, 10, size=(60, 5))
    return RankingData(X, np.arange(60) % 3, np.repeat(["q0", "q1"], 30), feature_names=curved_effects().names)


def curved_picture(*, strength=1.0, document=0, against=1, **options):
    """Nomogram in log-odds of effects known by formula."""
    made = curved_effects(strength)
    return nomogram(made, curved_data(), query="q0", document=document, against=against, **options)


def difference_effects(n_features):
    """In log-odds of A − B: odd straight lines."""
    slopes = random_weights(n_features)
    features = tuple(
        FeatureEffect(f"feature {k + 1}", LinearCurve(float(slope)), -4.0, 4.0, 0.0) for k, slope in enumerate(slopes)
    )
    return AdditiveEffects(features, 0.0, "log-odds", subject="difference")


def difference_picture(n_features, **options):
    made = difference_effects(n_features)
    return nomogram(made, random_data(n_features), query="q0", document=0, against=1, **options)


def class_effects():
    """In log-odds of a class: a number, and a feature with four categories."""
    worth = np.array([0.4, -0.9, 0.0, 1.1])
    features = (
        FeatureEffect("age", LinearCurve(0.05), 18.0, 80.0, 45.0, unit="years"),
        FeatureEffect(
            "kind",
            lambda codes: worth[np.asarray(codes, dtype=int)],
            0.0,
            3.0,
            2.0,
            categories=("news", "shop", "forum", "wiki"),
        ),
    )
    return AdditiveEffects(features, -0.3, "log-odds", subject="class", outcome="relevant")


def class_rows():
    rng = np.random.default_rng(5)
    return [
        [float(age), kind]
        for age, kind in zip(rng.integers(18, 81, 50), rng.choice(["news", "shop", "forum", "wiki"], 50), strict=True)
    ]


def class_picture(*, document=0, **options):
    return nomogram(class_effects(), class_rows(), document=document, title="Classifier nomogram", **options)


def read_number(shown):
    """Parse a number with a minus sign and thousands separators."""
    return float(shown.replace("−", "-").replace(",", ""))
