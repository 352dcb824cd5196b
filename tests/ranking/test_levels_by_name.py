"""Levels are matched by name: codes in a matrix are refused, and frames are read by the rules of RankingData."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank import (
    AdditiveSVC,
    BestSingleFeature,
    DataError,
    ELMRank,
    ELMRankCV,
    FeatureTransformer,
    KernelLeastSquaresRanker,
    PairCalibrator,
    RankingData,
    RankSVM,
    RankSVMCV,
)
from tests.ranking.mixed_tables import NAMES, simulated

MODELS = {
    "RankSVM": lambda: RankSVM(min_count=6),
    "RankSVMCV": lambda: RankSVMCV([1.0], cv=2, min_count=6),
    "ELMRank": lambda: ELMRank(10, nodes="additive", min_count=6, random_state=0),
    "ELMRankCV": lambda: ELMRankCV([0.1], cv=2, n_nodes=10, nodes="additive", min_count=6, random_state=0),
    "Pipeline": lambda: make_pipeline(FeatureTransformer(), RankSVM(min_count=6)),
}
TABLE = simulated(seed=30, n_rows=60)
DATA = TABLE.data
FEW = [3, 20, 41]


def frame_of(table, library):
    columns = {name: [row[k] for row in table.rows] for k, name in enumerate(NAMES)}
    columns["in stock"] = [None if value is None else bool(value) for value in columns["in stock"]]
    if library == "polars":
        return pl.DataFrame(columns)
    frame = pd.DataFrame(columns)
    return frame.astype({"site": "category"}) if library == "pandas" else frame.astype({"brand": "string"})


def fit(model, X, y, qid):
    return model.fit(X, y, **({"ranksvm__qid": qid} if hasattr(model, "steps") else {"qid": qid}))


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return fit(MODELS[request.param](), DATA.table, DATA.y, DATA.qid)


def test_a_matrix_of_codes_is_refused_with_the_remedy(fitted):
    calls = [fitted.predict, lambda X: gr.effects(fitted, X), gr.effects(fitted, DATA.table).encode]
    if not hasattr(fitted, "steps"):
        calls += [lambda X: fitted.decide_pairs(X, X), lambda X: fitted.score(X, DATA.y, DATA.qid), fitted.rank]
    for call in calls:
        with pytest.raises(DataError, match=r"'brand' is a category, and a matrix .* Pass RankingData, its table"):
            call(DATA.X)


def test_codes_of_the_models_own_levels_are_given_with_its_kinds(fitted):
    last = fitted[-1] if hasattr(fitted, "steps") else fitted
    codes = RankingData(DATA.X[FEW], None, feature_names=last.feature_names_in_, kinds=last.feature_kinds_)
    assert fitted.predict(codes.table).tobytes() == fitted.predict(DATA.table)[FEW].tobytes()


def test_ranking_data_without_kinds_are_refused_in_every_explanation(fitted):
    plain = RankingData(DATA.X, DATA.y, DATA.qid, feature_names=NAMES)
    for call in (
        lambda: gr.nomogram(fitted, plain, query=0, document=0),
        lambda: gr.explain_pair(fitted, plain, query=0, document=0, against=1),
    ):
        with pytest.raises(DataError, match=r"'brand' is a category"):
            call()


def test_a_classifier_refuses_codes_in_all_its_methods():
    model = AdditiveSVC(min_count=6, random_state=0).fit(DATA.table, DATA.y > 0)
    for call in (model.predict, model.decision_function, model.predict_proba, lambda X: model.score(X, DATA.y > 0)):
        with pytest.raises(DataError, match="'brand' is a category, and a matrix"):
            call(DATA.X)


def test_a_saved_model_refuses_codes(fitted, tmp_path):
    gr.save_model(fitted, tmp_path / "model.json", feature_names=NAMES)
    for loaded in (gr.load_model(tmp_path / "model.json"), gr.load_scorer(tmp_path / "model.json")):
        with pytest.raises(DataError, match="'brand' is a category, and a matrix"):
            loaded.predict(DATA.X)


def test_folds_of_a_table_and_of_a_frame_give_the_same_scores():
    def accuracies(X):
        model = RankSVM(min_count=6, missing="mean")
        for train, test in GroupKFold(2).split(DATA.X, groups=DATA.qid):
            model.fit(X[train], DATA.y[train], qid=DATA.qid[train])
            yield model.score(X[test], DATA.y[test], qid=DATA.qid[test])

    assert list(accuracies(DATA.table)) == list(accuracies(frame_of(TABLE, "polars")))
    found = cross_val_score(AdditiveSVC(min_count=6, cv=None, missing="mean"), DATA.table, DATA.y > 0, cv=2)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("library", ["pandas", "pandas text", "polars"])
def test_a_frame_is_read_like_ranking_data(fitted, library):
    frame = frame_of(TABLE, library)
    model = next(make() for name, make in MODELS.items() if name == type(fitted).__name__)
    model = fit(model, frame, DATA.y, DATA.qid)
    assert model.predict(frame).tobytes() == fitted.predict(DATA.table).tobytes()
    some = frame[FEW] if library == "polars" else frame.iloc[FEW]
    # The rows alone have fewer levels, and so other codes.
    assert fitted.predict(some).tobytes() == fitted.predict(DATA.table)[FEW].tobytes()
    last, own = (one[-1] if hasattr(one, "steps") else one for one in (model, fitted))
    assert last.feature_kinds_ == own.feature_kinds_


def test_other_estimators_read_frames_too():
    frame = frame_of(TABLE, "polars")
    svc = AdditiveSVC(cv=None, min_count=6)
    by_table = svc.fit(DATA.table, DATA.y > 0).decision_function(DATA.table)
    assert svc.fit(frame, DATA.y > 0).decision_function(frame).tobytes() == by_table.tobytes()
    single = BestSingleFeature().fit(frame, DATA.y, qid=DATA.qid)
    assert single.predict(frame).tobytes() == BestSingleFeature().fit(DATA).predict(DATA).tobytes()
    calibrated = PairCalibrator(RankSVM(min_count=6, missing="mean"), cv=2).fit(frame, DATA.y, qid=DATA.qid)
    by_data = PairCalibrator(RankSVM(min_count=6, missing="mean"), cv=2).fit(DATA)
    assert calibrated.slope_ == pytest.approx(by_data.slope_, rel=1e-12)
    np.testing.assert_array_equal(calibrated.predict(frame), by_data.predict(DATA))
    with pytest.raises(DataError, match="KernelLeastSquaresRanker needs numbers: feature 'brand' is a category"):
        KernelLeastSquaresRanker().fit(frame[:, 1:4].drop("in stock"), DATA.y, qid=DATA.qid)


def test_a_declared_category_of_numbers_is_found_by_name_in_a_frame_of_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.choice([40, 41, 100], 60), "price": rng.normal(size=60)})
    y = (frame["size"] == 41).astype(float) + (frame["price"] > 0)
    data = RankingData.from_frame(frame.assign(label=y), qid=None, categorical=["size"])
    model = RankSVM().fit(data)
    assert data.kinds[0].levels == ("100", "40", "41")
    assert model.predict(frame).tobytes() == model.predict(data).tobytes()
    assert model.predict(frame.iloc[:1]).tolist() == model.predict(data)[:1].tolist()


def test_a_column_that_is_no_feature_is_refused_by_name():
    frame = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-02"]), "site": ["a", "b"]})
    with pytest.raises(DataError, match=r"Features must contain numbers, booleans or text: got 'when' \(Datetime"):
        RankSVM().fit(frame, [0, 1])
    mixed = pd.DataFrame({"price": ["1.5", "cheap"]})
    with pytest.raises(DataError, match=r"column 'price' contains numbers and text, such as '1.5' and 'cheap'"):
        RankSVM().fit(mixed, [0, 1])
    model = RankSVM().fit(frame[["site"]], [0, 1])
    with pytest.raises(DataError, match="in the same order: expected 'site', got 'brand'"):
        model.predict(pd.DataFrame({"brand": ["a"]}))
    with pytest.raises(DataError, match="X has 2 features, but RankSVM is expecting 1"):
        model.predict(DATA.table[:, [3, 4]])


def test_a_frame_of_numbers_is_passed_to_scikit_learns_checks():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 1.0]})
    model = RankSVM().fit(frame, [0, 1, 2])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a"]])
