"""Small rankers of all kinds for the tests of exports, and rows at which an export could go wrong."""

from functools import cache

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import glassrank as gr
from glassrank.core.feature_kinds import PLAIN, UNSEEN, FeatureKind, FeatureTable
from glassrank.export.export_form import LevelTerm

# Names of levels that end a text, a statement or a function, that objects inherit, or that look like something else.
HOSTILE = (
    *("it's", 'say "so"', "a\\b", "$$", "'; DROP TABLE documents; --", "*/ -- ${1}", "x\ny\tz", "größe 日本 🙂", ""),
    *("__proto__", '"__proto__', "toString", "null", "NaN", "7", " 7"),
)
NAMES = ("bm25", "clicks", "year", "ctr", "in_stock", "brand")
KINDS = (PLAIN, PLAIN, PLAIN, PLAIN, FeatureKind("boolean"), FeatureKind("category", HOSTILE))
NUMBERS = [0, 1, 2, 3, 4]
N_ROWS, N_QUERIES = 320, 16
QID = np.repeat(np.arange(N_QUERIES), N_ROWS // N_QUERIES)
ACTIVATIONS = ("sigmoid", "tanh", "relu", "linear", "gaussian")


@cache
def drawn():
    """Rows without missing values, rows with some, and labels."""
    rng = np.random.default_rng(4)
    X = np.column_stack(
        [
            rng.gamma(2, 3, N_ROWS),
            np.exp(rng.normal(3, 2, N_ROWS)).round(),
            rng.normal(2000, 5, N_ROWS),
            rng.beta(1, 9, N_ROWS),
            rng.random(N_ROWS) < 0.4,
            rng.integers(0, len(HOSTILE), N_ROWS),
        ]
    )
    utility = np.tanh(X[:, 0] / 5) + 0.3 * np.log1p(X[:, 1]) - np.abs(X[:, 2] - 2001) / 8 + X[:, 4] + np.sin(X[:, 5])
    gaps = np.where(rng.random(X.shape) < 0.15, np.nan, X)
    gaps[:, 1] = X[:, 1]  # clicks are never missing
    return X, gaps, np.digitize(utility + rng.normal(0, 0.3, N_ROWS), [0.5, 1.5, 2.5])


def table(X):
    """Rows with all features, as the rankers of glassrank take them."""
    return FeatureTable(np.asarray(X, dtype=float), KINDS, NAMES)


def fitted(model, X=None, y=None):
    """Fit a ranker, or a Pipeline that ends in one, to the complete numbers, or to other rows."""
    rows = drawn()[0][:, NUMBERS] if X is None else X
    query = f"{model.steps[-1][0]}__qid" if hasattr(model, "steps") else "qid"
    return model.fit(rows, drawn()[2] if y is None else y, **{query: QID})


def standardised(ranker):
    return make_pipeline(StandardScaler(), ranker)


def stumps():
    return HistGradientBoostingRegressor(max_iter=30, interaction_cst="no_interactions", min_samples_leaf=5)


ON_ALL = {
    "linear": gr.RankSVM,
    "lrbf": lambda: gr.RankSVM(kernel="lrbf", linear=1.0, missing="mean"),
    "additive": lambda: gr.ELMRank(40, nodes="additive", random_state=0),
    "steps": lambda: gr.PairCalibrator(stumps(), random_state=0),
}
ON_NUMBERS = {
    "strict": lambda: standardised(gr.RankSVM(kernel="lrbf")),
    "calibrated": lambda: gr.PairCalibrator(standardised(gr.RankSVM(kernel="lrbf")), random_state=0),
    "filled": lambda: gr.ELMRank(30, "relu", alpha=0.1, missing="mean", random_state=0),
    "500 nodes": lambda: standardised(gr.ELMRank(500, alpha=0.1, random_state=0)),
    **{
        f"{name} nodes": (lambda name=name: standardised(gr.ELMRank(30, name, alpha=0.1, random_state=0)))
        for name in ACTIVATIONS
    },
}
MODELS = (*ON_ALL, *ON_NUMBERS)


@cache
def model(name):
    """A fitted ranker by name."""
    return fitted(ON_ALL[name](), table(drawn()[1])) if name in ON_ALL else fitted(ON_NUMBERS[name]())


def feature_names(name):
    return NAMES if name in ON_ALL else NAMES[:5]


def options(name):
    """What else an export of the model needs."""
    data = {"data": table(drawn()[1])} if name == "steps" else {}
    # Few knots make short files.
    coarse = {"max_error": 0.02} if name in ("strict", "lrbf", "additive") else {}
    return {"feature_names": feature_names(name), **data, **coarse}


def predicted(name, X):
    """The model's own scores; categories are codes."""
    return np.asarray(model(name).predict(table(X) if name in ON_ALL else X), dtype=float)


@cache
def exported(name, format_name, kind=None):
    return gr.export_model(model(name), format_name, kind=kind, **options(name))


def rows(form, X):
    """The rows of X, and rows with one feature at a knot, next to one, at the ends of its ranges, missing or unseen."""
    made = [X]
    for k, feature in enumerate(form.features):
        places = _places(form, k, feature)
        changed = np.tile(np.nan_to_num(X[k], nan=1.0), (len(places), 1))
        changed[:, k] = places
        made.append(changed)
    return np.concatenate(made)


def _places(form, k, feature):
    term = next((one for one in form.terms if one.feature == k), None)
    missing = form.layer.fill is not None if form.layer is not None else term is not None and term.missing is not None
    gaps = [np.nan] if missing else []
    if feature.kind.levels:
        unseen = [UNSEEN] if isinstance(term, LevelTerm) and term.unseen is not None else []
        return np.array([*range(len(feature.kind.levels)), *unseen, *gaps], dtype=float)
    exact = np.concatenate([getattr(term, name, np.zeros(0)) for name in ("knots", "thresholds")])
    exact = np.concatenate([exact[:: max(1, len(exact) // 20)], feature.valid, [feature.low, feature.high, 0.0, 1e-30]])
    near = np.concatenate([exact, np.nextafter(exact, -np.inf), np.nextafter(exact, np.inf), [-0.0]])
    near = near[(near == 0.0) | (np.abs(near) > 1e-300)]
    return np.append(near[(near >= feature.valid[0]) & (near <= feature.valid[1])], gaps)
