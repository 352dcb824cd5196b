"""read_model(): the tables of every kind of model score like the model, within the stated error."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRanker
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from xgboost import XGBRanker

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import UNSEEN
from glassrank.export.check_rows import check_rows, drawn_rows
from glassrank.export.export_form import LevelTerm, LineTerm, StepTerm
from glassrank.export.formats.rounding import rounding_bound
from glassrank.export.read_model import read_model
from tests.export import small_models
from tests.export.small_models import ACTIVATIONS, NAMES, QID, drawn, fitted, standardised, stumps, table

FIVE = NAMES[:5]
LRBF = {"kernel": "lrbf"}


def numbers(gaps=False):
    return drawn()[1 if gaps else 0][:, :5]


def binary():
    return (drawn()[2] > 1).astype(int)


def assert_tables_score_like(model, rows, form=None, scores=None, extra=1e-9):
    """Assert that tables score rows like the model, within their stated error, which is at most their tolerance.

    ``extra`` is the share of the largest score that the model's own rounding may add.
    """
    form = read_model(model, feature_names=FIVE) if form is None else form
    expected = model.predict(rows) if scores is None else scores(rows)
    size = np.abs(expected).max()
    assert np.abs(form.score(form.rows(rows)) - expected).max() <= form.error + rounding_bound(form) + extra * size
    assert form.error <= form.tolerance


def hard(form, X):
    """Rows at knots, next to them, at the ends of the valid ranges and at both ends of ten times the training range."""
    return small_models.rows(form, X)


RANKERS = {
    "linear": gr.RankSVM,
    "lrbf": lambda: gr.RankSVM(**LRBF),
    "lrbf and line": lambda: gr.RankSVM(**LRBF, linear=1.0),
    "monotone": lambda: gr.RankSVM(**LRBF, monotone={0: 1, 2: -1}),
    "differences of lines": lambda: gr.RankSVM(mode="difference"),
    "pairwise": lambda: gr.PairwiseRanker(LinearSVC()),
    "single": gr.BestSingleFeature,
    "cv": lambda: gr.RankSVMCV(Cs=2, cv=2),
    "calibrated": lambda: gr.PairCalibrator(gr.RankSVM(**LRBF), random_state=0),
    "calibrated cv": lambda: gr.PairCalibrator(gr.RankSVMCV(Cs=2, cv=2), random_state=0),
    "frozen": lambda: FrozenEstimator(fitted(gr.RankSVM(**LRBF))),
    "elm cv": lambda: gr.ELMRankCV(n_nodes=10, random_state=0),
    **{name: lambda name=name: gr.ELMRank(25, name, alpha=0.1, random_state=0) for name in ACTIVATIONS},
    **{
        f"additive {name}": lambda name=name: gr.ELMRank(40, name, nodes="additive", random_state=0)
        for name in ACTIVATIONS
    },
}


@pytest.mark.parametrize("name", RANKERS)
def test_tables_of_a_ranker_score_like_it(name):
    if name == "frozen":
        model = RANKERS[name]()
    else:
        model = (
            fitted(standardised(RANKERS[name]())) if "elm" in name or name in ACTIVATIONS else fitted(RANKERS[name]())
        )
    form = read_model(model, feature_names=FIVE)
    assert_tables_score_like(model, hard(form, numbers()), form)


STEPS = {
    **{f"{way}": lambda way=way: gr.FeatureTransformer(way) for way in ("standard", "log", "quantile", "auto", "none")},
    "StandardScaler": StandardScaler,
    "MinMaxScaler": MinMaxScaler,
    "clipped": lambda: MinMaxScaler(clip=True),
    "RobustScaler": RobustScaler,
    "PowerTransformer": PowerTransformer,
    "QuantileTransformer": lambda: QuantileTransformer(n_quantiles=20),
    "falling": lambda: FunctionTransformer(np.negative),
    "log1p": lambda: FunctionTransformer(np.log1p),
    "weighted": lambda: ColumnTransformer(
        [("all", StandardScaler(), [0, 1, 2, 3, 4])], transformer_weights={"all": -2.0}
    ),
    "some": lambda: make_column_transformer((StandardScaler(), [0, 2]), ("passthrough", [1])),
    "selector": lambda: gr.NomogramRFE(gr.RankSVM(), min_features_to_select=3, step=2, cv=2, random_state=0),
}


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
@pytest.mark.parametrize("name", STEPS)
def test_tables_take_the_features_before_the_steps_of_a_pipeline(name, kernel):
    if name == "selector":
        model = make_pipeline(STEPS[name]().fit(numbers(), drawn()[2], qid=QID), gr.RankSVM(kernel=kernel))
        model.steps[0] = ("rfe", model.steps[0][1])
        model.steps[1][1].fit(model.steps[0][1].transform(numbers()), drawn()[2], qid=QID)
    else:
        model = fitted(make_pipeline(STEPS[name](), gr.RankSVM(kernel=kernel)))
    form = read_model(model, feature_names=FIVE)
    assert_tables_score_like(model, hard(form, numbers()), form)
    lows = [one.low for one in form.features]
    used = list(form.used)
    np.testing.assert_allclose(np.array(lows)[used], numbers().min(axis=0)[used], rtol=1e-6, atol=1e-9)


def test_values_beyond_the_valid_range_of_a_count_have_the_end_of_its_curve():
    form = read_model(fitted(gr.RankSVM(**LRBF)), feature_names=FIVE)
    low, high = form.features[1].valid
    assert (low, high) == (0.0, pytest.approx(11 * numbers()[:, 1].max() - 10 * numbers()[:, 1].min()))


TREES = {
    "HistGradientBoosting": lambda X, y: stumps().fit(X, y),
    "GradientBoosting": lambda X, y: GradientBoostingRegressor(max_depth=1, n_estimators=30).fit(X, y),
    "LightGBM": lambda X, y: LGBMRanker(n_estimators=20, num_leaves=2, verbose=-1).fit(X, y, group=[20] * 16),
    "XGBoost": lambda X, y: XGBRanker(n_estimators=20, max_depth=1).fit(X, y, qid=QID),
}


@pytest.mark.parametrize("name", TREES)
def test_tables_of_trees_are_steps_with_effects_of_missing_values(name):
    gaps = name != "GradientBoosting"
    model = TREES[name](numbers(gaps), drawn()[2])
    form = read_model(model, numbers(gaps), feature_names=FIVE)
    assert all(isinstance(term, StepTerm) for term in form.terms)
    assert form.error == 0.0
    # XGBoost adds in 32 bits.
    X = hard(form, numbers(gaps))
    X = X if gaps else X[~np.isnan(X).any(axis=1)]  # GradientBoosting refuses them itself
    assert_tables_score_like(model, X, form, extra=1e-6 if name == "XGBoost" else 1e-12)


@pytest.mark.parametrize("inner", [stumps, lambda: LGBMRanker(n_estimators=5, num_leaves=2, verbose=-1)])
def test_levels_of_calibrated_trees_keep_their_names(inner):
    rows = table(drawn()[1])
    model = gr.PairCalibrator(inner(), random_state=0).fit(rows, drawn()[2], qid=QID)
    form = read_model(model, rows)
    assert form.features[5].kind.levels == small_models.HOSTILE
    assert form.slope == -model.slope_
    assert_tables_score_like(model, rows, form)


def test_missing_values_unseen_levels_and_booleans_have_their_own_effects():
    for name in ("linear", "lrbf", "additive"):
        model = small_models.model(name)
        form = read_model(model)
        kinds = [one.kind.name for one in form.features]
        assert kinds == ["number"] * 4 + ["boolean", "category"]
        assert_tables_score_like(model, table(drawn()[1]), form)
        brand = next(term for term in form.terms if isinstance(term, LevelTerm))
        unseen = table(np.column_stack([drawn()[0][:, :5], np.full(len(QID), UNSEEN)]))
        assert brand.unseen is not None
        assert_tables_score_like(model, unseen, form)


def test_clicks_that_were_never_missing_are_refused_unless_the_model_fills_them():
    missing = {name: read_model(small_models.model(name)).terms[1].missing for name in ("linear", "lrbf")}
    assert missing["linear"] is None
    assert missing["lrbf"] is not None  # fitted with missing="mean"
    form = read_model(small_models.model("linear"))
    assert np.isnan(form.score(np.where(np.arange(6) == 1, np.nan, drawn()[0][:1]))).all()


def test_imputers_give_missing_values_the_effect_of_what_replaces_them():
    model = fitted(make_pipeline(SimpleImputer(), StandardScaler(), gr.RankSVM(**LRBF)), numbers(gaps=True))
    assert_tables_score_like(model, numbers(gaps=True))


@pytest.mark.parametrize("unknown", ["ignore", "error"])
def test_encoded_categories_have_one_effect_per_level(unknown):
    frame = pd.DataFrame(
        {"bm25": drawn()[0][:, 0], "brand": np.array(small_models.HOSTILE)[drawn()[0][:, 5].astype(int)]}
    )
    encoder = make_column_transformer((OneHotEncoder(handle_unknown=unknown), ["brand"]), (StandardScaler(), ["bm25"]))
    model = fitted(make_pipeline(encoder, gr.RankSVM()), frame)
    form = read_model(model, frame)
    codes = [form.features[1].kind.levels.index(brand) for brand in frame["brand"]]
    X = np.column_stack([frame["bm25"], codes])
    np.testing.assert_allclose(form.score(X), model.predict(frame), atol=1e-12)
    unseen = form.score(np.column_stack([frame["bm25"], np.full(len(X), UNSEEN)]))
    if unknown == "error":
        assert np.isnan(unseen).all()
    else:
        np.testing.assert_allclose(unseen, model.predict(frame.assign(brand="other")), atol=1e-12)


def test_ordinal_codes_have_one_effect_per_level():
    frame = pd.DataFrame(
        {"bm25": drawn()[0][:, 0], "size": np.array(["S", "M", "L"])[(drawn()[0][:, 5] % 3).astype(int)]}
    )
    encoder = make_column_transformer(
        (OrdinalEncoder(categories=[["S", "M", "L"]]), ["size"]), (StandardScaler(), ["bm25"])
    )
    model = fitted(make_pipeline(encoder, gr.RankSVM(**LRBF)), frame)
    form = read_model(model, frame)
    levels = form.features[1].kind.levels
    X = np.column_stack([frame["bm25"], [levels.index(size) for size in frame["size"]]])
    assert np.abs(form.score(X) - model.predict(frame)).max() <= form.error + 1e-12


def test_a_level_that_changes_nothing_leaves_its_effect_in_the_constant():
    frame = pd.DataFrame({"bm25": drawn()[0][:, 0], "shop": "one"})
    encoder = make_column_transformer((OneHotEncoder(), ["shop"]), ("passthrough", ["bm25"]))
    model = make_pipeline(encoder, LogisticRegression(fit_intercept=False)).fit(frame, binary())
    form = read_model(model, frame)
    assert form.used == (0,)
    X = np.column_stack([frame["bm25"], np.zeros(len(frame))])
    np.testing.assert_allclose(form.score(X), model.decision_function(frame), atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_tables_of_a_classifier_are_its_log_odds(kernel):
    model = gr.AdditiveSVC(kernel=kernel).fit(numbers(), binary())

    def log_odds(rows):
        shares = model.predict_proba(rows)
        return np.log(shares[:, 1]) - np.log(shares[:, 0])

    assert_tables_score_like(model, numbers(), scores=log_odds)


def test_linear_models_and_splines_of_scikit_learn_are_read_with_data():
    for model in (make_pipeline(StandardScaler(), Ridge()), make_pipeline(SplineTransformer(), Ridge())):
        model.fit(numbers(), drawn()[2])
        form = read_model(model, numbers(), feature_names=FIVE)
        assert_tables_score_like(model, numbers(), form)
        assert all(term.missing is None for term in form.terms)


def test_searches_and_calibrators_are_read_anywhere_in_a_pipeline():
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):

        def search(ranker, **grid):
            return GridSearchCV(ranker.set_fit_request(qid=True).set_score_request(qid=True), grid, cv=2)

        lrbf = search(gr.RankSVM(**LRBF), C=[0.1, 1.0])
        nodes = search(gr.ELMRank(10, random_state=0), alpha=[0.1, 1.0])
        for model in (lrbf, nodes, standardised(lrbf), standardised(nodes)):
            model.fit(numbers(), drawn()[2], qid=QID)
            assert_tables_score_like(model, numbers())
        found = nodes.fit(numbers(), drawn()[2], qid=QID)
    prefit = gr.PairCalibrator(found, cv="prefit").fit(numbers(), drawn()[2], qid=QID)
    assert_tables_score_like(prefit, numbers())
    assert read_model(prefit, feature_names=FIVE).slope == -prefit.slope_
    last = fitted(standardised(gr.PairCalibrator(gr.RankSVM(**LRBF), random_state=0)))
    assert_tables_score_like(last, numbers())
    assert read_model(last, feature_names=FIVE).slope == -last.steps[-1][1].slope_


def test_one_feature_a_constant_and_136_features_are_read():
    one = fitted(gr.RankSVM(**LRBF), numbers()[:, :1])
    assert_tables_score_like(one, numbers()[:, :1], read_model(one, feature_names=["bm25"]))
    for way in ("standard", "quantile", "log"):
        X = np.column_stack([numbers(), np.full(len(QID), 5.0)])
        model = fitted(make_pipeline(gr.FeatureTransformer(way), gr.RankSVM(**LRBF)), X)
        form = read_model(model, feature_names=NAMES)
        assert 5 not in form.used or np.ptp(form.terms[5].values) == 0
        assert_tables_score_like(model, X, form)
    X = np.random.default_rng(0).normal(size=(len(QID), 136))
    wide = fitted(gr.RankSVM(), X)
    assert_tables_score_like(wide, X, read_model(wide, rename="auto"))


def test_scores_in_log_odds_give_the_probabilities_of_pairs():
    X = numbers()
    for ranker in (gr.RankSVM(**LRBF), gr.ELMRank(20, alpha=0.1, random_state=0)):
        model = gr.PairCalibrator(standardised(ranker), random_state=0).fit(X, drawn()[2], qid=QID)
        form = read_model(model, feature_names=FIVE, scale="logit")
        a, b = form.score(X[:100]), form.score(X[100:200])
        expected = model.predict_pair_proba(X[:100], X[100:200])
        assert form.slope == 1.0
        assert np.abs(1 / (1 + np.exp(b - a)) - expected).max() <= 0.5 * form.error + 1e-9


def test_the_default_error_is_a_hundredth_in_log_odds_and_a_given_one_holds():
    model = gr.PairCalibrator(gr.RankSVM(**LRBF), random_state=0).fit(numbers(), drawn()[2], qid=QID)
    form = read_model(model, feature_names=FIVE)
    assert form.tolerance == pytest.approx(0.01 / -model.slope_)
    coarse, fine = (read_model(model, feature_names=FIVE, max_error=error) for error in (0.05, 0.0005))
    assert coarse.error <= 0.05
    assert fine.error <= 0.0005
    counts = [sum(len(term.knots) for term in one.terms if not isinstance(term, LineTerm)) for one in (coarse, fine)]
    assert 5 * counts[0] < counts[1] < 15 * counts[0]  # ∝ 1/√ε


REFUSED = {
    "difference": (
        lambda: fitted(gr.RankSVM(**LRBF, mode="difference")),
        {},
        "compares two documents and gives no score to a single one",
        "mode='utility'",
    ),
    "pairwise difference": (
        lambda: fitted(gr.PairwiseRanker(LinearSVC(), mode="difference")),
        {},
        "compares two documents",
        "mode='utility'",
    ),
    "query scaling": (
        lambda: fitted_scaled(),
        {},
        r"features that are scaled within each query \(minmax\)",
        "transform='standard'",
    ),
    "interactions": (
        lambda: GradientBoostingRegressor(max_depth=2, n_estimators=5).fit(numbers(), drawn()[2]),
        {"data": True},
        "effects of two features together",
        "Train trees of one feature each",
    ),
    "curves before a layer": (
        lambda: fitted(make_pipeline(gr.FeatureTransformer("log"), gr.ELMRank(10, random_state=0))),
        {},
        "not straight lines of one feature each",
        "nodes='additive'",
    ),
    "no ranges": (lambda: Ridge().fit(numbers(), drawn()[2]), {}, "has not stored the values", "data="),
    "not monotone": (
        lambda: fitted(make_pipeline(FunctionTransformer(np.square), gr.RankSVM(**LRBF))),
        {},
        "has not stored the values",
        "data=",
    ),
    "undefined": (
        lambda: fitted(make_pipeline(FunctionTransformer(np.log1p), gr.RankSVM(**LRBF)), numbers() - [0.1, 0, 0, 0, 0]),
        {},
        "The curve of 'feature 1' has no finite value at -",
        "FeatureTransformer",
    ),
    "no probabilities": (
        lambda: fitted(gr.RankSVM()),
        {"scale": "logit"},
        "need probabilities of pairs",
        "PairCalibrator",
    ),
    "too exact": (
        lambda: fitted(gr.RankSVM(**LRBF)),
        {"max_error": 1e-12},
        "needs more than 4,000 pieces",
        "max_error",
    ),
    "bad scale": (lambda: fitted(gr.RankSVM()), {"scale": "log"}, "scale must be one of 'score', 'logit'", None),
    "bad error": (lambda: fitted(gr.RankSVM()), {"max_error": 0.0}, "max_error must be", None),
    "too few names": (lambda: fitted(gr.RankSVM()), {"feature_names": ["a"]}, "expected 5, got 1", None),
    "equal names": (lambda: fitted(gr.RankSVM()), {"feature_names": list("aabcd")}, "the same name", None),
    "equal but for case": (
        lambda: fitted(gr.RankSVM()),
        {"feature_names": ["Price", "price", "c", "d", "e"]},
        "no two differ only in case: got 'Price' and 1 more",
        "rename='auto'",
    ),
    "reserved name": (
        lambda: fitted(gr.RankSVM()),
        {"feature_names": ["gr_a", "b", "c", "d", "e"]},
        "got 'gr_a'",
        "rename={'gr_a': 'f_gr_a'}",
    ),
    "no such feature": (
        lambda: fitted(gr.RankSVM()),
        {"rename": {"z": "y"}},
        "rename must name features of the model: got 'z'",
        None,
    ),
    "not additive": (lambda: fitted(gr.KernelLeastSquaresRanker()), {}, "its kernel mixes all features", "lrbf"),
}


def fitted_scaled():
    scaler = gr.QueryScaler("minmax")
    X = scaler.fit_transform(numbers(), qid=QID)
    return make_pipeline(scaler, gr.RankSVM().fit(X, drawn()[2], qid=QID))


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_that_no_engine_can_score_is_refused_with_a_remedy(name):
    make, given, message, remedy = REFUSED[name]
    named = {"feature_names": FIVE, **given, **({"data": numbers()} if "data" in given else {})}
    with pytest.raises(DataError, match=message) as caught:
        read_model(make(), **named)
    assert remedy is None or remedy in str(caught.value)


def test_a_model_without_any_effect_is_refused():
    model = fitted(gr.RankSVM(), np.ones((len(QID), 2)))
    with pytest.raises(DataError, match="gives all documents the same score"):
        gr.export_model(model, "python", feature_names=["a", "b"])


def test_names_are_proposed_that_engines_accept():
    names = ["bm25", "BM25", "click rate", "größe", "7", "", "x" * 80, "gr_score", "click_rate"]
    model = fitted(gr.RankSVM(), np.random.default_rng(0).normal(size=(len(QID), 9)))
    found = [one.name for one in read_model(model, feature_names=names, rename="auto").features]
    assert found[0] == "bm25"
    assert found[-1] == "click_rate"
    assert len({name.lower() for name in found}) == 9
    assert all(name.isascii() and name.isidentifier() and len(name) <= 63 for name in found)
    assert not any(name.startswith("gr_") for name in found)


def test_the_fingerprint_changes_with_the_model_and_only_then():
    model, twin = fitted(gr.RankSVM(**LRBF)), fitted(gr.RankSVM(**LRBF))
    form = read_model(model, feature_names=FIVE)
    assert read_model(twin, feature_names=FIVE).fingerprint == form.fingerprint
    others = [
        read_model(fitted(gr.RankSVM(**LRBF, C=2.0)), feature_names=FIVE),
        read_model(model, feature_names=["a", *FIVE[1:]]),
        read_model(model, feature_names=FIVE, max_error=0.1),
        replace(form, constant=np.nextafter(form.constant, 1.0)),
        replace(form, terms=(replace(form.terms[0], missing=0.5), *form.terms[1:])),
    ]
    assert len({form.fingerprint, *(one.fingerprint for one in others)}) == 6


def test_the_check_rows_contain_missing_values_and_unseen_levels_only_if_the_model_accepts_them():
    strict, lenient = (
        read_model(small_models.model(name), feature_names=small_models.feature_names(name))
        for name in ("strict", "lrbf")
    )
    assert not np.isnan(drawn_rows(strict, 60)).any()
    X = drawn_rows(lenient, 60)
    assert np.isnan(X).any(axis=0).tolist() == [True] * 6
    assert (X[:, 5] == UNSEEN).any()
    lines = [json.loads(line) for line in check_rows(lenient).decode().splitlines()]
    np.testing.assert_allclose([line["score"] for line in lines], lenient.score(X), rtol=1e-15)


def test_the_name_in_an_engine_changes_with_everything_that_changes_the_files():
    model = small_models.model("lrbf")
    names = [
        gr.export_model(model, "solr", kind="network").name,
        gr.export_model(model, "solr", kind="network", definitions={small_models.NAMES[0]: "other_f"}).name,
        gr.export_model(model, "python").name,
        gr.export_model(model, "python", max_error=0.1).name,
    ]
    assert len(set(names)) == 4
    assert gr.export_model(model, "python").name == names[2]


def test_an_export_is_saved_whole_and_described(tmp_path):
    exported = gr.export_model(small_models.model("lrbf"), "python", name="shop")
    folder = exported.save(tmp_path / "new" / "folder")
    assert sorted(path.name for path in folder.iterdir()) == ["check.jsonl", "glassrank.json", "model.py"]
    about = json.loads((folder / "glassrank.json").read_text())
    assert re.fullmatch("shop_[0-9a-f]{8}", about["name"])
    assert about["name"] == exported.name
    assert about["features"][5]["levels"] == list(small_models.HOSTILE)
    assert about["features"][0]["training"] == [np.nanmin(drawn()[1][:, 0]), np.nanmax(drawn()[1][:, 0])]
    assert exported.bound == about["table_error"] + about["rounding"]
    assert "Largest difference from the model's scores" in str(exported)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"format": "csv"}, "format must be one of"),
        ({"kind": "double"}, "The format 'python' has one kind of model only"),
        ({"format": "onnx", "kind": "half"}, "kind must be one of 'double', 'single'"),
        ({"definitions": {"a": {}}}, "has no definitions of features"),
        ({"name": "7up"}, "name must be at most 50 letters"),
        ({"format": "onnx", "kind": "single", "max_error": 1e-9}, "would change scores by up to"),
    ],
)
def test_options_that_a_format_does_not_have_are_refused(given, message):
    with pytest.raises(DataError, match=message):
        gr.export_model(fitted(gr.RankSVM()), **{"format": "python", "feature_names": FIVE, **given})


def test_pairs_that_could_swap_are_counted():
    model = small_models.model("linear")
    data = gr.RankingData(drawn()[1], drawn()[2], QID, feature_names=NAMES, kinds=small_models.KINDS)
    exported = gr.export_model(model, "python", max_error=1.0)
    assert exported.undecided(data).startswith("0 of 3,040 pairs of documents (0.00%)")  # 16 queries of 190 pairs


@pytest.mark.parametrize("name", ["solr", "python"])
def test_values_beyond_single_precision_are_refused_with_the_feature(name):
    """1.01e38 to 2.99e38 are 99 % of the range, and 2.99e38 + 10 · 1.98e38 = 2.279e39."""
    X = np.array([[0.1, 1e38], [0.4, 3e38], [0.2, 2e38]])
    model = make_pipeline(gr.FeatureTransformer(), gr.RankSVM()).fit(X, [0, 1, 1])
    data = gr.RankingData(X, [0, 1, 1], feature_names=["bm25", "id"])
    with pytest.raises(DataError, match=r"'id' has values from 1.01e\+38 .* up to 2.279e\+39.*ends at 3.4e\+38"):
        gr.export_model(model, name, data=data, feature_names=["bm25", "id"])
